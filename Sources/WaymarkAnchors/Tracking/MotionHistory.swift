package import WaymarkGeometry

/// Where an anchor was in the last frames, and where that lets one expect it.
///
/// The four corners are carried on, each with its speed and part of its change of speed. On hand-held paths that was as near
/// as carrying on the rigid motion and needs no camera model.
package struct MotionHistory: Sendable {
  private struct Entry {
    var time: Double
    var corners: Quadrilateral
  }

  private var last: Entry?
  private var before: Entry?
  private var first: Entry?

  package init() {}

  /// The time of the last place, in seconds.
  package var lastTime: Double? { last?.time }
  /// The corners of the last place, in pixels.
  package var lastCorners: Quadrilateral? { last?.corners }

  /// Takes the next place.
  package mutating func add(_ corners: Quadrilateral, at time: Double) {
    guard let previous = last, time > previous.time else {
      self = MotionHistory()
      last = Entry(time: time, corners: corners)
      return
    }
    // What is too long ago says nothing of the speed.
    if time - previous.time > 0.25 {
      first = nil
      before = nil
    } else {
      first = before
      before = previous
    }
    last = Entry(time: time, corners: corners)
  }

  /// The corners to expect at `time`, in pixels; `nil` before the first place.
  package func expected(at time: Double) -> Quadrilateral? {
    guard let last else { return nil }
    guard let before, time > last.time else { return last.corners }
    // Speed is not carried on for longer than a few frames.
    let interval = min(time - last.time, 0.12)
    guard let first else { return last.corners.moved(by: velocity(before, last), interval) }
    let v1 = velocity(before, last)
    let v0 = velocity(first, before)
    let gap = 0.5 * (last.time - first.time)
    // Half of the change of speed, which is noisy and does not go on for ever.
    return last.corners.moved(by: v1 + (v1 - v0) * (0.75 * interval / gap), interval)
  }

  /// The speed of the corners in pixels a second if the anchor stands at `corners` at `time`, by the last three places.
  package func velocity(at corners: Quadrilateral, _ time: Double) -> CornerVelocity? {
    guard let last, time > last.time, time - last.time <= 0.25 else { return nil }
    let now = Entry(time: time, corners: corners)
    let v1 = velocity(last, now)
    guard let before else { return v1 }
    let v0 = velocity(before, last)
    let gap = 0.5 * (time - before.time)
    return v1 + (v1 - v0) * (0.5 * (time - last.time) / gap)
  }

  private func velocity(_ a: Entry, _ b: Entry) -> CornerVelocity {
    CornerVelocity(from: a.corners, to: b.corners, interval: b.time - a.time)
  }
}

/// How fast four corners move, in pixels a second: x and y of each.
package struct CornerVelocity: Hashable, Sendable {
  var values: SIMD8<Double>

  init(values: SIMD8<Double>) { self.values = values }

  package init(from a: Quadrilateral, to b: Quadrilateral, interval: Double) {
    values = (b.packed - a.packed) / interval
  }

  static func + (a: Self, b: Self) -> Self { Self(values: a.values + b.values) }
  static func - (a: Self, b: Self) -> Self { Self(values: a.values - b.values) }
  static func * (a: Self, s: Double) -> Self { Self(values: a.values * s) }

  /// The mean speed of the corners, in pixels a second.
  package var mean: Double {
    var sum = 0.0
    for i in 0..<4 { sum += Point2(values[2 * i], values[2 * i + 1]).length }
    return sum / 4
  }
}

extension Quadrilateral {
  /// x and y of the corners from the top left clockwise.
  var packed: SIMD8<Double> {
    SIMD8(
      topLeft.x, topLeft.y, topRight.x, topRight.y, bottomRight.x, bottomRight.y, bottomLeft.x, bottomLeft.y)
  }

  /// The corners after moving for `interval` seconds.
  package func moved(by velocity: CornerVelocity, _ interval: Double) -> Quadrilateral {
    let p = packed + velocity.values * interval
    return Quadrilateral(
      topLeft: Point2(p[0], p[1]), topRight: Point2(p[2], p[3]), bottomRight: Point2(p[4], p[5]),
      bottomLeft: Point2(p[6], p[7]))
  }
}
