import CKernels
import WaymarkImage

extension ImageView {
  /// The part of a line that lies in the picture; `nil` where that is shorter than eight pixels.
  func segment(from p: Point2, direction d: Point2, length: Double) -> (Point2, Point2)? {
    var (t0, t1) = (0.0, length)
    for (at, by, size) in [(p.x, d.x, Double(width) - 0.51), (p.y, d.y, Double(height) - 0.51)] {
      if abs(by) < 1e-9 {
        guard at >= -0.49, at <= size else { return nil }
        continue
      }
      let (a, b) = ((-0.49 - at) / by, (size - at) / by)
      t0 = max(t0, min(a, b))
      t1 = min(t1, max(a, b))
    }
    return t0 + 8 < t1 ? (p + d * t0, p + d * t1) : nil
  }

  /// The brightness at a place, linear between pixels; outside it is white.
  @inline(__always)
  func sample(_ p: Point2) -> Double {
    // A pixel reaches half its width beyond its middle.
    let (right, bottom) = (Double(width - 1), Double(height - 1))
    guard p.x >= -0.5, p.y >= -0.5, p.x < right + 0.5, p.y < bottom + 0.5, width > 1, height > 1 else { return 255 }
    return bilinear(p)
  }

  /// The same at many places, seen through a map.
  ///
  /// - Parameter use: is given the index of each place, in order, and the brightness there.
  @inline(__always)
  func sample(_ map: Homography, at places: SamplePlaces, _ use: (Int, Double) -> Void) {
    guard width > 1, height > 1 else {
      for i in 0..<places.count { use(i, 255) }
      return
    }
    // So few that the stack holds them.
    let block = 64
    withUnsafeTemporaryAllocation(of: Double.self, capacity: block + 9) { memory in
      guard let values = memory.baseAddress else { return }
      let matrix = values + block
      let (a, b, c) = (map.row0, map.row1, map.row2)
      (matrix[0], matrix[1], matrix[2]) = (a.x, a.y, a.z)
      (matrix[3], matrix[4], matrix[5]) = (b.x, b.y, b.z)
      (matrix[6], matrix[7], matrix[8]) = (c.x, c.y, c.z)
      places.xs.withUnsafeBufferPointer { xs in
        places.ys.withUnsafeBufferPointer { ys in
          for from in Swift.stride(from: 0, to: xs.count, by: block) {
            let count = min(block, xs.count - from)
            ck_samples(
              base, self.stride, Int32(width), Int32(height), matrix, xs.baseAddress! + from, ys.baseAddress! + from,
              Int32(count), 255, values)
            for i in 0..<count { use(from + i, values[i]) }
          }
        }
      }
    }
  }
}

/// Places that are looked at again and again through other maps.
struct SamplePlaces {
  private(set) var xs: [Double] = []
  private(set) var ys: [Double] = []

  var count: Int { xs.count }

  mutating func append(_ p: Point2) {
    xs.append(p.x)
    ys.append(p.y)
  }
}
