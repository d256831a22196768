/// The weights that make each pixel of a resized row or column.
private struct Taps {
  /// The first source pixel of each destination pixel.
  var first: [Int] = []
  /// The weights of the pixels from there on; each list sums up to 1.
  var weights: [[Float]] = []

  /// Smaller: the mean over the area that a destination pixel covers. Larger: linear between pixel centres.
  init(from source: Int, to destination: Int) {
    let scale = Double(source) / Double(destination)
    for i in 0..<destination {
      var start: Int
      var list: [Float]
      if scale > 1 {
        let (low, high) = (Double(i) * scale, Double(i + 1) * scale)
        start = min(Int(low), source - 1)
        let end = min(source, max(start + 1, Int(high.rounded(.up))))
        list = (start..<end).map { Float(max(0, min(high, Double($0 + 1)) - max(low, Double($0)))) }
      } else {
        let center = min(max(0, (Double(i) + 0.5) * scale - 0.5), Double(source - 1))
        start = min(Int(center), max(0, source - 2))
        let share = Float(center - Double(start))
        list = source == 1 ? [1] : [1 - share, share]
      }
      let sum = list.reduce(0, +)
      first.append(start)
      weights.append(sum > 0 ? list.map { $0 / sum } : [1])
    }
  }
}

/// Resizes rows of `channels` bytes a pixel that lie without gaps.
private func resample(
  _ source: UnsafePointer<UInt8>, _ width: Int, _ height: Int, channels: Int,
  to destination: UnsafeMutablePointer<UInt8>, _ newWidth: Int, _ newHeight: Int
) {
  let columns = Taps(from: width, to: newWidth)
  let rows = Taps(from: height, to: newHeight)
  let count = newWidth * channels
  // Source rows already narrowed; the next destination row often needs the last one again.
  var narrowed: [Int: [Float]] = [:]
  func row(_ y: Int) -> [Float] {
    if let known = narrowed[y] { return known }
    let line = source + y * width * channels
    var out = [Float](repeating: 0, count: count)
    for x in 0..<newWidth {
      let start = columns.first[x]
      for (k, weight) in columns.weights[x].enumerated() {
        for c in 0..<channels { out[x * channels + c] += weight * Float(line[(start + k) * channels + c]) }
      }
    }
    narrowed[y] = out
    return out
  }
  for y in 0..<newHeight {
    let start = rows.first[y]
    var sum = [Float](repeating: 0.5, count: count)
    for (k, weight) in rows.weights[y].enumerated() {
      let line = row(start + k)
      for i in 0..<count { sum[i] += weight * line[i] }
    }
    let out = destination + y * count
    for i in 0..<count { out[i] = UInt8(max(0, min(255, sum[i]))) }
    let done = y + 1 < newHeight ? rows.first[y + 1] : height
    narrowed = narrowed.filter { $0.key >= done }
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
