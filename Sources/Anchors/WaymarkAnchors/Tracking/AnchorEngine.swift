public import WaymarkImage
import WaymarkSystem

/// Finds anchors in frames and follows them: detection hands over to tracking, tracking back to detection.
///
/// It holds no clock and does no input or output: the same frames at the same times give the same reports. After warm-up it
/// allocates nothing on the image path. To be used from one thread at a time.
public final class AnchorEngine {
  /// The settings.
  public let options: Options
  /// Told where the time of frames goes.
  package var stages: StageTimes?
  private let source: any AnchorDetecting
  /// The runner that searches whole frames while something is followed; nil: it is done in between.
  private let runner: (any SearchRunner)?
  private let job: SearchJob
  /// True if a search was begun whose claims were not taken up yet.
  private var isSearching = false
  private let givenIntrinsics: CameraIntrinsics?
  private let pyramid = GrayPyramid()
  private let aligner: PatchAligner
  /// For copies where many are followed: with fewer patches, so that thirty take little more time than a dozen.
  private var sharing: PatchAligner?
  /// How many copies have the patches that one anchor has.
  private static let fewCopies = 8
  private var roster: CopyRoster
  /// The most anchors and copies that there may be.
  private let capacity: Int
  private let search = PatchSearch()
  private let verifier = StructureVerifier()
  private let judge = ClaimJudge()
  /// Taken out of all places inside the engine; observations are given as the frame shows them.
  private let lens: LensMap?
  private var exposure = ExposureEstimate()
  private var anchors: [FollowedAnchor] = []
  private var lastSearch = -Double.infinity
  /// True if the last search found something new while it had to share its features among many: then there may be more.
  private var mayHoldMore = false
  private var lastTime = -Double.infinity
  private var frameSize = (width: 0, height: 0)
  private var known: [Quadrilateral] = []
  private var painted: [Quadrilateral] = []
  /// The copies among what is known.
  private var copies: [DetectedAnchor] = []
  private var mask = ExclusionMask()
  private var frames = 0
  /// The last report, whose memory the next one takes over once the caller has released it.
  private var report = AnchorReport(time: 0, observations: [], found: [], lost: [], searched: false)

  /// An engine for the anchors of a library.
  ///
  /// - Parameters:
  ///   - library: what is to be found; others may use it at the same time.
  ///   - intrinsics: of the camera, for frames of the size that will come; `nil`: assumed from a field of view.
  ///   - options: how often it searches, and when something counts as found or lost.
  public convenience init(library: AnchorLibrary, intrinsics: CameraIntrinsics? = nil, options: Options = Options()) {
    self.init(source: AnchorDetector(library: library, templates: 24), intrinsics: intrinsics, options: options)
  }

  /// An engine over a detector.
  ///
  /// - Parameter intrinsics: of the camera, for frames of the size that will come; `nil`: assumed from a field of view.
  /// - Parameter runner: searches whole frames beside the following, which then does not wait for it. What it finds is carried
  ///   on to the frame in which it is heard of; in which frame that is depends on the machine.
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
    alignment.patches = 256
    alignment.smearedPatches = 272
    alignment.draftPatches = 96
    aligner = PatchAligner(alignment)
    lens = LensMap(intrinsics)
    aligner.lens = lens
    roster = CopyRoster(options.copies)
    if options.copies.isSingle {
      capacity = source.referenceCount
    } else {
      alignment.patches = 96
      alignment.smearedPatches = 104
      alignment.draftPatches = 48
      sharing = PatchAligner(alignment)
      sharing?.lens = lens
      capacity = (0..<source.referenceCount).reduce(0) { $0 + options.copies.allowed(of: source.reference($1).name) }
    }
    source.copies = options.copies
    search.lens = lens
    verifier.lens = lens
    judge.lens = lens
    source.lens = lens
    source.intrinsics = intrinsics
    anchors.reserveCapacity(options.maximumAnchors)
    known.reserveCapacity(options.maximumAnchors)
    painted.reserveCapacity(options.maximumAnchors)
    copies.reserveCapacity(options.maximumAnchors)
    report.observations.reserveCapacity(options.maximumAnchors)
    report.found.reserveCapacity(options.maximumAnchors)
    report.lost.reserveCapacity(options.maximumAnchors)
  }

  /// The runner may serve another engine next.
  deinit { if isSearching { runner?.wait() } }

  /// The number of the last copy that was taken up. An engine that takes the place of another goes on from there, so that no number comes twice.
  package var lastCopy: Int {
    get { roster.lastCopy }
    set { roster.lastCopy = newValue }
  }

  /// The camera of the present frames: as given, or assumed for their size.
  public var intrinsics: CameraIntrinsics {
    givenIntrinsics ?? CameraIntrinsics(assumedFor: frameSize.width, frameSize.height)
  }

  /// Takes the next frame.
  ///
  /// - Parameters:
  ///   - frame: its luma, lent for the length of the call.
  ///   - time: when it was captured, in seconds; a time that is not later than the last starts over.
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

  /// Forgets all anchors, as before frames of another camera.
  public func reset() {
    discardSearch()
    anchors.removeAll(keepingCapacity: true)
    lastSearch = -.infinity
    lastTime = -.infinity
    mayHoldMore = false
  }

  /// Looks for an anchor where it is expected.
  private func follow(_ i: Int, _ time: Double, _ aligner: PatchAligner) {
    guard
      anchors[i].isSeen || anchors[i].isConfirmed && time - anchors[i].observation.lastSeen <= options.retentionTime,
      let place = anchors[i].tracker.track(
        in: pyramid, at: time, aligner: aligner, search: search, exposure: exposure)
    else {
      anchors[i].miss()
      return
    }
    if anchors[i].copy != nil,
      place.alignment.map.outline(width: anchors[i].width, height: anchors[i].height).map({
        roster.isAnother($0, than: i, among: anchors)
      }) != false
    {
      return anchors[i].drop()
    }
    anchors[i].see(
      place.alignment.map, inliers: place.alignment.inliers, score: place.alignment.score, at: time, intrinsics)
    // Alignment holds on to whatever edges are there. So every thirtieth of a second it is asked whether they are the anchor's.
    guard time - anchors[i].lastChecked >= 0.03 - 1e-3 else { return }
    let deviations = anchors[i].tracker.deviations(
      in: pyramid, aligner: aligner, verifier: verifier, exposure: exposure)
    guard anchors[i].verify(deviations, at: time) else { return anchors[i].drop() }
    prove(i, time)
  }

  /// Asks of an anchor that is followed whether it is this picture and no other: often until it is proven, and now and then where others look alike,
  /// because one box is put in the place of the other.
  private func prove(_ i: Int, _ time: Double) {
    let hasTwins = source.twins.indices.contains(anchors[i].index) && !source.twins[anchors[i].index].isEmpty
    let isProven = anchors[i].observation.ambiguous == nil
    // The templates belong to a search that runs.
    guard !isSearching, !isProven || hasTwins,
      time - anchors[i].lastJudged >= (isProven ? options.searchInterval : options.initialSearchInterval) - 1e-3
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

  /// The names of the anchors that something may be as well; `nil` where it is proven.
  private func names(of rivals: [Int], isAmbiguous: Bool) -> [String]? {
    isAmbiguous ? rivals.map { source.reference($0).name } : nil
  }

  private func searchIsDue(_ time: Double) -> Bool {
    guard hasSeen else { return true }
    let seen = anchors.reduce(0) { $0 + ($1.isSeen ? 1 : 0) }
    guard !isSearching, seen < min(options.maximumAnchors, capacity) else { return false }
    if mayHoldMore { return true }
    let urgent = anchors.contains { !$0.isSeen && $0.presence.isPresent }
    // A little less, so that rounding of the times does not cost a frame.
    return time - lastSearch >= (urgent ? options.initialSearchInterval : options.searchInterval) - 1e-3
  }

  private var hasSeen: Bool { anchors.contains { $0.isSeen } }

  /// Searches the whole frame and takes up what is new, or begins to.
  private func search(_ frame: ImageView, _ time: Double) {
    known.removeAll(keepingCapacity: true)
    painted.removeAll(keepingCapacity: true)
    copies.removeAll(keepingCapacity: true)
    // A few are recognised again in passing; many would leave the detector no room for others, and a copy no other copy.
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
    // Nothing is followed that would have to wait. What is still searched for elsewhere is older than this frame.
    discardSearch()
    lastSearch = time
    mayHoldMore = false
    let detections = mask.paint(frame, painted) { source.detections(in: $0, known: known, beside: copies) }
    for detection in detections {
      if isTaken(detection) { continue }
      let template = source.template(detection.anchor)
      // The claim is brought to where tracking would put it, so that nothing jumps in the next frame.
      var detection = detection
      if let result = aligner.align(template, from: detection.map, in: pyramid), result.score >= detection.score - 0.05,
        result.inliers >= 6
      {
        detection.map = result.map
        detection.inliers = max(detection.inliers, result.inliers)
        detection.score = max(detection.score, result.score)
      }
      take(detection, AnchorTracker(template, at: detection.map, time: time), time, of: detections.count)
    }
  }

  /// Takes up what was found beside the following, carried on to the present frame.
  private func takeUpSearch(_ time: Double) {
    guard isSearching, let runner, runner.isIdle else { return }
    isSearching = false
    mayHoldMore = false
    for detection in job.detections {
      // Of several copies only the place where one stands now tells whether it is followed.
      if options.copies.isSingle, isTaken(detection) { continue }
      var tracker = AnchorTracker(source.template(detection.anchor), at: detection.map, time: job.time)
      guard let now = tracker.track(in: pyramid, at: time, aligner: aligner, search: search, exposure: exposure) else {
        continue
      }
      var carried = detection
      carried.map = now.alignment.map
      carried.inliers = now.alignment.inliers
      carried.score = now.alignment.score
      take(carried, tracker, time, of: job.detections.count)
    }
    job.clear()
  }

  /// Waits for a search and forgets what it found.
  private func discardSearch() {
    guard isSearching else { return }
    runner?.wait()
    job.clear()
    isSearching = false
  }

  /// The seat of a claim among what is followed; `nil` where it has no place in the frame.
  private func seat(_ detection: DetectedAnchor) -> (seat: CopyRoster.Seat, corners: Quadrilateral)? {
    let reference = source.reference(detection.anchor)
    return detection.map.outline(width: reference.width, height: reference.height).map {
      (roster.seat(of: detection.anchor, reference.name, at: $0, among: anchors), $0)
    }
  }

  /// Returns whether a claim shows what is followed already.
  private func isTaken(_ detection: DetectedAnchor) -> Bool {
    if case .taken? = seat(detection)?.seat { true } else { false }
  }

  /// Returns whether another anchor is already followed at the same place: pictures that are nearly alike must not both be claimed.
  private func isTaken(_ corners: Quadrilateral) -> Bool {
    let limit = 0.15 * corners.signedArea.squareRoot()
    return anchors.contains {
      $0.isSeen && $0.place.center.distance(to: corners.center) < limit
        && abs($0.place.signedArea / corners.signedArea - 1) < 0.4
    }
  }

  /// Follows what was found from now on, unless something is followed there already or it may as well stand a step of its pattern aside.
  private func take(_ detection: DetectedAnchor, _ tracker: AnchorTracker, _ time: Double, of detections: Int) {
    guard let (seat, corners) = seat(detection), !isTaken(corners),
      aligner.standsOut(tracker.template, detection.map, in: pyramid)
    else { return }
    let reference = source.reference(detection.anchor)
    let ambiguous = names(of: detection.rivals, isAmbiguous: detection.isAmbiguous)
    let index: Int
    switch seat {
    case .taken: return
    case .again(let place):
      // Back again: what was smoothed before does not hold any more if it was away for more than a moment.
      if time - anchors[place].observation.lastSeen > options.lostAfter { anchors[place].pose.reset() }
      anchors[place].begin(tracker, ambiguous: ambiguous, at: time)
      index = place
    case .free:
      anchors.append(
        FollowedAnchor(
          detection, reference, tracker, copy: roster.number(reference.name), ambiguous: ambiguous, lens: lens,
          time: time))
      index = anchors.count - 1
    }
    anchors[index].see(detection.map, inliers: detection.inliers, score: detection.score, at: time, intrinsics)
    mayHoldMore = known.count + detections >= 4
  }

  /// Learns from the fastest anchor how long the shutter is open, and from one after the other how sharp the frame is.
  private func learn() {
    var fastest: (index: Int, speed: Double)?
    for (i, a) in anchors.enumerated() where a.isSeen {
      let speed = a.tracker.speed
      if speed > fastest?.speed ?? 0 { fastest = (i, speed) }
    }
    // Three pixels of smear at the present estimate or at an hundredth of a second.
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
    let times = Presence.Options(foundAfter: options.foundAfter, lostAfter: options.lostAfter)
    for i in anchors.indices {
      switch anchors[i].presence.handle(seen: anchors[i].isSeen && anchors[i].isCredible, at: time, times) {
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
    // Anchors that are out of sight, and neither present nor looked for any more, are forgotten.
    anchors.removeAll {
      !$0.isSeen && !$0.presence.isPresent
        && (!$0.isConfirmed || time - $0.observation.lastSeen > options.retentionTime)
    }
    report.observations.sort {
      ($0.trackingMethod == .fullTracking ? 1 : 0, $0.placement.score, -$0.anchor)
        > ($1.trackingMethod == .fullTracking ? 1 : 0, $1.placement.score, -$1.anchor)
    }
  }
}
