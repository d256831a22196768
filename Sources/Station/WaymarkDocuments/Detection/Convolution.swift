import CKernels

/// A square of numbers, the channels of a place side by side.
final class FeatureMap {
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

  /// Makes room for any of several.
  convenience init(like maps: [FeatureMap]) {
    let largest = maps.max { $0.capacity < $1.capacity }
    self.init(side: largest?.side ?? 0, channels: largest?.channels ?? 0)
  }

  deinit { values.deallocate() }

  /// Of no more numbers than it was made for; their values are undefined.
  func resize(side: Int, channels: Int) {
    precondition(side * side * channels <= capacity)
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
    ck_convolve_floats(
      from.values, Int32(from.side), Int32(inputs), 2, weights, Int32(outputs), offsets, to.values, Int32(to.side))
  }

  /// 3 × 3 places of each channel; what is below 0 becomes 0.
  func depthwise(_ from: FeatureMap, into to: FeatureMap, stride step: Int) {
    ck_convolve_float_channels(
      from.values, Int32(from.side), Int32(outputs), Int32(step), weights, offsets, to.values, Int32(to.side))
  }

  /// All channels of each place.
  func pointwise(_ from: FeatureMap, into to: FeatureMap, rectified: Bool) {
    ck_mix_floats(
      from.values, Int32(to.side * to.side), Int32(inputs), weights, Int32(outputs), offsets, rectified ? 1 : 0,
      to.values)
  }
}
