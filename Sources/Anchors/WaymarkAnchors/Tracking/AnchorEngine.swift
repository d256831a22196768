public import WaymarkImage
import WaymarkSystem

/// Finds anchors in frames and follows them: detection finds an anchor, tracking follows it, and detection searches again for what tracking has lost.
///
/// The engine reads no clock and performs no input or output: the same frames at the same times give the same reports. After
/// warm-up, processing a frame allocates no memory. Use it from one thread at a time.
///
/// The file is long because tracking and detection change the same private state.
public final class AnchorEngine {
  /// The search interval and the number of copies.
  public struct Options: Hashable, Sendable {
    /// The least time between two searches of the whole frame while something is followed, in seconds.
    public var searchInterval = 0.5
    /// The most copies of each anchor that are followed.
    public var copies = AnchorCopies()

    /// Creates options with a search every half second and one copy of each anchor.
    public init() {}
  }

  /// The time between two searches of the whole frame while an anchor has just been lost and other anchors are
  /// followed, in seconds.
  private static let urgentInterval = 0.1
  /// The time for which a lost anchor is searched for near its last position, in seconds.
  private static let retentionTime = 0.5
  /// How long an anchor must be seen to be reported as found, and out of sight to be reported as lost, in seconds.
  private static let presence = Presence.Options(foundAfter: 0.05, lostAfter: 0.5)
  /// The most anchors followed at once.
  private static let maximumAnchors = 32

  private let options: Options
  /// The durations of the processing stages of each frame, added as they end; `nil`: nothing is measured.
  package var stages: StageTimes?
  private let source: any AnchorDetecting
  /// Searches whole frames on another thread while an anchor is followed; `nil`: `process` searches them itself.
  private let runner: (any SearchRunner)?
  private let job: SearchJob
  /// True from the start of a search on the runner until its detections are taken up.
  private var isSearching = false
  private let givenIntrinsics: CameraIntrinsics?
  private let pyramid = GrayPyramid()
  private let aligner: PatchAligner
  /// Aligns copies when more than `fewCopies` are followed: with fewer patches, so that thirty copies take little more time
  /// than a dozen. `nil` if only single anchors are allowed.
  private var sharing: PatchAligner?
  /// The most copies that are aligned with as many patches as a single anchor.
  private static let fewCopies = 8
  private var roster: CopyRoster
  /// The sum of the copies allowed of each anchor: when as many are followed, no search is needed.
  private let capacity: Int
  private let search = PatchSearch()
  private let verifier = StructureVerifier()
  private let judge = ClaimJudge()
  /// The lens distortion. Positions inside the engine are undistorted, positions in observations are distorted as in the frame.
  private let lens: LensMap?
  private var exposure = ExposureEstimate()
  private var anchors: [FollowedAnchor] = []
  private var lastSearch = -Double.infinity
  /// True if the last search found a new anchor and at least four anchors in all. The features may then have been too few for all
  /// anchors, so the next frame is searched as well.
  private var mayHoldMore = false
  private var lastTime = -Double.infinity
  private var lookAround = LookAround()
  private var frameSize = (width: 0, height: 0)
  private var known: [Quadrilateral] = []
  private var painted: [Quadrilateral] = []
  /// The followed copies among `known`, as the detector takes them.
  private var copies: [DetectedAnchor] = []
  private var mask = ExclusionMask()
  private var frames = 0
  /// The last report. Its memory is reused for the next report once the caller has released it.
  private var report = AnchorReport(time: 0, observations: [], found: [], lost: [], searched: false)

  /// Creates an engine that finds the anchors of a library.
  ///
  /// - Parameters:
  ///   - library: The anchors to find; several engines may share it.
  ///   - intrinsics: The camera's intrinsics at the size of the frames; `nil` to estimate them from an assumed field of view.
  ///   - options: The search interval and the number of copies.
  public convenience init(library: AnchorLibrary, intrinsics: CameraIntrinsics? = nil, options: Options = Options()) {
    self.init(source: AnchorDetector(library: library, templates: 24), intrinsics: intrinsics, options: options)
  }

  /// Creates an engine that finds anchors with a given detector.
  ///
  /// - Parameters:
  ///   - intrinsics: The camera's intrinsics at the size of the frames; `nil` to estimate them from an assumed field of view.
  ///   - runner: Searches whole frames on another thread. When a search ends, its detections are tracked from the searched frame into
  ///   the next frame.
  package init(
    source: any AnchorDetecting, intrinsics: CameraIntrinsics? = nil, options: Options = Options(),
    runner: (any SearchRunner)? = nil
  ) {
    self.source = source
    self.runner = runner
    job = SearchJob(source: source)
    self.options = options
    givenIntrinsics = intrinsics
    var alignment = PatchAligner.Options()
    (alignment.patches, alignment.smearedPatches, alignment.draftPatches) = (256, 272, 96)
    alignment.measuresCorners = true
    aligner = PatchAligner(alignment)
    lens = LensMap(intrinsics)
    aligner.lens = lens
    roster = CopyRoster(copies: options.copies)
    if options.copies.isSingle {
      capacity = source.referenceCount
    } else {
      (alignment.patches, alignment.smearedPatches, alignment.draftPatches) = (96, 104, 48)
      alignment.measuresCorners = false
      sharing = PatchAligner(alignment)
      sharing?.lens = lens
      capacity = (0..<source.referenceCount).reduce(0) { $0 + options.copies.allowed(of: source.reference($1).name) }
    }
    source.copies = options.copies
    (search.lens, verifier.lens, judge.lens, source.lens) = (lens, lens, lens, lens)
    source.intrinsics = intrinsics
    anchors.reserveCapacity(Self.maximumAnchors)
    known.reserveCapacity(Self.maximumAnchors)
    painted.reserveCapacity(Self.maximumAnchors)
    copies.reserveCapacity(Self.maximumAnchors)
    report.observations.reserveCapacity(Self.maximumAnchors)
    report.found.reserveCapacity(Self.maximumAnchors)
    report.lost.reserveCapacity(Self.maximumAnchors)
  }

  /// Waits for a running search, because another engine may use the runner next.
  deinit { if isSearching { runner?.wait() } }

  /// The last number given to a copy. An engine that replaces another engine continues from it, so that numbers stay unique.
  package var lastCopy: Int {
    get { roster.lastCopy }
    set { roster.lastCopy = newValue }
  }

  /// The intrinsics of the camera: as given, or estimated from an assumed field of view and the size of the last frame.
  public var intrinsics: CameraIntrinsics {
    givenIntrinsics ?? CameraIntrinsics(assumedFor: frameSize.width, frameSize.height)
  }

  /// Tracks the followed anchors into the next frame, and searches the frame for other anchors if a search is due.
  ///
  /// - Parameters:
  ///   - frame: The luma plane, valid only during the call.
  ///   - time: The time of capture in seconds. A time that is not later than the previous frame's resets the engine.
  public func process(_ frame: ImageView, at time: Double) -> AnchorReport {
    if frameSize != (frame.width, frame.height) || !(time > lastTime) { reset() }
    frameSize = (frame.width, frame.height)
    lastTime = time
    frames += 1
    var clock = StageClock(stages)
    pyramid.update(frame, levels: 7)
    clock.mark("pyramid")
    if !anchors.isEmpty {
      let many = anchors.count(where: { $0.isSeen && $0.copy != nil }) > Self.fewCopies
      for i in anchors.indices {
        follow(i, time, many && anchors[i].copy != nil ? sharing ?? aligner : aligner)
      }
      clock.mark("follow")
    }
    takeUpSearch(time)
    let searched = searchIsDue(time)
    if searched {
      search(frame, time)
      clock.mark("search")
    }
    learn()
    reportChanges(time, searched: searched)
    return report
  }

  /// Forgets all anchors, for example when the camera changes.
  public func reset() {
    discardSearch()
    anchors.removeAll(keepingCapacity: true)
    lastSearch = -.infinity
    lastTime = -.infinity
    mayHoldMore = false
    lookAround = LookAround()
  }

  /// Tracks the anchor at index `i` into the present frame.
  private func follow(_ i: Int, _ time: Double, _ aligner: PatchAligner) {
    guard
      anchors[i].isSeen || anchors[i].isConfirmed && time - anchors[i].observation.lastSeen <= Self.retentionTime,
      let place = anchors[i].tracker.track(
        in: pyramid, at: time, aligner: aligner, search: search, exposure: exposure)
    else {
      anchors[i].miss()
      return
    }
    if anchors[i].copy != nil,
      place.map.outline(width: anchors[i].width, height: anchors[i].height).map({
        roster.isAnother($0, than: i, among: anchors)
      }) != false
    {
      return anchors[i].drop()
    }
    anchors[i].see(
      place.map, covariance: place.covariance, inliers: place.inliers, score: place.score, at: time, intrinsics)
    // Alignment can lock on to unrelated edges. So the structure is verified every 30 ms.
    guard time - anchors[i].proof.lastChecked >= 0.03 - 1e-3 else { return }
    let deviations = anchors[i].tracker.deviations(
      in: pyramid, aligner: aligner, verifier: verifier, exposure: exposure)
    guard anchors[i].proof.verify(deviations, at: time) else { return anchors[i].drop() }
    prove(i, time)
  }

  /// Compares a followed anchor with the anchors that look like it: every 0.1 s until it is proven, then at each search
  /// interval, because the object in front of the camera may be exchanged.
  private func prove(_ i: Int, _ time: Double) {
    let hasTwins = source.twins.indices.contains(anchors[i].index) && !source.twins[anchors[i].index].isEmpty
    let isProven = anchors[i].observation.ambiguous == nil
    // A running search uses the source's templates on its own thread.
    guard !isSearching, !isProven || hasTwins,
      time - anchors[i].lastJudged >= (isProven ? options.searchInterval : Self.urgentInterval) - 1e-3
    else { return }
    let (index, own) = (anchors[i].index, anchors[i].tracker.template)
    let judgement = judge.judge(
      index, anchors[i].tracker.map, in: pyramid, twins: source.twins, softness: anchors[i].tracker.softness
    ) { $0 == index ? own : source.template($0) }
    guard judgement.anchor == index else {
      anchors[i].drop()
      lastSearch = -.infinity
      return
    }
    anchors[i].judge(names(of: judgement.rivals, isAmbiguous: judgement.isAmbiguous), at: time)
  }

  /// Returns the names of the anchors that a detection could be instead; `nil` if it is not ambiguous.
  private func names(of rivals: [Int], isAmbiguous: Bool) -> [String]? {
    isAmbiguous ? rivals.map { source.reference($0).name } : nil
  }

  private func searchIsDue(_ time: Double) -> Bool {
    guard hasSeen else { return true }
    guard !isSearching, anchors.count(where: { $0.isSeen }) < min(Self.maximumAnchors, capacity) else { return false }
    if mayHoldMore { return true }
    let urgent = anchors.contains { !$0.isSeen && $0.presence.isPresent }
    // The interval is one millisecond less, so that rounding of the times does not delay the search by a frame.
    return time - lastSearch >= (urgent ? Self.urgentInterval : options.searchInterval) - 1e-3
  }

  private var hasSeen: Bool { anchors.contains { $0.isSeen } }

  /// Searches the whole frame and starts to follow new anchors, or starts the search on the runner.
  private func search(_ frame: ImageView, _ time: Double) {
    known.removeAll(keepingCapacity: true)
    painted.removeAll(keepingCapacity: true)
    copies.removeAll(keepingCapacity: true)
    // Up to three followed anchors stay in the searched frame and are found again. More would use up the detector's
    // candidates, and a followed copy would hide the other copies.
    if anchors.count(where: { $0.isSeen }) >= 4 || anchors.contains(where: { $0.isSeen && $0.copy != nil }) {
      for a in anchors where a.isSeen {
        known.append(a.place)
        painted.append(a.observation.placement.corners)
        if a.copy != nil { copies.append(a.claim) }
      }
    }
    if let runner, hasSeen {
      job.load(frame, at: time, known: known, painted: painted, beside: copies)
      lastSearch = time
      isSearching = true
      runner.start(job)
      return
    }
    // A search in this thread delays nothing, because no anchor is followed or there is no runner. A search still
    // running on the runner has an older frame.
    discardSearch()
    lastSearch = time
    mayHoldMore = false
    let detections =
      if let direction = lookAround.direction(at: time, isEmpty: anchors.isEmpty) {
        source.detections(in: frame, from: direction)
      } else {
        mask.paint(frame, painted) { source.detections(in: $0, known: known, beside: copies) }
      }
    for var detection in detections where !isTaken(detection) {
      let template = source.template(detection.anchor)
      // The detection is aligned as tracking would align it, so that its position does not jump in the next frame.
      let covariance = detection.align(template, in: pyramid, by: aligner)
      take(
        detection, AnchorTracker(template, at: detection.map, time: time), covariance, time, of: detections.count)
    }
  }

  /// Starts to follow the detections of a search that has ended on the runner, tracked into the present frame.
  private func takeUpSearch(_ time: Double) {
    guard isSearching, let runner, runner.isIdle else { return }
    isSearching = false
    mayHoldMore = false
    for detection in job.detections {
      // Only the position in the present frame shows which copy this is, so `take` compares copies after the tracking.
      if options.copies.isSingle, isTaken(detection) { continue }
      var tracker = AnchorTracker(source.template(detection.anchor), at: detection.map, time: job.time)
      guard let now = tracker.track(in: pyramid, at: time, aligner: aligner, search: search, exposure: exposure) else {
        continue
      }
      var carried = detection
      carried.map = now.map
      carried.inliers = now.inliers
      carried.score = now.score
      take(carried, tracker, now.covariance, time, of: job.detections.count)
    }
    job.clear()
  }

  /// Waits for a running search and discards its detections.
  private func discardSearch() {
    guard isSearching else { return }
    runner?.wait()
    job.clear()
    isSearching = false
  }

  /// Returns how a detection relates to the followed anchors, and its corners; `nil` if its outline is not valid in the
  /// frame.
  private func seat(_ detection: DetectedAnchor) -> (seat: CopyRoster.Seat, corners: Quadrilateral)? {
    let reference = source.reference(detection.anchor)
    return detection.map.outline(width: reference.width, height: reference.height).map {
      (roster.seat(of: detection.anchor, reference.name, at: $0, among: anchors), $0)
    }
  }

  /// Returns whether a detection shows an anchor that is already followed.
  private func isTaken(_ detection: DetectedAnchor) -> Bool {
    if case .taken? = seat(detection)?.seat { true } else { false }
  }

  /// Returns whether another anchor is already followed at the same position. Similar pictures must not both be reported at one
  /// position.
  private func isTaken(_ corners: Quadrilateral) -> Bool {
    let limit = 0.15 * corners.signedArea.squareRoot()
    return anchors.contains {
      $0.isSeen && $0.place.center.distance(to: corners.center) < limit
        && abs($0.place.signedArea / corners.signedArea - 1) < 0.4
    }
  }

  /// Starts to follow a detected anchor, unless an anchor is already followed at its position, or a position one period of its
  /// repeating pattern away agrees as well.
  private func take(
    _ detection: DetectedAnchor, _ tracker: AnchorTracker, _ covariance: Matrix8?, _ time: Double, of detections: Int
  ) {
    guard let (seat, corners) = seat(detection), !isTaken(corners),
      aligner.standsOut(tracker.template, detection.map, in: pyramid)
    else { return }
    let reference = source.reference(detection.anchor)
    let ambiguous = names(of: detection.rivals, isAmbiguous: detection.isAmbiguous)
    let index: Int
    switch seat {
    case .taken: return
    case .again(let place):
      // The anchor is found again: after a longer absence the smoothed pose is out of date.
      if time - anchors[place].observation.lastSeen > Self.presence.lostAfter { anchors[place].pose.reset() }
      anchors[place].begin(tracker, ambiguous: ambiguous, at: time)
      index = place
    case .free:
      anchors.append(
        FollowedAnchor(
          detection, reference, tracker, copy: roster.number(reference.name), ambiguous: ambiguous, lens: lens,
          time: time))
      index = anchors.count - 1
    }
    anchors[index].see(
      detection.map, covariance: covariance, inliers: detection.inliers, score: detection.score, at: time, intrinsics)
    mayHoldMore = known.count + detections >= 4
  }

  /// Estimates the exposure time from the fastest anchor in every second frame. In every fourth frame, estimates the defocus from
  /// the anchors in turn.
  private func learn() {
    var fastest: (index: Int, speed: Double)?
    for (i, a) in anchors.enumerated() where a.isSeen {
      let speed = a.tracker.speed
      if speed > fastest?.speed ?? 0 { fastest = (i, speed) }
    }
    // The exposure is learned only from an anchor that moves at least three pixels during the exposure, or during 10 ms if that is
    // longer.
    if let fastest, frames % 2 == 0, fastest.speed * max(exposure.seconds, 0.01) >= 3 {
      anchors[fastest.index].tracker.learnExposure(&exposure, in: pyramid, aligner: aligner)
    }
    guard !anchors.isEmpty, frames % 4 == 0 else { return }
    let turn = frames / 4 % anchors.count
    if anchors[turn].isSeen { anchors[turn].tracker.learnSoftness(in: pyramid, aligner: aligner, exposure: exposure) }
  }

  private func reportChanges(_ time: Double, searched: Bool) {
    report.time = time
    report.searched = searched
    report.observations.removeAll(keepingCapacity: true)
    report.found.removeAll(keepingCapacity: true)
    report.lost.removeAll(keepingCapacity: true)
    for i in anchors.indices {
      switch anchors[i].presence.handle(seen: anchors[i].isSeen && anchors[i].isCredible, at: time, Self.presence) {
      case .found: report.found.append(anchors[i].index)
      case .lost:
        report.lost.append(
          AnchorLoss(
            anchor: anchors[i].index, name: anchors[i].name, copy: anchors[i].copy,
            lastSeen: anchors[i].observation.lastSeen))
      case nil: break
      }
      anchors[i].observation.isPresent = anchors[i].presence.isPresent
      if anchors[i].isSeen && anchors[i].isCredible || anchors[i].presence.isPresent {
        report.observations.append(anchors[i].observation)
      }
    }
    // Anchors out of sight that are neither reported as present nor searched for near their last position are forgotten.
    anchors.removeAll {
      !$0.isSeen && !$0.presence.isPresent
        && (!$0.isConfirmed || time - $0.observation.lastSeen > Self.retentionTime)
    }
    report.observations.sort {
      ($0.trackingMethod == .fullTracking ? 1 : 0, $0.placement.score, -$0.anchor)
        > ($1.trackingMethod == .fullTracking ? 1 : 0, $1.placement.score, -$1.anchor)
    }
  }
}
