import CKernels
import WaymarkImage

/// Finds the weaknesses of a reference picture.
struct ReferenceAssessor {
  /// - Parameters:
  ///   - image: the reference, long side 480.
  ///   - originalSide: the long side of the picture as it was given.
  ///   - extractor: for the features of the plain view.
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

  /// How many squares of 8×8 pixels of the picture, half as large, have structure in two directions: what
  /// `StructureVerifier` goes by. A right claim has a mean correlation of about a half in them; with fewer than forty, some of
  /// them covered or out of sight, that is too near to what it asks for.
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

  /// The gray levels between the darkest and the brightest twentieth.
  private static func spread(_ image: GrayImage) -> Int {
    let histogram = image.withView { GrayHistogram($0) }
    let twentieth = image.width * image.height / 20
    return (histogram.level(before: twentieth) ?? 0) - (histogram.level(behind: twentieth) ?? 0)
  }

  /// Returns whether at most half of a 4×4 grid's fields hold a fair share of the features.
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

  /// The share of features that another one far away resembles as two views of one corner do.
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

  /// Returns whether a thumbnail correlates with itself mirrored either way, or turned by half.
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
