import FoundationEssentials
import WaymarkAnchors
package import WaymarkBarcodes
import WaymarkFrames
import WaymarkImage
import WaymarkOnboarding
package import WaymarkProtocol
package import WaymarkServer
import WaymarkSystem

/// `codes.*` and `code.*`: codes that are followed from frame to frame once they were read.
///
/// Each client says what it wants followed; there is one follower, and events go to everybody who subscribed to them.
@ServiceActor
package final class CodesModule: ServiceModule {
  /// One that wants codes followed.
  package enum Follower: Hashable {
    /// A client, by the number of its connection.
    case client(Int)
    /// The tap of the camera.
    case tap
  }

  private struct FollowRequest {
    var symbologies: Set<Symbology>
    var sizes: [CodeTask.Size]
  }

  private unowned let hub: Hub
  private let scans: ScanModule
  private let capture: CaptureModule
  private let lane: CodeLane
  private let mailbox: CodeMailbox
  /// Sees what is followed, frame by frame.
  private let tapping = Monitor<(any CodeTap)?>(nil)
  private var requests: [(follower: Follower, request: FollowRequest)] = []
  /// The codes that were told of, as they were.
  private var known: [Int: CodeFound] = [:]
  private var configured: CameraChoice
  private var generation = 0
  private var isStopped = false

  /// The module of `hub`, with a lane in the pipeline of `capture`, fed with what `scans` reads.
  ///
  /// - Parameter place: which of how many cameras this is, from 0 on: no two give a code the same number.
  package init(
    hub: Hub, scans: ScanModule, capture: CaptureModule, cameras: CameraChoice, place: (index: Int, count: Int) = (0, 1)
  ) {
    self.hub = hub
    self.scans = scans
    self.capture = capture
    configured = cameras
    mailbox = scans.mail.followers
    let relay = WeakReference<CodesModule>()
    let tapping = tapping
    lane = .codes(from: mailbox, lane: place.index, of: place.count, learner: capture.learner) { reading, frame in
      let reference = FrameReference(frame)
      let tapped = tapping.withLock { $0 }?.take(
        reading, width: frame.width, height: frame.height, frame: Int(truncatingIfNeeded: frame.sequence))
      ServiceActor.execute { relay.object?.take(reading, reference, tapped) }
    }
    relay.object = self
    capture.pipeline.add(lane)
  }

  package var features: [String] { ["codes"] }

  package func register(in methods: inout MethodTable) {
    methods.add(CodesFollowRequest.self) { [weak self] request, connection in
      guard let self else { throw ServiceError.stopping }
      self.follow(
        try request.symbologies.map(ScanWire.symbologies) ?? self.scans.rules.settings.barcodeSymbologies,
        sizes: try Self.sizes(request.sizes ?? []), for: .client(connection.number))
      return Empty()
    }
    methods.add(CodesUnfollowRequest.self) { [weak self] _, connection in
      self?.unfollow(.client(connection.number))
      return Empty()
    }
  }

  private static func sizes(_ sizes: [CodeSize]) throws -> [CodeTask.Size] {
    try sizes.map { size in
      let symbology = try size.symbology.map { try ScanWire.symbologies([$0]).first } ?? nil
      return CodeTask.Size(symbology: symbology, prefix: size.prefix, width: size.width)
    }
  }

  package func connectionClosed(_ connection: Connection) { unfollow(.client(connection.number)) }

  /// Shows what is followed to a tap.
  package func use(_ tap: any CodeTap) { tapping.update { $0 = tap } }

  /// Has codes followed; in place of what the same one wanted before.
  package func follow(_ symbologies: Set<Symbology>, sizes: [CodeTask.Size] = [], for follower: Follower) {
    requests.removeAll { $0.follower == follower }
    requests.append((follower, FollowRequest(symbologies: symbologies, sizes: sizes)))
    review()
  }

  /// Ends what `follow` began.
  package func unfollow(_ follower: Follower) {
    guard requests.contains(where: { $0.follower == follower }) else { return }
    requests.removeAll { $0.follower == follower }
    review()
  }

  /// Returns whether observers may see the content of a code that is followed.
  package func isHarmless(_ code: Int) -> Bool { known[code]?.isHarmless ?? false }

  package func stop() {
    isStopped = true
    lane.setEnabled(false)
    mailbox.setOpen(false)
  }

  /// Other calibrations hold.
  package func use(_ cameras: CameraChoice) {
    guard cameras != configured else { return }
    configured = cameras
    review()
  }

  /// Another camera is in use: it may have a calibration of its own.
  func sourceChanged() { if !requests.isEmpty { review() } }

  /// Fits lanes and readers to what is wanted.
  private func review() {
    guard !isStopped else { return }
    let cameras = configured.narrowed(to: capture.pipeline.status.device)
    // The newest request about a size holds.
    let sizes = requests.reversed().flatMap(\.request.sizes)
    let old = lane.settings
    if old.cameras != cameras || old.sizes != sizes || requests.isEmpty {
      generation += 1
      forget()
      lane.settings = CodeTask(cameras: cameras, sizes: sizes, generation: generation)
    }
    let isWanted = !requests.isEmpty
    if lane.isEnabled != isWanted {
      mailbox.setOpen(isWanted)
      lane.setEnabled(isWanted)
    }
    scans.read(requests.reduce(into: []) { $0.formUnion($1.request.symbologies) }, for: .followers)
  }

  /// Tells that nothing is followed any more.
  private func forget() {
    for code in known.keys.sorted() {
      hub.publish(CodeLost(code: code, lastSeen: MonotonicClock.now), camera: capture.camera)
    }
    known = [:]
  }

  private func take(_ reading: CodeReading, _ frame: FrameReference, _ tapped: TappedCodes?) {
    guard reading.generation == generation, !requests.isEmpty, !isStopped else { return }
    for seen in reading.report.observations where reading.report.found.contains(seen.id) {
      guard let symbol = reading.found[seen.id] else { continue }
      var found = CodeFound(
        code: seen.id, symbology: symbol.symbology.rawValue, text: symbol.text,
        bytesBase64: Data(symbol.bytes).base64EncodedString(), charset: symbol.charset.rawValue,
        part: ScanWire.part(symbol), corners: ScanWire.corners(seen.corners), pose: SessionWire.pose(seen.pose))
      found.isHarmless = scans.isHarmless(symbol)
      known[seen.id] = found
      hub.publish(found, camera: capture.camera, frame: frame)
    }
    // While those are known that are lost with this frame.
    tapped?.tell()
    for lost in reading.report.lost where known.removeValue(forKey: lost.id) != nil {
      hub.publish(CodeLost(code: lost.id, lastSeen: lost.lastSeen), camera: capture.camera, frame: frame)
    }
    let codes = reading.report.observations.filter { known[$0.id] != nil }.map { seen in
      CodeTracking(
        code: seen.id, trackingMethod: TrackingMethod(seen.trackingMethod),
        corners: ScanWire.corners(seen.corners), pose: SessionWire.pose(seen.pose),
        rawPose: SessionWire.pose(seen.rawPose), score: seen.score,
        counted: tapped?.counted.contains(seen.id) ?? false ? true : nil)
    }
    guard !codes.isEmpty || !reading.report.lost.isEmpty else { return }
    hub.publish(
      CodesUpdated(codes: codes, intrinsics: SessionWire.intrinsics(reading.intrinsics)), camera: capture.camera,
      frame: frame)
  }

  package func contribute(to snapshot: inout Snapshot) {
    guard !requests.isEmpty else { return }
    snapshot.codes = known.keys.sorted().compactMap { known[$0] }
  }
}
