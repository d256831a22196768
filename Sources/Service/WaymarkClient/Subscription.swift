public import WaymarkProtocol
public import WaymarkSystem

/// An update of a subscription that reconnects automatically.
public enum SubscriptionUpdate: Sendable {
  /// The client is connected and subscribed. The snapshot replaces all earlier state; requests may be sent on
  /// `client`.
  case connected(client: WaymarkClient, snapshot: Snapshot)
  /// An event that the service published.
  case event(ReceivedEvent)
  /// The connection ended or failed; the next attempt follows after `retryAfter` seconds.
  case disconnected(ClientError, retryAfter: Double)
}

extension WaymarkClient {
  /// Subscribes to `events` at the socket `path`, and reconnects whenever the connection is lost, until the task is
  /// cancelled or the consumer leaves the loop.
  ///
  /// ```swift
  /// for try await update in WaymarkClient.updates(at: path, events: ["scan.*"]) { … }
  /// ```
  ///
  /// - Throws: errors that another attempt cannot change: `notPermitted`, or a refusal of the subscription as
  ///   `ServiceError`.
  public static func updates(at path: String, events: [String]?, backoff: Backoff = Backoff()) -> Subscription {
    Subscription(path: path, events: events, backoff: backoff)
  }
}

/// A subscription that reconnects automatically.
public struct Subscription: AsyncSequence, Sendable {
  let path: String
  let events: [String]?
  let backoff: Backoff

  /// Creates the iterator; its first `next()` connects.
  public func makeAsyncIterator() -> Iterator { Iterator(path: path, events: events, backoff: backoff) }

  /// Connects, receives the events, and connects again after a pause.
  public struct Iterator: AsyncIteratorProtocol {
    let path: String
    let events: [String]?
    var backoff: Backoff
    private var client: WaymarkClient?
    private var wait: Double?

    init(path: String, events: [String]?, backoff: Backoff) {
      self.path = path
      self.events = events
      self.backoff = backoff
    }

    /// Returns the next update, never `nil`. After `disconnected`, waits for `retryAfter` seconds and connects again.
    public mutating func next() async throws -> SubscriptionUpdate? {
      if let wait {
        self.wait = nil
        try await Task.sleep(for: .seconds(wait))
      }
      do {
        if let client {
          guard let event = try await client.events.next() else { throw ClientError.lost }
          return .event(event)
        }
        let fresh = try await WaymarkClient.connect(to: path)
        let snapshot = try await fresh.send(SubscribeRequest(events: events))
        client = fresh
        backoff.reset()
        return .connected(client: fresh, snapshot: snapshot)
      } catch let error as ClientError where error.code.rawValue != CloseReason.notPermitted.rawValue {
        client = nil
        let wait = backoff.next()
        self.wait = wait
        return .disconnected(error, retryAfter: wait)
      }
    }
  }
}
