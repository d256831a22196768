import WaymarkImage

/// Estimates for each cell of a picture the probability that it belongs to a page, by a small convolutional network, `PageNetwork`
/// below; the result is a `PageMask`.
///
/// The network evaluates the whole picture coarsely, whereas all other evidence is local: for lines alone, an outline that ends at
/// a fold, a table's frame or a book beneath the sheet is as good as the sheet's outline. The network is a U-Net (O. Ronneberger,
/// P. Fischer, T. Brox, "U-Net: convolutional networks for biomedical image segmentation", 2015) of depthwise separable
/// convolutions (A. G. Howard et al., "MobileNets", 2017) with 224,000 weights of eight bits, fitted to rendered pictures by
/// `Benchmarks/documents/segment`. Use it from one thread at a time.
final class PageSegmenter {
  private let network: PageNetwork
  private let runner: NetworkRunner<FloatKernel>
  /// The network's input: red, green and blue of each pixel.
  private var input: [Float]
  /// The resampler for the size of the last picture.
  private var resampler: Resampler?

  init(_ network: PageNetwork) {
    self.network = network
    runner = NetworkRunner(network.layers)
    input = [Float](repeating: 0, count: 3 * network.side * network.side)
  }

  /// Returns the probability that each of the network's `cells` × `cells` equal parts of the picture belongs to a page, row by row.
  func probabilities(_ picture: WorkingPicture) -> [Float] {
    load(picture)
    return probabilities(of: input)
  }

  /// Returns the probabilities for `side` × `side` × 3 values (interleaved red, green, blue), 0…255.
  func probabilities(of values: [Float]) -> [Float] {
    runner.run(Self.normalized(values)).map { Float(1 / (1 + Double.exponential(-Double($0)))) }
  }

  /// Loads the picture, resized by area averaging; a gray picture is copied to all three channels.
  private func load(_ picture: WorkingPicture) {
    let n = network.side
    let (w, h) = (picture.width, picture.height)
    guard w > 0, h > 0 else { return }
    if resampler?.isFor(w, h) != true { resampler = Resampler(from: (w, h), to: (n, n), areasOnly: true) }
    input.withUnsafeMutableBufferPointer { input in
      for c in 0..<picture.planeCount {
        resampler?.runDownFirst(UnsafePointer(picture.planes[c].pixels), stride: w) { y, row in
          for x in 0..<n { input[(y &* n &+ x) &* 3 &+ c] = row[x] }
        }
      }
      guard picture.planeCount == 1 else { return }
      for i in 0..<(n * n) {
        input[3 &* i &+ 1] = input[3 &* i]
        input[3 &* i &+ 2] = input[3 &* i]
      }
    }
  }

  /// Returns the values normalised for exposure and contrast.
  private static func normalized(_ values: [Float]) -> [Float] {
    var (sum, squares) = (0.0, 0.0)
    for value in values {
      let value = Double(value)
      sum += value
      squares += value * value
    }
    let mean = sum / Double(values.count)
    let deviation = max(10, max(0, squares / Double(values.count) - mean * mean).squareRoot())
    return values.map { Float((Double($0) - mean) / deviation) }
  }
}

/// The network of a page's mask: a U-Net, whose weights are read from a file.
struct PageNetwork: Sendable {
  /// The side of the square input in pixels.
  let side: Int
  /// The channels of the levels, the finest first. Each level has half the side of the previous level, the first level half of
  /// `side`.
  let widths: [Int]
  let layers: LayerNetwork<FloatKernel>

  /// The number of output cells per side.
  var cells: Int { side / 2 }

  private static let sides = 32...512
  private static let levels: ClosedRange<UInt32> = 2...6
  private static let mostChannels = 1024

  /// Reads the side, the number of levels and their channels as 32-bit numbers; then for each convolution the scales and
  /// offsets of all outputs as 32-bit numbers, and the weights as signed bytes, the outputs of one input contiguous. All
  /// numbers are little-endian.
  ///
  /// - Throws: `otherModel` if the side, the levels or the channels are not supported, the length does not match the layers,
  ///   or a number is not finite.
  init(_ file: ModelFile) throws(ModelError) {
    var numbers = ModelFile.Numbers(file)
    (side, widths) = try Self.size(&numbers, of: file)
    var reader = Reader(numbers: numbers, file: file)
    // The index of each level's feature map, the finest first.
    var levels = [try reader.convolution(0, 3, widths[0], side: 3, step: 2)]
    for level in 1..<widths.count {
      let channels = widths[level]
      var made = try reader.separable(levels[level - 1], widths[level - 1], channels, step: 2)
      for _ in 0..<(level == 1 ? 1 : 2) { made = try reader.refined(made, channels) }
      levels.append(made)
    }
    var made = levels[widths.count - 1]
    for level in (0..<(widths.count - 1)).reversed() {
      let coarse = try reader.convolution(made, widths[level + 1], widths[level], rectifies: false)
      made = try reader.refined(reader.sum(levels[level], coarse), widths[level])
    }
    _ = try reader.convolution(made, widths[0], 1, rectifies: false)
    guard reader.numbers.isEmpty else { throw file.misfit("\(reader.numbers.count) bytes follow the last layer") }
    layers = LayerNetwork(reader.layers, channels: 3, height: side)
  }

  private static func size(_ numbers: inout ModelFile.Numbers, of file: ModelFile) throws(ModelError) -> (Int, [Int]) {
    let (side, count) = (Int(numbers.word()), numbers.word())
    guard levels.contains(count), sides.contains(side), side % (1 << Int(count)) == 0 else {
      throw file.misfit("it has \(count) levels for \(side) pixels a side")
    }
    let widths = (0..<count).map { _ in Int(numbers.word()) }
    guard widths.allSatisfy({ $0 % 8 == 0 && (8...mostChannels).contains($0) }) else {
      throw file.misfit("its levels have \(widths) channels; multiples of 8 are run")
    }
    return (side, widths)
  }

  /// Reads successive layers. Each method returns the index of the feature map that its last layer outputs.
  private struct Reader {
    var numbers: ModelFile.Numbers
    let file: ModelFile
    var layers: [LayerNetwork<FloatKernel>.Layer] = []

    mutating func convolution(
      _ from: Int, _ inputs: Int, _ outputs: Int, side: Int = 1, step: Int = 1, isByChannel: Bool = false,
      rectifies: Bool = true
    ) throws(ModelError) -> Int {
      let shape = ConvolutionShape(side: side, step: step, inputs: inputs, outputs: outputs, isByChannel: isByChannel)
      guard numbers.count >= outputs * (8 + shape.weightCount) else {
        throw file.misfit("it ends in layer \(layers.count + 1)")
      }
      let scales = numbers.floats(outputs)
      let offsets = numbers.floats(outputs)
      guard (scales + offsets).allSatisfy(\.isFinite) else {
        throw file.misfit("layer \(layers.count + 1) holds a number that is not finite")
      }
      let weights = (0..<(shape.weightCount * outputs)).map {
        Float(Int8(bitPattern: numbers.byte())) * scales[$0 % outputs]
      }
      layers.append(
        .init(
          from: from, work: .convolution(FloatKernel(shape, weights: weights, offsets: offsets)), rectifies: rectifies))
      return layers.count
    }

    /// Reads a depthwise separable convolution: of each channel separately, then across channels.
    mutating func separable(
      _ from: Int, _ inputs: Int, _ outputs: Int, step: Int = 1, rectifies: Bool = true
    ) throws(ModelError) -> Int {
      let deep = try convolution(from, inputs, inputs, side: 3, step: step, isByChannel: true)
      return try convolution(deep, inputs, outputs, rectifies: rectifies)
    }

    /// Reads a depthwise separable convolution that adds its result to its input.
    mutating func refined(_ from: Int, _ channels: Int) throws(ModelError) -> Int {
      sum(from, try separable(from, channels, channels, rectifies: false))
    }

    mutating func sum(_ a: Int, _ b: Int) -> Int {
      layers.append(.init(from: a, work: .addition(other: b, factors: (1, 1)), rectifies: true))
      return layers.count
    }
  }
}

// MARK: - The mask

/// A coarse probability map of the page from `PageSegmenter`, stored as row sums so that outlines can be compared with it quickly.
struct PageMask {
  /// The number of cells per side.
  private let cells: Int
  /// The sums of each row's probabilities to the left of each cell, then of the whole row: `cells` + 1 values a row.
  private let sums: [Float]
  private let probabilities: [Float]
  /// The sum of all probabilities: the expected number of cells of a page.
  private let total: Double
  /// The number of cells per pixel of the work picture.
  private let scale: Point2

  /// The agreement of an outline with the mask.
  struct Agreement {
    /// The area of the intersection as a share of the union, 0…1.
    var overlap = 0.0
    /// The mean probability inside the outline.
    var inside = 0.0
    /// The share of the mask's total probability that is inside the outline.
    var share = 0.0
    /// The difference between the probabilities just inside and just outside a side, for the side where it is least. It is small at
    /// a fold.
    var weakestSide = 0.0
  }

  /// - Parameters:
  ///   - probabilities: The probabilities of `cells` × `cells` parts of the picture.
  ///   - n: The number of parts in each direction.
  ///   - width: The width of the work picture in pixels.
  ///   - height: The height of the work picture in pixels.
  init(_ probabilities: [Float], cells n: Int, width: Int, height: Int) {
    cells = n
    var sums = [Float](repeating: 0, count: n * (n + 1))
    for y in 0..<n {
      for x in 0..<n { sums[y * (n + 1) + x + 1] = sums[y * (n + 1) + x] + probabilities[y * n + x] }
    }
    self.sums = sums
    self.probabilities = probabilities
    total = (0..<n).reduce(0) { $0 + Double(sums[$1 * (n + 1) + n]) }
    scale = Point2(Double(n) / Double(width), Double(n) / Double(height))
  }

  /// Returns the agreement of a convex outline, in pixels of the work picture, leaving out `weakestSide`.
  func agreement(with outline: Quadrilateral) -> Agreement {
    let corners = outline.corners.map(cell)
    let n = cells
    var (inside, area) = (0.0, 0.0)
    for row in 0..<n {
      let y = Double(row) + 0.5
      var (left, right) = (Double.infinity, -Double.infinity)
      for i in 0..<4 {
        let (a, b) = (corners[i], corners[(i + 1) % 4])
        guard (a.y <= y) != (b.y <= y) else { continue }
        let x = a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y)
        left = min(left, x)
        right = max(right, x)
      }
      left = max(left, 0)
      right = min(right, Double(n))
      guard right > left else { continue }
      area += right - left
      inside += sum(row, to: right) - sum(row, to: left)
    }
    guard area > 0 else { return Agreement() }
    return Agreement(
      overlap: inside / max(total + area - inside, 1e-9), inside: inside / area, share: inside / max(total, 1))
  }

  /// Returns the agreement of an outline including its sides.
  ///
  /// - Parameter sides: The traced sides in pixels of the work picture; empty for straight lines between the corners.
  func agreement(with outline: Quadrilateral, alongSides sides: [[Point2]]) -> Agreement {
    var agreement = agreement(with: outline)
    let steps = (0..<4).map { side in
      let (a, b) = (cell(outline[side]), cell(outline[side + 1]))
      let along = b - a
      let inward = Point2(-along.y, along.x) / max(along.length, 1e-9) * Self.beside
      var sum = 0.0
      for i in 0..<Self.samples {
        let share = (Double(i) + 0.5) / Double(Self.samples)
        let p =
          sides.isEmpty
          ? a + along * share : cell(sides[side][Int(share * Double(sides[side].count))])
        sum += probability(p + inward) - probability(p - inward)
      }
      return sum / Double(Self.samples)
    }
    agreement.weakestSide = steps.min() ?? 0
    return agreement
  }

  /// The distance from a side, in cells, at which probabilities are compared; then the number of points along a side.
  private static let beside = 1.5
  private static let samples = 12

  /// Converts a point of the work picture to cells.
  private func cell(_ p: Point2) -> Point2 { Point2((p.x + 0.5) * scale.x, (p.y + 0.5) * scale.y) }

  /// Returns the probability of the cell at a point; 0 outside the picture.
  private func probability(_ p: Point2) -> Double {
    guard p.x >= 0, p.y >= 0, p.x < Double(cells), p.y < Double(cells) else { return 0 }
    return Double(probabilities[Int(p.y) &* cells &+ Int(p.x)])
  }

  private func sum(_ row: Int, to x: Double) -> Double {
    let n = cells
    let cell = min(Int(x), n - 1)
    let base = row &* (n + 1) &+ cell
    return Double(sums[base]) + Double(sums[base + 1] - sums[base]) * (x - Double(cell))
  }

  /// Returns an outline, in pixels of the work picture, with sides and corners moved to agree best with the mask.
  func fitted(_ start: Quadrilateral) -> Quadrilateral {
    var best = (outline: start, overlap: agreement(with: start).overlap)
    let cell = 1 / min(scale.x, scale.y)
    for step in Self.steps {
      for _ in 0..<Self.rounds {
        let before = best.overlap
        for side in 0..<4 {
          let along = best.outline[side + 1] - best.outline[side]
          let unit = along / max(along.length, 1e-9) * (step * cell)
          let across = Point2(-unit.y, unit.x)
          for move in [across, across * -1] {
            attempt(&best, moving: [side, side + 1], by: move)
            attempt(&best, moving: [side], by: move)
            attempt(&best, moving: [side + 1], by: move)
          }
        }
        if best.overlap <= before { break }
      }
    }
    return best.outline
  }

  /// The steps in cells, and the number of passes with each.
  private static let steps = [1.5, 0.7, 0.3, 0.12]
  private static let rounds = 4

  private func attempt(_ best: inout (outline: Quadrilateral, overlap: Double), moving: [Int], by move: Point2) {
    var corners = best.outline.corners
    for corner in moving {
      let moved = corners[corner % 4] + move
      // Corners must stay in the picture. Outside there is no mask, so area there would not lower the agreement.
      let place = cell(moved)
      guard place.x >= 0, place.y >= 0, place.x <= Double(cells), place.y <= Double(cells) else { return }
      corners[corner % 4] = moved
    }
    let outline = Quadrilateral(corners: corners)
    guard outline.isConvex else { return }
    let overlap = agreement(with: outline).overlap
    if overlap > best.overlap { best = (outline, overlap) }
  }
}
