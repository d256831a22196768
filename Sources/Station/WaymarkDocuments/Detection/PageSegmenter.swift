import WaymarkImage

/// Estimates for each place of a picture the probability that it belongs to a page, by a small convolutional network.
///
/// It sees the whole picture at once, coarsely, where the other evidence sees lines and rims: of the outlines that lines make, one that
/// ends at a fold, a table's frame or a book beneath the sheet is as good as the sheet's. The network is a U-Net (O. Ronneberger, P. Fischer,
/// T. Brox, "U-Net: convolutional networks for biomedical image segmentation", 2015) of depthwise separable convolutions (A. G. Howard et al.,
/// "MobileNets", 2017) with 224,000 weights of eight bits, fitted to rendered pictures by `Benchmarks/documents/segment`. To be used from one
/// thread at a time.
final class PageSegmenter {
  private let network: PageNetwork
  private var input: FeatureMap
  /// At half, a quarter, an eighth, … of the network's side.
  private var planes: [FeatureMap]
  private var scratch: (FeatureMap, FeatureMap)
  /// For pictures of the size of the last one.
  private var resampler: Resampler?

  init(_ network: PageNetwork) {
    self.network = network
    input = FeatureMap(side: network.side, channels: 3)
    let planes = network.widths.enumerated().map { FeatureMap(side: network.cells >> $0.offset, channels: $0.element) }
    self.planes = planes
    func scratch() -> FeatureMap { FeatureMap(like: planes) }
    self.scratch = (scratch(), scratch())
  }

  /// How likely each of the network's `cells` × `cells` equal parts of the picture belongs to a page, row by row, 0…1.
  func probabilities(_ picture: WorkingPicture) -> [Float] {
    load(picture)
    return probabilities()
  }

  /// Of the network's `side` × `side` × 3 values (red, green, blue of a pixel side by side), 0…255.
  func probabilities(of values: [Float]) -> [Float] {
    precondition(values.count == 3 * network.side * network.side)
    for (i, value) in values.enumerated() { input.values[i] = value }
    return probabilities()
  }

  private func probabilities() -> [Float] {
    normalize()
    var layers = network.layers[...]
    func next() -> Convolution { layers.removeFirst() }
    next().convolve(input, into: planes[0])
    for level in 1..<planes.count {
      separable(next(), next(), planes[level - 1], into: planes[level])
      for _ in 0..<(level == 1 ? 1 : 2) { refine(next(), next(), planes[level]) }
    }
    for level in (0..<(planes.count - 1)).reversed() {
      scratch.0.resize(side: planes[level + 1].side, channels: planes[level].channels)
      next().pointwise(planes[level + 1], into: scratch.0, rectified: false)
      planes[level].addDoubled(scratch.0)
      refine(next(), next(), planes[level])
    }
    let (head, finest) = (next(), planes[0])
    return (0..<(finest.side * finest.side)).map { i in
      var sum = head.offsets[0]
      for c in 0..<finest.channels { sum += head.weights[c] * finest.values[i &* finest.channels &+ c] }
      return Float(1 / (1 + Double.exponential(-Double(sum))))
    }
  }

  /// A convolution of each channel by itself, then one across channels.
  private func separable(_ depthwise: Convolution, _ pointwise: Convolution, _ from: FeatureMap, into to: FeatureMap) {
    scratch.0.resize(side: to.side, channels: from.channels)
    depthwise.depthwise(from, into: scratch.0, stride: from.side / to.side)
    pointwise.pointwise(scratch.0, into: to, rectified: true)
  }

  /// The same, its result added to what goes in.
  private func refine(_ depthwise: Convolution, _ pointwise: Convolution, _ plane: FeatureMap) {
    scratch.0.resize(side: plane.side, channels: plane.channels)
    scratch.1.resize(side: plane.side, channels: plane.channels)
    depthwise.depthwise(plane, into: scratch.0, stride: 1)
    pointwise.pointwise(scratch.0, into: scratch.1, rectified: false)
    plane.add(scratch.1)
  }

  /// The picture resized by area, gray in all three channels where it has no colours.
  private func load(_ picture: WorkingPicture) {
    let n = network.side
    let (w, h) = (picture.width, picture.height)
    guard w > 0, h > 0 else { return }
    if resampler?.isFor(w, h) != true { resampler = Resampler(from: (w, h), to: (n, n), areasOnly: true) }
    for c in 0..<picture.planeCount {
      resampler?.runDownFirst(UnsafePointer(picture.planes[c].pixels), stride: w) { y, row in
        for x in 0..<n { input.values[(y &* n &+ x) &* 3 &+ c] = row[x] }
      }
    }
    guard picture.planeCount == 1 else { return }
    for i in 0..<(n * n) {
      input.values[3 &* i &+ 1] = input.values[3 &* i]
      input.values[3 &* i &+ 2] = input.values[3 &* i]
    }
  }

  /// Takes exposure and contrast off.
  private func normalize() {
    let count = 3 * network.side * network.side
    var (sum, squares) = (0.0, 0.0)
    for i in 0..<count {
      let value = Double(input.values[i])
      sum += value
      squares += value * value
    }
    let mean = sum / Double(count)
    let deviation = max(10, max(0, squares / Double(count) - mean * mean).squareRoot())
    for i in 0..<count { input.values[i] = Float((Double(input.values[i]) - mean) / deviation) }
  }
}
