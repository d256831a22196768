import NIOCore
import NIOPosix
package import WaymarkFrames
package import WaymarkImage
package import WaymarkProtocol
package import WaymarkServer
package import WaymarkSystem
package import WaymarkWorker

/// `media.*`: pictures for operators, over connections of their own.
///
/// The preview is a lane like any other: the newest frame wins, and while nobody watches it costs nothing.
@ServiceActor
package final class MediaModule: ServiceModule {
  /// Find the file of `media.resource`, one after the other.
  package var resources: [@ServiceActor (_ id: String) -> String?] = []
  /// Opens the pictures of `media.gallery`.
  package var gallery: (@Sendable (_ id: String) async throws -> OpenPicture)?

  private unowned let hub: Hub
  private let isolation: Isolation
  /// The tap of each camera.
  private let taps: ByCamera<(tap: MediaTap, camera: String?)>
  /// The previews, and the snapshots that wait for a frame, by connection.
  private var previews: [Int: MediaSubscription] = [:]
  private var snapshots: [Int: [Answer]] = [:]

  /// The module of `hub`, with a lane in the pipeline of each camera.
  package init(hub: Hub, cameras: ByCamera<CaptureModule>, isolation: Isolation = .none) {
    self.hub = hub
    self.isolation = isolation
    taps = cameras.map { _, capture in
      let tap = MediaTap(makeDecoder: isolation.makeDecoder)
      capture.pipeline.add(tap.lane)
      return (tap, capture.camera)
    }
  }

  package var features: [String] { ["media"] }

  package func register(in methods: inout MethodTable) {
    methods.addTaking(MediaPreviewRequest.self) { [weak self] request, incoming, connection in
      try self?.preview(request, incoming, connection)
    }
    methods.addTaking(MediaSnapshotRequest.self) { [weak self] request, incoming, connection in
      try self?.snapshot(request, incoming, connection)
    }
    methods.addTaking(MediaResourceRequest.self) { [weak self] request, incoming, connection in
      guard let self else { return }
      try self.checkRole(connection, incoming.method)
      guard let resource = self.resources.lazy.compactMap({ $0(request.id) }).first else {
        throw ServiceError(
          .notFound, "There is no resource of this id.", hint: "Ids are in session.phase, in cards and in the scene.")
      }
      self.sendFile(incoming, connection, width: request.width) { try await OpenPicture.open(resource) }
    }
    methods.addTaking(MediaGalleryRequest.self) { [weak self] request, incoming, connection in
      guard let self else { return }
      try self.checkRole(connection, incoming.method)
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

  // MARK: Live pictures

  private func preview(
    _ request: MediaPreviewRequest, _ incoming: IncomingRequest, _ connection: Connection
  ) throws {
    try checkRole(connection, incoming.method)
    let (tap, camera) = try taps.part(of: request.camera)
    let outlet = connection.carryPictures()
    previews.removeValue(forKey: connection.number)?.cancel()
    let id = incoming.id
    let watch = tap.watch(width: request.width, rate: request.rate) { [weak self, weak outlet] picture in
      ServiceActor.execute {
        guard let self, let outlet, let bytes = self.encode(picture, camera, id) else { return }
        outlet.send(live: bytes)
      }
    }
    previews[connection.number] = watch
    // The next picture is made when this one is on its way: the newest then, and no work for one that only waits.
    outlet.onSpace = { watch.ready() }
  }

  private func snapshot(
    _ request: MediaSnapshotRequest, _ incoming: IncomingRequest, _ connection: Connection
  ) throws {
    try checkRole(connection, incoming.method)
    let (tap, camera) = try taps.part(of: request.camera)
    let outlet = connection.carryPictures()
    connection.countInFlight(1)
    let answer = Answer()
    let watch = tap.watch(width: request.width) { [weak self, weak connection] picture in
      ServiceActor.execute {
        guard let self, let connection, self.claim(answer, connection) else { return }
        if let bytes = self.encode(picture, camera, incoming.id) { outlet.send(picture: bytes) }
        connection.countInFlight(-1)
      }
    }
    answer.watch = watch
    snapshots[connection.number, default: []].append(answer)
    ServiceActor.schedule(after: 5) { [weak self, weak connection] in
      guard let self, let connection, self.claim(answer, connection) else { return }
      let error = ServiceError(
        .noCamera, "No frame came within five seconds.", hint: "waymark status shows the state of the camera.")
      self.hub.fail(incoming, connection, error)
      connection.countInFlight(-1)
    }
  }

  /// Sees to it that a request is answered once.
  @ServiceActor
  private final class Answer: Sendable {
    var watch: MediaSubscription?
    private var isGiven = false

    func claim() -> Bool {
      defer {
        isGiven = true
        watch?.cancel()
        watch = nil
      }
      return !isGiven
    }
  }

  /// Returns whether a snapshot is still to be answered; its client is gone then.
  private func claim(_ answer: Answer, _ connection: Connection) -> Bool {
    let left = snapshots[connection.number]?.filter { $0 !== answer } ?? []
    snapshots[connection.number] = left.isEmpty ? nil : left
    return answer.claim()
  }

  package func connectionClosed(_ connection: Connection) {
    previews.removeValue(forKey: connection.number)?.cancel()
    for answer in snapshots.removeValue(forKey: connection.number) ?? [] { _ = answer.claim() }
  }

  package func stop() {
    for watch in previews.values { watch.cancel() }
    for answer in snapshots.values.joined() { _ = answer.claim() }
    previews = [:]
    snapshots = [:]
  }

  /// Snapshots that wait for a frame.
  var waitingSnapshots: Int { snapshots.values.joined().count }

  private func encode(_ picture: MediaPicture, _ camera: String?, _ request: JSONValue) -> ByteBuffer? {
    let frame = FrameReference(
      sequence: Int(picture.sequence), captured: picture.captured, width: picture.frameWidth,
      height: picture.frameHeight)
    return encode(
      MediaHeader(
        id: request, frame: frame, format: .jpeg, width: picture.width, height: picture.height,
        size: picture.bytes.count, camera: camera), picture.bytes)
  }

  private func encode(_ header: MediaHeader, _ bytes: [UInt8]) -> ByteBuffer? {
    guard var buffer = hub.encode(header) else { return nil }
    buffer.writeBytes(bytes)
    return buffer
  }

  // MARK: Files

  private func sendFile(
    _ incoming: IncomingRequest, _ connection: Connection, width: Int?,
    _ open: @escaping @Sendable () async throws -> OpenPicture
  ) {
    let outlet = connection.carryPictures()
    connection.countInFlight(1)
    let (isolation, scheduler) = (self.isolation, hub.pictures)
    Task { @ServiceActor in
      do {
        let file = try await open()
        let reservation = try await scheduler.reservation(for: file.size, of: connection)
        let (picture, bytes) = try await scheduler.work(for: connection) { stop in
          let bytes = try file.read()
          let picture = try isolation.prepare(bytes, width: width, or: stop)
          return (picture, picture.replacement ?? bytes)
        }
        reservation.resize(to: bytes.count)
        let header = MediaHeader(
          id: incoming.id, format: MediaFormat(picture.format), width: picture.width, height: picture.height,
          size: bytes.count)
        if let buffer = self.encode(header, bytes) { outlet.send(picture: buffer, holding: reservation) }
      } catch {
        self.hub.fail(incoming, connection, error)
      }
      connection.countInFlight(-1)
    }
  }
}

extension FrameReference {
  /// As the wire names a frame.
  package init(_ frame: Frame) {
    self.init(
      sequence: Int(frame.sequence), captured: frame.captured, width: frame.width, height: frame.height,
      source: ScanSource(frame.origin))
  }
}

extension ScanSource {
  /// The wire's word for the origin of a frame.
  package init(_ origin: FrameOrigin) {
    self =
      switch origin {
      case .camera: .camera
      case .stream: .stream
      case .folder: .folder
      }
  }
}

/// Codes of problems that can stand in a reply.
package protocol ReplyableCode: ProblemCode {
  /// The code that the client is told.
  var reply: ServiceError.Code { get }
}

extension Problem: Replyable where Kind: ReplyableCode {
  package var reply: ServiceError { ServiceError(code.reply, message, hint: hint) }
}

extension ImageErrorCode: ReplyableCode {
  package var reply: ServiceError.Code { .badPicture }
}

extension WorkerFailure: Replyable {
  package var reply: ServiceError {
    if case .cannotStart = self { return ServiceError(.internalError, message, hint: hint) }
    return ServiceError(.badPicture, message, hint: hint)
  }
}

extension SourceErrorCode: ReplyableCode {
  package var reply: ServiceError.Code {
    switch self {
    case "unknownControl": .notFound
    case "controlOutOfRange": .badParams
    case "controlRefused": .notSupported
    default: .noCamera
    }
  }
}
