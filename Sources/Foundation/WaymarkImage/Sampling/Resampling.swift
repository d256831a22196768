/// The weights of the source elements for each element of a resized row or column. `Resampler` below resizes pictures with these
/// weights.
private struct Taps {
  /// The first source element of each destination element.
  private(set) var first: [Int] = []
  /// The index in `weights` of each destination element's first weight, then the number of weights.
  private(set) var starts: [Int] = [0]
  /// The weights of consecutive source elements. The weights for a destination element sum up to 1.
  private(set) var weights: [Float] = []

  /// Creates the weights: when shrinking, means over the area that a destination element covers; when enlarging, linear interpolation between
  /// the middles of elements.
  ///
  /// - Parameter areasOnly: true to use means over areas when enlarging as well.
  init(from source: Int, to destination: Int, areasOnly: Bool) {
    let scale = Double(source) / Double(destination)
    for i in 0..<destination {
      if scale > 1 || areasOnly {
        let (low, high) = (Double(i) * scale, Double(i + 1) * scale)
        let start = min(Int(low), source - 1)
        let end = min(source, max(start + 1, Int(high.rounded(.up))))
        let list = (start..<end).map { Float(max(0, min(high, Double($0 + 1)) - max(low, Double($0)))) }
        let sum = list.reduce(0, +)
        first.append(start)
        weights += sum > 0 ? list.map { $0 / sum } : [1]
      } else {
        let tap = LinearTap(middleOf: i, of: destination, in: source)
        first.append(tap.low)
        weights += tap.step == 0 ? [1] : [1 - Float(tap.share), Float(tap.share)]
      }
      starts.append(weights.count)
    }
  }

  /// The greatest number of weights of an element.
  var most: Int { zip(starts, starts.dropFirst()).map { $1 - $0 }.max() ?? 1 }

  /// Resizes a row of pixels with `channels` values each.
  @inline(__always)
  func apply<T>(
    to row: UnsafePointer<T>, channels: Int, into out: UnsafeMutableBufferPointer<Float>, _ value: (T) -> Float
  ) {
    weights.withUnsafeBufferPointer { weights in
      starts.withUnsafeBufferPointer { starts in
        for x in 0..<first.count {
          for c in 0..<channels {
            var at = first[x] &* channels &+ c
            var sum: Float = 0
            for k in starts[x]..<starts[x &+ 1] {
              sum += weights[k] * value(row[at])
              at &+= channels
            }
            out[x &* channels &+ c] = sum
          }
        }
      }
    }
  }
}

/// Resizes pictures from one size to another: area means when shrinking, linear interpolation when enlarging. Reuses its memory.
/// Use it from one thread at a time.
package struct Resampler {
  private let columns: Taps
  private let rows: Taps
  private let source: SIMD2<Int>
  private let width: Int
  private let channels: Int
  /// A ring buffer of source rows that were resized horizontally: row `y` is at the index `y` modulo the number of rows.
  private var narrowed: [Float]
  private var held: [Int]
  private var line: [Float]
  /// The vertical sums of a destination row, for `runDownFirst`.
  private var sums: [Float] = []

  /// - Parameters:
  ///   - from: the size of the source, in pixels, not empty.
  ///   - channels: the number of values per pixel.
  ///   - areasOnly: true to use means over areas when enlarging as well.
  package init(
    from: (width: Int, height: Int), to: (width: Int, height: Int), channels: Int = 1, areasOnly: Bool = false
  ) {
    source = SIMD2(from.width, from.height)
    columns = Taps(from: from.width, to: to.width, areasOnly: areasOnly)
    rows = Taps(from: from.height, to: to.height, areasOnly: areasOnly)
    width = to.width
    self.channels = channels
    held = [Int](repeating: -1, count: rows.most)
    narrowed = [Float](repeating: 0, count: rows.most * to.width * channels)
    line = [Float](repeating: 0, count: to.width * channels)
  }

  /// True if the resampler is for source pictures of `width` × `height` pixels.
  package func isFor(_ width: Int, _ height: Int) -> Bool { source == SIMD2(width, height) }

  /// Resizes a picture and passes each row of the result to `emit`, from the top.
  ///
  /// - Parameters:
  ///   - bytes: the source, rows `stride` bytes apart.
  ///   - offset: a constant added to each value.
  package mutating func run(
    _ bytes: UnsafePointer<UInt8>, stride: Int, offset: Float = 0,
    _ emit: (_ y: Int, _ row: UnsafeBufferPointer<Float>) -> Void
  ) {
    let (columns, rows, width, channels) = (columns, rows, width, channels)
    let count = width * channels
    for i in held.indices { held[i] = -1 }
    narrowed.withUnsafeMutableBufferPointer { narrowed in
      line.withUnsafeMutableBufferPointer { line in
        for y in 0..<rows.first.count {
          line.update(repeating: offset)
          for k in rows.starts[y]..<rows.starts[y + 1] {
            let from = rows.first[y] + k - rows.starts[y]
            let slot = from % held.count
            let row = UnsafeMutableBufferPointer(rebasing: narrowed[(slot * count)..<((slot + 1) * count)])
            if held[slot] != from {
              columns.apply(to: bytes + from * stride, channels: channels, into: row) { Float($0) }
              held[slot] = from
            }
            let weight = rows.weights[k]
            for i in 0..<count { line[i] += weight * row[i] }
          }
          emit(y, UnsafeBufferPointer(line))
        }
      }
    }
  }

  /// Like `run`, but first vertically in whole rows and then horizontally, which is faster when shrinking by a large factor. The
  /// results differ in their last bits.
  package mutating func runDownFirst(
    _ bytes: UnsafePointer<UInt8>, stride: Int, _ emit: (_ y: Int, _ row: UnsafeBufferPointer<Float>) -> Void
  ) {
    let (columns, rows, channels, count) = (columns, rows, channels, source.x * channels)
    if sums.count < count { sums = [Float](repeating: 0, count: count) }
    sums.withUnsafeMutableBufferPointer { sums in
      line.withUnsafeMutableBufferPointer { line in
        for y in 0..<rows.first.count {
          sums.update(repeating: 0)
          for k in rows.starts[y]..<rows.starts[y + 1] {
            let from = bytes + (rows.first[y] + k - rows.starts[y]) * stride
            let weight = rows.weights[k]
            for i in 0..<count { sums[i] += weight * Float(from[i]) }
          }
          if let sums = sums.baseAddress {
            columns.apply(to: UnsafePointer(sums), channels: channels, into: line) { $0 }
          }
          emit(y, UnsafeBufferPointer(line))
        }
      }
    }
  }
}

extension BytePicture {
  /// Returns the picture resized: area means when shrinking, linear interpolation when enlarging.
  package func resized(width newWidth: Int, height newHeight: Int) -> Self {
    guard (newWidth, newHeight) != (width, height), newWidth > 0, newHeight > 0, width > 0, height > 0 else {
      return self
    }
    let resized = PixelBuffer(capacity: Self.channels * newWidth * newHeight)
    var resampler = Resampler(from: (width, height), to: (newWidth, newHeight), channels: Self.channels)
    resampler.run(buffer.bytes, stride: width * Self.channels, offset: 0.5) { y, row in
      let out = resized.bytes + y * row.count
      for i in 0..<row.count { out[i] = UInt8(max(0, min(255, row[i]))) }
    }
    return Self(width: newWidth, height: newHeight, buffer: resized)
  }
}
