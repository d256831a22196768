import Testing
import WaymarkAnchors
import WaymarkImage

/// Runs a search when the test says so.
private final class PatientRunner: SearchRunner {
  private var job: SearchJob?
  private(set) var isIdle = true
  private(set) var waits = 0

  func start(_ job: SearchJob) {
    self.job = job
    isIdle = false
  }
  func wait() {
    waits += 1
    finish()
  }
  func finish() {
    job?.run()
    job = nil
    isIdle = true
  }
}

@Suite struct AnchorEngineTests {
  let picture = Stage.picture(4)

  private func detection(_ anchor: Int, _ h: Homography) -> DetectedAnchor {
    DetectedAnchor(anchor: anchor, homography: h, inliers: 30, score: 0.8)
  }

  /// Follows the path; the detector speaks only in the first frame.
  private func run(speed: Double, frames: Int, smear: Int = 1) -> [(report: AnchorReport, truth: Homography)] {
    let source = ScriptedSource([picture])
    let engine = AnchorEngine(source: source, intrinsics: Stage.camera)
    source.next = [detection(0, Stage.disturbed(picture, Stage.path(picture, 0), 2, seed: 1))]
    return (0..<frames).map { i in
      let t = Double(i) / 30
      let places = (0..<smear).map {
        Stage.path(picture, t + ((Double($0) + 0.5) / Double(smear) - 0.5) / 60, speed: speed)
      }
      let frame = Stage.frame(
        [(picture, smear == 1 ? [Stage.path(picture, t, speed: speed)] : places)], .init(seed: UInt64(i)))
      let report = frame.withView { engine.process($0, at: 10 + t) }
      source.next = []
      return (report, Stage.path(picture, t, speed: speed))
    }
  }

  @Test(arguments: [(0.0, 1), (1.0, 1), (4.0, 4)]) func aPathIsFollowed(_ speed: Double, _ smear: Int) throws {
    let steps = run(speed: speed, frames: 24, smear: smear)
    var sum = 0.0
    for (report, truth) in steps {
      let seen = try #require(report.observations.first)
      #expect(seen.trackingMethod == .fullTracking)
      let error = seen.corners.meanCornerDistance(to: Stage.corners(picture, truth))
      #expect(error < 0.6)
      sum += error
      // Both poses put the picture where it is seen.
      for pose in [seen.rawPose, seen.pose] {
        let p = try #require(pose)
        let center = try #require(p.project(.zero, Stage.camera)).pixel
        let middle = truth.apply(0.5 * Point2(Double(picture.width - 1), Double(picture.height - 1)))
        #expect(center.distance(to: middle) < (speed > 2 ? 3 : 1.5))
        #expect(p.facesCamera)
      }
    }
    #expect(sum / Double(steps.count) < 0.2)
  }

  @Test func standingPicturesDoNotTremble() throws {
    let steps = run(speed: 0, frames: 20)
    var squares = 0.0
    for (a, b) in zip(steps, steps.dropFirst()) {
      let p = try #require(a.report.observations.first).corners
      let q = try #require(b.report.observations.first).corners
      squares += p.meanCornerDistance(to: q) * p.meanCornerDistance(to: q)
    }
    #expect((squares / Double(steps.count - 1)).squareRoot() < 0.1)
  }

  @Test func theSameFramesGiveTheSame() {
    let a = run(speed: 1, frames: 6).map { $0.report.observations.map(\.homography) }
    let b = run(speed: 1, frames: 6).map { $0.report.observations.map(\.homography) }
    #expect(a == b)
  }

  @Test func aSearchBesideIsCarriedOn() throws {
    let second = Stage.picture(7)
    let source = ScriptedSource([picture, second])
    let runner = PatientRunner()
    var options = AnchorEngine.Options()
    options.searchInterval = 0.2
    let engine = AnchorEngine(source: source, intrinsics: Stage.camera, options: options, runner: runner)
    func places(_ i: Int) -> (Homography, Homography) {
      let x = 0.002 * Double(i)
      return (
        Stage.homography(picture, tilt: Point2(0.2, 0.1), roll: 0.1, at: Point3(-0.13 + x, 0, 0.6)),
        Stage.homography(second, tilt: Point2(0, 0.2), roll: -0.1, at: Point3(0.12 - x, 0.02, 0.6))
      )
    }
    func step(_ i: Int) -> AnchorReport {
      let (a, b) = places(i)
      let frame = Stage.frame([(picture, [a]), (second, [b])], .init(seed: UInt64(i)))
      return frame.withView { engine.process($0, at: Double(i) / 30) }
    }
    // Nothing is followed yet: the first search is not put off.
    source.next = [detection(0, places(0).0)]
    #expect(step(0).observations.map(\.anchor) == [0] && runner.isIdle)
    for i in 1..<6 { #expect(!step(i).searched) }
    source.next = [detection(0, places(6).0), detection(1, places(6).1)]
    #expect(step(6).searched && !runner.isIdle)
    // The search takes long; followed anchors are reported anyway.
    for i in 7..<9 { #expect(step(i).observations.map(\.anchor) == [0] && source.searches == 1) }
    runner.finish()
    source.next = []
    let report = step(9)
    let b = try #require(report.observations.first { $0.anchor == 1 })
    #expect(report.observations.count == 2 && source.searches == 2)
    #expect(b.corners.meanCornerDistance(to: Stage.corners(second, places(9).1)) < 0.5)
    // A frame of another size starts over and does not take up what was found in an old one.
    source.next = [detection(1, places(6).1)]
    for i in 10..<13 { _ = step(i) }
    let engineTwo = GrayImage(width: 100, height: 100, value: 90).withView { engine.process($0, at: 1) }
    #expect(engineTwo.observations.allSatisfy { $0.anchor == 1 } && runner.isIdle)
  }

  @Test func aThreadSearchesAndIsIdleAgain() {
    let source = ScriptedSource([picture])
    source.next = [detection(0, Stage.path(picture, 0))]
    let job = SearchJob(source: source)
    Stage.frame([]).withView { job.load($0, at: 3, known: [], painted: [], beside: []) }
    let thread = SearchThread()
    for _ in 0..<3 {
      thread.start(job)
      thread.wait()
      #expect(thread.isIdle)
    }
    #expect(job.detections.count == 1 && job.time == 3 && source.searches == 3)
  }

  @Test func foundLostAndBack() throws {
    let source = ScriptedSource([picture])
    let engine = AnchorEngine(source: source, intrinsics: Stage.camera)
    let place = Stage.homography(picture, tilt: Point2(0.2, 0.1), roll: 0.1, at: Point3(0, 0, 0.4))
    let with = Stage.frame([(picture, [place])])
    let without = Stage.frame([])
    var found: [Double] = []
    var lost: [Double] = []
    var method: [AnchorPlacement.Method?] = []
    for i in 0..<60 {
      let visible = i < 20 || i >= 45
      source.next = visible ? [detection(0, place)] : []
      let time = Double(i) / 30
      let report = (visible ? with : without).withView { engine.process($0, at: time) }
      if report.found == [0] { found.append(time) }
      for loss in report.lost {
        lost.append(time)
        #expect(loss.name == "p0" && abs(loss.lastSeen - 19.0 / 30) < 1e-9)
      }
      method.append(report.observations.first?.trackingMethod)
    }
    #expect(found.count == 2 && lost.count == 1)
    #expect(found[0] < 0.1 && lost[0] - 19.0 / 30 >= 0.5 && lost[0] - 19.0 / 30 < 0.54)
    #expect(found[1] - 1.5 <= 0.2)
    #expect(
      method[10] == .fullTracking && method[25] == .lastKnownPose && method[43] == nil && method[50] == .fullTracking)
  }

  /// A followed picture turns into something with the same bold edges and nothing else: the alignment would hold on to
  /// these for ever.
  @Test func whatNoLongerProvesItselfIsLetGoWithinATenthOfASecond() throws {
    let size = (width: 240, height: 180)
    func stripe(_ i: Int) -> Int { i % size.width / 40 % 2 == 0 ? 60 : 180 }
    let blots = Stage.picture(11, width: size.width, height: size.height)
    let anchor = GrayImage(width: size.width, height: size.height) { out in
      for i in out.indices { out[i] = UInt8(stripe(i) + (Int(blots[i % size.width, i / size.width]) - 128) / 4) }
    }
    let ghost = GrayImage(width: size.width, height: size.height) { out in
      for i in out.indices { out[i] = UInt8(stripe(i)) }
    }
    let source = ScriptedSource([anchor])
    let engine = AnchorEngine(source: source, intrinsics: Stage.camera)
    func place(_ i: Int) -> Homography { Stage.path(anchor, Double(i) / 30, speed: 0.3) }
    source.next = [detection(0, place(0))]
    var held: [Int] = []
    for i in 0..<30 {
      let frame = Stage.frame([(i < 15 ? anchor : ghost, [place(i)])], .init(seed: UInt64(i)))
      let report = frame.withView { engine.process($0, at: Double(i) / 30) }
      source.next = []
      if report.observations.contains(where: { $0.trackingMethod == .fullTracking }) { held.append(i) }
    }
    #expect(held.starts(with: 0..<15))
    #expect(try #require(held.last) <= 15 + 3)
  }

  @Test func leavingTheFrameEndsAndNothingIsInvented() {
    let source = ScriptedSource([picture])
    let engine = AnchorEngine(source: source, intrinsics: Stage.camera)
    var last = 0.0
    for i in 0..<40 {
      let x = 0.012 * Double(i)
      let h = Stage.homography(picture, tilt: Point2(0.1, 0.2), roll: 0.05, at: Point3(x, 0, 0.4))
      source.next = i == 0 ? [detection(0, h)] : []
      let frame = Stage.frame([(picture, [h])], .init(seed: UInt64(i)))
      let report = frame.withView { engine.process($0, at: Double(i) / 30) }
      guard let seen = report.observations.first, seen.trackingMethod == .fullTracking else { continue }
      last = x
      #expect(seen.corners.center.distance(to: Stage.corners(picture, h).center) < 4)
    }
    // Half of it is out at 0.2 m; all of it at 0.3 m.
    #expect(last > 0.14 && last < 0.3)
  }

  @Test func severalAtOnceAndEachOnce() {
    let other = Stage.picture(8)
    let source = ScriptedSource([picture, other, picture])
    let engine = AnchorEngine(source: source, intrinsics: Stage.camera)
    func left(_ t: Double) -> Homography {
      Stage.homography(picture, tilt: Point2(0.1, 0.2), roll: 0.2 * t, at: Point3(-0.13, 0.02 * t, 0.6))
    }
    func right(_ t: Double) -> Homography {
      Stage.homography(other, tilt: Point2(-0.2, 0.1), roll: 0.4 - 0.3 * t, at: Point3(0.13, 0, 0.6 + 0.05 * t))
    }
    for i in 0..<12 {
      let t = Double(i) / 30
      // The third reference is the same picture as the first: only one of the two may be claimed at a place.
      source.next = [detection(0, left(t)), detection(1, right(t)), detection(2, left(t))]
      let frame = Stage.frame([(picture, [left(t)]), (other, [right(t)])], .init(seed: UInt64(i)))
      let report = frame.withView { engine.process($0, at: t) }
      #expect(Set(report.observations.map(\.anchor)) == [0, 1])
      for seen in report.observations {
        let (image, truth) = seen.anchor == 0 ? (picture, left(t)) : (other, right(t))
        #expect(seen.corners.meanCornerDistance(to: Stage.corners(image, truth)) < 0.7)
      }
    }
    #expect(source.searches < 5)
  }

  @Test func oddFramesAreSurvived() {
    let source = ScriptedSource([picture])
    let engine = AnchorEngine(source: source)
    source.next = [detection(0, Stage.path(picture, 0))]
    var time = 0.0
    for (w, h) in [(320, 240), (1, 1), (7, 3), (320, 240), (64, 48), (640, 2)] {
      for value in [0, 128, 255] as [UInt8] {
        time += 0.1
        let report = GrayImage(width: w, height: h, value: value).withView { engine.process($0, at: time) }
        #expect(report.observations.allSatisfy { $0.corners.isFinite && $0.homography.isFinite })
      }
    }
    // Times that stand still, go back or are not numbers start over.
    for odd in [time, 0, .nan, 1, .infinity] {
      _ = Stage.frame([(picture, [Stage.path(picture, 0)])]).withView { engine.process($0, at: odd) }
    }
  }

  @Test func withoutAWidthThereIsNoPose() throws {
    let place = Stage.path(picture, 0)
    let source = ScriptedSource([picture], physicalWidth: nil)
    source.next = [detection(0, place)]
    let engine = AnchorEngine(source: source)
    let report = Stage.frame([(picture, [place])]).withView { engine.process($0, at: 1) }
    let seen = try #require(report.observations.first)
    #expect(seen.pose == nil && seen.rawPose == nil)
    #expect(engine.intrinsics.source == .assumed)
  }
}
