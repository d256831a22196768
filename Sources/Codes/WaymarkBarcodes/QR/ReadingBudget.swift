/// The budget for reading one picture, counted in looks at pixels rather than by a clock: the same picture is read
/// alike on any machine, and one that is made to cost as much as possible costs no more than that.
struct ReadingBudget {
  /// Looks that are left.
  private(set) var left: Int
  /// True if something was left undone for it.
  private(set) var isReached = false

  init(_ looks: Int) { left = looks }

  /// Takes what a step costs.
  ///
  /// - Returns: whether it may be taken.
  mutating func spend(_ looks: Int) -> Bool {
    guard left > 0 else {
      isReached = true
      return false
    }
    left -= looks
    return true
  }

  /// A picture that somebody waits for: about a third of a second.
  static let still = 40_000_000
  /// A frame of a camera.
  static let live = 3_000_000
}
