/// The key under which the index keeps a descriptor: its leading bits.
enum FeatureKey {
  /// The most bits of a key. The leading bits of a descriptor depend least on each other.
  static let greatestBits = 20
  /// The bits from which on a library is one of thousands of anchors.
  static let bitsOfThousands = 18

  @inline(__always)
  static func key(_ firstWord: UInt64, bits: Int) -> Int {
    Int(truncatingIfNeeded: firstWord & ((1 << UInt64(bits)) - 1))
  }
}

/// The keys to look under for one descriptor, the likeliest first.
///
/// A projection close to its threshold may have come out on the other side in another view: the keys are those with
/// the flips of least total difference (after Q. Lv et al., "Multi-probe LSH", VLDB 2007, section 4.4, enumerated among
/// the weakest bits).
struct KeyProbes {
  /// Bits that may flip: of the longest keys more are uncertain.
  private static func weakest(of bits: Int) -> Int { min(bits, bits < FeatureKey.bitsOfThousands ? 7 : 9) }
  /// The most keys of a descriptor.
  private static let most = 64

  private(set) var count = 0
  let keys: UnsafeMutablePointer<Int32>
  private let costs: UnsafeMutablePointer<Int32>

  init() {
    keys = .allocate(capacity: Self.most)
    costs = .allocate(capacity: Self.most)
  }

  func deallocate() {
    keys.deallocate()
    costs.deallocate()
  }

  /// Finds the `wanted` likeliest keys, at most 64.
  mutating func fill(firstWord: UInt64, margins: UnsafePointer<Int16>, bits: Int, wanted: Int) {
    let weakest = Self.weakest(of: bits)
    let base = Int32(truncatingIfNeeded: FeatureKey.key(firstWord, bits: bits))
    // The weakest bits, by insertion.
    var bit = InlineArray<9, Int32>(repeating: 0)
    var cost = InlineArray<9, Int32>(repeating: Int32.max)
    for b in 0..<bits {
      let m = Int32(margins[b])
      let c = m > 0 ? 2 * m - 1 : -2 * m
      guard c < cost[weakest - 1] else { continue }
      var i = weakest - 1
      while i > 0, cost[i - 1] > c {
        cost[i] = cost[i - 1]
        bit[i] = bit[i - 1]
        i -= 1
      }
      cost[i] = c
      bit[i] = Int32(b)
    }
    // Subsets in order of cost: those sums are kept sorted while bit after bit is added, cut at `wanted`.
    keys[0] = base
    costs[0] = 0
    count = 1
    for i in 0..<weakest {
      let flip = Int32(1) << bit[i]
      let added = cost[i]
      if count == wanted, added >= costs[count - 1] { break }
      let old = count
      // Merge the list with itself plus this bit, from the end of a doubled scratch.
      var a = 0
      var b = 0
      var n = 0
      withUnsafeTemporaryAllocation(of: Int64.self, capacity: Self.most) { merged in
        while n < wanted, a < old || b < old {
          let ca = a < old ? costs[a] : Int32.max
          let cb = b < old ? costs[b] &+ added : Int32.max
          if ca <= cb {
            merged[n] = Int64(ca) << 32 | Int64(keys[a])
            a += 1
          } else {
            merged[n] = Int64(cb) << 32 | Int64(keys[b] ^ flip)
            b += 1
          }
          n += 1
        }
        for k in 0..<n {
          keys[k] = Int32(truncatingIfNeeded: merged[k] & 0xffff_ffff)
          costs[k] = Int32(truncatingIfNeeded: merged[k] >> 32)
        }
      }
      count = n
    }
  }
}
