import WaymarkGeometry

/// Tells of each place of a picture how likely it belongs to a page: a small convolutional network.
///
/// It sees the whole picture at once, coarsely, where the other evidence sees lines and rims: of the outlines that lines make, one that
/// ends at a fold, a table's frame or a book beneath the sheet is as good as the sheet's. The network is a U-Net (O. Ronneberger, P. Fischer,
/// T. Brox, "U-Net: convolutional networks for biomedical image segmentation", 2015) of depthwise separable convolutions (A. G. Howard et al.,
/// "MobileNets", 2017) with 78,000 weights of eight bits, fitted to rendered pictures by `Benchmarks/documents/segment`. To be used from one
/// thread at a time.
final class PageSegmenter {
  /// The picture's size for the network, whatever its aspect; half of it is that of the answer.
  static let side = 96
  static let cells = side / 2

  private let network: Network
  private var input: Plane
  private var planes: [Plane]
  private var scratch: (Plane, Plane)
  private var sums: [Float]

  /// Channels of the four levels, the finest first: at half, a quarter, an eighth and a sixteenth of `side`.
  static let widths = [16, 32, 64, 128]

  init(_ network: Network = .page) {
    self.network = network
    input = Plane(side: Self.side, channels: 3)
    planes = Self.widths.indices.map { Plane(side: Self.cells >> $0, channels: Self.widths[$0]) }
    scratch = (Plane(side: Self.cells, channels: Self.widths[0]), Plane(side: Self.cells, channels: Self.widths[0]))
    sums = []
  }

  /// How likely each of `cells` × `cells` equal parts of the picture belongs to a page, row by row, 0…1.
  func probabilities(_ picture: WorkPicture) -> [Float] {
    load(picture)
    return probabilities()
  }

  /// Of `side` × `side` × 3 values (red, green, blue of a pixel side by side), 0…255.
  func probabilities(of values: [Float]) -> [Float] {
    for (i, value) in values.enumerated() { input.values[i] = value }
    return probabilities()
  }

  private func probabilities() -> [Float] {
    normalize()
    var layers = network.layers.makeIterator()
    func next() -> Layer { layers.next() ?? network.layers[0] }
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
  private func separable(_ depthwise: Layer, _ pointwise: Layer, _ from: Plane, into to: Plane) {
    scratch.0.resize(side: to.side, channels: from.channels)
    depthwise.depthwise(from, into: scratch.0, stride: from.side / to.side)
    pointwise.pointwise(scratch.0, into: to, rectified: true)
  }

  /// The same, its result added to what goes in.
  private func refine(_ depthwise: Layer, _ pointwise: Layer, _ plane: Plane) {
    scratch.0.resize(side: plane.side, channels: plane.channels)
    scratch.1.resize(side: plane.side, channels: plane.channels)
    depthwise.depthwise(plane, into: scratch.0, stride: 1)
    pointwise.pointwise(scratch.0, into: scratch.1, rectified: false)
    plane.add(scratch.1)
  }

  /// The picture resized by area, gray in all three channels where it has no colours.
  private func load(_ picture: WorkPicture) {
    let n = Self.side
    let (w, h) = (picture.width, picture.height)
    let (sx, sy) = (Float(w) / Float(n), Float(h) / Float(n))
    if sums.count < w { sums = [Float](repeating: 0, count: w) }
    sums.withUnsafeMutableBufferPointer { sums in
      for c in 0..<picture.planeCount {
        let pixels = picture.planes[c].pixels
        for y in 0..<n {
          let (top, bottom) = (Float(y) * sy, Float(y + 1) * sy)
          for x in 0..<w { sums[x] = 0 }
          for row in Int(top)..<min(h, Int(bottom.rounded(.up))) {
            let share = min(bottom, Float(row + 1)) - max(top, Float(row))
            let line = pixels + row &* w
            for x in 0..<w { sums[x] += share * Float(line[x]) }
          }
          for x in 0..<n {
            let (left, right) = (Float(x) * sx, Float(x + 1) * sx)
            var sum: Float = 0
            for column in Int(left)..<min(w, Int(right.rounded(.up))) {
              sum += sums[column] * (min(right, Float(column + 1)) - max(left, Float(column)))
            }
            input.values[(y &* n &+ x) &* 3 &+ c] = sum / (sx * sy)
          }
        }
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
    let count = 3 * Self.side * Self.side
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

extension PageSegmenter {
  /// A square of numbers, the channels of a place side by side.
  final class Plane {
    private(set) var side: Int
    private(set) var channels: Int
    let values: UnsafeMutablePointer<Float>
    private let capacity: Int

    init(side: Int, channels: Int) {
      self.side = side
      self.channels = channels
      capacity = side * side * channels
      values = .allocate(capacity: capacity)
      values.initialize(repeating: 0, count: capacity)
    }

    deinit { values.deallocate() }

    /// Of no more numbers than it was made for; their values are undefined.
    func resize(side: Int, channels: Int) {
      precondition(side * side * channels <= capacity)
      self.side = side
      self.channels = channels
    }

    /// Adds another one of the same size; what is below 0 becomes 0.
    func add(_ other: Plane) {
      for i in 0..<(side &* side &* channels) { values[i] = max(0, values[i] + other.values[i]) }
    }

    /// Adds one of half the size, each place of it to four; what is below 0 becomes 0.
    func addDoubled(_ other: Plane) {
      for y in 0..<side {
        for x in 0..<side {
          let own = values + (y &* side &+ x) &* channels
          let coarse = other.values + ((y &>> 1) &* other.side &+ x &>> 1) &* channels
          for c in 0..<channels { own[c] = max(0, own[c] + coarse[c]) }
        }
      }
    }
  }

  /// The weights of one convolution, that of the values' normalization multiplied in.
  struct Layer {
    let inputs: Int
    let outputs: Int
    /// 3 × 3 × `inputs` × `outputs` for a full convolution, 3 × 3 × `outputs` for a depthwise one, blocks of eight outputs of `inputs` × 8
    /// for a pointwise one.
    let weights: [Float]
    let offsets: [Float]

    /// All of 3 × 3 places and all channels, every other place; what is below 0 becomes 0.
    func convolve(_ from: Plane, into to: Plane) {
      let n = to.side
      weights.withUnsafeBufferPointer { weights in
        for y in 0..<n {
          for x in 0..<n {
            for o in stride(from: 0, to: outputs, by: 8) {
              var sum = Self.eight(offsets, o)
              for dy in 0..<3 {
                let row = 2 &* y &+ dy &- 1
                guard row >= 0, row < from.side else { continue }
                for dx in 0..<3 {
                  let column = 2 &* x &+ dx &- 1
                  guard column >= 0, column < from.side else { continue }
                  let place = from.values + (row &* from.side &+ column) &* inputs
                  for c in 0..<inputs {
                    sum += place[c] * Self.eight(weights, ((dy &* 3 &+ dx) &* inputs &+ c) &* outputs &+ o)
                  }
                }
              }
              Self.store(sum.replacing(with: 0, where: sum .< 0), to.values + ((y &* n &+ x) &* outputs &+ o))
            }
          }
        }
      }
    }

    /// 3 × 3 places of each channel; what is below 0 becomes 0.
    func depthwise(_ from: Plane, into to: Plane, stride step: Int) {
      let n = to.side
      weights.withUnsafeBufferPointer { weights in
        for y in 0..<n {
          for x in 0..<n {
            for o in stride(from: 0, to: outputs, by: 8) {
              var sum = Self.eight(offsets, o)
              for dy in 0..<3 {
                let row = step &* y &+ dy &- 1
                guard row >= 0, row < from.side else { continue }
                for dx in 0..<3 {
                  let column = step &* x &+ dx &- 1
                  guard column >= 0, column < from.side else { continue }
                  sum +=
                    Self.eight(from.values + ((row &* from.side &+ column) &* outputs &+ o))
                    * Self.eight(weights, (dy &* 3 &+ dx) &* outputs &+ o)
                }
              }
              Self.store(sum.replacing(with: 0, where: sum .< 0), to.values + ((y &* n &+ x) &* outputs &+ o))
            }
          }
        }
      }
    }

    /// All channels of each place; four places at a time, so that a weight is read once for all of them.
    func pointwise(_ from: Plane, into to: Plane, rectified: Bool) {
      let places = to.side * to.side
      weights.withUnsafeBufferPointer { weights in
        for o in stride(from: 0, to: outputs, by: 8) {
          let block = o &* inputs
          let offset = Self.eight(offsets, o)
          for p in stride(from: 0, to: places, by: 4) {
            var (a, b, c, d) = (offset, offset, offset, offset)
            let place = from.values + p &* inputs
            for i in 0..<inputs {
              let weight = Self.eight(weights, block &+ i &* 8)
              a += place[i] * weight
              b += place[inputs &+ i] * weight
              c += place[2 &* inputs &+ i] * weight
              d += place[3 &* inputs &+ i] * weight
            }
            if rectified {
              a.replace(with: 0, where: a .< 0)
              b.replace(with: 0, where: b .< 0)
              c.replace(with: 0, where: c .< 0)
              d.replace(with: 0, where: d .< 0)
            }
            let result = to.values + (p &* outputs &+ o)
            Self.store(a, result)
            Self.store(b, result + outputs)
            Self.store(c, result + 2 &* outputs)
            Self.store(d, result + 3 &* outputs)
          }
        }
      }
    }

    @inline(__always)
    private static func eight(_ list: [Float], _ at: Int) -> SIMD8<Float> {
      list.withUnsafeBufferPointer { eight($0, at) }
    }

    @inline(__always)
    private static func eight(_ list: UnsafeBufferPointer<Float>, _ at: Int) -> SIMD8<Float> {
      UnsafeRawPointer(list.baseAddress! + at).loadUnaligned(as: SIMD8<Float>.self)
    }

    @inline(__always)
    private static func eight(_ place: UnsafeMutablePointer<Float>) -> SIMD8<Float> {
      UnsafeRawPointer(place).loadUnaligned(as: SIMD8<Float>.self)
    }

    @inline(__always)
    private static func store(_ value: SIMD8<Float>, _ place: UnsafeMutablePointer<Float>) {
      UnsafeMutableRawPointer(place).storeBytes(of: value, as: SIMD8<Float>.self)
    }
  }
}
