import WaymarkImage

/// How well a picture will be found, and why not better.
public struct AnchorQuality: Sendable, Hashable {
  /// A reason that a person can do something about by changing the picture.
  public enum Reason: Sendable, Hashable {
    /// There are few corners to recognise.
    case tooLittleDetail
    /// The corners lie in one part of the picture only.
    case oneSided
    /// The same detail comes again at other places.
    case repetitive
    /// The structure runs in one direction: lines and edges, which any other edge resembles.
    case edgesOnly
    /// The grays lie close together.
    case lowContrast
    /// The picture has too few pixels.
    case tooSmall
    /// It looks the same mirrored or turned.
    case mirrorSymmetric
    /// It can be taken for another anchor.
    case looksLike(String)

    /// A stable word for programs.
    public var code: String {
      switch self {
      case .tooLittleDetail: "tooLittleDetail"
      case .oneSided: "oneSided"
      case .repetitive: "repetitive"
      case .edgesOnly: "edgesOnly"
      case .lowContrast: "lowContrast"
      case .tooSmall: "tooSmall"
      case .mirrorSymmetric: "mirrorSymmetric"
      case .looksLike: "looksLike"
      }
    }

    /// The fault, and what to do about it.
    public var text: String {
      switch self {
      case .tooLittleDetail: "too little detail: choose a picture with more corners, letters or texture"
      case .oneSided: "one-sided: the detail is in one part; crop to it, or choose a picture with detail everywhere"
      case .repetitive: "repetitive: the same pattern repeats; add something unique"
      case .edgesOnly:
        "edges only: plain edges are hardly ever found; choose a picture with letters or texture"
      case .lowContrast: "low contrast: the gray levels are close together; print it darker on lighter"
      case .tooSmall: "too small: give a picture of at least 320 pixels on its long side"
      case .mirrorSymmetric: "mirror-symmetric: it looks the same turned or mirrored; add something that does not"
      case .looksLike(let name): "looks like anchor \"\(name)\": they may be confused"
      }
    }
  }

  /// 0…100: the share of simulated views, among them steep, small, blurred, dim and noisy ones, in which it is expected to
  /// be found.
  public var score: Int
  /// The reasons that speak against it, the most important first.
  public var reasons: [Reason]

  /// A quality from its parts.
  public init(score: Int, reasons: [Reason]) {
    self.score = score
    self.reasons = reasons
  }
}

extension AnchorQuality {
  /// The scale: how the corners that are found again in simulated views tell in how many views the anchor is found.
  ///
  /// Fitted to what the detector finds in views of another camera (`Benchmarks/anchors/calibrate_quality.py`): the share of
  /// views in which an anchor is missed falls exponentially with the mean number of its corners that are found again. The
  /// mean over all views told more than counting the views with enough of them.
  enum Scale {
    /// The mean number of corners with which all but a 1/e of the views are recognised.
    static let reach = 80.0

    /// The expected share of views in which the anchor is found, by the counts of corners found again in each.
    static func recall(_ sightings: [Int]) -> Double {
      guard !sightings.isEmpty else { return 0 }
      let mean = Double(sightings.reduce(0, +)) / Double(sightings.count)
      return 1 - Double.exponential(-mean / reach)
    }

    /// The expected share of views in which the anchor is found, by the counts of corners and by what the detector found in
    /// hard views of its own: a logistic regression on both. The detector sees what the counts do not, such as detail that
    /// the ground outshines; the counts are finer where it finds nearly all or nearly nothing.
    static func recall(_ sightings: [Int], found: Int, of views: Int) -> Double {
      let mean = sightings.isEmpty ? 0 : Double(sightings.reduce(0, +)) / Double(sightings.count)
      guard mean > 0, views > 0 else { return 0 }
      let share = (Double(found) + 0.5) / (Double(views) + 1)
      let odds =
        trial.x * Double.naturalLogarithm(share / (1 - share)) + trial.y * Double.naturalLogarithm(mean) + trial.z
      return 1 / (1 + Double.exponential(-odds))
    }

    /// The weights of the logarithm of the odds in the trial, of the logarithm of the mean count, and a constant.
    static let trial = SIMD3(0.36, 0.478, -1.524)
  }
}
