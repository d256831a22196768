import WaymarkImage

/// The brightness of every module of a rectangular code, and which of them are dark.
struct ModuleSampler {
  let columns: Int
  let rows: Int
  /// Row by row.
  private(set) var values: [Float]

  /// - Parameter place: where a point given in modules lies, in pixels.
  init(_ view: ImageView, columns: Int, rows: Int, place: (Double, Double) -> Point2) {
    self.columns = columns
    self.rows = rows
    values = [Float](repeating: 255, count: columns * rows)
    // The middles of all modules, and one row and column more, so that each knows how large a module is here.
    var above = (0...columns).map { place(Double($0) + 0.5, 0.5) }
    for y in 0..<rows {
      let below = (0...columns).map { place(Double($0) + 0.5, Double(y) + 1.5) }
      for x in 0..<columns {
        let center = above[x]
        // The middle ninth of a module: its rim is blurred by its neighbours.
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

  /// Dark where a module is darker than the middle of the range of the modules around.
  ///
  /// - Parameters:
  ///   - radius: of the surroundings, in modules.
  ///   - sharpen: how much of the difference to the four neighbours is added: undoes blur.
  func matrix(radius: Int, sharpen: Float = 0, inverted: Bool) -> ModuleMatrix {
    let sharp = sharpened(sharpen)
    var matrix = ModuleMatrix(columns: columns, rows: rows, dark: [Bool](repeating: false, count: columns * rows))
    matrix.margins = [Float](repeating: 0, count: columns * rows)
    // The same level for 3×3 modules: light does not change faster.
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

  /// How much lighter modules that should be light are than those that should be dark, in gray levels, light on dark or not.
  ///
  /// - Parameter isDark: of which it is known.
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

  /// The middle between the means of the darker and of the lighter modules around some, and half their distance.
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
