/// The cost that a pass over a whole frame may have while a camera runs, and the share of the frame it may look at for that.
///
/// An estimate, not a clock: what a pass costs is known from how many edges the frame has, so that the same frames are
/// read alike on any machine. The unit is the library's plain look at an ordinary frame of that size.
struct LiveBudget {
  /// The share of pixels at which a run of dark or light begins, over that of an ordinary frame.
  let edges: Double

  init(busyness: Double) { edges = busyness / 0.041 }

  /// The cost of a pass in every frame: with the probe, modules, matrices and strips, which take about a quarter of a look,
  /// a frame without a code costs about half a look.
  static let everyFrame = 0.25
  /// The cost of a pass in every other frame.
  static let everyOther = 0.4
  /// The cost in every fourth frame, where something speaks for a code.
  static let everyFourth = 0.6
  /// Fewer lines than every fourth miss the codes that the pass is for.
  private static let thinnest = 4

  /// The pass may look at every nth line: n, or `nil` where even the largest n costs too much.
  ///
  /// - Parameter most: what it may cost.
  func thinning(_ pass: ScanPass, within most: Double) -> Int? {
    let wanted = max(1, Int((cost(pass) / most).rounded(.up)))
    return wanted <= Self.thinnest ? wanted : nil
  }

  /// Returns the cost of a pass over all of its lines.
  func cost(_ pass: ScanPass) -> Double { Self.perPixel(pass) + Self.perEdge(pass) * edges }

  /// Measured: what a pass costs in a frame without edges, and for those of an ordinary frame.
  private static func perPixel(_ pass: ScanPass) -> Double {
    switch pass {
    case .level: 0.12
    case .half: 0.16
    case .inverted: 0.25
    default: 0.2
    }
  }

  private static func perEdge(_ pass: ScanPass) -> Double {
    switch pass {
    case .level: 0.26
    case .half: 0.19
    default: 0.68
    }
  }
}
