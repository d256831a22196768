/// The weights that make each element of a resized row or column.
private struct Taps {
  /// The first source element of each destination element.
  private(set) var first: [Int] = []
  /// Where its weights begin, and behind the last element where they end.
  private(set) var starts: [Int] = [0]
  /// The weights of the source elements from there on; those of an element sum up to 1.
  private(set) var weights: [Float] = []

  /// Smaller: the mean over the area that a destination element covers. Larger: linear between the middles of elements.
  ///
  /// - Parameter areasOnly: true if larger ones are means over areas as well.
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

  /// The most weights of an element.
  var most: Int { zip(starts, starts.dropFirst()).map { $1 - $0 }.max() ?? 1 }

  /// Resizes a row, `channels` values a pixel.
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

/// Resizes pictures of one size to another one: area means when they get smaller, linear when they get larger. Keeps its memory; used from one
/// thread.
package struct Resampler {
  private let columns: Taps
  private let rows: Taps
  private let source: SIMD2<Int>
  private let width: Int
  private let channels: Int
  /// Rows of the source that were resized across: row `y` lies in the place `y` modulo their number.
  private var narrowed: [Float]
  private var held: [Int]
  private var line: [Float]
  /// A row of sums down columns of the source, where these are taken first.
  private var sums: [Float] = []

  /// - Parameters:
  ///   - from: the size of the source, no side of it 0.
  ///   - channels: values a pixel.
  ///   - areasOnly: true if what gets larger is made of means over areas as well.
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

  /// Returns whether it was made for pictures of that size.
  package func isFor(_ width: Int, _ height: Int) -> Bool { source == SIMD2(width, height) }

  /// Gives each row of the resized picture to `emit`, from the top.
  ///
  /// - Parameters:
  ///   - bytes: rows of bytes, `stride` bytes apart.
  ///   - offset: added to each value.
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

  /// The same, down first in whole rows and then across, which is faster where much is made little; the sums differ in their last bits.
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

/// Resizes rows of `channels` bytes a pixel that lie without gaps.
private func resample(
  _ source: UnsafePointer<UInt8>, _ width: Int, _ height: Int, channels: Int,
  to destination: UnsafeMutablePointer<UInt8>, _ newWidth: Int, _ newHeight: Int
) {
  var resampler = Resampler(from: (width, height), to: (newWidth, newHeight), channels: channels)
  resampler.run(source, stride: width * channels, offset: 0.5) { y, row in
    let out = destination + y * row.count
    for i in 0..<row.count { out[i] = UInt8(max(0, min(255, row[i]))) }
  }
}

extension GrayImage {
  /// The picture in another size: area means when it gets smaller, linear when it gets larger.
  package func resized(width newWidth: Int, height newHeight: Int) -> GrayImage {
    guard (newWidth, newHeight) != (width, height), newWidth > 0, newHeight > 0, width > 0, height > 0 else {
      return self
    }
    let resized = PixelBuffer(capacity: newWidth * newHeight)
    resample(buffer.bytes, width, height, channels: 1, to: resized.bytes, newWidth, newHeight)
    return GrayImage(width: newWidth, height: newHeight, buffer: resized)
  }
}

extension RGBImage {
  /// The picture in another size: area means when it gets smaller, linear when it gets larger.
  package func resized(width newWidth: Int, height newHeight: Int) -> RGBImage {
    guard (newWidth, newHeight) != (width, height), newWidth > 0, newHeight > 0, width > 0, height > 0 else {
      return self
    }
    let resized = PixelBuffer(capacity: 3 * newWidth * newHeight)
    resample(buffer.bytes, width, height, channels: 3, to: resized.bytes, newWidth, newHeight)
    return RGBImage(width: newWidth, height: newHeight, buffer: resized)
  }
}
