import CKernels
import WaymarkImage

/// Samples the brightness of every module of a rectangular code, and separates dark from light modules. The extension of
/// `ImageView` below samples single points, and the points of `SamplePlaces` under a map.
struct ModuleSampler {
  let columns: Int
  let rows: Int
  /// The gray levels of the modules, row by row.
  private(set) var values: [Float]

  /// - Parameter place: returns the position in pixels of a point in modules.
  init(_ view: ImageView, columns: Int, rows: Int, place: (Double, Double) -> Point2) {
    self.columns = columns
    self.rows = rows
    values = [Float](repeating: 255, count: columns * rows)
    // The centres of all modules, and of one further row and column; their distances give the local module size.
    var above = (0...columns).map { place(Double($0) + 0.5, 0.5) }
    for y in 0..<rows {
      let below = (0...columns).map { place(Double($0) + 0.5, Double(y) + 1.5) }
      for x in 0..<columns {
        let center = above[x]
        // Samples the middle ninth of a module: its rim is blurred by its neighbours.
        let u = (above[x + 1] - center) * 0.16
        let v = (below[x] - center) * 0.16
        var sum = view.sample(center)
        sum += view.sample(center + u) + view.sample(center - u)
        sum += view.sample(center + v) + view.sample(center - v)
        values[y * columns + x] = Float(sum / 5)
      }
      above = below
    }
  }

  /// Returns the modules. A module is dark if it is below the middle between the means of the darker and the lighter modules around
  /// it.
  ///
  /// - Parameters:
  ///   - radius: the radius of the neighbourhood, in modules.
  ///   - sharpen: the share of the difference to the four neighbours that is added to undo blur.
  func matrix(radius: Int, sharpen: Float = 0, inverted: Bool) -> ModuleMatrix {
    let sharp = sharpened(sharpen)
    var matrix = ModuleMatrix(columns: columns, rows: rows, dark: [Bool](repeating: false, count: columns * rows))
    matrix.margins = [Float](repeating: 0, count: columns * rows)
    // One threshold for 3×3 modules: the lighting does not change faster.
    for y in stride(from: 0, to: rows, by: 3) {
      for x in stride(from: 0, to: columns, by: 3) {
        let (level, contrast) = level(sharp, x, y, radius)
        for v in y..<min(rows, y + 3) {
          for u in x..<min(columns, x + 3) {
            let i = v * columns + u
            matrix.dark[i] = (sharp[i] < level) != inverted
            matrix.margins[i] = min(1, abs(sharp[i] - level) / max(contrast, 6))
          }
        }
      }
    }
    return matrix
  }

  /// Returns the difference between the means of known light and dark modules in gray levels, as an absolute value; 0 if
  /// either kind is missing.
  ///
  /// - Parameter isDark: returns the tone of a module; `nil` if it is unknown.
  func contrast(_ isDark: (_ x: Int, _ y: Int) -> Bool?) -> Double {
    var (sums, counts) = ([0.0, 0.0], [0.0, 0.0])
    for y in 0..<rows {
      for x in 0..<columns {
        guard let dark = isDark(x, y) else { continue }
        sums[dark ? 1 : 0] += Double(values[y * columns + x])
        counts[dark ? 1 : 0] += 1
      }
    }
    guard counts[0] > 0, counts[1] > 0 else { return 0 }
    return abs(sums[0] / counts[0] - sums[1] / counts[1])
  }

  private func sharpened(_ amount: Float) -> [Float] {
    guard amount > 0 else { return values }
    var sharp = values
    for y in 0..<rows {
      for x in 0..<columns {
        let here = values[y * columns + x]
        var sum: Float = 0
        sum += x > 0 ? values[y * columns + x - 1] : here
        sum += x + 1 < columns ? values[y * columns + x + 1] : here
        sum += y > 0 ? values[(y - 1) * columns + x] : here
        sum += y + 1 < rows ? values[(y + 1) * columns + x] : here
        sharp[y * columns + x] = here + amount * (here - sum / 4)
      }
    }
    return sharp
  }

  /// Returns the middle between the means of the darker and of the lighter modules around a block of 3×3, and half their
  /// difference.
  private func level(_ v: [Float], _ x: Int, _ y: Int, _ radius: Int) -> (level: Float, contrast: Float) {
    let (x0, x1) = (max(0, x + 1 - radius), min(columns - 1, x + 1 + radius))
    let (y0, y1) = (max(0, y + 1 - radius), min(rows - 1, y + 1 + radius))
    var sum: Float = 0
    for b in y0...y1 { for a in x0...x1 { sum += v[b * columns + a] } }
    let mean = sum / Float((x1 - x0 + 1) * (y1 - y0 + 1))
    var (low, high): (Float, Float) = (0, 0)
    var (lows, highs): (Float, Float) = (0, 0)
    for b in y0...y1 {
      for a in x0...x1 {
        let value = v[b * columns + a]
        if value < mean {
          low += value
          lows += 1
        } else {
          high += value
          highs += 1
        }
      }
    }
    guard lows > 0, highs > 0 else { return (mean, 0) }
    return ((low / lows + high / highs) / 2, (high / highs - low / lows) / 2)
  }
}

// MARK: - Samples of a picture

extension ImageView {
  /// Returns the part of a line inside the picture; `nil` if that is shorter than eight pixels.
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

  /// Returns the brightness at a point, interpolated linearly between pixels; white outside of the picture.
  @inline(__always)
  func sample(_ p: Point2) -> Double {
    // A pixel extends half its width beyond its centre.
    let (right, bottom) = (Double(width - 1), Double(height - 1))
    guard p.x >= -0.5, p.y >= -0.5, p.x < right + 0.5, p.y < bottom + 0.5, width > 1, height > 1 else { return 255 }
    return bilinear(p)
  }

  /// Samples the brightness at many points under a map.
  ///
  /// - Parameter use: receives the index of each point, in order, and the brightness there.
  @inline(__always)
  func sample(_ map: Homography, at places: SamplePlaces, _ use: (Int, Double) -> Void) {
    guard width > 1, height > 1 else {
      for i in 0..<places.count { use(i, 255) }
      return
    }
    // Few enough for the stack.
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

/// Points that are sampled repeatedly under different maps.
struct SamplePlaces {
  private(set) var xs: [Double] = []
  private(set) var ys: [Double] = []

  var count: Int { xs.count }

  mutating func append(_ p: Point2) {
    xs.append(p.x)
    ys.append(p.y)
  }
}
