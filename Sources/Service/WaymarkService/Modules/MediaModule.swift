import NIOCore
import NIOPosix
import WaymarkFrames
import WaymarkImage
import WaymarkProtocol
package import WaymarkServer
import WaymarkSystem
package import WaymarkWorker

/// Serves `media.*`: sends pictures to operators, and to observers if the roles allow it, over connections that carry only
/// pictures.
///
/// The preview is a lane of the pipeline. It encodes the newest frame, and is off without subscribers.
@ServiceActor
package final class MediaModule: ServiceModule {
  /// Functions that return the path of a picture for `media.resource` by its id, or nil. They are called in order until one returns
  /// a path.
  package var resources: [@ServiceActor (_ id: String) -> String?] = []
  /// Opens the pictures of `media.gallery`.
  package var gallery: (@Sendable (_ id: String) async throws -> OpenPicture)?

  private unowned let hub: Hub
  private let isolation: Isolation
  private let taps: ByCamera<(tap: MediaTap, camera: String?)>
  /// The subscriptions of previews, and the snapshot requests that wait for a frame, by the number of the connection.
  private var previews: [Int: MediaSubscription] = [:]
  private var snapshots: [Int: [Answer]] = [:]

  /// Adds a lane for previews to the pipeline of each camera.
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
    methods.addTaking(MediaPreviewRequest.self) { [self] request, incoming, connection in
      try preview(request, incoming, connection)
    }
    methods.addTaking(MediaSnapshotRequest.self) { [self] request, incoming, connection in
      try snapshot(request, incoming, connection)
    }
    methods.addTaking(MediaResourceRequest.self) { [self] request, incoming, connection in
      try checkRole(connection, incoming.method)
      guard let resource = resources.lazy.compactMap({ $0(request.id) }).first else {
        throw ServiceError(
          .notFound, "There is no resource of this id.", hint: "Ids are in session.phase, in cards and in the scene.")
      }
      sendFile(incoming, connection, width: request.width) { try await OpenPicture.open(resource) }
    }
    methods.addTaking(MediaGalleryRequest.self) { [self] request, incoming, connection in
      try checkRole(connection, incoming.method)
      guard let gallery else { throw GalleryModule.notConfigured }
      sendFile(incoming, connection, width: request.width) { try await gallery(request.id) }
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
    // The next picture is encoded only when this picture has been sent. It then shows the newest frame, and pictures do not wait in
    // the buffer.
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

  /// A reply to a snapshot request. Either the frame or the timeout claims it, so that only one reply is sent.
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

  /// Claims the reply to a snapshot request; returns whether it was not claimed before.
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

  /// The number of snapshots that wait for a frame.
  var waitingSnapshots: Int { snapshots.values.joined().count }

  private func encode(_ picture: MediaPicture, _ camera: String?, _ request: JSONValue) -> ByteBuffer? {
    encode(
      MediaHeader(
        id: request, frame: picture.frame, format: .jpeg, width: picture.width, height: picture.height,
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
