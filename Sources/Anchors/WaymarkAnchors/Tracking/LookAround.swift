/// Decides when a search looks for anchors from another direction: if nothing has been found for two seconds, every fourth
/// search does, each from the next direction.
///
/// A search from a direction takes as long as one of the frame as it is, so a frame costs no more than before.
struct LookAround {
  private static let patience = 2.0
  private static let interval = 4

  /// The time in seconds since which nothing is followed; `nil` before the first search, and while something is.
  private var start: Double?
  private var searches = 0

  /// Returns the direction of the search at `time`; `nil` if it is to search the frame as it is.
  ///
  /// - Parameter isEmpty: True if no anchor is followed.
  mutating func direction(at time: Double, isEmpty: Bool) -> Int? {
    guard isEmpty else {
      start = nil
      return nil
    }
    guard let start else {
      start = time
      return nil
    }
    guard time - start >= Self.patience else { return nil }
    searches += 1
    guard searches % Self.interval == 0 else { return nil }
    // Successive directions are far apart: the number of them and 15 have no common divisor.
    return searches / Self.interval * 15
  }
}
