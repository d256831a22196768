package import WaymarkImage

/// Follows codes between their readings: a code once read stays known while it is blurred, turned or half covered.
///
/// Reading and following run beside each other. What was read in a frame, whichever it was, is handed in with the next one;
/// from it a picture of the code is made (`CodeTemplate`), which is followed like the reference of an anchor, always against the
/// picture and never against the last frame. Every later reading confirms the code, or says that it is another one.
///
/// It holds no clock: the same frames and readings at the same times give the same reports. To be used from one thread at a time.
package final class CodeFollower {
  package struct Options: Sendable {
    /// For how long a code that is out of sight is looked for near its last place and keeps its number, in seconds.
    package var lostAfter = 0.5
    /// For how long a code that is not a grid of modules is trusted without being read, in seconds: the texture of bars says in
    /// one direction only whether they are still the same.
    package var unread = 1.0
    /// The most codes that are followed.
    package var maximum = 64
    /// The most codes that are taken up in one frame; the others are read again.
    var newCodesPerFrame = 8

    package init() {}
  }

  /// A code read in a frame.
  package struct Reading: Sendable {
    package var frame: GrayImage
    /// When the frame was captured, in seconds.
    package var time: Double
    package var sightings: [CodeDetection]

    package init(frame: GrayImage, time: Double, sightings: [CodeDetection]) {
      self.frame = frame
      self.time = time
      self.sightings = sightings
    }
  }

  /// The state of all codes after a frame.
  package struct Report: Sendable {
    /// The codes that are seen or whose last place is still held, in the order of their numbers.
    package var observations: [CodeObservation] = []
    /// The numbers of those that are new.
    package var found: [Int] = []
    /// The numbers of those that are gone, and when each was last seen.
    package var lost: [(id: Int, lastSeen: Double)] = []
  }

  package let options: Options
  private let intrinsics: CameraIntrinsics
  private let lens: LensMap?
  private let pyramid = GrayPyramid()
  /// Of the frame in which new codes were read.
  private let earlier = GrayPyramid()
  /// Few codes are aligned on many patches, because the error falls with their number; many on fewer.
  /// So many codes are followed as exactly as can be; of more each has less time.
  private static let few = 8
  private let fine: PatchAligner
  private let quick: PatchAligner
  /// Bars say where they are across themselves; along themselves their ends do.
  private let rigid: PatchAligner
  private let search = PatchSearch()
  private let verifier = StructureVerifier()
  private var exposure = ExposureEstimate()
  private var codes: [FollowedCode] = []
  /// The number of the next code that is found.
  package private(set) var next: Int
  private let step: Int
  private var frames = 0
  private var size = (width: 0, height: 0)
  private var lastTime = -Double.infinity

  /// - Parameters:
  ///   - first: the number of the first code.
  ///   - step: by how much each next number is greater.
  package init(intrinsics: CameraIntrinsics, options: Options = Options(), first: Int = 1, step: Int = 1) {
    self.intrinsics = intrinsics
    next = first
    self.step = step
    self.options = options
    lens = LensMap(intrinsics)
    var alignment = PatchAligner.Options()
    alignment.patches = 224
    alignment.smearedPatches = 224
    fine = PatchAligner(alignment)
    alignment.patches = 64
    alignment.smearedPatches = 64
    alignment.coarsePatches = 32
    quick = PatchAligner(alignment)
    alignment = PatchAligner.Options()
    alignment.isRigid = true
    rigid = PatchAligner(alignment)
    for aligner in [fine, quick, rigid] { aligner.lens = lens }
    search.lens = lens
    verifier.lens = lens
  }

  /// Forgets all codes.
  ///
  /// - Returns: the numbers of those that were told of, and when each was last seen.
  package func reset() -> [(id: Int, lastSeen: Double)] {
    defer { codes.removeAll() }
    return codes.filter(\.isReported).map { ($0.id, $0.lastSeen) }
  }

  private func aligner(_ code: FollowedCode) -> PatchAligner {
    code.isRigid ? rigid : codes.count > Self.few ? quick : fine
  }

  /// Takes the next frame, and what was read since the last one.
  ///
  /// - Parameter time: when the frame was captured, in seconds; a time that is not later than the last starts over.
  package func process(_ frame: ImageView, at time: Double, read: Reading? = nil) -> Report {
    var report = Report()
    if size != (frame.width, frame.height) || !(time > lastTime) {
      report.lost = reset()
    }
    size = (frame.width, frame.height)
    lastTime = time
    frames += 1
    pyramid.update(frame, levels: 7)
    if let read, read.time <= time, (read.frame.width, read.frame.height) == size { take(read, now: time) }
    for i in codes.indices where codes[i].lastSeen < time { follow(i, time) }
    dropOverlapping()
    learn()
    reportChanges(time, &report)
    return report
  }

  // MARK: Readings

  private func take(_ read: Reading, now: Double) {
    var begun = 0
    var isPyramidReady = false
    for sighting in read.sightings {
      let corners = straightened(sighting.corners)
      guard corners.isPlausible() else { continue }
      if let i = match(sighting.content, corners, read.time) {
        codes[i].confirm(at: read.time, width: sighting.physicalWidth)
        // Followed, and where it was read: nothing else is to be learned.
        if codes[i].isSeen, !codes[i].isOutgrown(by: corners, at: read.time) { continue }
      } else {
        drop(of: corners, read.time)
        guard codes.count < options.maximum else { continue }
      }
      guard begun < options.newCodesPerFrame else { continue }
      begun += 1
      if !isPyramidReady {
        read.frame.withView { earlier.update($0, levels: 7) }
        isPyramidReady = true
      }
      begin(sighting, corners, read, now)
    }
  }

  /// The code that a sighting is of: one of the same content that was there at the time, or is out of sight.
  private func match(_ content: CodeDetection.Content, _ corners: Quadrilateral, _ time: Double) -> Int? {
    let size = corners.signedArea.squareRoot()
    let same = codes.indices.filter { codes[$0].content == content }
    let near = same.min { distance($0, corners, time) < distance($1, corners, time) }
    if let near, distance(near, corners, time) < 0.5 * size { return near }
    return same.first { !codes[$0].isSeen }
  }

  private func distance(_ i: Int, _ corners: Quadrilateral, _ time: Double) -> Double {
    codes[i].center(at: time).distance(to: corners.center)
  }

  /// Another code was read where one is known: that one is gone.
  private func drop(of corners: Quadrilateral, _ time: Double) {
    for i in codes.indices where codes[i].lastRead < time {
      if distance(i, corners, time) < 0.3 * corners.signedArea.squareRoot() { codes[i].drop() }
    }
  }

  /// Makes a code's picture and begins to follow it, in the frame in which it was read.
  private func begin(_ sighting: CodeDetection, _ corners: Quadrilateral, _ read: Reading, _ now: Double) {
    guard let (portrait, score) = read.frame.withView({ portrait($0, corners, sighting.grids) }) else { return }
    let known = codes.firstIndex {
      $0.content == sighting.content && (!$0.isSeen || distance($0, corners, read.time) < 0.5 * $0.extent)
    }
    var code: FollowedCode
    if let known {
      code = codes[known]
    } else {
      code = FollowedCode(id: next, sighting, read.time)
      next += step
    }
    code.begin(portrait, corners, score, at: read.time)
    if read.time == now { code.see(portrait.homography, score: score, at: now, intrinsics, lens) }
    if let known { codes[known] = code } else { codes.append(code) }
  }

  private func distance(_ code: FollowedCode, _ corners: Quadrilateral, _ time: Double) -> Double {
    code.center(at: time).distance(to: corners.center)
  }

  /// The picture of a code, aligned with the frame in which it was read.
  private func portrait(
    _ frame: ImageView, _ corners: Quadrilateral, _ grids: [SIMD2<Int>]
  ) -> (CodeTemplate, Double)? {
    if var drawn = CodeTemplate.drawn(frame, corners, grids, lens: lens) {
      // The outline of a reading is right within a module; the modules' edges together are far more exact, and through
      // the better map the modules are read once more.
      for round in 0..<3 {
        guard
          let result = fine.align(
            AnchorTemplate(drawn.image), from: .plane(drawn.homography), in: earlier, coarsest: 0),
          result.inliers >= 6
        else { break }
        drawn.homography = result.homography
        if result.score >= 0.75, result.share >= 0.5, round > 0 {
          // Of many none is followed by so many patches that it would show, and each takes up to six more alignments.
          return codes.count < Self.few ? softened(drawn, result.score) : (drawn, result.score)
        }
        guard
          let again = drawn.redrawn(frame, at: drawn.homography, modules: drawn.modules, lens: lens)
        else { break }
        drawn = again
      }
    }
    return CodeTemplate(frame, cut: corners, lens: lens).map { ($0, 0.75) }
  }

  /// The picture as soft as the frame shows it.
  ///
  /// In a softer frame the light of an edge runs into that of the next one, and as the neighbours of an edge are not alike on both sides, its
  /// place seems to shift; in the mean a code looks too small. Drawn with the same softness, edges stay where they are. How soft that is,
  /// is where drawing and frame correlate best.
  private func softened(_ drawn: CodeTemplate, _ score: Double) -> (CodeTemplate, Double) {
    var best = (portrait: drawn, score: score)
    for softness in [0.35, 0.5, 0.65, 0.8, 1.0, 1.25] {
      var next = drawn.softened(by: softness)
      guard
        let result = fine.align(AnchorTemplate(next.image), from: .plane(drawn.homography), in: earlier, coarsest: 0),
        result.inliers >= 6, result.share >= 0.5, result.score > best.score
      else { break }
      next.homography = result.homography
      best = (next, result.score)
    }
    return best
  }

  private func straightened(_ q: Quadrilateral) -> Quadrilateral {
    guard let lens else { return q }
    return Quadrilateral(
      topLeft: lens.straighten(q.topLeft), topRight: lens.straighten(q.topRight),
      bottomRight: lens.straighten(q.bottomRight), bottomLeft: lens.straighten(q.bottomLeft))
  }

  // MARK: Following

  private func follow(_ i: Int, _ time: Double) {
    guard var tracker = codes[i].tracker, codes[i].isSeen || time - codes[i].lastSeen <= options.lostAfter,
      codes[i].isDrawn || time - codes[i].lastRead <= options.unread,
      let place = tracker.track(in: pyramid, at: time, aligner: aligner(codes[i]), search: search, exposure: exposure)
    else {
      codes[i].miss()
      return
    }
    codes[i].tracker = tracker
    codes[i].see(place.alignment.homography, score: place.alignment.score, at: time, intrinsics, lens)
    // Of many, one that has just proven itself is asked again in the next frame but one; one that has not, at once.
    let interval = codes.count > Self.few && codes[i].isVerified ? 0.06 : 0.03
    guard codes[i].isDrawn, time - codes[i].lastChecked >= interval - 1e-3 else { return }
    let deviations = tracker.deviations(in: pyramid, aligner: aligner(codes[i]), verifier: verifier, exposure: exposure)
    if !codes[i].verify(deviations, at: time) { codes[i].drop() }
  }

  /// Of two codes that are followed at one place, the one that was read later stays.
  private func dropOverlapping() {
    for i in codes.indices where codes[i].isSeen {
      for k in codes.indices where k != i && codes[k].isSeen && codes[k].lastRead < codes[i].lastRead {
        if codes[i].corners.center.distance(to: codes[k].corners.center) < 0.3 * codes[i].extent { codes[k].drop() }
      }
    }
  }

  /// Learns from the fastest code how long the shutter is open, and from one after the other how sharp the frame is.
  private func learn() {
    guard !codes.isEmpty else { return }
    let fastest = codes.indices.max { codes[$0].speed < codes[$1].speed }
    if let fastest, frames % 2 == 0, codes[fastest].isSeen, codes[fastest].speed * max(exposure.seconds, 0.01) >= 3 {
      let aligner = aligner(codes[fastest])
      codes[fastest].tracker?.learnExposure(&exposure, in: pyramid, aligner: aligner)
    }
    let turn = frames / 4 % codes.count
    if frames % 4 == 0, codes[turn].isSeen {
      let aligner = aligner(codes[turn])
      codes[turn].tracker?.learnSoftness(in: pyramid, aligner: aligner, exposure: exposure)
    }
  }

  private func reportChanges(_ time: Double, _ report: inout Report) {
    for i in codes.indices where !codes[i].isReported && codes[i].isBelieved && codes[i].isSeen {
      codes[i].isReported = true
      report.found.append(codes[i].id)
    }
    codes.removeAll { code in
      guard code.isGone || !code.isSeen && time - max(code.lastSeen, code.lastRead) > options.lostAfter else {
        return false
      }
      if code.isReported { report.lost.append((code.id, code.lastSeen)) }
      return true
    }
    report.observations = codes.filter(\.isReported).map(\.observation)
  }
}
