import WaymarkImage

/// The picture at the resolution that it came in, for the last step: placing sides to a fraction of a pixel.
struct FullResolutionPicture {
  private let base: UnsafePointer<UInt8>
  private let width: Int
  private let height: Int
  private let stride: Int
  private let channels: Int
  /// How far a line is moved inwards at most, as a share of the picture's longer side.
  private static let inset = 0.0015

  /// Of a borrowed picture; nil where it is too small to look at.
  init?(_ base: UnsafePointer<UInt8>?, width: Int, height: Int, stride: Int, channels: Int) {
    guard let base, width > 8, height > 8 else { return nil }
    self.base = base
    self.width = width
    self.height = height
    self.stride = stride
    self.channels = channels
  }

  /// A straight line where the paper begins, near a stretch of one of its sides.
  ///
  /// Of the steepest places across the stretch a line is fitted, outliers weighed down; it is then moved inwards to where the step is over,
  /// so that no rim of what lies beneath is left on the page.
  ///
  /// - Parameters:
  ///   - start: one end of the stretch, pixels.
  ///   - end: the other.
  ///   - inward: the unit vector across it, to the side of the paper.
  ///   - reach: how far from the stretch the side may be.
  /// - Returns: the line, its normal pointing inwards; nil where too little of it is seen.
  func side(from start: Point2, to end: Point2, inward: Point2, reach: Int) -> StraightLine? {
    let samples = 16
    let m = 2 * reach + 1
    var points: [Point2] = []
    var weights: [Double] = []
    var feet: [Double] = []
    withUnsafeTemporaryAllocation(of: Int32.self, capacity: (m + 4) * channels) { profile in
      withUnsafeTemporaryAllocation(of: Int32.self, capacity: m) { step in
        let along = (end - start) / max(start.distance(to: end), 1e-9)
        for i in 0..<samples {
          let p = start + (end - start) * ((Double(i) + 0.5) / Double(samples))
          guard contains(p) else { continue }
          // Means of three places side by side.
          profile.update(repeating: 0)
          for k in 0..<(m + 2) {
            for across in -1...1 {
              let q = p + inward * Double(k - reach - 1) + along * (1.5 * Double(across))
              let at = base + index(q)
              for c in 0..<channels { profile[k &* channels &+ c] &+= Int32(at[c]) }
            }
          }
          var top = (value: 0.0, k: -1)
          for k in 0..<m {
            var most: Int32 = 0
            for c in 0..<channels {
              most = max(most, abs(profile[(k &+ 2) &* channels &+ c] &- profile[k &* channels &+ c]))
            }
            step[k] = most
            let far = Double(k - reach) / Double(reach)
            let value = Double(most) * (1 - 0.3 * far * far)
            if value > top.value { top = (value, k) }
          }
          guard top.k > 0, top.k < m - 1, step[top.k] >= 18 else { continue }
          let (a, b, c) = (Double(step[top.k - 1]), Double(step[top.k]), Double(step[top.k + 1]))
          let curve = a + c - 2 * b
          let shift = curve < -1e-6 ? max(-0.5, min(0.5, 0.5 * (a - c) / curve)) : 0
          var foot = top.k
          while foot < m - 1, step[foot] * 4 > step[top.k] { foot += 1 }
          points.append(p + inward * (Double(top.k - reach) + shift))
          weights.append(min(1, b / 72))
          feet.append(Double(foot - top.k))
        }
      }
    }
    guard points.count >= 8, var line = StraightLine(through: points, weights, scale: max(1, Double(reach) / 8)) else {
      return nil
    }
    feet.sort()
    if line.normal.dot(inward) < 0 { line = line.reversed }
    line.offset += min(feet[feet.count / 2], Self.inset * Double(max(width, height)))
    return line
  }

  private func contains(_ p: Point2) -> Bool {
    p.x >= 0 && p.y >= 0 && p.x < Double(width) && p.y < Double(height)
  }

  private func index(_ p: Point2) -> Int {
    let (x, y) = (Int(min(max(0, p.x), Double(width - 1)) + 0.5), Int(min(max(0, p.y), Double(height - 1)) + 0.5))
    return min(y, height - 1) &* stride &+ min(x, width - 1) &* channels
  }
}
