import WaymarkGeometry
import WaymarkImage

/// The brightness of every module of a rectangular code, and which of them are dark.
struct ModuleSampler {
  let columns: Int
  let rows: Int
  private var values: [Float]

  /// - Parameter place: where a point given in modules lies, in pixels.
  init(_ view: ImageView, columns: Int, rows: Int, place: (Double, Double) -> Point2) {
    self.columns = columns
    self.rows = rows
    values = [Float](repeating: 255, count: columns * rows)
    // Small modules have no middle: one look there, else the mean of five around it.
    let (a, b) = (place(Double(columns) / 2, Double(rows) / 2), place(Double(columns) / 2 + 1, Double(rows) / 2))
    let spread: [(Double, Double)] =
      a.distance(to: b) < 2.5
      ? [(0.5, 0.5)] : [(0.5, 0.5), (0.35, 0.5), (0.65, 0.5), (0.5, 0.35), (0.5, 0.65)]
    for y in 0..<rows {
      for x in 0..<columns {
        var sum = 0.0
        for (dx, dy) in spread { sum += QRGrid.sample(view, place(Double(x) + dx, Double(y) + dy)) }
        values[y * columns + x] = Float(sum / Double(spread.count))
      }
    }
  }

  /// Dark where a module is darker than the middle of the range of the modules around.
  ///
  /// - Parameter sharpen: how much of the difference to the four neighbours is added: undoes blur.
  func matrix(radius: Int, sharpen: Float = 0, inverted: Bool) -> ModuleMatrix {
    var sharp = values
    if sharpen > 0 {
      for y in 0..<rows {
        for x in 0..<columns {
          let here = values[y * columns + x]
          var sum: Float = 0
          sum += x > 0 ? values[y * columns + x - 1] : here
          sum += x + 1 < columns ? values[y * columns + x + 1] : here
          sum += y > 0 ? values[(y - 1) * columns + x] : here
          sum += y + 1 < rows ? values[(y + 1) * columns + x] : here
          sharp[y * columns + x] = here + sharpen * (here - sum / 4)
        }
      }
    }
    var dark = [Bool](repeating: false, count: columns * rows)
    for y in stride(from: 0, to: rows, by: 2) {
      for x in stride(from: 0, to: columns, by: 2) {
        let level = level(sharp, x, y, radius)
        for v in y..<min(rows, y + 2) {
          for u in x..<min(columns, x + 2) { dark[v * columns + u] = (sharp[v * columns + u] < level) != inverted }
        }
      }
    }
    return ModuleMatrix(columns: columns, rows: rows, dark: dark)
  }

  /// The middle between the means of the darker and of the lighter modules around one.
  private func level(_ v: [Float], _ x: Int, _ y: Int, _ radius: Int) -> Float {
    let (x0, x1) = (max(0, x - radius), min(columns - 1, x + 1 + radius))
    let (y0, y1) = (max(0, y - radius), min(rows - 1, y + 1 + radius))
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
    return lows > 0 && highs > 0 ? (low / lows + high / highs) / 2 : mean
  }
}

/// Dark and light modules, row by row.
struct ModuleMatrix {
  let columns: Int
  let rows: Int
  var dark: [Bool]

  subscript(x: Int, y: Int) -> Bool { dark[y * columns + x] }

  /// As seen in a mirror that stands on the diagonal.
  var transposed: ModuleMatrix {
    var other = ModuleMatrix(columns: rows, rows: columns, dark: dark)
    for y in 0..<rows { for x in 0..<columns { other.dark[x * rows + y] = dark[y * columns + x] } }
    return other
  }
}

/// A module of which it is known whether it is dark.
struct KnownModule {
  var at: Point2
  var isDark: Bool
}

/// Moves the corners of a grid to where the modules that are known show most contrast.
struct GridClimb {
  let view: ImageView
  let size: Point2
  let known: [KnownModule]
  let inverted: Bool

  /// Places within a module, counted from its middle.
  static let offsets: [Point2] = [[-0.3, -0.3], [0.3, -0.3], [0.3, 0.3], [-0.3, 0.3]]

  /// The mean difference between what should be light and what should be dark, in gray levels.
  func score(_ map: Homography) -> Double {
    var (light, dark) = (0.0, 0.0)
    var (lights, darks) = (0.0, 0.0)
    for module in known {
      // Off the middle as well: within a module all places look alike, and only its rim says where it ends.
      var value = 0.0
      for off in Self.offsets { value += QRGrid.sample(view, map.apply(module.at + off)) }
      value /= Double(Self.offsets.count)
      if module.isDark {
        dark += value
        darks += 1
      } else {
        light += value
        lights += 1
      }
    }
    guard lights > 0, darks > 0 else { return 0 }
    let difference = light / lights - dark / darks
    return inverted ? -difference : difference
  }

  /// - Parameters:
  ///   - start: from modules to pixels.
  ///   - module: pixels a module.
  func climb(_ start: Homography, module: Double) -> (map: Homography, score: Double) {
    let frame = Quadrilateral(
      topLeft: [0, 0], topRight: [size.x, 0], bottomRight: size, bottomLeft: [0, size.y])
    let map = CornerClimb.best(start, frame: frame, module: module, score: score)
    return (map, score(map))
  }
}

/// Moves the corners of a map one at a time, by ever smaller steps, to where something is best.
enum CornerClimb {
  /// - Parameters:
  ///   - frame: whose corners are moved, in modules.
  ///   - module: pixels a module.
  static func best(
    _ start: Homography, frame: Quadrilateral, module: Double, score: (Homography) -> Double
  ) -> Homography {
    var corners = start.apply(frame).corners
    var best = (map: start, score: score(start))
    for step in [0.5 * module, 0.25 * module, 0.12 * module, 0.06 * module] {
      for _ in 0..<3 {
        var improved = false
        for i in 0..<4 {
          for move in [Point2(step, 0), Point2(-step, 0), Point2(0, step), Point2(0, -step)] {
            var moved = corners
            moved[i] += move
            let quad = Quadrilateral(
              topLeft: moved[0], topRight: moved[1], bottomRight: moved[2], bottomLeft: moved[3])
            guard let map = Homography(from: frame, to: quad) else { continue }
            let score = score(map)
            if score > best.score + 1e-6 {
              best = (map, score)
              corners = moved
              improved = true
            }
          }
        }
        if !improved { break }
      }
    }
    return best.map
  }
}
