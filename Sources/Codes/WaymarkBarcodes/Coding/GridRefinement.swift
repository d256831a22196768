import WaymarkImage

/// A module of which it is known whether it is dark.
struct KnownModule {
  var at: Point2
  var isDark: Bool
}

/// Moves the corners of a grid to where the modules that are known show most contrast.
struct GridRefinement {
  private let view: ImageView
  private let size: Point2
  private let inverted: Bool
  /// True for each known module that is dark.
  private let dark: [Bool]
  /// Four places of each known module.
  private let places: SamplePlaces
  /// How many of them are dark.
  private let darks: Double

  /// Places within a module, counted from its middle.
  static let offsets: [Point2] = [[-0.3, -0.3], [0.3, -0.3], [0.3, 0.3], [-0.3, 0.3]]

  init(view: ImageView, size: Point2, known: [KnownModule], inverted: Bool) {
    (self.view, self.size, self.inverted) = (view, size, inverted)
    dark = known.map(\.isDark)
    darks = Double(dark.count { $0 })
    var places = SamplePlaces()
    // Off the middle as well: within a module all places look alike, and only its rim says where it ends.
    for module in known { for off in Self.offsets { places.append(module.at + off) } }
    self.places = places
  }

  /// The mean difference between what should be light and what should be dark, in gray levels.
  func score(_ map: Homography) -> Double {
    let lights = Double(dark.count) - darks
    guard lights > 0, darks > 0 else { return 0 }
    var (lightSum, darkSum) = (0.0, 0.0)
    view.sample(map, at: places) { i, value in
      if dark[i / Self.offsets.count] { darkSum += value } else { lightSum += value }
    }
    let difference = (lightSum / lights - darkSum / darks) / Double(Self.offsets.count)
    return inverted ? -difference : difference
  }

  /// - Parameters:
  ///   - start: from modules to pixels.
  ///   - module: pixels a module.
  func refine(_ start: Homography, module: Double) -> (map: Homography, score: Double) {
    let frame = Quadrilateral(
      topLeft: [0, 0], topRight: [size.x, 0], bottomRight: size, bottomLeft: [0, size.y])
    let map = CornerRefinement.best(start, frame: frame, module: module, score: score)
    return (map, score(map))
  }
}

/// Moves the corners of a map one at a time, by ever smaller steps, to where something is best.
enum CornerRefinement {
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
