import WaymarkImage

/// Judges evidence by a small network: one layer of hyperbolic tangents, then a sum.
///
/// The scores of a picture's hypotheses are the logarithms of how likely each is the page compared with there being none. The weights were
/// fitted to rendered pictures by `Benchmarks/documents/train`.
struct PageScorer: Sendable {
  let means: [Float]
  let deviations: [Float]
  /// `hidden[j]` holds a weight for each number of evidence, then the offset.
  let hidden: [[Float]]
  let output: [Float]
  let offset: Float

  /// Takes one off the front: its numbers of evidence and of tangents, then means, deviations, weights, the output's weights and its offset.
  ///
  /// - Parameter inputs: how many numbers of evidence there must be.
  init(_ numbers: inout ModelFile.Numbers, inputs: Int, of file: ModelFile) throws(ModelError) {
    let (count, units) = (Int(numbers.word()), Int(numbers.word()))
    guard count == inputs, (1...Self.maximumUnits).contains(units) else {
      throw file.misfit("a judge takes \(count) numbers of evidence in \(units) tangents; \(inputs) belong there")
    }
    guard numbers.count >= 4 * (2 * count + units * (count + 2) + 1) else { throw file.misfit("it ends too early") }
    means = numbers.floats(count)
    deviations = numbers.floats(count)
    hidden = (0..<units).map { _ in numbers.floats(count + 1) }
    output = numbers.floats(units)
    offset = numbers.float()
    guard (means + deviations + hidden.joined() + output + [offset]).allSatisfy(\.isFinite),
      deviations.allSatisfy({ $0 > 0 })
    else { throw file.misfit("a number is not finite, or a deviation not above 0") }
  }

  /// More tangents are not a small network.
  private static let maximumUnits = 1024

  func score(_ evidence: PageFeatures) -> Double {
    // A page that is only followed is judged without the last numbers, those of the mask.
    let values = evidence.values.prefix(means.count)
    var sum = offset
    for (weights, out) in zip(hidden, output) {
      var a = weights[values.count]
      for i in values.indices { a += weights[i] * (Float(values[i]) - means[i]) / deviations[i] }
      sum += out * Self.tanh(a)
    }
    return Double(sum)
  }

  /// The hyperbolic tangent by its continued fraction, exact to 1e-4 where it matters.
  private static func tanh(_ x: Float) -> Float {
    let c = min(max(x, -4.97), 4.97)
    let q = c * c
    return c * (135135 + q * (17325 + q * (378 + q))) / (135135 + q * (62370 + q * (3150 + 28 * q)))
  }

  /// How likely each of several hypotheses is the page, none of them being one as well; e to the scores' powers over their sum.
  static func shares(_ scores: [Double]) -> [Double] {
    let top = max(0, scores.max() ?? 0)
    let powers = scores.map { Double.exponential($0 - top) }
    let sum = powers.reduce(Double.exponential(-top), +)
    return powers.map { $0 / sum }
  }
}
