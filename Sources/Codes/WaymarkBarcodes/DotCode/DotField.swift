import WaymarkImage

/// The dots of a picture in one polarity: the extrema of its smoothed tones, for dots on a chequerboard of two to five pixels a module.
/// `DotTones` below computes these tones and finds their extrema.
struct DotField {
  /// The positions of the dots in pixels.
  private(set) var dots: [Point2] = []
  let tones: DotTones
  /// The dots by squares of `cell` pixels: the index in `order` of the first dot of each square.
  private var starts: [Int32] = []
  private var order: [Int32] = []
  private let columns: Int
  private let rows: Int

  private static let cell = 8
  /// The side in pixels of the squares in which contrasts are compared, and the least contrast of a dot as a share of the highest
  /// contrast in its square and the eight squares around it.
  private static let (square, leastShare) = (12, 0.2)
  /// The largest number of dots: in a picture with more, the dots of the highest contrast are kept.
  private static let most = 60_000

  /// - Parameter known: the outlines of symbols that were read, whose dots are left out.
  init(_ tones: DotTones, beside known: [Quadrilateral] = []) {
    self.tones = tones
    (columns, rows) = (tones.width / Self.cell + 1, tones.height / Self.cell + 1)
    var peaks = tones.peaks()
    peaks.removeAll { peak in known.contains { $0.contains(peak.place) } }
    if peaks.count > Self.most {
      let least = peaks.map(\.contrast).sorted()[peaks.count - Self.most]
      peaks.removeAll { $0.contrast < least }
    }
    // Grain between dots has less contrast than the dots.
    let (across, down) = (tones.width / Self.square + 1, tones.height / Self.square + 1)
    var highest = [Int](repeating: 0, count: across * down)
    func square(_ place: Point2) -> (x: Int, y: Int) { (Int(place.x) / Self.square, Int(place.y) / Self.square) }
    for (place, contrast) in peaks {
      let (x, y) = square(place)
      for v in max(0, y - 1)...min(down - 1, y + 1) {
        for u in max(0, x - 1)...min(across - 1, x + 1) {
          highest[v * across + u] = max(highest[v * across + u], contrast)
        }
      }
    }
    dots = peaks.filter { place, contrast in
      let (x, y) = square(place)
      return Double(contrast) > Self.leastShare * Double(highest[y * across + x])
    }.map(\.place)
    var counts = [Int32](repeating: 0, count: columns * rows + 1)
    let cells = dots.map { Int($0.y + 0.5) / Self.cell * columns + Int($0.x + 0.5) / Self.cell }
    for cell in cells { counts[cell + 1] += 1 }
    for i in 1..<counts.count { counts[i] += counts[i - 1] }
    starts = counts
    order = [Int32](repeating: 0, count: dots.count)
    for (i, cell) in cells.enumerated() {
      order[Int(counts[cell])] = Int32(i)
      counts[cell] += 1
    }
  }

  /// Calls `body` with the index of each dot within a distance of a point, and the square of its distance.
  @inline(__always)
  func forEach(near p: Point2, within radius: Double, _ body: (Int, Double) -> Void) {
    let size = Double(Self.cell)
    let (x0, x1) = (max(0, Int((p.x - radius + 0.5) / size)), min(columns - 1, Int(max(0, p.x + radius + 0.5) / size)))
    let (y0, y1) = (max(0, Int((p.y - radius + 0.5) / size)), min(rows - 1, Int(max(0, p.y + radius + 0.5) / size)))
    guard x0 <= x1, y0 <= y1 else { return }
    for y in y0...y1 {
      for k in Int(starts[y * columns + x0])..<Int(starts[y * columns + x1 + 1]) {
        let i = Int(order[k])
        let d = dots[i] - p
        let distance = d.x * d.x + d.y * d.y
        if distance <= radius * radius { body(i, distance) }
      }
    }
  }

  /// Returns the index of the dot closest to a point, within a distance; `nil` if no dot is that close.
  func nearest(_ p: Point2, within radius: Double) -> Int? {
    var best = (index: -1, distance: radius * radius)
    forEach(near: p, within: radius) { i, distance in if distance <= best.distance { best = (i, distance) } }
    return best.index < 0 ? nil : best.index
  }
}

// MARK: - Tones

/// The tones of a picture smoothed by a binomial filter of three by three pixels, in sixteenths of gray levels; a larger value
/// looks more like a dot.
struct DotTones {
  let width: Int
  let height: Int
  private var values: [Int16]

  /// The least contrast of a dot, in sixteenths of gray levels.
  private static let leastContrast = 24
  /// The largest ratio of the second differences of the tones along two directions through a dot; through a line it is larger.
  private static let roundness = 8

  init(_ view: ImageView) {
    let (width, height) = (view.width, view.height)
    (self.width, self.height) = (width, height)
    values = [Int16](repeating: 0, count: width * height)
    values.withUnsafeMutableBufferPointer { values in
      guard let target = values.baseAddress else { return }
      for y in 0..<height {
        let row = view.row(y)
        for x in 0..<width { target[y * width + x] = Int16(row[x]) }
      }
    }
    values = smoothed(shift: 0)
  }

  private init(width: Int, height: Int, values: [Int16]) {
    (self.width, self.height, self.values) = (width, height, values)
  }

  /// The tones with light and dark exchanged.
  var negated: DotTones { DotTones(width: width, height: height, values: values.map { 0 &- $0 }) }

  /// The differences of the tones from the means around them; in these differences, blurred dots are separate.
  var sharpened: DotTones {
    let wide = smoothed(shift: 4)
    var other = self
    other.values.withUnsafeMutableBufferPointer { values in
      wide.withUnsafeBufferPointer { wide in for i in values.indices { values[i] &-= wide[i] } }
    }
    return other
  }

  /// Returns the values smoothed by a binomial filter of three by three pixels, whose weights sum to 16 divided by 2^`shift`; the border is
  /// repeated.
  private func smoothed(shift: Int16) -> [Int16] {
    let (width, height) = (width, height)
    guard width > 0, height > 0 else { return [] }
    var result = [Int16](repeating: 0, count: width * height)
    result.withUnsafeMutableBufferPointer { result in
      values.withUnsafeBufferPointer { values in
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: width + 2) { line in
          for y in 0..<height {
            let (a, b, c) = (max(0, y - 1) * width, y * width, min(height - 1, y + 1) * width)
            for x in 0..<width { line[x + 1] = Int32(values[a + x]) + 2 * Int32(values[b + x]) + Int32(values[c + x]) }
            (line[0], line[width + 1]) = (line[1], line[width])
            for x in 0..<width {
              result[y * width + x] = Int16(
                truncatingIfNeeded: (line[x] + 2 * line[x + 1] + line[x + 2]) >> Int32(shift))
            }
          }
        }
      }
    }
    return result
  }

  /// Returns the local maxima with their positions to a fraction of a pixel, and their difference to the tones around.
  func peaks() -> [(place: Point2, contrast: Int)] {
    var peaks: [(place: Point2, contrast: Int)] = []
    let margin = 3
    guard width > 2 * margin, height > 2 * margin else { return [] }
    values.withUnsafeBufferPointer { v in
      for y in margin..<(height - margin) {
        for i in (y * width + margin)..<(y * width + width - margin) {
          let c = v[i]
          // Of neighbours with equal tones, the first in reading order is the maximum.
          guard c > v[i - 1], c >= v[i + 1], c > v[i - width], c >= v[i + width] else { continue }
          guard c > v[i - width - 1], c > v[i - width + 1], c >= v[i + width - 1], c >= v[i + width + 1] else {
            continue
          }
          var around = Int.max
          for (near, far) in [(2, 1), (3, 2)] {
            var sum = Int(v[i - near]) + Int(v[i + near]) + Int(v[i - near * width]) + Int(v[i + near * width])
            let slope = far * width
            sum += Int(v[i - slope - far]) + Int(v[i - slope + far]) + Int(v[i + slope - far]) + Int(v[i + slope + far])
            around = min(around, sum / 8)
          }
          let contrast = Int(c) - around
          guard contrast >= Self.leastContrast else { continue }
          // The second differences along rows and columns are doubled, because diagonal neighbours are farther away.
          let bends = (
            2 * (2 * Int(c) - Int(v[i - 1]) - Int(v[i + 1])), 2 * (2 * Int(c) - Int(v[i - width]) - Int(v[i + width])),
            2 * Int(c) - Int(v[i - width - 1]) - Int(v[i + width + 1]),
            2 * Int(c) - Int(v[i - width + 1]) - Int(v[i + width - 1])
          )
          let least = min(bends.0, bends.1, bends.2, bends.3)
          guard max(bends.0, bends.1, bends.2, bends.3) <= Self.roundness * least else { continue }
          func shift(_ a: Int16, _ b: Int16) -> Double {
            let bend = 2 * Int(c) - Int(a) - Int(b)
            return bend > 0 ? 0.5 * Double(Int(b) - Int(a)) / Double(bend) : 0
          }
          let x = Double(i - y * width) + shift(v[i - 1], v[i + 1])
          peaks.append(([x, Double(y) + shift(v[i - width], v[i + width])], contrast))
        }
      }
    }
    return peaks
  }

  /// Returns the tone at a point, interpolated linearly between pixels; the border continues outside.
  func sample(_ p: Point2) -> Double {
    let x = min(max(0, p.x), Double(width - 1))
    let y = min(max(0, p.y), Double(height - 1))
    let (u, v) = (min(Int(x), width - 2), min(Int(y), height - 2))
    guard u >= 0, v >= 0 else { return 0 }
    let (a, b, i) = (x - Double(u), y - Double(v), v * width + u)
    let top = Double(values[i]) * (1 - a) + Double(values[i + 1]) * a
    let low = Double(values[i + width]) * (1 - a) + Double(values[i + width + 1]) * a
    return top * (1 - b) + low * b
  }
}
