import WaymarkImage

/// Where a round anchor was in the last frames, and where that lets one expect it: its pose is carried on with its speed.
///
/// The cylinder turns about a point of its axis, so that a can that is turned in the hand stays in its place.
struct CylinderMotion: Sendable {
  private struct Velocity {
    /// Radians and metres a second.
    var turn: Point3
    var shift: Point3
  }

  private var last: (map: CylinderMap, time: Double)?
  private var velocity: Velocity?
  /// How fast the middle of what is in sight moves in the frame, in pixels a second.
  private(set) var speed = 0.0

  /// Takes the next place.
  mutating func add(_ map: CylinderMap, at time: Double) {
    velocity = velocity(to: map, at: time)
    speed = 0
    // Over a moment: a second ago it may have been behind the camera, or a whole turn back.
    let moment = 0.01
    if let last, let velocity { speed = Self.way(from: moved(last.map, velocity, -moment), to: last.map) / moment }
    last = (map, time)
  }

  /// Where it should be at `time`.
  func expected(at time: Double) -> CylinderMap? {
    guard let last else { return nil }
    guard let velocity, time > last.time else { return last.map }
    // Speed is not carried on for longer than a few frames.
    let next = moved(last.map, velocity, min(time - last.time, 0.12))
    return next.isFinite ? next : last.map
  }

  /// How it is smeared if it stands at `map` at `time`, the shutter open for so many seconds; `nil` below a pixel.
  func blur(_ map: CylinderMap, at time: Double, exposure: Double) -> MotionBlur? {
    guard let velocity = last.map({ $0.time < time }) == true ? velocity(to: map, at: time) : velocity else {
      return nil
    }
    let opening = moved(map, velocity, -exposure / 2)
    let closing = moved(map, velocity, exposure / 2)
    guard opening.isFinite, closing.isFinite, Self.way(from: opening, to: closing) >= 1 else { return nil }
    return MotionBlur(opening: .cylinder(opening), middle: .cylinder(map), closing: .cylinder(closing))
  }

  /// How far the middle of what is in sight goes, in pixels.
  private static func way(from a: CylinderMap, to b: CylinderMap) -> Double {
    guard let middle = b.visibleMiddle else { return 0 }
    let way = a.apply(middle).distance(to: b.apply(middle))
    return way.isFinite ? way : 0
  }

  /// A place from too long ago tells nothing of the speed.
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
