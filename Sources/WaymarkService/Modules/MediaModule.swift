import NIOCore
import NIOPosix
package import WaymarkImage
package import WaymarkPipeline
package import WaymarkProtocol

/// `media.*`: pictures for operators, over connections of their own.
///
/// The preview is a lane like any other: the newest frame wins, and while nobody watches it costs nothing.
@ServiceActor
package final class MediaModule: ServiceModule {
  /// Where a picture file is.
  package enum Resource: Sendable {
    /// A file to be read.
    case file(String)
    /// A file's bytes.
    case bytes([UInt8])
  }

  /// Finds the pictures of `media.resource`; the scene sets it.
  package var resource: @ServiceActor (_ id: String) -> Resource? = { _ in nil }
  /// Reads the pictures of `media.gallery`.
  package var gallery: (@Sendable (_ id: String) async throws -> [UInt8])?

  private struct Watcher {
    let connection: Connection
    let request: JSONValue
    let width: Int?
    let rate: Double?
    let once: Bool
    var pacer = FramePacer()
  }

  /// What the lane makes of a frame: a picture for each width that is wanted.
  private struct Preview: Sendable {
    let pictures: [Int: ClientPicture]
  }

  private unowned let hub: Hub
  private let lane: Lane<Set<Int>, Preview>
  private var watchers: [Watcher] = []
  private nonisolated static let widest = 8192

  /// The module of `hub`, with a lane in `pipeline`.
  package init(hub: Hub, pipeline: FramePipeline) {
    self.hub = hub
    let relay = Relay()
    lane = Lane(
      name: "preview", settings: [], wantsEncoded: true,
      makeWork: { { frame, widths in Self.preview(frame, widths) } },
      deliver: { preview, frame in
        let reference = FrameReference(frame)
        ServiceActor.execute { relay.module?.deliver(preview, reference) }
      })
    relay.module = self
    pipeline.add(lane)
  }

  @ServiceActor
  private final class Relay: Sendable {
    weak var module: MediaModule?
  }

  package var features: [String] { ["media"] }

  /// Keyed by the width that was asked for; `widest` stands for no wish.
  private nonisolated static func preview(_ frame: Frame, _ widths: Set<Int>) -> Preview? {
    var pictures: [Int: ClientPicture] = [:]
    for width in widths {
      pictures[width] = try? PictureMaker.picture(of: frame, width: width == widest ? nil : width)
    }
    return pictures.isEmpty ? nil : Preview(pictures: pictures)
  }

  package func register(in methods: inout MethodTable) {
    methods.addTaking(MediaPreviewRequest.self, observers: true) { [weak self] request, incoming, connection in
      try self?.watch(request.width, rate: request.rate, once: false, incoming, connection)
    }
    methods.addTaking(MediaSnapshotRequest.self, observers: true) { [weak self] request, incoming, connection in
      try self?.watch(request.width, rate: nil, once: true, incoming, connection)
    }
    methods.addTaking(MediaResourceRequest.self, observers: true) { [weak self] request, incoming, connection in
      guard let self else { return }
      try self.checkRole(connection, incoming.method)
      try Self.check(request.width)
      guard let resource = self.resource(request.id) else {
        throw ServiceError(
          .notFound, "There is no resource of this id.", hint: "Ids stand in session.phase, in cards and in the scene.")
      }
      self.sendFile(incoming, connection, width: request.width) {
        switch resource {
        case .bytes(let bytes): bytes
        case .file(let path): try await PictureFile.read(path)
        }
      }
    }
    methods.addTaking(MediaGalleryRequest.self, observers: true) { [weak self] request, incoming, connection in
      guard let self else { return }
      try self.checkRole(connection, incoming.method)
      try Self.check(request.width)
      guard let gallery = self.gallery else { throw GalleryModule.notConfigured }
      self.sendFile(incoming, connection, width: request.width) { try await gallery(request.id) }
    }
  }

  private func checkRole(_ connection: Connection, _ method: String) throws {
    guard connection.role == .operator || hub.roles.observersSeePictures else {
      throw ServiceError(
        .notPermitted, "An observer may not use \(method).",
        hint: "Connect as an operator, or set roles.observers.pictures.")
    }
  }

  private static func check(_ width: Int?, _ rate: Double? = nil) throws {
    if let width, !(16...widest).contains(width) {
      throw ServiceError(.badParams, "width must lie between 16 and \(widest).", hint: "Leave it out for full width.")
    }
    if let rate, !(0.01...240).contains(rate) {
      throw ServiceError(.badParams, "rate must lie between 0.01 and 240.", hint: "Leave it out for every frame.")
    }
  }

  // MARK: Live pictures

  private func watch(
    _ width: Int?, rate: Double?, once: Bool, _ incoming: IncomingRequest, _ connection: Connection
  ) throws {
    try checkRole(connection, incoming.method)
    try Self.check(width, rate)
    connection.becomeMedia()
    if !once { watchers.removeAll { $0.connection === connection && !$0.once } }
    watchers.append(
      Watcher(connection: connection, request: incoming.id, width: width, rate: rate, once: once))
    review()
    guard once else { return }
    let id = incoming.id
    ServiceActor.schedule(after: 5) { [weak self, weak connection] in
      guard let self, let connection,
        let index = self.watchers.firstIndex(where: { $0.once && $0.connection === connection && $0.request == id })
      else { return }
      self.watchers.remove(at: index)
      self.review()
      self.hub.fail(
        incoming, connection,
        ServiceError(.noCamera, "No frame came within five seconds.", hint: "waymark status tells how the camera is."))
    }
  }

  package func connectionClosed(_ connection: Connection) {
    watchers.removeAll { $0.connection === connection }
    review()
  }

  package func stop() {
    watchers = []
    review()
  }

  /// Fits the lane to what is wanted.
  private func review() {
    lane.settings = Set(watchers.map { $0.width ?? Self.widest })
    let rates = watchers.map { $0.once ? nil : $0.rate }
    lane.setMaximumRate(rates.contains { $0 == nil } ? nil : rates.compactMap { $0 }.max())
    lane.setEnabled(!watchers.isEmpty)
  }

  private func deliver(_ preview: Preview, _ frame: FrameReference) {
    var lines: [String: ByteBuffer] = [:]
    for index in watchers.indices {
      let watcher = watchers[index]
      guard let picture = preview.pictures[watcher.width ?? Self.widest] else { continue }
      if !watcher.once {
        guard watchers[index].pacer.takes(frame.captured, rate: watcher.rate) else { continue }
      }
      let key = "\(watcher.width ?? 0) \(watcher.request)"
      guard let bytes = lines[key] ?? encode(picture, watcher.request, frame) else { continue }
      lines[key] = bytes
      if watcher.once {
        watcher.connection.send(picture: bytes)
      } else {
        watcher.connection.send(live: bytes)
      }
    }
    if watchers.contains(where: \.once) {
      watchers.removeAll { $0.once && preview.pictures[$0.width ?? Self.widest] != nil }
      review()
    }
  }

  private func encode(_ picture: ClientPicture, _ request: JSONValue, _ frame: FrameReference?) -> ByteBuffer? {
    let header = MediaHeader(
      id: request, frame: frame, format: picture.format.rawValue, width: picture.width, height: picture.height,
      size: picture.bytes.count)
    guard var buffer = hub.encode(header) else { return nil }
    buffer.writeBytes(picture.bytes)
    return buffer
  }

  // MARK: Files

  private func sendFile(
    _ incoming: IncomingRequest, _ connection: Connection, width: Int?,
    _ read: @escaping @Sendable () async throws -> [UInt8]
  ) {
    connection.becomeMedia()
    connection.countInFlight(1)
    Task { @ServiceActor in
      do {
        let bytes = try await read()
        let picture = try await NIOThreadPool.singleton.runIfActive {
          try PictureMaker.picture(ofFile: bytes, width: width)
        }
        if let buffer = self.encode(picture, incoming.id, nil) { connection.send(picture: buffer) }
      } catch {
        self.hub.fail(incoming, connection, error)
      }
      connection.countInFlight(-1)
    }
  }
}

extension FrameReference {
  /// As the wire names a frame.
  init(_ frame: Frame) {
    self.init(sequence: Int(frame.sequence), captured: frame.captured, width: frame.width, height: frame.height)
  }
}

extension ImageError: Replyable {
  package var reply: ServiceError { ServiceError(.badPicture, message, hint: hint) }
}

extension SourceError: Replyable {
  package var reply: ServiceError {
    let told: ServiceError.Code =
      switch code {
      case "unknownControl": .notFound
      case "controlOutOfRange": .badParams
      case "controlRefused": .notSupported
      default: .noCamera
      }
    return ServiceError(told, message, hint: hint)
  }
}
