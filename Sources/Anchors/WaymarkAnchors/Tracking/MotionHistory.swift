package import WaymarkImage

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
  var lastTime: Double? { last?.time }
  /// The corners of the last place, in pixels.
  var lastCorners: Quadrilateral? { last?.corners }

  /// Takes the next place.
  package mutating func add(_ corners: Quadrilateral, at time: Double) {
    guard let previous = last, time > previous.time else {
      self = MotionHistory()
      last = Entry(time: time, corners: corners)
      return
    }
    // A place from too long ago tells nothing of the speed.
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

  /// How the corners move if the anchor stands at `corners` at `time`, by the last three places.
  package func motion(at corners: Quadrilateral, _ time: Double) -> CornerMotion? {
    guard let last, time > last.time, time - last.time <= 0.25 else { return nil }
    let now = Entry(time: time, corners: corners)
    let v1 = velocity(last, now)
    guard let before else { return CornerMotion(velocity: v1) }
    let v0 = velocity(before, last)
    let a1 = (v1 - v0) * (2 / (time - before.time))
    let v = v1 + a1 * (0.5 * (time - last.time))
    guard let first else { return CornerMotion(velocity: v, acceleration: a1) }
    // That holds at the mean time of three places. Half of its change since is added: all of it would add more noise than
    // it takes out of the error.
    let a0 = (v0 - velocity(first, before)) * (2 / (last.time - first.time))
    let since = (2 * time - last.time - before.time) / (time - first.time)
    return CornerMotion(velocity: v, acceleration: a1 + (a1 - a0) * (0.5 * since))
  }

  private func velocity(_ a: Entry, _ b: Entry) -> CornerVelocity {
    CornerVelocity(from: a.corners, to: b.corners, interval: b.time - a.time)
  }
}
