import Foundation
import WaymarkImage

@testable import WaymarkScenes

/// A session with a virtual clock, a simulated camera and two scenes to play with.
struct SessionFixture {
  var session = Session()
  var now = 100.0
  static let intrinsics = CameraIntrinsics(assumedFor: 640, 480)
  /// Two anchors: `a` with three annotations (one without card, one with a button), `b` with one.
  static let scene = Scene(
    name: "Test",
    anchors: [
      SceneAnchor(
        name: "a", image: "a.png", physicalWidth: 0.2,
        annotations: [
          Annotation(id: "a1", position: Point3(0, 0, 0)),
          Annotation(
            id: "a2", position: Point3(0.05, 0.02, 0.03),
            card: SceneCard(title: "A2", actionText: "Go", actionType: .link, actionData: "https://example.com")),
          Annotation(id: "a3", position: Point3(-0.08, 0, -0.03), card: SceneCard(title: "A3")),
        ]),
      SceneAnchor(
        name: "b", image: "b.png", physicalWidth: 0.1,
        annotations: [Annotation(id: "b1", position: Point3(0, 0, 0), card: SceneCard(title: "B1"))]),
    ])

  /// Returns the engine's sighting of an anchor of 480×360 reference pixels that stands at a pose.
  static func sighting(
    _ anchor: String = "a", position: Point3 = Point3(0, 0, -0.5), tilt: Double = 0, width: Double = 0.2
  ) -> AnchorDetection {
    // Upright before the camera: the anchor's y comes out to the camera (+z), its z goes down (−y).
    let upright = Matrix3(columns: Point3(1, 0, 0), Point3(0, 0, 1), Point3(0, -1, 0))
    let pose = Pose(position: position, orientation: Quaternion(Matrix3.rotation(Point3(0, tilt, 0)) * upright))
    let size = Point2(480, 360)
    func pixel(_ p: Point2) -> Point2 {
      let metric = (p - (size - 1) / 2) * (width / size.x)
      return pose.project(Point3(metric.x, 0, metric.y), intrinsics)?.pixel ?? Point2(.nan, .nan)
    }
    let corners = Quadrilateral(
      topLeft: pixel(Point2(0, 0)), topRight: pixel(Point2(480, 0)), bottomRight: pixel(Point2(480, 360)),
      bottomLeft: pixel(Point2(0, 360)))
    // The homography of the pose in closed form: K·[r1 r3 t] in image axes.
    let plane = PlanePose(pose)
    let s = width / size.x
    let o = (size - 1) / 2 * s
    let t = plane.translation - plane.rotation.x * o.x - plane.rotation.y * o.y
    let f = intrinsics.focal
    let c = intrinsics.center
    func row(_ k: Point3) -> SIMD3<Double> {
      SIMD3(k.dot(plane.rotation.x) * s, k.dot(plane.rotation.y) * s, k.dot(t))
    }
    let homography = Homography(row(Point3(f.x, 0, c.x)), row(Point3(0, f.y, c.y)), row(Point3(0, 0, 1)))
    return AnchorDetection(
      anchor: anchor,
      AnchorPlacement(
        referenceSize: size, corners: corners, homography: homography, score: 0.9, pose: pose, rawPose: pose))
  }

  mutating func loaded() -> SessionFixture {
    _ = session.handle(.sceneLoaded(Self.scene, reload: false), at: now)
    return self
  }

  mutating func send(_ input: SessionInput) -> [String] { session.handle(input, at: now).map(\.word) }

  mutating func frame(_ sightings: [AnchorDetection], after seconds: Double = 1.0 / 30) -> [SessionEffect] {
    now += seconds
    return session.handle(
      .frame(
        SessionFrame(width: 640, height: 480, intrinsics: Self.intrinsics, sightings: sightings)), at: now)
  }

  /// Frames for a time; what happened, without the updates.
  mutating func frames(_ sightings: [AnchorDetection], seconds: Double) -> [String] {
    var words: [String] = []
    for _ in 0..<Int((seconds * 30).rounded()) {
      words += frame(sightings).map(\.word).filter { $0 != "updated" }
    }
    return words
  }

  /// A session in a phase, with anchor `a` in sight from `matched` on.
  static func inPhase(_ phase: ScenePhase) -> SessionFixture {
    var fixture = SessionFixture()
    fixture = fixture.loaded()
    if phase == .inactive { return fixture }
    _ = fixture.send(.start)
    if phase == .coaching { return fixture }
    _ = fixture.send(.scan)
    if phase == .scanning { return fixture }
    _ = fixture.frames([sighting()], seconds: 0.2)
    if phase == .matched { return fixture }
    _ = fixture.frames([sighting()], seconds: 1.1)
    return fixture
  }
}

extension SessionEffect {
  /// An effect in a word, for tables.
  var word: String {
    switch self {
    case .phase(let status): status.phase.rawValue
    case .anchorFound(let sighting): "found \(sighting.anchor)\(Self.number(sighting.copy))"
    case .anchorLost(let anchor, let copy, _): "lost \(anchor)\(Self.number(copy))"
    case .anchorsUpdated: "updated"
    case .markerChanged(let id, let copy, let visible, let selected, let pulsing):
      "\(visible ? "+" : "-")\(id)\(Self.number(copy))\(selected ? "*" : "")\(pulsing ? "!" : "")"
    case .annotationSelected(let annotation, let copy): "selected \(annotation.id)\(Self.number(copy))"
    case .annotationCleared(let id): "cleared \(id)"
    case .cardOpened(let annotation, let copy): "opened \(annotation.id)\(Self.number(copy))"
    case .cardClosed(let id): "closed \(id)"
    case .cardAction(let annotation, let copy): "action \(annotation.id)\(Self.number(copy))"
    case .refused(let refusal): "refused \("\(refusal)".prefix { $0 != "(" })"
    }
  }

  private static func number(_ copy: Int?) -> String { copy.map { "/\($0)" } ?? "" }
}

/// A folder that lives as long as a test.
final class TemporaryFolder {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appending(path: "waymark-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ name: String, _ text: String) throws { try write(name, Array(text.utf8)) }

  func write(_ name: String, _ bytes: [UInt8]) throws {
    let url = URL(filePath: "\(path)/\(name)")
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
  }

  /// The first bytes of a PNG: enough for what looks at files without decoding them.
  static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]
}
