/// A square of numbers, the channels of a place side by side.
final class FeatureMap {
  private(set) var side: Int
  private(set) var channels: Int
  let values: UnsafeMutablePointer<Float>
  private let capacity: Int

  init(side: Int, channels: Int) {
    self.side = side
    self.channels = channels
    capacity = Self.count(side, channels)
    values = .allocate(capacity: capacity)
    values.initialize(repeating: 0, count: capacity)
  }

  /// Makes room for any of several.
  convenience init(like maps: [FeatureMap]) {
    let largest = maps.max { Self.count($0.side, $0.channels) < Self.count($1.side, $1.channels) }
    self.init(side: largest?.side ?? 0, channels: largest?.channels ?? 0)
  }

  /// Numbers with those of three places more: convolutions of single places take four at a time.
  private static func count(_ side: Int, _ channels: Int) -> Int { (side * side + 3) * channels }

  deinit { values.deallocate() }

  /// Of no more numbers than it was made for; their values are undefined.
  func resize(side: Int, channels: Int) {
    precondition(Self.count(side, channels) <= capacity)
    self.side = side
    self.channels = channels
  }

  /// Adds another one of the same size; what is below 0 becomes 0.
  func add(_ other: FeatureMap) {
    for i in 0..<(side &* side &* channels) { values[i] = max(0, values[i] + other.values[i]) }
  }

  /// Adds one of half the size, each place of it to four; what is below 0 becomes 0.
  func addDoubled(_ other: FeatureMap) {
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
struct Convolution: Sendable {
  let inputs: Int
  let outputs: Int
  /// 3 × 3 × `inputs` × `outputs` for a full convolution, 3 × 3 × `outputs` for a depthwise one, blocks of eight outputs of `inputs` × 8
  /// for a pointwise one; `inputs` for the head, whose sum `PageSegmenter` makes itself.
  let weights: [Float]
  let offsets: [Float]

  /// All of 3 × 3 places and all channels, every other place; what is below 0 becomes 0.
  func convolve(_ from: FeatureMap, into to: FeatureMap) {
    slide(from, into: to, stride: 2) { sum, place, tap, o, weights in
      for c in 0..<inputs { sum += place[c] * Self.eight(weights, (tap &* inputs &+ c) &* outputs &+ o) }
    }
  }

  /// 3 × 3 places of each channel; what is below 0 becomes 0.
  func depthwise(_ from: FeatureMap, into to: FeatureMap, stride step: Int) {
    slide(from, into: to, stride: step) { sum, place, tap, o, weights in
      sum += Self.eight(place + o) * Self.eight(weights, tap &* outputs &+ o)
    }
  }

  /// Goes over all places, `step` apart, and all blocks of eight outputs; `add` takes in one of the 3 × 3 places around, of which those beyond
  /// the border count as 0.
  @inline(__always)
  private func slide(
    _ from: FeatureMap, into to: FeatureMap, stride step: Int,
    add: (
      _ sum: inout SIMD8<Float>, _ place: UnsafeMutablePointer<Float>, _ tap: Int, _ output: Int,
      _ weights: UnsafeBufferPointer<Float>
    ) -> Void
  ) {
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
                add(&sum, from.values + ((row &* from.side &+ column) &* inputs), dy &* 3 &+ dx, o, weights)
              }
            }
            Self.store(sum.replacing(with: 0, where: sum .< 0), to.values + ((y &* n &+ x) &* outputs &+ o))
          }
        }
      }
    }
  }

  /// All channels of each place; four places at a time, so that a weight is read once for all of them.
  func pointwise(_ from: FeatureMap, into to: FeatureMap, rectified: Bool) {
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
    UnsafeRawBufferPointer(list).loadUnaligned(
      fromByteOffset: at &* MemoryLayout<Float>.stride, as: SIMD8<Float>.self)
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
