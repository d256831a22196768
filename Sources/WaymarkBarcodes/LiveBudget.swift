/// What a pass over a whole frame may cost while a camera runs, and how much of the frame it may look at for that.
///
/// An estimate, not a clock: what a pass costs is known from how many edges the frame has, so that the same frames are
/// read alike on any machine. The unit is the library's plain look at an ordinary frame of that size.
struct LiveBudget {
  /// The share of pixels at which a run of dark or light begins, over that of an ordinary frame.
  let edges: Double

  init(busyness: Double) { edges = busyness / 0.041 }

  /// A little over one plain look: the probe, modules and strips take about half a look more, and twice and a half of it
  /// is the most that a frame may take.
  private static let most = 1.1
  /// Fewer lines than every fourth miss the codes that the pass is for.
  private static let thinnest = 4

  /// The pass may look at every nth line: n, or `nil` where even the largest n costs too much.
  func thinning(_ pass: ScanPass) -> Int? {
    let cost = Self.perPixel(pass) + Self.perEdge(pass) * edges
    let wanted = max(1, Int((cost / Self.most).rounded(.up)))
    return wanted <= Self.thinnest ? wanted : nil
  }

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
