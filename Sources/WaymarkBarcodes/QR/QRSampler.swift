import WaymarkGeometry
import WaymarkImage

/// Reads the brightness of every module and tells dark from light.
struct QRSampler {
  let side: Int
  /// The brightness of each module, row by row.
  private(set) var values: [Float]

  init(_ view: ImageView, _ grid: QRGrid) {
    let side = grid.layout.side
    self.side = side
    values = [Float](repeating: 255, count: side * side)
    // The middles of all modules, and one row and column more, so that each knows how large a module is here.
    var above = (0...side).map { grid.place(Double($0) + 0.5, 0.5) }
    for y in 0..<side {
      let below = (0...side).map { grid.place(Double($0) + 0.5, Double(y) + 1.5) }
      for x in 0..<side {
        let center = above[x]
        // The middle ninth of a module: its rim is blurred by its neighbours.
        let u = (above[x + 1] - center) * 0.16
        let v = (below[x] - center) * 0.16
        var sum = QRGrid.sample(view, center)
        sum += QRGrid.sample(view, center + u) + QRGrid.sample(view, center - u)
        sum += QRGrid.sample(view, center + v) + QRGrid.sample(view, center - v)
        values[y * side + x] = Float(sum / 5)
      }
      above = below
    }
  }

  /// Dark where a module is darker than the middle of the range of the modules around.
  ///
  /// - Parameter sharpen: how much of the difference to the four neighbours is added: undoes blur.
  /// - Returns: the modules, and how far each lies from the level, as a share of half the contrast around.
  func matrix(radius: Int, sharpen: Float = 0, inverted: Bool) -> (matrix: QRMatrix, margins: [Float]) {
    var sharp = values
    if sharpen > 0 {
      for y in 0..<side {
        for x in 0..<side {
          let here = values[y * side + x]
          var sum: Float = 0
          sum += x > 0 ? values[y * side + x - 1] : here
          sum += x + 1 < side ? values[y * side + x + 1] : here
          sum += y > 0 ? values[(y - 1) * side + x] : here
          sum += y + 1 < side ? values[(y + 1) * side + x] : here
          sharp[y * side + x] = here + sharpen * (here - sum / 4)
        }
      }
    }
    let (levels, contrasts) = localLevels(sharp, radius: radius)
    var dark = [Bool](repeating: false, count: side * side)
    var margins = [Float](repeating: 0, count: side * side)
    for i in 0..<(side * side) {
      dark[i] = (sharp[i] < levels[i]) != inverted
      margins[i] = min(1, abs(sharp[i] - levels[i]) / max(contrasts[i], 6))
    }
    return (QRMatrix(side: side, dark: dark), margins)
  }

  /// The middle between the means of the darker and of the lighter modules around each, and half their distance; the same
  /// for 3×3 modules, light does not change faster.
  private func localLevels(_ v: [Float], radius: Int) -> (levels: [Float], contrasts: [Float]) {
    var result = [Float](repeating: 0, count: side * side)
    var contrasts = result
    for y in stride(from: 0, to: side, by: 3) {
      for x in stride(from: 0, to: side, by: 3) {
        let (x0, x1) = (max(0, x + 1 - radius), min(side - 1, x + 1 + radius))
        let (y0, y1) = (max(0, y + 1 - radius), min(side - 1, y + 1 + radius))
        var sum: Float = 0
        for yy in y0...y1 { for xx in x0...x1 { sum += v[yy * side + xx] } }
        let mean = sum / Float((x1 - x0 + 1) * (y1 - y0 + 1))
        var low: Float = 0
        var high: Float = 0
        var lows: Float = 0
        var highs: Float = 0
        for yy in y0...y1 {
          for xx in x0...x1 {
            let value = v[yy * side + xx]
            if value < mean {
              low += value
              lows += 1
            } else {
              high += value
              highs += 1
            }
          }
        }
        let level = lows > 0 && highs > 0 ? (low / lows + high / highs) / 2 : mean
        let contrast = lows > 0 && highs > 0 ? (high / highs - low / lows) / 2 : 0
        for yy in y..<min(side, y + 3) {
          for xx in x..<min(side, x + 3) {
            result[yy * side + xx] = level
            contrasts[yy * side + xx] = contrast
          }
        }
      }
    }
    return (result, contrasts)
  }
}
