/// The features of all views of one reference, found by place.
struct CandidatePool {
  static let cell = 4
  private(set) var features: [AnchorFeature] = []
  private(set) var descriptors: [UInt64] = []
  private let columns: Int
  private let rows: Int
  private var starts: [Int32] = []
  private var order: [Int32] = []

  init(width: Int, height: Int) {
    columns = width / Self.cell + 1
    rows = height / Self.cell + 1
  }

  mutating func add(_ feature: AnchorFeature, _ descriptor: UnsafePointer<UInt64>) {
    features.append(feature)
    for i in 0..<4 { descriptors.append(descriptor[i]) }
  }

  private func cell(_ f: AnchorFeature) -> Int {
    let (x, y) = (Int(f.x64) / 64 / Self.cell, Int(f.y64) / 64 / Self.cell)
    return min(rows - 1, y) * columns + min(columns - 1, x)
  }

  /// Sorts the features by place, once all are there.
  mutating func finish() {
    starts = Array(repeating: 0, count: columns * rows + 1)
    for f in features { starts[cell(f) + 1] += 1 }
    for i in 1..<starts.count { starts[i] += starts[i - 1] }
    var next = starts
    order = Array(repeating: 0, count: features.count)
    for (i, f) in features.enumerated() {
      let c = cell(f)
      order[Int(next[c])] = Int32(i)
      next[c] += 1
    }
  }

  /// Calls `body` with every feature closer than `radius` to a place.
  @inline(__always)
  func forEach(near p: SIMD2<Float>, radius: Float, _ body: (Int) -> Void) {
    let c = Float(Self.cell)
    let x0 = max(0, Int((p.x - radius) / c))
    let x1 = min(columns - 1, Int((p.x + radius) / c))
    let y0 = max(0, Int((p.y - radius) / c))
    let y1 = min(rows - 1, Int((p.y + radius) / c))
    guard x0 <= x1, y0 <= y1 else { return }
    for y in y0...y1 {
      for i in starts[y * columns + x0]..<starts[y * columns + x1 + 1] {
        let k = Int(order[Int(i)])
        let d = features[k].position - p
        if (d * d).sum() <= radius * radius { body(k) }
      }
    }
  }
}
