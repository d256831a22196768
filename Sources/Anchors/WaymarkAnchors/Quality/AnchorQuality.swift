import CKernels
import WaymarkImage

/// The expected recognition of a picture (`score`), and its weaknesses (`reasons`). The file also computes both: the
/// score in `Scale`, the weaknesses in `ReferenceAssessor`.
public struct AnchorQuality: Sendable, Hashable {
  /// A weakness that can be removed by changing the picture.
  public enum Reason: Sendable, Hashable {
    /// The picture has fewer than 180 distinct corners, or fewer than 300 features were kept.
    case tooLittleDetail
    /// At least half of the cells of a 4×4 grid have less than a quarter of the mean number of features.
    case oneSided
    /// More than a quarter of the corners resemble a distant corner.
    case repetitive
    /// Hardly any part has structure in two directions: lines and edges resemble any other edge.
    case edgesOnly
    /// The darkest and the brightest twentieth of the pixels differ by fewer than 48 gray levels.
    case lowContrast
    /// The long side of the picture has fewer than 320 pixels.
    case tooSmall
    /// The picture looks the same mirrored in either direction or rotated by 180°.
    case mirrorSymmetric
    /// The picture looks like the anchor with this name.
    case looksLike(String)

    /// The identifier of the weakness, the same in all releases.
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

    /// A sentence for people: the weakness and how to remove it.
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

  /// The share in percent of simulated views, including steep, small, blurred, dim and noisy ones, in which the picture is expected to be found.
  public var score: Int
  /// The weaknesses of the picture, the most important first.
  public var reasons: [Reason]

  /// Creates a quality from a score in percent and the weaknesses, the most important first.
  public init(score: Int, reasons: [Reason]) {
    self.score = score
    self.reasons = reasons
  }
}

extension AnchorQuality {
  /// Converts the number of corners found again in simulated views into the expected share of views in which the anchor is found.
  ///
  /// Fitted to the detector's results in views of another camera (`Benchmarks/anchors/calibrate_quality.py`): the share of views
  /// that miss an anchor falls exponentially with the mean number of its corners found again. The mean over all views predicts this
  /// better than the number of views with enough corners.
  enum Scale {
    /// The mean number of corners at which the share of missed views is 1/e.
    static let reach = 80.0

    /// Returns the expected share of views in which the anchor is found, from the number of corners found again in each.
    static func recall(_ sightings: [Int]) -> Double {
      guard !sightings.isEmpty else { return 0 }
      let mean = Double(sightings.reduce(0, +)) / Double(sightings.count)
      return 1 - Double.exponential(-mean / reach)
    }

    /// Returns the expected share of views in which the anchor is found, by a logistic regression on the mean number of corners
    /// found again and on the detector's result in the views of `RecallTest`.
    ///
    /// The detector reveals weaknesses that the number of corners does not, such as detail outshone by the background. The number
    /// of corners is more precise if the anchor is found in nearly all views or hardly any.
    ///
    /// - Parameters:
    ///   - sightings: The number of corners found again in each simulated view.
    ///   - found: The number of the `views` in which the detector found the anchor.
    static func recall(_ sightings: [Int], found: Int, of views: Int) -> Double {
      let mean = sightings.isEmpty ? 0 : Double(sightings.reduce(0, +)) / Double(sightings.count)
      guard mean > 0, views > 0 else { return 0 }
      let share = (Double(found) + 0.5) / (Double(views) + 1)
      let odds =
        trial.x * Double.naturalLogarithm(share / (1 - share)) + trial.y * Double.naturalLogarithm(mean) + trial.z
      return 1 / (1 + Double.exponential(-odds))
    }

    /// The coefficients of the regression: the weight of the log-odds of the detector's share, the weight of the logarithm of the
    /// mean number of corners, and the constant.
    static let trial = SIMD3(0.36, 0.478, -1.524)
  }
}

/// Finds the weaknesses of a reference picture, except for its likeness to other anchors.
struct ReferenceAssessor {
  /// Returns the weaknesses in the order in which they are reported.
  ///
  /// - Parameters:
  ///   - image: The reference, its long side 480 pixels.
  ///   - originalSide: The long side of the original picture in pixels.
  ///   - chosen: The features that the compiler has kept.
  ///   - extractor: The extractor with which the corners of the reference are found.
  static func reasons(
    _ image: GrayImage, originalSide: Int, chosen: [AnchorFeature], extractor: FeatureExtractor
  ) -> [AnchorQuality.Reason] {
    var reasons: [AnchorQuality.Reason] = []
    if originalSide < 320 { reasons.append(.tooSmall) }
    if spread(image) < 48 { reasons.append(.lowContrast) }
    image.withView { extractor.extract($0) }
    let strong = (0..<extractor.features.count).count { extractor.features.features[$0].score >= 10 }
    if strong < 180 || chosen.count < 300 { reasons.append(.tooLittleDetail) }
    if structuredSquares(image) < 40 { reasons.append(.edgesOnly) }
    if isOneSided(chosen, image) { reasons.append(.oneSided) }
    if repetition(extractor.features) > 0.25 { reasons.append(.repetitive) }
    if isSymmetric(image) { reasons.append(.mirrorSymmetric) }
    return reasons
  }

  /// Returns the number of squares of 8×8 pixels, in the picture at half size, with structure in two directions.
  /// `StructureVerifier` needs such squares.
  ///
  /// In a correctly found anchor, their mean correlation is about 0.5. With fewer than forty squares, some of them covered or out
  /// of view, the result is too close to the verifier's threshold.
  private static func structuredSquares(_ image: GrayImage) -> Int {
    let small = image.resized(width: max(16, image.width / 2), height: max(16, image.height / 2))
    return small.withView { view in
      var count = 0
      var pattern = InlineArray<100, Float>(repeating: 0)
      for y in stride(from: 0, through: view.height - 10, by: 8) {
        for x in stride(from: 0, through: view.width - 10, by: 8) {
          for i in 0..<100 { pattern[i] = Float(view.row(y + i / 10)[x + i % 10]) }
          if SquareStructure.isStructured(pattern) { count += 1 }
        }
      }
      return count
    }
  }

  /// Returns the difference of gray levels between the darkest and the brightest twentieth.
  private static func spread(_ image: GrayImage) -> Int {
    let histogram = image.withView { GrayHistogram($0) }
    let twentieth = image.width * image.height / 20
    return (histogram.level(before: twentieth) ?? 0) - (histogram.level(behind: twentieth) ?? 0)
  }

  /// Returns whether at most half of the cells of a 4×4 grid have enough features: a quarter of the mean number.
  private static func isOneSided(_ features: [AnchorFeature], _ image: GrayImage) -> Bool {
    guard !features.isEmpty else { return true }
    var fields = [Int](repeating: 0, count: 16)
    for f in features {
      let x = min(3, Int(f.position.x) * 4 / image.width)
      let y = min(3, Int(f.position.y) * 4 / image.height)
      fields[4 * y + x] += 1
    }
    return fields.count { $0 * 64 >= features.count } <= 8
  }

  /// Returns the share of features that resemble a distant feature as closely as two views of the same corner resemble each other.
  private static func repetition(_ set: FeatureSet) -> Double {
    guard set.count > 0 else { return 0 }
    var twins = 0
    for i in 0..<set.count {
      let a = set.features[i]
      for k in 0..<set.count where k != i {
        let b = set.features[k]
        let (dx, dy) = (a.x - b.x, a.y - b.y)
        let far = 12 * max(a.scale, b.scale)
        if dx * dx + dy * dy > far * far, ck_hamming(set.descriptor(i), set.descriptor(k)) <= 29 {
          twins += 1
          break
        }
      }
    }
    return Double(twins) / Double(set.count)
  }

  /// Returns whether the picture at 48×48 pixels has a correlation above 0.9 with itself mirrored in either direction,
  /// or rotated by 180°.
  private static func isSymmetric(_ image: GrayImage) -> Bool {
    let n = 48
    let small = image.resized(width: n, height: n)
    func correlation(_ other: (Int, Int) -> (Int, Int)) -> Double {
      var (s, s2, p) = (0.0, 0.0, 0.0)
      for y in 0..<n {
        for x in 0..<n {
          let a = Double(small[x, y])
          let (u, v) = other(x, y)
          s += a
          s2 += a * a
          p += a * Double(small[u, v])
        }
      }
      let count = Double(n * n)
      let variance = s2 / count - s * s / count / count
      return variance > 1 ? (p / count - s * s / count / count) / variance : 0
    }
    return correlation { (n - 1 - $0, $1) } > 0.9 || correlation { ($0, n - 1 - $1) } > 0.9
      || correlation { (n - 1 - $0, n - 1 - $1) } > 0.9
  }
}
