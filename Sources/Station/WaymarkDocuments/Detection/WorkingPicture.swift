import WaymarkImage

/// The work picture: a picture reduced to a long side of at most `longSide`, in one plane (gray) or three (red, green, blue).
///
/// This file also has `FullResolutionPicture`, in which the page found in the work picture is refined, and the planes and
/// the morphology of the work picture.
final class WorkingPicture {
  /// The number of original pixels per pixel in each direction.
  private(set) var factor = 1
  private(set) var planeCount = 1
  /// The planes as loaded, with the marks on the page.
  let planes = [PixelPlane(), PixelPlane(), PixelPlane()]
  /// The planes without dark marks of the width of writing.
  let closed = [PixelPlane(), PixelPlane(), PixelPlane()]
  private let scratch = PixelPlane()
  private var sums: [UInt16] = []

  /// The largest long side of the reduced picture in pixels.
  static let longSide = 400

  var width: Int { planes[0].width }
  var height: Int { planes[0].height }

  func load(_ image: RGBImage) {
    image.withBytes { reduce($0.baseAddress, image.width, image.height, stride: 3 * image.width, channels: 3) }
  }

  func load(_ view: ImageView) {
    reduce(view.base, view.width, view.height, stride: view.stride, channels: 1)
  }

  /// Reduces a picture by averaging squares of `factor` × `factor` pixels.
  private func reduce(_ base: UnsafePointer<UInt8>?, _ width: Int, _ height: Int, stride: Int, channels: Int) {
    factor = max(1, (max(width, height) + Self.longSide - 1) / Self.longSide)
    planeCount = channels
    for plane in planes[..<channels] { plane.resize(width / factor, height / factor) }
    guard let base else { return }
    withUnsafeTemporaryAllocation(of: UnsafeMutablePointer<UInt8>.self, capacity: channels) { targets in
      for c in 0..<channels { targets.initializeElement(at: c, to: planes[c].pixels) }
      guard let targets = targets.baseAddress else { return }
      Shrinking.means(
        base, width: width, height: height, stride: stride, channels: channels, factor: factor, into: targets,
        sums: &sums)
    }
  }

  /// Fills `closed` with the planes without dark marks up to 2 × `radius` pixels wide.
  func removeMarks(radius: Int) {
    for c in 0..<planeCount { Morphology.close(planes[c], radius: radius, into: closed[c], scratch: scratch) }
  }

  /// Paints over the inside of an outline: each row is filled from the value on its left to the value on its right.
  func paint(over outline: Quadrilateral) {
    for y in 0..<height {
      guard let hidden = outline.columns(at: Double(y), margin: Self.rim) else { continue }
      let (from, to) = (Int(max(0, hidden.lowerBound)), Int(min(Double(width), hidden.upperBound)))
      guard from < to else { continue }
      for plane in planes[..<planeCount] {
        let row = plane.pixels + y * width
        let left = from > 0 ? Int(row[from - 1]) : to < width ? Int(row[to]) : 128
        let right = to < width ? Int(row[to]) : left
        for x in from..<to { row[x] = UInt8(left + (right - left) * (x - from) / (to - from)) }
      }
    }
  }

  /// The distance by which a page or its shadow may extend beyond its outline, in pixels.
  private static let rim = 4.0
}

extension Quadrilateral {
  /// Returns the part of a row of pixels that is inside a convex outline or at most `margin` pixels outside; `nil` if the row
  /// does not cross it.
  fileprivate func columns(at y: Double, margin: Double) -> Range<Double>? {
    var (left, right) = (Double.infinity, -Double.infinity)
    for i in 0..<4 {
      let (a, b) = (self[i], self[i + 1])
      // The part of the side that is near the row, with the margin.
      let (low, high) = a.y < b.y ? (a, b) : (b, a)
      guard low.y - margin <= y, y <= high.y + margin else { continue }
      let rise = high.y - low.y
      for row in [y - margin, y, y + margin] {
        let share = rise > 0 ? min(max(0, (row - low.y) / rise), 1) : 0.5
        let x = low.x + (high.x - low.x) * share
        left = min(left, x - margin)
        right = max(right, x + margin)
      }
      if rise < 2 * margin {
        left = min(left, min(low.x, high.x) - margin)
        right = max(right, max(low.x, high.x) + margin)
      }
    }
    return left < right ? left..<right : nil
  }
}

/// The picture at full resolution, in which sides are located with subpixel precision.
struct FullResolutionPicture {
  private let base: UnsafePointer<UInt8>
  private let width: Int
  private let height: Int
  private let stride: Int
  private let channels: Int
  /// The largest inward shift of a line, as a share of the picture's longer side.
  private static let inset = 0.0015

  /// Borrows a picture; `nil` if it is too small.
  init?(_ base: UnsafePointer<UInt8>?, width: Int, height: Int, stride: Int, channels: Int) {
    guard let base, width > 8, height > 8 else { return nil }
    self.base = base
    self.width = width
    self.height = height
    self.stride = stride
    self.channels = channels
  }

  /// Finds the paper's straight edge near a part of one side.
  ///
  /// A line is robustly fitted to the steepest points across the part, then moved inwards to the end of the step, so that the page
  /// has no rim of the background.
  ///
  /// - Parameters:
  ///   - start: One end of the part in pixels.
  ///   - end: The opposite end in pixels.
  ///   - inward: The unit vector across the part, towards the paper.
  ///   - reach: The largest distance of the edge from the part in pixels.
  /// - Returns: The line with its normal pointing inwards; `nil` if too little of the edge is visible.
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
          // The mean of three points side by side.
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

/// Working memory for one plane of bytes, without padding between rows. It grows but never shrinks, and belongs to one
/// detector.
///
/// Sixteen readable bytes precede and follow the pixels, so that neighbours of the outermost pixels may be read.
final class PixelPlane {
  private(set) var width = 0
  private(set) var height = 0
  private var memory: UnsafeMutablePointer<UInt8>
  private var capacity = 0

  private static let margin = 16

  init() { memory = .allocate(capacity: 2 * Self.margin) }

  deinit { memory.deallocate() }

  var pixels: UnsafeMutablePointer<UInt8> { memory + Self.margin }

  /// Resizes the plane to `width` × `height` pixels with undefined values.
  func resize(_ width: Int, _ height: Int) {
    self.width = width
    self.height = height
    guard width * height > capacity else { return }
    capacity = width * height
    memory.deallocate()
    memory = .allocate(capacity: capacity + 2 * Self.margin)
    memory.initialize(repeating: 0, count: capacity + 2 * Self.margin)
  }
}

/// Gray-level morphology: a closing removes dark marks from bright paper and preserves straight outlines.
enum Morphology {
  /// Writes the closing of `source` to `target` (maximum, then minimum, over squares of 2 × `radius` + 1 pixels a side);
  /// `scratch` is overwritten.
  static func close(_ source: PixelPlane, radius: Int, into target: PixelPlane, scratch: PixelPlane) {
    let (w, h) = (source.width, source.height)
    target.resize(w, h)
    scratch.resize(w, h)
    columns(source, scratch, radius) { $0 > $1 ? $0 : $1 }
    rows(scratch, target, radius, outside: 0) { $0 > $1 ? $0 : $1 }
    columns(target, scratch, radius) { $0 < $1 ? $0 : $1 }
    rows(scratch, target, radius, outside: 255) { $0 < $1 ? $0 : $1 }
  }

  @inline(__always)
  private static func columns(_ from: PixelPlane, _ to: PixelPlane, _ radius: Int, _ better: (UInt8, UInt8) -> UInt8) {
    let (w, h) = (from.width, from.height)
    for y in 0..<h {
      let out = to.pixels + y &* w
      let first = max(0, y - radius)
      out.update(from: from.pixels + first &* w, count: w)
      for line in (first + 1)..<max(first + 1, min(h, y + radius + 1)) {
        let row = from.pixels + line &* w
        for x in 0..<w { out[x] = better(out[x], row[x]) }
      }
    }
  }

  @inline(__always)
  private static func rows(
    _ from: PixelPlane, _ to: PixelPlane, _ radius: Int, outside: UInt8, _ better: (UInt8, UInt8) -> UInt8
  ) {
    let (w, h) = (from.width, from.height)
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: w + 2 * radius) { line in
      guard let line = line.baseAddress else { return }
      for i in 0..<radius {
        line[i] = outside
        line[w + radius + i] = outside
      }
      for y in 0..<h {
        (line + radius).update(from: from.pixels + y &* w, count: w)
        let out = to.pixels + y &* w
        out.update(from: line, count: w)
        for shift in 1..<max(2, 2 * radius + 1) {
          let other = line + shift
          for x in 0..<w { out[x] = better(out[x], other[x]) }
        }
      }
    }
  }
}
