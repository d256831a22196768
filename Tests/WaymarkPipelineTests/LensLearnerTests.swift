import Testing
import WaymarkImage
import WaymarkSystem

@testable import WaymarkService

/// The focal length of a camera, learned from what is followed.
@Suite struct LensLearnerTests {
  private final class Told: Sendable {
    private let lenses = Monitor<[(lens: LensLearner.Lens, camera: String)]>([])
    var all: [LensLearner.Lens] { lenses.withLock { $0.map(\.lens) } }
    var cameras: [String] { lenses.withLock { $0.map(\.camera) } }

    /// A learner whose lenses are kept here.
    func learner() -> LensLearner {
      let learner = LensLearner()
      learner.onLens { [lenses] lens, camera in lenses.update { $0.append((lens, camera)) } }
      return learner
    }
  }

  /// Where a camera of `focal` pixels sees a picture of 300 × 200 pixels, a fifth of a metre wide, turned by two angles.
  private static func view(_ a: Double, _ b: Double, focal: Double, width: Int = 640, height: Int = 480)
    -> AnchorPlacement
  {
    let pose = PlanePose(
      rotation: Matrix3.rotation(Point3(a, 0, 0)) * Matrix3.rotation(Point3(0, b, 0)), translation: Point3(0, 0, 0.4))
    let camera = CameraIntrinsics(estimatedFor: width, height, focal: focal)
    func seen(_ x: Double, _ y: Double) -> Point2 {
      camera.project(pose.project(Point2(x - 150, y - 100) * (0.2 / 300)).direction)
    }
    let corners = Quadrilateral(
      topLeft: seen(0, 0), topRight: seen(300, 0), bottomRight: seen(300, 200), bottomLeft: seen(0, 200))
    return AnchorPlacement(
      referenceSize: Point2(300, 200), corners: corners,
      homography: Homography(from: Quadrilateral(width: 300, height: 200), to: corners)!, score: 0.9)
  }

  private static let angles: [(Double, Double)] = (0..<40).map { i in
    (0.7 * Double.sine(Double(i)), 0.7 * Double.cosine(1.7 * Double(i)))
  }

  private static func watch(_ learner: LensLearner, focal: Double, width: Int = 640, height: Int = 480) {
    for (a, b) in angles {
      learner.take(view(a, b, focal: focal, width: width, height: height), width: width, height: height)
    }
  }

  @Test func itIsReportedOnceItIsKnownAndAgainWhenItIsMoreExact() throws {
    let reported = Told()
    let learner = reported.learner()
    #expect(learner.intrinsics(width: 640, height: 480) == nil)
    Self.watch(learner, focal: 720)
    let lenses = reported.all
    #expect((1...4).contains(lenses.count))
    for lens in lenses { #expect(abs(lens.estimate.focal / 720 - 1) < 0.01 && lens.estimate.deviation <= 0.03) }
    for (before, after) in zip(lenses, lenses.dropFirst()) {
      #expect(after.estimate.deviation <= 0.7 * before.estimate.deviation)
    }
    let known = try #require(learner.intrinsics(width: 640, height: 480))
    #expect(known == lenses.last?.intrinsics && known.source == .estimated && known.distortion.isNone)
    // Frames of the same shape are seen through the same lens; of another shape it is unknown what was cut off.
    let large = try #require(learner.intrinsics(width: 1280, height: 960))
    #expect(abs(large.focal.x - 2 * known.focal.x) < 1e-9 && abs(large.center.x - 639.5) < 1e-9)
    #expect(learner.intrinsics(width: 1280, height: 720) == nil)
    // The same again says nothing new.
    Self.watch(learner, focal: 720)
    #expect(reported.all.count == lenses.count)
  }

  @Test func anotherCameraIsLearnedAgain() {
    let reported = Told()
    let learner = reported.learner()
    Self.watch(learner, focal: 720)
    learner.begin(nil, of: "second")
    #expect(learner.intrinsics(width: 640, height: 480) == nil)
    Self.watch(learner, focal: 500)
    #expect(reported.cameras.first == "" && reported.cameras.last == "second")
    #expect(abs((learner.intrinsics(width: 640, height: 480)?.focal.x ?? 0) / 500 - 1) < 0.01)
  }

  @Test func whatWasKeptHoldsUntilItIsContradicted() {
    let reported = Told()
    let learner = reported.learner()
    let kept = LensLearner.Lens(width: 640, height: 480, estimate: .init(focal: 720, deviation: 0.002, views: 96))
    learner.begin(kept, of: "kept")
    #expect(learner.intrinsics(width: 640, height: 480) == kept.intrinsics)
    Self.watch(learner, focal: 720)
    #expect(reported.all.isEmpty)
    learner.begin(kept, of: "kept")
    Self.watch(learner, focal: 600)
    #expect(abs((reported.all.last?.estimate.focal ?? 0) / 600 - 1) < 0.02)
  }

  @Test func framesOfAnotherSizeAreLearnedByThemselves() {
    let reported = Told()
    let learner = reported.learner()
    Self.watch(learner, focal: 720)
    Self.watch(learner, focal: 900, width: 1280, height: 720)
    #expect(reported.all.last?.width == 1280)
    #expect(abs((learner.intrinsics(width: 1280, height: 720)?.focal.x ?? 0) / 900 - 1) < 0.01)
  }

  @Test func configurationGoesBeforeWhatWasLearned() throws {
    let learner = LensLearner()
    learner.begin(.init(width: 640, height: 480, estimate: .init(focal: 720, deviation: 0.01, views: 20)), of: "kept")
    func source(_ choice: CameraChoice) -> (CameraIntrinsics, isUnknown: Bool) {
      let camera = choice.intrinsics(width: 640, height: 480, learned: learner.intrinsics(width: 640, height: 480))
      return (camera, choice.isUnknown(camera))
    }
    #expect(source(CameraChoice()).0.source == .estimated && source(CameraChoice()).isUnknown)
    let wide = source(CameraChoice(fieldOfView: 1.2))
    #expect(wide.0.source == .assumed && !wide.isUnknown)
    let measured = try #require(CameraIntrinsics(fx: 600, fy: 600, cx: 320, cy: 240))
    let calibrated = source(CameraChoice(calibrations: [.init(width: 640, height: 480, intrinsics: measured)]))
    #expect(calibrated.0 == measured && !calibrated.isUnknown)
    // A calibration of frames of another shape says nothing of these.
    let other = source(CameraChoice(calibrations: [.init(width: 1920, height: 1080, intrinsics: measured)]))
    #expect(other.0.source == .estimated && other.isUnknown)
  }

  @Test func onlyWhatIsAtRestLargeAndSureIsBelieved() {
    var lens = LaneLens<String>(LensLearner())
    func next(_ seen: [(String, AnchorPlacement)]) -> AnchorPlacement? {
      lens.next(seen, width: 640, height: 480)
    }
    let view = Self.view(0.3, 0.2, focal: 600)
    #expect(next([("a", view)]) == nil, "seen once")
    #expect(next([("a", view)]) == view)
    #expect(next([("a", Self.view(0.34, 0.2, focal: 600))]) == nil, "it moved")
    #expect(next([("b", view)]) == nil, "another one stands there")
    var unsure = view
    unsure.score = 0.5
    #expect(next([("b", unsure)]) == nil && next([("b", unsure)]) == nil)
    let far = Self.view(0.3, 0.2, focal: 100)
    #expect(next([("b", far)]) == nil && next([("b", far)]) == nil)
    // Of two another one each time.
    let second = Self.view(-0.3, 0.2, focal: 600)
    _ = next([("a", view), ("b", second)])
    let turns = (0..<2).map { _ in next([("a", view), ("b", second)]) }
    #expect(turns.contains(view) && turns.contains(second))
  }
}
