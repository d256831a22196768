/// The features of a frame by place.
final class FeatureGrid {
  static let cell: Float = 12
  private var columns = 0
  private var rows = 0
  private var starts: [Int32] = []
  private let order: UnsafeMutablePointer<Int32>
  private let capacity: Int

  init(capacity: Int) {
    self.capacity = capacity
    order = .allocate(capacity: capacity)
  }

  deinit { order.deallocate() }

  func fill(_ features: UnsafePointer<Feature>, count: Int, width: Int, height: Int) {
    columns = Int(Float(width) / Self.cell) + 1
    rows = Int(Float(height) / Self.cell) + 1
    let cells = columns * rows
    if starts.count < cells + 2 { starts = Array(repeating: 0, count: cells + 2) }
    for i in 0..<(cells + 2) { starts[i] = 0 }
    for i in 0..<count { starts[cell(features[i]) + 2] += 1 }
    for i in 2..<(cells + 2) { starts[i] += starts[i - 1] }
    // While filling, starts[c + 1] is where the next feature of cell c goes.
    for i in 0..<count {
      let c = cell(features[i])
      order[Int(starts[c + 1])] = Int32(i)
      starts[c + 1] += 1
    }
  }

  private func cell(_ f: Feature) -> Int {
    let x = max(0, min(columns - 1, Int(max(0, f.x) / Self.cell)))
    let y = max(0, min(rows - 1, Int(max(0, f.y) / Self.cell)))
    return y * columns + x
  }

  /// Calls `body` with every feature in the cells that a square around a place touches.
  @inline(__always)
  func forEach(near p: SIMD2<Float>, radius: Float, _ body: (Int) -> Void) {
    let x0 = max(0, Int((p.x - radius) / Self.cell))
    let x1 = min(columns - 1, Int((p.x + radius) / Self.cell))
    let y0 = max(0, Int((p.y - radius) / Self.cell))
    let y1 = min(rows - 1, Int((p.y + radius) / Self.cell))
    guard x0 <= x1, y0 <= y1 else { return }
    for y in y0...y1 {
      for i in Int(starts[y * columns + x0])..<Int(starts[y * columns + x1 + 1]) { body(Int(order[i])) }
    }
  }
}
