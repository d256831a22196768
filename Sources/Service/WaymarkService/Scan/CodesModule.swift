import FoundationEssentials
import WaymarkAnchors
package import WaymarkBarcodes
import WaymarkFrames
package import WaymarkImage
import WaymarkOnboarding
package import WaymarkProtocol
package import WaymarkServer
import WaymarkSystem

/// Serves `codes.*`, and publishes the events `codes.*` and `code.*`: follows codes from frame to frame after they were read once.
/// `CodeTap` below lets a feature process the followed codes on the lane's thread.
///
/// Each client requests symbologies. One lane follows the codes of all requests, and every subscriber receives the lane's events.
@ServiceActor
package final class CodesModule: ServiceModule {
  /// A client or module that requests to follow codes.
  package enum Follower: Hashable {
    /// A client, identified by the number of its connection.
    case client(Int)
    case tap
  }

  private struct FollowRequest {
    var symbologies: Set<Symbology>
    var sizes: [CodeTask.Size]
  }

  private unowned let hub: Hub
  private let scans: ScanModule
  private let capture: CaptureModule
  private lazy var lane = makeLane()
  /// The index of this camera, and the number of cameras.
  private let place: (index: Int, count: Int)
  /// Receives the followed codes of each frame.
  private let tapping = Monitor<(any CodeTap)?>(nil)
  private var requests: [(follower: Follower, request: FollowRequest)] = []
  /// The published events of the codes in view, by the numbers of the codes.
  private var known: [Int: CodeFound] = [:]
  private var configured: CameraChoice
  private var generation = 0
  private var isStopped = false

  /// Adds a lane to the pipeline of `capture`. The lane follows the codes that `scans` reads.
  ///
  /// - Parameter place: the index of this camera and the number of cameras, so that codes of different cameras have different
  ///   numbers.
  package init(
    hub: Hub, scans: ScanModule, capture: CaptureModule, cameras: CameraChoice, place: (index: Int, count: Int) = (0, 1)
  ) {
    self.hub = hub
    self.scans = scans
    self.capture = capture
    self.place = place
    configured = cameras
    capture.pipeline.add(lane)
  }

  private func makeLane() -> CodeLane {
    let tapping = tapping
    return .codes(from: scans.followedCodes, lane: place.index, of: place.count, learner: capture.learner) {
      [weak self] reading, frame in
      let reference = FrameReference(frame)
      let tapped = tapping.withLock { $0 }?.take(
        FollowedCodes(reading), width: frame.width, height: frame.height,
        frame: Int(truncatingIfNeeded: frame.sequence))
      ServiceActor.execute { self?.take(reading, reference, tapped) }
    }
  }

  package var features: [String] { ["codes"] }

  package func register(in methods: inout MethodTable) {
    methods.add(CodesFollowRequest.self) { [self] request, connection in
      follow(
        try request.symbologies.map(ScanWire.symbologies) ?? scans.rules.settings.barcodeSymbologies,
        sizes: try Self.sizes(request.sizes ?? []), for: .client(connection.number))
      return Empty()
    }
    methods.add(CodesUnfollowRequest.self) { [self] _, connection in
      unfollow(.client(connection.number))
      return Empty()
    }
  }

  private static func sizes(_ sizes: [CodeSize]) throws -> [CodeTask.Size] {
    try sizes.map { size in
      let named = try size.symbology.map { try ScanWire.symbologies([$0]) } ?? []
      let symbology = named.count == 1 ? named.first : nil
      return CodeTask.Size(symbology: symbology, prefix: size.prefix, width: size.width)
    }
  }

  package func connectionClosed(_ connection: Connection) { unfollow(.client(connection.number)) }

  /// Sets the tap that receives the followed codes of each frame.
  package func use(_ tap: any CodeTap) { tapping.update { $0 = tap } }

  /// Follows codes of these symbologies. Replaces an earlier request of the same follower.
  package func follow(_ symbologies: Set<Symbology>, sizes: [CodeTask.Size] = [], for follower: Follower) {
    requests.removeAll { $0.follower == follower }
    requests.append((follower, FollowRequest(symbologies: symbologies, sizes: sizes)))
    review()
  }

  /// Removes the request of a follower.
  package func unfollow(_ follower: Follower) {
    guard requests.contains(where: { $0.follower == follower }) else { return }
    requests.removeAll { $0.follower == follower }
    review()
  }

  /// Returns whether observers may see the content of a followed code.
  package func isHarmless(_ code: Int) -> Bool { known[code]?.isHarmless ?? false }

  package func stop() {
    isStopped = true
    lane.setEnabled(false)
    scans.followedCodes.setOpen(false)
  }

  /// Uses other calibrations from now on. If the calibrations of this camera have changed, the codes in view are found again.
  package func use(_ cameras: CameraChoice) {
    guard cameras != configured else { return }
    configured = cameras
    review()
  }

  /// Applies the calibration of the device that is in use now.
  func sourceChanged() { if !requests.isEmpty { review() } }

  /// Adapts the lane, and the symbologies that `scans` reads, to the requests.
  private func review() {
    guard !isStopped else { return }
    let cameras = configured.narrowed(to: capture.pipeline.status.device)
    // If several sizes fit a code, the first applies, so the newest request comes first.
    let sizes = requests.reversed().flatMap(\.request.sizes)
    let old = lane.settings
    if old.cameras != cameras || old.sizes != sizes || requests.isEmpty {
      generation += 1
      forget()
      lane.settings = CodeTask(cameras: cameras, sizes: sizes, generation: generation)
    }
    let isWanted = !requests.isEmpty
    if lane.isEnabled != isWanted {
      scans.followedCodes.setOpen(isWanted)
      lane.setEnabled(isWanted)
    }
    scans.read(requests.reduce(into: []) { $0.formUnion($1.request.symbologies) }, for: .followers)
  }

  /// Publishes that no code is followed any longer.
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
    // Must precede the removal of lost codes from `known`: the tap may publish events about them.
    tapped?.publish()
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

// MARK: - Taps

/// Receives the codes that a camera's lane follows. Called on the lane's thread, so that it does not delay clients.
package protocol CodeTap: Sendable {
  /// Processes the followed codes of a frame.
  ///
  /// - Returns: nil if there is nothing to publish.
  func take(_ codes: FollowedCodes, width: Int, height: Int, frame: Int) -> TappedCodes?
}

/// The followed codes of a frame, identified by their numbers.
package struct FollowedCodes: Sendable {
  /// The codes that are new in this frame.
  package let found: [(number: Int, symbology: String, text: String, isMatrix: Bool)]
  /// The codes that are visible in the frame, with their corners in pixels.
  package let seen: [(number: Int, corners: Quadrilateral)]
  /// The codes that are no longer followed.
  package let lost: [Int]
  /// The number of the lane's task. It changes when following starts over; all earlier codes are then lost.
  package let generation: Int

  init(_ reading: CodeReading) {
    found = reading.report.found.compactMap { number in
      reading.found[number].map { (number, $0.symbology.rawValue, $0.text, $0.symbology.isMatrix) }
    }
    seen = reading.report.observations.filter { $0.trackingMethod == .fullTracking }.map { ($0.id, $0.corners) }
    lost = reading.report.lost.map(\.id)
    generation = reading.generation
  }
}

/// The result of a tap for a frame.
package struct TappedCodes: Sendable {
  /// The numbers of the codes that the tap counts in this frame.
  package let counted: Set<Int>
  /// Publishes the events of the tap. Called before the codes that are lost with this frame are forgotten.
  package let publish: @ServiceActor @Sendable () -> Void

  package init(counted: Set<Int>, publish: @escaping @ServiceActor @Sendable () -> Void) {
    self.counted = counted
    self.publish = publish
  }
}
