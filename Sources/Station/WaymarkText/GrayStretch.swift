/// Gray levels spread between two ends, which become 10 and 245; what lies beyond goes on as far as black and white.
enum GrayStretch {
  /// Returns the table of the new levels.
  ///
  /// - Parameter round: how the distance from the dark end becomes a whole number of levels: networks were taught with one way or the other.
  static func table(from low: Int, to high: Int, round: (Double) -> Double) -> [UInt8] {
    let range = Double(max(1, high - low))
    return (0..<256).map { level in UInt8(max(0, min(255, 10 + round(235 * Double(level - low) / range)))) }
  }
}
