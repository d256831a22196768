import WaymarkGeometry
import WaymarkImage

/// A gray picture with room to work in.
struct InkPlane {
  let width: Int
  let height: Int
  var pixels: [UInt8]

  init(width: Int, height: Int, value: UInt8 = 255) {
    self.width = width
    self.height = height
    pixels = [UInt8](repeating: value, count: width * height)
  }

  init(_ view: ImageView) {
    self.init(width: view.width, height: view.height)
    for y in 0..<height {
      let row = view.row(y)
      for x in 0..<width { pixels[y * width + x] = row[x] }
    }
  }

  var image: GrayImage {
    GrayImage(width: width, height: height) { target in _ = target.update(from: pixels) }
  }

  /// The value below which that share of the pixels lies.
  func percentile(_ share: Double) -> UInt8 {
    var histogram = [Int](repeating: 0, count: 256)
    for pixel in pixels { histogram[Int(pixel)] += 1 }
    var left = Int(Double(pixels.count) * share)
    for (value, count) in histogram.enumerated() {
      left -= count
      if left < 0 { return UInt8(value) }
    }
    return 255
  }

  /// N. Otsu, "A threshold selection method from gray-level histograms", 1979.
  var threshold: UInt8 {
    var histogram = [Double](repeating: 0, count: 256)
    for pixel in pixels { histogram[Int(pixel)] += 1 }
    let total = Double(pixels.count)
    let sum = histogram.enumerated().reduce(0) { $0 + Double($1.offset) * $1.element }
    var (below, sumBelow, best, place) = (0.0, 0.0, -1.0, 127)
    for value in 0..<255 {
      below += histogram[value]
      sumBelow += Double(value) * histogram[value]
      guard below > 0, below < total else { continue }
      let difference = sumBelow / below - (sum - sumBelow) / (total - below)
      let between = below * (total - below) * difference * difference
      if between > best { (best, place) = (between, value) }
    }
    return UInt8(place)
  }

  /// Gray values stretched so that `low` becomes 10 and `high` 245.
  mutating func stretch(from low: UInt8, to high: UInt8) {
    let range = max(1, Int(high) - Int(low))
    let table = (0..<256).map { UInt8(max(0, min(255, 10 + (Int($0) - Int(low)) * 235 / range))) }
    for i in pixels.indices { pixels[i] = table[Int(pixels[i])] }
  }

  /// Takes away shading and glare along a line that is dark on light: paper becomes 255 everywhere, and where ink is less dark than elsewhere
  /// it is made darker, up to three times.
  mutating func flatten() {
    let step = max(4, height / 2)
    let count = (width + step - 1) / step
    guard count >= 3 else { return }
    var (paper, depth) = ([Double](), [Double]())
    for block in 0..<count {
      // As wide as some characters, so that there is paper and ink in it.
      var histogram = [Int](repeating: 0, count: 256)
      var total = 0
      for x in max(0, (block - 3) * step)..<min(width, (block + 4) * step) {
        for y in 0..<height { histogram[Int(pixels[y * width + x])] += 1 }
        total += height
      }
      func share(_ share: Double) -> Double {
        var left = Int(Double(total) * share)
        for (value, count) in histogram.enumerated() {
          left -= count
          if left < 0 { return Double(value) }
        }
        return 255
      }
      let light = share(0.85)
      paper.append(light)
      depth.append(light - share(0.03))
    }
    let deepest = depth.max() ?? 0
    guard deepest >= 12 else { return }
    for x in 0..<width {
      let place = min(Double(count - 1), max(0, (Double(x) + 0.5) / Double(step) - 0.5))
      let (before, share) = (Int(place), place - Double(Int(place)))
      let after = min(count - 1, before + 1)
      let light = paper[before] + (paper[after] - paper[before]) * share
      let dark = max(deepest / 3, depth[before] + (depth[after] - depth[before]) * share)
      for y in 0..<height {
        let value = 255 - (light - Double(pixels[y * width + x])) * 235 / dark
        pixels[y * width + x] = UInt8(max(0, min(255, value)))
      }
    }
  }

  /// Gray values made darker by an exponent above 1; black and white stay.
  mutating func darken(_ exponent: Double) {
    let table = (0..<256).map { UInt8(clamping: Int((255 * Double.power(Double($0) / 255, exponent)).rounded())) }
    for i in pixels.indices { pixels[i] = table[Int(pixels[i])] }
  }

  mutating func invert() {
    for i in pixels.indices { pixels[i] = 255 - pixels[i] }
  }

  /// Means over a Gaussian of that deviation in pixels; beyond the border the picture goes on as it ends.
  func softened(_ deviation: Double) -> InkPlane {
    guard deviation > 0.05, width > 0, height > 0 else { return self }
    let reach = max(1, Int((3 * deviation).rounded(.up)))
    let spread = 2 * deviation * deviation
    var weights: [Double] = (-reach...reach).map { place in Double.exponential(-Double(place * place) / spread) }
    let sum = weights.reduce(0, +)
    weights = weights.map { $0 / sum }
    let kernel = weights.map { Int32(($0 * 4096).rounded()) }
    var across = self
    for y in 0..<height {
      for x in 0..<width {
        var value: Int32 = 2048
        for k in 0..<kernel.count {
          let place = min(max(0, x + k - reach), width - 1)
          value &+= kernel[k] &* Int32(pixels[y &* width &+ place])
        }
        across.pixels[y * width + x] = UInt8(clamping: value >> 12)
      }
    }
    var both = self
    for y in 0..<height {
      for x in 0..<width {
        var value: Int32 = 2048
        for k in 0..<kernel.count {
          let place = min(max(0, y + k - reach), height - 1)
          value &+= kernel[k] &* Int32(across.pixels[place &* width &+ x])
        }
        both.pixels[y * width + x] = UInt8(clamping: value >> 12)
      }
    }
    return both
  }

  /// A part of it, where it may reach beyond the border that is white.
  func cropped(x: Int, y: Int, width w: Int, height h: Int) -> InkPlane {
    var part = InkPlane(width: w, height: h)
    for row in max(0, -y)..<max(max(0, -y), min(h, height - y)) {
      for column in max(0, -x)..<max(max(0, -x), min(w, width - x)) {
        part.pixels[row * w + column] = pixels[(y + row) * width + x + column]
      }
    }
    return part
  }
}

/// A connected piece of ink.
struct InkPiece {
  var left: Int
  var top: Int
  var right: Int
  var bottom: Int
  var area = 0

  var width: Int { right - left + 1 }
  var height: Int { bottom - top + 1 }
  var centerX: Double { Double(left + right) / 2 }
  var centerY: Double { Double(top + bottom) / 2 }

  /// The pieces of a mask, eight neighbours to a pixel, and to which of them each pixel belongs (-1: to none).
  static func find(_ mask: [Bool], width: Int, height: Int) -> (pieces: [InkPiece], labels: [Int32]) {
    var labels = [Int32](repeating: -1, count: mask.count)
    var pieces: [InkPiece] = []
    var stack: [Int] = []
    for start in mask.indices where mask[start] && labels[start] < 0 {
      let label = Int32(pieces.count)
      var piece = InkPiece(left: width, top: height, right: -1, bottom: -1)
      labels[start] = label
      stack.append(start)
      while let place = stack.popLast() {
        let (x, y) = (place % width, place / width)
        piece.left = min(piece.left, x)
        piece.right = max(piece.right, x)
        piece.top = min(piece.top, y)
        piece.bottom = max(piece.bottom, y)
        piece.area += 1
        for ny in max(0, y - 1)...min(height - 1, y + 1) {
          for nx in max(0, x - 1)...min(width - 1, x + 1) {
            let next = ny * width + nx
            if mask[next], labels[next] < 0 {
              labels[next] = label
              stack.append(next)
            }
          }
        }
      }
      pieces.append(piece)
    }
    return (pieces, labels)
  }
}
