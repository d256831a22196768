import WaymarkImage

/// Chooses the features that together are found again in as many simulated frames as possible.
///
/// `LazyHeap` below orders the candidates by their gain, and `CandidatePool` finds candidates near a position.
///
/// Every corner of a simulated frame that some candidate matches at its correct position is an item. The gain of a candidate is the
/// number of items it covers, reduced for items that other candidates cover already, and for items of frames with many covered
/// items. The sum is submodular, so the greedy choice reaches at least 1 − 1/e of the optimum (G. Nemhauser, L. Wolsey, M. Fisher,
/// Mathematical Programming 14 (1978)).
struct FeatureSelector {
  private let pool: CandidatePool
  private let distance: Int
  /// The indices of the items that each candidate covers.
  private var items: [[Int32]]
  private var itemFrame: [Int32] = []
  /// The number of corners of each frame that any candidate covers.
  private(set) var found: [Int] = []

  /// - Parameter distance: The largest Hamming distance at which a candidate matches a corner.
  init(pool: CandidatePool, distance: Int) {
    self.pool = pool
    self.distance = distance
    items = Array(repeating: [], count: pool.features.count)
  }

  /// Returns the number of corners of each frame that the chosen candidates cover.
  func sightings(_ chosen: [Int]) -> [Int] {
    var covered = [Bool](repeating: false, count: itemFrame.count)
    for c in chosen { for item in items[c] { covered[Int(item)] = true } }
    var counts = [Int](repeating: 0, count: found.count)
    for (i, c) in covered.enumerated() where c { counts[Int(itemFrame[i])] += 1 }
    return counts
  }

  /// Adds the features of one simulated frame.
  ///
  /// - Parameter map: Reference pixels → frame pixels.
  mutating func add(_ features: FeatureSet, map: Homography) {
    guard let back = map.inverse else { return }
    let frame = Int32(found.count)
    var count = 0
    var near: [(index: Int32, distance: Int)] = []
    for q in 0..<features.count {
      let f = features.features[q]
      let place = Point2(Double(f.x), Double(f.y))
      let p = back.apply(place)
      guard p.x.isFinite, p.y.isFinite, abs(p.x) < 2000, abs(p.y) < 2000 else { continue }
      // A tolerance of two level pixels in the frame, converted to reference pixels by the mean scale of the map there.
      let j = back.derivative(at: place)
      let scale = abs(j.dx.cross(j.dy)).squareRoot()
      let radius = Float(min(16, 2.0 * Double(f.scale) * scale))
      let d = features.descriptor(q)
      near.removeAll(keepingCapacity: true)
      var best = distance + 1
      pool.forEach(near: SIMD2(Float(p.x), Float(p.y)), radius: radius) { k in
        var h = 0
        for i in 0..<4 { h += (d[i] ^ pool.descriptors[4 * k + i]).nonzeroBitCount }
        if h <= distance {
          best = min(best, h)
          near.append((Int32(k), h))
        }
      }
      guard best <= distance else { continue }
      let item = Int32(itemFrame.count)
      itemFrame.append(frame)
      count += 1
      for n in near where n.distance <= max(best + 10, 39) { items[Int(n.index)].append(item) }
    }
    found.append(count)
  }

  /// Returns the indices of the candidates to keep, the most useful first.
  func choose(limit: Int) -> [Int] {
    var covered = [UInt8](repeating: 0, count: itemFrame.count)
    var perFrame = [Float](repeating: 0, count: found.count)
    func gain(_ k: Int) -> Float {
      var sum: Float = 0
      for item in items[k] {
        let again = covered[Int(item)]
        let weight: Float = again == 0 ? 1 : again == 1 ? 0.35 : again == 2 ? 0.12 : 0.03
        sum += weight / (3 + perFrame[Int(itemFrame[Int(item)])])
      }
      return sum
    }
    // Lazy greedy: gains only decrease, so an entry that still leads after its gain was updated has the greatest gain.
    var heap = LazyHeap()
    for k in items.indices where !items[k].isEmpty { heap.push(gain(k), k) }
    var chosen: [Int] = []
    while chosen.count < limit, let top = heap.pop() {
      let fresh = gain(top.index)
      if let next = heap.top, fresh < next.gain || (fresh == next.gain && top.index > next.index) {
        heap.push(fresh, top.index)
        continue
      }
      chosen.append(top.index)
      for item in items[top.index] {
        let i = Int(item)
        let again = covered[i]
        perFrame[Int(itemFrame[i])] += again == 0 ? 1 : again == 1 ? 0.35 : 0.1
        if again < 255 { covered[i] += 1 }
      }
    }
    return chosen
  }
}

/// A binary heap of gains, the greatest first; of equal gains, the lower index first.
private struct LazyHeap {
  struct Entry {
    var gain: Float
    var index: Int
    func leads(_ other: Entry) -> Bool { gain > other.gain || (gain == other.gain && index < other.index) }
  }
  private var entries: [Entry] = []

  var top: Entry? { entries.first }

  mutating func push(_ gain: Float, _ index: Int) {
    entries.append(Entry(gain: gain, index: index))
    var i = entries.count - 1
    while i > 0, entries[i].leads(entries[(i - 1) / 2]) {
      entries.swapAt(i, (i - 1) / 2)
      i = (i - 1) / 2
    }
  }

  mutating func pop() -> Entry? {
    guard let first = entries.first else { return nil }
    let last = entries.removeLast()
    guard !entries.isEmpty else { return first }
    entries[0] = last
    var i = 0
    while true {
      var best = i
      for child in [2 * i + 1, 2 * i + 2] where child < entries.count && entries[child].leads(entries[best]) {
        best = child
      }
      if best == i { return first }
      entries.swapAt(i, best)
      i = best
    }
  }
}

/// The features of all views of one reference, grouped into square cells.
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

  /// Sorts the features by cell. Call it after adding the last feature.
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

  /// Calls `body` with the index of every feature at most `radius` reference pixels from a point.
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
