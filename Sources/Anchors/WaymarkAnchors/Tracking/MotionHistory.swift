package import WaymarkImage

/// The last positions of a flat anchor, and the prediction of the next one.
///
/// The file has the motion of anchors and the resulting blur: `CornerMotion` of flat anchors, `CylinderMotion` of round anchors,
/// the exposure time (`ExposureEstimate`), and the blur at a position in the next frame (`ExpectedSmear`).
///
/// The four corners are extrapolated independently, with their velocities and a part of their accelerations. On hand-held
/// paths this was as accurate as extrapolating the rigid motion, and it needs no camera model.
package struct MotionHistory: Sendable {
  private struct Entry {
    var time: Double
    var corners: Quadrilateral
  }

  private var last: Entry?
  private var before: Entry?
  private var first: Entry?

  package init() {}

  /// The time of the last position in seconds.
  var lastTime: Double? { last?.time }
  /// The corners at the last position in pixels.
  var lastCorners: Quadrilateral? { last?.corners }

  /// Adds the position at `time`. A time earlier than the last restarts the history.
  package mutating func add(_ corners: Quadrilateral, at time: Double) {
    guard let previous = last, time > previous.time else {
      self = MotionHistory()
      last = Entry(time: time, corners: corners)
      return
    }
    // A position older than 0.25 s does not determine the velocity.
    if time - previous.time > 0.25 {
      first = nil
      before = nil
    } else {
      first = before
      before = previous
    }
    last = Entry(time: time, corners: corners)
  }

  /// Returns the corners predicted for `time`, in pixels; `nil` before the first position.
  package func expected(at time: Double) -> Quadrilateral? {
    guard let last else { return nil }
    guard let before, time > last.time else { return last.corners }
    // The motion is extrapolated by a few frames at most.
    let interval = min(time - last.time, 0.12)
    guard let first else { return last.corners.moved(by: velocity(before, last), interval) }
    let v1 = velocity(before, last)
    let v0 = velocity(first, before)
    let gap = 0.5 * (last.time - first.time)
    // A constant acceleration would add the whole difference of the velocities at equal intervals. Three quarters of it
    // are added, because the acceleration is noisy and does not last.
    return last.corners.moved(by: v1 + (v1 - v0) * (0.75 * interval / gap), interval)
  }

  /// Returns the motion of the corners if the anchor is at `corners` at `time`, from this position and the last three positions;
  /// `nil` if the last position is not earlier than `time`, or older than 0.25 s.
  package func motion(at corners: Quadrilateral, _ time: Double) -> CornerMotion? {
    guard let last, time > last.time, time - last.time <= 0.25 else { return nil }
    let now = Entry(time: time, corners: corners)
    let v1 = velocity(last, now)
    guard let before else { return CornerMotion(velocity: v1) }
    let v0 = velocity(before, last)
    let a1 = (v1 - v0) * (2 / (time - before.time))
    let v = v1 + a1 * (0.5 * (time - last.time))
    guard let first else { return CornerMotion(velocity: v, acceleration: a1) }
    // This acceleration is valid at the mean time of the last three positions. Half of its change since this time is added: the
    // full change would add more noise than it removes error.
    let a0 = (v0 - velocity(first, before)) * (2 / (last.time - first.time))
    let since = (2 * time - last.time - before.time) / (time - first.time)
    return CornerMotion(velocity: v, acceleration: a1 + (a1 - a0) * (0.5 * since))
  }

  private func velocity(_ a: Entry, _ b: Entry) -> CornerVelocity {
    CornerVelocity(from: a.corners, to: b.corners, interval: b.time - a.time)
  }
}

/// The velocities of four corners in pixels per second, x and y of each, or their accelerations in pixels per second squared.
package struct CornerVelocity: Hashable, Sendable {
  var values: SIMD8<Double>

  init(values: SIMD8<Double>) { self.values = values }

  package init(from a: Quadrilateral, to b: Quadrilateral, interval: Double) {
    values = (b.packed - a.packed) / interval
  }

  static func + (a: Self, b: Self) -> Self { Self(values: a.values + b.values) }
  static func - (a: Self, b: Self) -> Self { Self(values: a.values - b.values) }
  static func * (a: Self, s: Double) -> Self { Self(values: a.values * s) }

  /// The mean speed of the corners in pixels per second.
  package var mean: Double {
    var sum = 0.0
    for i in 0..<4 { sum += Point2(values[2 * i], values[2 * i + 1]).length }
    return sum / 4
  }
}

/// The velocity and acceleration of four corners at one moment.
package struct CornerMotion: Hashable, Sendable {
  var velocity: CornerVelocity
  var acceleration = CornerVelocity(values: .zero)
}

extension Quadrilateral {
  /// The x and y coordinates of the corners, clockwise from the top left.
  var packed: SIMD8<Double> {
    SIMD8(
      topLeft.x, topLeft.y, topRight.x, topRight.y, bottomRight.x, bottomRight.y, bottomLeft.x, bottomLeft.y)
  }

  /// Returns the corners after moving for `interval` seconds.
  package func moved(by velocity: CornerVelocity, _ interval: Double) -> Quadrilateral {
    Quadrilateral(packed: packed + velocity.values * interval)
  }

  /// Returns the corners `interval` seconds after the moment of `motion`, or before it if negative.
  package func moved(by motion: CornerMotion, _ interval: Double) -> Quadrilateral {
    Quadrilateral(
      packed: packed + (motion.velocity.values + motion.acceleration.values * (0.5 * interval)) * interval)
  }

  init(packed p: SIMD8<Double>) {
    self.init(
      topLeft: Point2(p[0], p[1]), topRight: Point2(p[2], p[3]), bottomRight: Point2(p[4], p[5]),
      bottomLeft: Point2(p[6], p[7]))
  }
}

/// The last position of a round anchor, and the prediction of the next one: its pose is extrapolated with its velocity.
///
/// The rotation is about a point on the cylinder's axis, so that a can turned in the hand keeps its predicted position.
struct CylinderMotion: Sendable {
  private struct Velocity {
    /// The rotation vector in radians per second; `shift`: the velocity of the axis in metres per second.
    var turn: Point3
    var shift: Point3
  }

  private var last: (map: CylinderMap, time: Double)?
  private var velocity: Velocity?
  /// The speed in the frame of the middle of the visible part, in pixels per second.
  private(set) var speed = 0.0

  /// Adds the position at `time`.
  mutating func add(_ map: CylinderMap, at time: Double) {
    velocity = velocity(to: map, at: time)
    speed = 0
    // The speed is computed over a short interval: extrapolated by a second, the anchor could be behind the camera or
    // turned more than once.
    let moment = 0.01
    if let last, let velocity { speed = Self.way(from: moved(last.map, velocity, -moment), to: last.map) / moment }
    last = (map, time)
  }

  /// Returns the map predicted for `time`; `nil` before the first position.
  func expected(at time: Double) -> CylinderMap? {
    guard let last else { return nil }
    guard let velocity, time > last.time else { return last.map }
    // The motion is extrapolated by a few frames at most.
    let next = moved(last.map, velocity, min(time - last.time, 0.12))
    return next.isFinite ? next : last.map
  }

  /// Returns the motion blur at `map` at `time` with an exposure of `exposure` seconds; `nil` if it is shorter than a pixel.
  func blur(_ map: CylinderMap, at time: Double, exposure: Double) -> MotionBlur? {
    guard let velocity = last.map({ $0.time < time }) == true ? velocity(to: map, at: time) : velocity else {
      return nil
    }
    let opening = moved(map, velocity, -exposure / 2)
    let closing = moved(map, velocity, exposure / 2)
    guard opening.isFinite, closing.isFinite, Self.way(from: opening, to: closing) >= 1 else { return nil }
    return MotionBlur(opening: .cylinder(opening), middle: .cylinder(map), closing: .cylinder(closing))
  }

  /// Returns the distance by which the middle of the visible part moves in the frame, in pixels.
  private static func way(from a: CylinderMap, to b: CylinderMap) -> Double {
    guard let middle = b.visibleMiddle else { return 0 }
    let way = a.apply(middle).distance(to: b.apply(middle))
    return way.isFinite ? way : 0
  }

  /// Returns the velocity from the last position to `map`; `nil` without one in the 0.25 s before `time`.
  private func velocity(to map: CylinderMap, at time: Double) -> Velocity? {
    guard let last, time > last.time, time - last.time <= 0.25 else { return nil }
    let interval = time - last.time
    return Velocity(
      turn: (map.pose.rotation * last.map.pose.rotation.transpose).rotationVector / interval,
      shift: (map.axisPoint - last.map.axisPoint) / interval)
  }

  private func moved(_ map: CylinderMap, _ velocity: Velocity, _ interval: Double) -> CylinderMap {
    map.moved(turn: velocity.turn * interval, shift: velocity.shift * interval, pivot: map.axisPoint)
  }
}

/// Estimates the exposure time, which determines the motion blur.
///
/// It is estimated from the anchors: three lengths of motion blur are compared with the frame.
package struct ExposureEstimate: Sendable {
  /// The estimated exposure time in seconds.
  package private(set) var seconds: Double
  /// The ratio of successive exposure times that are compared.
  package static let step = 1.3

  /// - Parameter seconds: The initial estimate; half the interval between frames is the usual shutter of a film camera.
  package init(seconds: Double = 1.0 / 60) { self.seconds = seconds }

  /// Updates the estimate with the likeness of frame and reference at three exposure times: the estimate divided by `step`, the
  /// estimate, and the estimate times `step`.
  package mutating func update(shorter: Double, present: Double, longer: Double) {
    guard shorter.isFinite, present.isFinite, longer.isFinite else { return }
    let curvature = shorter - 2 * present + longer
    let move: Double
    if curvature < -1e-5 {
      move = min(max(0.5 * (shorter - longer) / curvature, -1), 1)
    } else {
      move = longer > shorter ? 1 : -1
    }
    // Only half of the step is taken, so that a single unusual frame has little influence.
    seconds = min(max(seconds * Double.power(Self.step, 0.5 * move), 0.0005), 0.2)
  }

  /// Returns the motion blur of a flat reference of `width` × `height` pixels that is at `corners` in the middle of the
  /// exposure and moves with `motion`; `nil` if it is shorter than a pixel. The exposure is `factor` times the
  /// estimate.
  package func blur(
    _ corners: Quadrilateral, _ motion: CornerMotion, width: Int, height: Int, factor: Double = 1
  ) -> MotionBlur? {
    let half = 0.5 * seconds * factor
    guard motion.velocity.mean * 2 * half >= 1 else { return nil }
    let outline = Quadrilateral(width: Double(width), height: Double(height))
    guard
      let opening = Homography(from: outline, to: corners.moved(by: motion, -half)),
      let middle = Homography(from: outline, to: corners),
      let closing = Homography(from: outline, to: corners.moved(by: motion, half))
    else { return nil }
    return MotionBlur(opening: .plane(opening), middle: .plane(middle), closing: .plane(closing))
  }
}

/// The motion blur of an anchor at candidate positions in the next frame, computed from its last positions.
struct ExpectedSmear {
  let history: MotionHistory
  /// The motion of a round anchor.
  let turns: CylinderMotion
  let exposure: ExposureEstimate
  /// The time of capture of the frame, in seconds.
  let time: Double
  /// The width of the reference in pixels; `height` likewise.
  let width: Int
  let height: Int

  func blur(at place: SurfaceMap) -> MotionBlur? {
    switch place {
    case .plane(let homography):
      let corners = homography.apply(Quadrilateral(width: Double(width), height: Double(height)))
      guard let motion = history.motion(at: corners, time) else { return nil }
      return exposure.blur(corners, motion, width: width, height: height)
    case .cylinder(let cylinder): return turns.blur(cylinder, at: time, exposure: exposure.seconds)
    }
  }
}
