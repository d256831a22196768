import CPageModels
package import WaymarkImage

/// The models that find pages: the network for the mask, and the scorers of outlines, which are `PageScorer`s (below).
package struct PageModels: Sendable {
  let network: PageNetwork
  /// The scorer of hypotheses before tracing.
  let first: PageScorer
  /// The scorer of outlines with traced sides.
  let traced: PageScorer
  /// The scorer of outlines that are only followed, without a mask.
  let followed: PageScorer

  /// The models embedded in the program, where even a worker that may not open files finds them. They are read and checked on first
  /// use, on any thread.
  private static let embedded = Result { () throws(ModelError) in
    try PageModels(
      network: ModelFile(waymark_page_network, name: "page-network"),
      scorers: ModelFile(waymark_page_scorers, name: "page-scorers"))
  }

  /// Returns the models embedded in the program.
  ///
  /// - Throws: `ModelError` if the models are damaged, of another format, or of another version than the program expects.
  package static func load() throws(ModelError) -> PageModels { try embedded.get() }

  init(network: ModelFile, scorers: ModelFile) throws(ModelError) {
    self.network = try PageNetwork(network)
    var numbers = ModelFile.Numbers(scorers)
    first = try PageScorer(&numbers, inputs: PageFeatures.count, of: scorers)
    traced = try PageScorer(&numbers, inputs: PageFeatures.count, of: scorers)
    followed = try PageScorer(&numbers, inputs: PageFeatures.countWithoutMask, of: scorers)
    guard numbers.isEmpty else { throw scorers.misfit("\(numbers.count) bytes follow the last judge") }
  }
}

/// A perceptron with one hidden layer of hyperbolic tangents, which scores the evidence for an outline.
///
/// The score of a hypothesis is the log-odds that it is the page against there being no page. The weights were fitted to rendered
/// pictures by `Benchmarks/documents/train`.
struct PageScorer: Sendable {
  let means: [Float]
  let deviations: [Float]
  /// The weights of the hidden layer: `hidden[j]` has one weight per value of evidence, then the offset.
  let hidden: [[Float]]
  let output: [Float]
  let offset: Float

  /// Reads a scorer: its numbers of inputs and of hidden units, then means, deviations, weights, the output's weights and its
  /// offset.
  ///
  /// - Parameter inputs: The required number of values of evidence.
  /// - Throws: `otherModel` if the numbers of inputs or units do not fit, bytes are missing, a number is not finite, or a
  ///   deviation is not positive.
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

  /// The largest number of hidden units of a scorer.
  private static let maximumUnits = 1024

  func score(_ evidence: PageFeatures) -> Double {
    // A page that is only followed is scored without the last values, which are the values of the mask.
    let values = evidence.values.prefix(means.count)
    var sum = offset
    for (weights, out) in zip(hidden, output) {
      var a = weights[values.count]
      for i in values.indices { a += weights[i] * (Float(values[i]) - means[i]) / deviations[i] }
      sum += out * Self.tanh(a)
    }
    return Double(sum)
  }

  /// Returns the hyperbolic tangent by its continued fraction, with an error below 1e-4 in the relevant range.
  private static func tanh(_ x: Float) -> Float {
    let c = min(max(x, -4.97), 4.97)
    let q = c * c
    return c * (135135 + q * (17325 + q * (378 + q))) / (135135 + q * (62370 + q * (3150 + 28 * q)))
  }

  /// Returns the probability of each hypothesis, given that at most one is the page: softmax of the scores, with score 0 for there
  /// being no page.
  static func shares(_ scores: [Double]) -> [Double] {
    let top = max(0, scores.max() ?? 0)
    let powers = scores.map { Double.exponential($0 - top) }
    let sum = powers.reduce(Double.exponential(-top), +)
    return powers.map { $0 / sum }
  }
}
