import Synchronization
import WaymarkClient
import WaymarkProtocol
import WaymarkSystem

/// The service as the kiosk uses it. Tests and `--preview` replace it. `SocketBackend` below is the service behind its
/// socket, `PreviewBackend` the replacement for `--preview`. Between them are the values of the protocol: replies, and
/// requests for pictures.
package protocol KioskBackend: Sendable {
  /// Sends a request to the service. The reply is JSON: `{"result":…}` or `{"error":…}`.
  ///
  /// - Parameter page: the name under which the page opened its stream of events. Scans armed by the page are disarmed when this
  ///   stream ends.
  func command(_ method: String, params: [UInt8], page: String?) async -> CommandReply
  /// The events as lines of JSON, and a line `kiosk.connection` when the connection to the service changes.
  func events(page: String?) -> AsyncStream<[UInt8]>
  /// The live pictures of a camera; of the first camera if `camera` is nil.
  ///
  /// - Parameters:
  ///   - width: the largest width in pixels; nil for the camera's width.
  ///   - rate: the largest number of pictures per second; nil for all.
  func preview(width: Int?, rate: Double?, camera: String?) -> AsyncThrowingStream<PicturePart, any Error>
  /// Fetches one picture: a resource of the service, a picture of the gallery, a page of the document, or a snapshot of the camera.
  func picture(_ request: PictureRequest) async throws -> PicturePart
  /// Sends a visitor's picture to the service, whose reply contains the verdict on its code.
  func upload(_ picture: [UInt8], page: String?) async -> CommandReply
}

/// The reply to a command, from the service or from the kiosk itself.
package struct CommandReply: Sendable {
  /// True if it is a result rather than an error.
  package var succeeded: Bool
  /// The whole reply as JSON, without an id.
  package var json: [UInt8]

  package init(succeeded: Bool, json: [UInt8]) {
    self.succeeded = succeeded
    self.json = json
  }

  /// Creates an error reply of the kiosk itself.
  package static func failure(code: String, message: String, hint: String) -> CommandReply {
    CommandReply(
      succeeded: false,
      json: Array(#"{"error":{"code":"\#(code)","message":"\#(message)","hint":"\#(hint)"}}"#.utf8))
  }
}

/// A picture, with the number and the time of its frame if it is a frame.
package struct PicturePart: Sendable {
  /// The frame's sequence number; nil if the picture is not a frame.
  package var sequence: UInt64?
  /// The time of capture in seconds of CLOCK_MONOTONIC; nil if the picture is not a frame.
  package var captured: Double?
  /// The format of the file, such as `jpeg` or `png`.
  package var format: String
  /// The picture's file.
  package var bytes: [UInt8]

  package init(sequence: UInt64?, captured: Double?, format: String, bytes: [UInt8]) {
    self.sequence = sequence
    self.captured = captured
    self.format = format
    self.bytes = bytes
  }
}

/// A picture that the page requests, with the largest width in pixels where the service can reduce it.
package enum PictureRequest: Equatable, Sendable {
  case resource(id: String)
  case gallery(id: String, width: Int?)
  case document(page: String, width: Int?, original: Bool)
  case snapshot
}

/// A backend that is a client of the service's socket like any other.
///
/// Each page has its own connection to the socket, opened with the page's stream of events. The snapshot of the connection contains
/// the current state. When the connection closes, the service disarms the page's scans.
package final class SocketBackend: KioskBackend {
  private let path: String
  private let pages = Mutex(PageTable<WaymarkClient>())
  /// The largest number of lines that wait for a browser.
  private static let waiting = 1024

  /// The events that pages receive.
  private static let events = [
    "scan.*", "onboarding.*", "code.*", "codes.updated", "count.*", "document.*", "text.*", "camera.status",
    "scanner.status",
    "session.phase",
    "anchor.*", "anchors.updated",
    "marker.changed",
    "annotation.*", "card.*", "scene.*", "account.state", "server.stopping",
  ]

  /// Creates a backend for the socket at `path`, without connecting.
  package init(path: String) { self.path = path }

  package func command(_ method: String, params: [UInt8], page: String?) async -> CommandReply {
    await reply { [self] in
      let client = try await client(of: page)
      return try await client.send(method: method, params: try JSONParser.parse(params))
    }
  }

  package func upload(_ picture: [UInt8], page: String?) async -> CommandReply {
    await reply { [self] in
      // Sent over the page's own connection, because only that connection can confirm an accepted picture.
      try await client(of: page).scan(picture: picture, mode: .onboarding)
    }
  }

  package func events(page: String?) -> AsyncStream<[UInt8]> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: [UInt8].self, bufferingPolicy: .bufferingOldest(Self.waiting))
    let number = pages.withLock { $0.began() }
    let task = Task { [self] in
      var own: WaymarkClient?
      /// Ends the stream rather than skip a line: the page reconnects, and the snapshot has the current state.
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
        // The connection was refused, the stream was cancelled, or the page did not read it. In all cases the stream ends, and the
        // page connects again.
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

  /// The page's own connection, or a connection for this command alone.
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
    /// The client number of the page's connection. Events with this number in `by` were caused by the page.
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

/// A backend for previews of the integrator's page, without camera and service.
///
/// It passes submitted forms to `onForm`, as programs would receive them, and refuses other requests with the code `preview`.
package final class PreviewBackend: KioskBackend {
  private let onForm: @Sendable (String) -> Void
  private let forms = Mutex(0)

  /// - Parameter onForm: called with every submitted form, as a line of JSON.
  package init(onForm: @escaping @Sendable (String) -> Void) { self.onForm = onForm }

  package func command(_ method: String, params: [UInt8], page: String?) async -> CommandReply {
    switch method {
    case "camera.list": return Self.result(["cameras": []])
    case "form.submit":
      guard let form = try? JSONParser.parse(params), case .object = form else { return .previewed }
      let number = forms.withLock { count in
        count += 1
        return count
      }
      onForm(form.compactText)
      return Self.result(["id": .string("preview-\(number)"), "submitted": "1970-01-01T00:00:00.000Z"])
    case "signature.save": return Self.result(["id": "preview", "hash": ""])
    default: return .previewed
    }
  }

  package func upload(_ picture: [UInt8], page: String?) async -> CommandReply { .previewed }

  package func events(page: String?) -> AsyncStream<[UInt8]> {
    AsyncStream { continuation in
      // The state does not change; the stream ends with the page.
      continuation.yield(
        Array(
          #"{"event":"kiosk.connection","online":true,"role":"operator","snapshot":{"camera":{"status":"lost"}}}"#.utf8)
      )
    }
  }

  package func preview(width: Int?, rate: Double?, camera: String?) -> AsyncThrowingStream<PicturePart, any Error> {
    AsyncThrowingStream { $0.finish(throwing: NoPicture()) }
  }

  package func picture(_ request: PictureRequest) async throws -> PicturePart { throw NoPicture() }

  /// The error for all requests of pictures, because a preview has none.
  private struct NoPicture: Error {}

  private static func result(_ result: JSONValue) -> CommandReply {
    let reply: JSONValue = ["result": result]
    return CommandReply(succeeded: true, json: Array(reply.compactText.utf8))
  }
}

extension CommandReply {
  fileprivate static var previewed: CommandReply {
    .failure(
      code: "preview", message: "The page is only looked at: no service runs behind it.",
      hint: "Start waymark kiosk without --preview.")
  }
}
