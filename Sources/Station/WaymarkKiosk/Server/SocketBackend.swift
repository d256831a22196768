import Synchronization
import WaymarkClient
import WaymarkProtocol
import WaymarkSystem

/// The real backend: a client of the service's socket like any other.
///
/// Every page has a connection of its own, opened with its stream of events: what it armed is disarmed when it goes
/// away, and the service's snapshot tells it how things stand.
package final class SocketBackend: KioskBackend {
  private let path: String
  private let pages = Mutex(PageTable<WaymarkClient>())
  /// How many lines wait for a browser that does not read.
  private static let waiting = 1024

  /// The events that a page is told of; the rest of the service's events are not for it.
  private static let events = [
    "scan.*", "code.*", "codes.updated", "count.*", "document.*", "text.*", "camera.status", "scanner.status",
    "session.phase",
    "anchor.*", "anchors.updated",
    "marker.changed",
    "annotation.*", "card.*", "scene.*", "account.state", "server.stopping",
  ]

  /// A backend for the socket at `path`; nothing is connected yet.
  package init(path: String) { self.path = path }

  package func command(_ method: String, params: [UInt8], page: String?) async -> CommandReply {
    await reply { [self] in
      let client = try await client(of: page)
      return try await client.send(method: method, params: try JSONParser.parse(params))
    }
  }

  package func upload(_ picture: [UInt8], page: String?) async -> CommandReply {
    await reply { [self] in
      // Over the page's own connection: an accepted picture waits for the confirmation of whoever sent it.
      try await client(of: page).scan(picture: picture, mode: .onboarding)
    }
  }

  package func events(page: String?) -> AsyncStream<[UInt8]> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: [UInt8].self, bufferingPolicy: .bufferingOldest(Self.waiting))
    let number = pages.withLock { $0.began() }
    let task = Task { [self] in
      var own: WaymarkClient?
      /// Ends the stream rather than leave a line out: the page asks again, and the snapshot tells it how things stand.
      func send(_ line: [UInt8]) throws {
        if case .dropped = continuation.yield(line) { throw CancellationError() }
      }
      do {
        for try await update in WaymarkClient.updates(
          at: path, events: Self.events, backoff: Backoff(first: 0.1, longest: 1))
        {
          switch update {
          case .connected(let client, let snapshot):
            own = client
            if let page { pages.withLock { $0.connected(page, stream: number, client) } }
            let standing = Connection(
              online: true, role: client.hello.role, client: client.hello.client, snapshot: snapshot)
            try send(try JSONLineEncoder.encode(standing))
          case .event(let received): try send(Array(received.line.utf8))
          case .disconnected:
            own = nil
            if let page { pages.withLock { $0.ended(page, stream: number) } }
            try send(try JSONLineEncoder.encode(Connection(online: false, role: nil, client: nil, snapshot: nil)))
          }
        }
      } catch {
        // Refused for good, cancelled, or not read: the stream ends, and the page asks again.
      }
      continuation.finish()
      if let page { pages.withLock { $0.ended(page, stream: number) } }
      await own?.close()
    }
    continuation.onTermination = { _ in task.cancel() }
    return stream
  }

  package func preview(width: Int?, rate: Double?, camera: String?) -> AsyncThrowingStream<PicturePart, any Error> {
    AsyncThrowingStream(bufferingPolicy: .bufferingNewest(2)) { continuation in
      let task = Task { [path] in
        do {
          let client = try await WaymarkClient.connect(to: path)
          for try await picture in try client.pictures(MediaPreviewRequest(width: width, rate: rate, camera: camera)) {
            continuation.yield(PicturePart(picture))
          }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  package func picture(_ request: PictureRequest) async throws -> PicturePart {
    let client = try await WaymarkClient.connect(to: path)
    let pictures =
      switch request {
      case .resource(let id): try client.pictures(MediaResourceRequest(id: id))
      case .gallery(let id, let width): try client.pictures(MediaGalleryRequest(id: id, width: width))
      case .document(let page, let width, let original):
        try client.pictures(MediaDocumentRequest(page: page, width: width, original: original ? true : nil))
      case .snapshot: try client.pictures(MediaSnapshotRequest())
      }
    let iterator = pictures.makeAsyncIterator()
    guard let picture = try await iterator.next() else {
      throw ServiceError(.notFound, "The service sent no picture.", hint: "Ask again.")
    }
    await client.close()
    return PicturePart(picture)
  }

  /// The page's own connection, or one for this command alone.
  private func client(of page: String?) async throws -> WaymarkClient {
    if let page, let client = pages.withLock({ $0[page] }) { return client }
    return try await WaymarkClient.connect(to: path)
  }

  private func reply(_ work: @Sendable () async throws -> some Encodable) async -> CommandReply {
    do {
      let result = try await work()
      return CommandReply(succeeded: true, json: try JSONLineEncoder.encode(["result": result]))
    } catch let error as ServiceError {
      return (try? JSONLineEncoder.encode(["error": error])).map { CommandReply(succeeded: false, json: $0) }
        ?? .offline
    } catch {
      return .offline
    }
  }

  /// The state of the connection to the service, as an event.
  private struct Connection: Encodable {
    let event = "kiosk.connection"
    let online: Bool
    let role: Role?
    /// The number under which the page stands in the `by` of events: what carries it is the page's own.
    let client: Int?
    let snapshot: Snapshot?
  }
}

extension CommandReply {
  fileprivate static var offline: CommandReply {
    .failure(
      code: "offline", message: "The scanning service does not answer.",
      hint: "Wait, or start it: systemctl start waymark.")
  }
}

extension PicturePart {
  fileprivate init(_ picture: ReceivedPicture) {
    self.init(
      sequence: picture.header.frame.map { UInt64($0.sequence) }, captured: picture.header.frame?.captured,
      format: picture.header.format.rawValue, bytes: picture.bytes)
  }
}
