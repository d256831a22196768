package import WaymarkImage

/// Follows codes between their readings, so that a code once read stays known while it is blurred, rotated or half covered.
///
/// Reading runs in parallel to following, so codes read in one frame arrive with a later frame. A reading gives a picture of the
/// code (`CodeTemplate`), and each frame is compared with this picture, never with the last frame. Every further reading confirms
/// the code or replaces it by another.
///
/// The follower reads no clock: the same frames and readings at the same times give the same reports. Use it from one thread at a
/// time.
package final class CodeFollower {
  /// The time for which a code out of sight is searched for near its last position and keeps its number, in seconds.
  private static let lostAfter = 0.5
  /// The time for which a code without a grid of modules is followed without a reading, in seconds. It is short because the texture
  /// of bars changes in one direction only.
  private static let unread = 1.0
  /// The most codes that are followed.
  private static let maximum = 64
  /// The most codes that start to be followed in one frame; further codes must be read again.
  private static let newCodesPerFrame = 8

  /// The codes read in one frame, with the frame, from which their pictures are made.
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
    /// The codes that are seen or whose last position is kept, in the order of their numbers.
    package var observations: [CodeObservation] = []
    /// The numbers of the new codes.
    package var found: [Int] = []
    /// The numbers of the lost codes, and the time in seconds when each was last seen.
    package var lost: [(id: Int, lastSeen: Double)] = []
  }

  private let intrinsics: CameraIntrinsics
  private let lens: LensMap?
  private let pyramid = GrayPyramid()
  /// The pyramid of the frame in which new codes were read.
  private let earlier = GrayPyramid()
  /// The largest number of codes that are aligned on many patches, which reduces the error. If there are more, each is aligned on
  /// fewer patches.
  private static let few = 8
  private let fine: PatchAligner
  private let quick: PatchAligner
  /// The aligner for bar codes: their bars determine the position across the bars, but only the ends of bars determine
  /// it along them.
  private let rigid: PatchAligner
  private let search = PatchSearch()
  private let verifier = StructureVerifier()
  private var exposure = ExposureEstimate()
  private var codes: [FollowedCode] = []
  /// The number of the next new code.
  package private(set) var next: Int
  private let step: Int
  private var frames = 0
  private var size = (width: 0, height: 0)
  private var lastTime = -Double.infinity

  /// - Parameters:
  ///   - first: The number of the first code.
  ///   - step: The difference between successive numbers.
  package init(intrinsics: CameraIntrinsics, first: Int = 1, step: Int = 1) {
    self.intrinsics = intrinsics
    next = first
    self.step = step
    lens = LensMap(intrinsics)
    var alignment = PatchAligner.Options()
    (alignment.patches, alignment.smearedPatches) = (224, 224)
    fine = PatchAligner(alignment)
    (alignment.patches, alignment.smearedPatches, alignment.coarsePatches) = (64, 64, 32)
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
  /// - Returns: The numbers of the reported codes, and the time in seconds when each was last seen.
  package func reset() -> [(id: Int, lastSeen: Double)] {
    defer { codes.removeAll() }
    return codes.filter(\.isReported).map { ($0.id, $0.lastSeen) }
  }

  private func aligner(_ code: FollowedCode) -> PatchAligner {
    code.isRigid ? rigid : codes.count > Self.few ? quick : fine
  }

  /// Processes the next frame and the codes read since the last one.
  ///
  /// - Parameters:
  ///   - time: The time of capture in seconds. A time that is not later than the previous call's resets the follower.
  ///   - read: The codes read in this frame or an earlier one; `nil` if no reading has ended since the last call.
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
        // The code is already followed there, so the reading only confirms it.
        if codes[i].isSeen, !codes[i].isOutgrown(by: corners, at: read.time) { continue }
      } else {
        drop(of: corners, read.time)
        guard codes.count < Self.maximum else { continue }
      }
      guard begun < Self.newCodesPerFrame else { continue }
      begun += 1
      if !isPyramidReady {
        read.frame.withView { earlier.update($0, levels: 7) }
        isPyramidReady = true
      }
      begin(sighting, corners, read, now)
    }
  }

  /// Returns the index of the followed code that was read: a code of the same content that was there at `time`, or else a code of
  /// the same content that is out of sight; `nil` for a new code.
  private func match(_ content: CodeDetection.Content, _ corners: Quadrilateral, _ time: Double) -> Int? {
    let size = corners.signedArea.squareRoot()
    let same = codes.indices.filter { codes[$0].content == content }
    let near = same.min { distance(codes[$0], corners, time) < distance(codes[$1], corners, time) }
    if let near, distance(codes[near], corners, time) < 0.5 * size { return near }
    return same.first { !codes[$0].isSeen }
  }

  /// Drops the codes at whose position another code was read later.
  private func drop(of corners: Quadrilateral, _ time: Double) {
    for i in codes.indices where codes[i].lastRead < time {
      if distance(codes[i], corners, time) < 0.3 * corners.signedArea.squareRoot() { codes[i].drop() }
    }
  }

  /// Makes a code's picture from the frame in which it was read, and starts to follow it.
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

  /// Returns the picture of a code, aligned with the frame in which it was read, and its score; `nil` if the code is
  /// too small.
  private func portrait(
    _ frame: ImageView, _ corners: Quadrilateral, _ grids: [SIMD2<Int>]
  ) -> (CodeTemplate, Double)? {
    if var drawn = CodeTemplate.drawn(frame, corners, grids, lens: lens) {
      // The outline of a reading is correct within half a module. The edges of all modules together are far more
      // precise, and with the improved map the modules are read once more.
      for round in 0..<3 {
        guard
          let result = fine.align(
            AnchorTemplate(drawn.image), from: .plane(drawn.homography), in: earlier, coarsest: 0),
          result.inliers >= 6
        else { break }
        drawn.homography = result.homography
        if result.score >= 0.75, result.share >= 0.5, round > 0 {
          // With many codes, the patches per code are too few for softness to matter, and estimating it takes up to six more alignments.
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

  /// Returns the picture blurred as the frame shows it.
  ///
  /// In a blurred frame, neighbouring edges influence each other. Because the two sides of an edge differ, its position seems to
  /// shift, and on average a code looks too small. If the picture is equally blurred, the edges match. The chosen softness has the
  /// highest correlation.
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
    lens.map { q.mapped($0.straighten) } ?? q
  }

  // MARK: Following

  private func follow(_ i: Int, _ time: Double) {
    guard var tracker = codes[i].tracker, codes[i].isSeen || time - codes[i].lastSeen <= Self.lostAfter,
      codes[i].isDrawn || time - codes[i].lastRead <= Self.unread,
      let place = tracker.track(in: pyramid, at: time, aligner: aligner(codes[i]), search: search, exposure: exposure)
    else {
      codes[i].miss()
      return
    }
    codes[i].tracker = tracker
    codes[i].see(place.homography, score: place.score, at: time, intrinsics, lens)
    // With many codes, a code whose last check confirmed it is checked every 60 ms, otherwise every 30 ms.
    let interval = codes.count > Self.few && codes[i].proof.isVerified ? 0.06 : 0.03
    guard codes[i].isDrawn, time - codes[i].proof.lastChecked >= interval - 1e-3 else { return }
    let deviations = tracker.deviations(in: pyramid, aligner: aligner(codes[i]), verifier: verifier, exposure: exposure)
    if !codes[i].proof.verify(deviations, at: time) { codes[i].drop() }
  }

  /// Where two codes are at the same position, drops the code that was read earlier.
  private func dropOverlapping() {
    for i in codes.indices where codes[i].isSeen {
      for k in codes.indices where k != i && codes[k].isSeen && codes[k].lastRead < codes[i].lastRead {
        if codes[i].corners.center.distance(to: codes[k].corners.center) < 0.3 * codes[i].extent { codes[k].drop() }
      }
    }
  }

  /// Estimates the exposure time from the fastest code in every second frame, and the defocus from one code in turn in
  /// every fourth.
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
      guard code.isGone || !code.isSeen && time - max(code.lastSeen, code.lastRead) > Self.lostAfter else {
        return false
      }
      if code.isReported { report.lost.append((code.id, code.lastSeen)) }
      return true
    }
    report.observations = codes.filter(\.isReported).map(\.observation)
  }
}
