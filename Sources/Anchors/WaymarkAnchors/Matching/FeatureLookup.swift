import CKernels

/// Looks up the features of a frame in the index of a library.
///
/// `KeyProbes` below returns the keys to look up for a feature, the likeliest first; `FeatureMatch` is a result.
///
/// Every feature is compared with the library's features under its own key and under the keys with its least certain bits flipped;
/// the nearest matches of a few different anchors are kept. The lookups are sorted by key, so that the index is read once from
/// beginning to end; in the order of the features, most of the time would be spent waiting for memory.
final class FeatureLookup {
  /// The extent of a lookup: the numbers of keys and of matches for each feature.
  struct Effort: Sendable {
    /// The number of keys looked up for each feature, the likeliest first.
    var probes: Int
    /// The number of different anchors whose nearest match is kept for each feature, at most six.
    var kept: Int

    /// The first look in small libraries. Twenty keys would not find more of the anchors that fill a fair part of the frame.
    static let quick = Self(probes: 12, kept: 3)
    /// The first look in libraries of hundreds of anchors. With more anchors, a feature more often resembles a feature of an anchor
    /// outside the frame, so one match more is kept.
    static let quickOfMany = Self(probes: 10, kept: 4)
    /// The first look in libraries of thousands of anchors. Fewer keys are looked up, because most of the time is spent reading
    /// memory and a thorough look follows.
    static let quickOfThousands = Self(probes: 8, kept: 6)
    /// The thorough look, for frames in which the first look found nothing. Its `kept` must equal that of the first look.
    static let thoroughOfMany = Self(probes: 32, kept: 4)
    static let thoroughOfThousands = Self(probes: 40, kept: 6)
    /// The look at double size in small libraries: a small picture has few features, and each is needed.
    static let enlarged = Self(probes: 20, kept: 3)
    /// The look at double size in libraries of thousands of anchors.
    static let enlargedOfThousands = Self(probes: 4, kept: 6)
  }

  /// The greatest Hamming distance of a match, of 256 bits.
  static let distance = 66
  /// The largest difference in Hamming distance between a feature's nearest match and its other matches.
  static let slack = 14

  private let memory = ScratchMemory()
  private let index: LibraryIndex
  private var probes = KeyProbes()
  /// The keys to look up, feature by feature.
  private let keys: UnsafeMutablePointer<Int32>
  /// The number of keys to look up for each feature.
  private let counts: UnsafeMutablePointer<Int32>
  /// The keys of all features in sorted order; `waiting` has the feature of each.
  private let asked: UnsafeMutablePointer<Int32>
  private let waiting: UnsafeMutablePointer<UInt16>
  /// The number of low bits of a key that sorting ignores: keys that differ only in them are less than a page of memory apart.
  private let shortened: Int
  /// For each value of the high bits that sort the keys, the end index of its keys in `asked`.
  private let ends: UnsafeMutablePointer<Int32>
  /// The nearest matches of each feature so far, `Effort.kept` each.
  private let nearest: UnsafeMutablePointer<FeatureMatch>
  /// The pending matches, whose anchors are not read yet, in the order found.
  private let found: UnsafeMutablePointer<FeatureMatch>
  private var foundCount = 0
  private let places: UnsafeMutablePointer<UInt32>
  private let distances: UnsafeMutablePointer<UInt16>
  private let unordered: UnsafeMutablePointer<FeatureMatch>
  /// The matches of the last frame, nearest first.
  let matches: UnsafeMutablePointer<FeatureMatch>
  private(set) var count = 0
  /// The most matches of a frame: six for each feature.
  let limit: Int
  private let capacity: Int
  private static let mostKept = 6
  /// Descriptors are prefetched this many keys ahead of their use, start indices twice as far ahead.
  private static let ahead = 12
  /// The number of pending matches at which their anchors are read, and the number that stay pending afterwards, because they were
  /// prefetched only just before.
  private static let waitingMatches = (most: 64, last: 12)
  /// The number of descriptors compared in one call.
  private static let stretch = 256

  /// - Parameters:
  ///   - library: The library to look in.
  ///   - features: The most features of a frame, at most 65,535.
  ///   - orderedBits: The number of high bits of a key that sort the lookups.
  init(library: AnchorLibrary, features: Int, orderedBits: Int = 16) {
    index = library.index
    capacity = min(features, Int(UInt16.max))
    limit = Self.mostKept * capacity
    let most = Effort.thoroughOfThousands.probes
    keys = memory.allocate(most * capacity)
    waiting = memory.allocate(most * capacity)
    asked = memory.allocate(most * capacity)
    shortened = max(0, index.keyBits - orderedBits)
    counts = memory.allocate(capacity)
    ends = memory.allocate(1 << (index.keyBits - shortened) + 1)
    nearest = memory.allocate(limit)
    found = memory.allocate(Self.waitingMatches.most + Self.stretch)
    places = memory.allocate(Self.stretch)
    distances = memory.allocate(Self.stretch)
    unordered = memory.allocate(limit)
    matches = memory.allocate(limit)
  }

  /// True if the library has about two hundred anchors or more. Then a second look with more keys and hypotheses finds anchors that
  /// the first look missed. In smaller libraries the first keys miss few features, and a second look would double the time of every
  /// frame without an anchor.
  var isOfHundreds: Bool { index.keyBits >= 14 }

  /// True if the library has about 3,500 anchors or more.
  private var isOfThousands: Bool { index.keyBits >= FeatureKey.bitsOfThousands }

  /// The extent of the first look for a library of this size.
  var quickEffort: Effort {
    isOfThousands ? .quickOfThousands : isOfHundreds ? .quickOfMany : .quick
  }

  /// The extent of the look that follows if the first look found nothing.
  var thoroughEffort: Effort { isOfThousands ? .thoroughOfThousands : .thoroughOfMany }

  /// The extent of the look at double size for a library of this size.
  var enlargedEffort: Effort { isOfThousands ? .enlargedOfThousands : isOfHundreds ? .quickOfMany : .enlarged }

  /// Fills `matches` for the features of a frame.
  ///
  /// - Parameter known: The number of keys per feature that an earlier run with the same features and the same `kept` has looked
  ///   up. Only further keys are looked up, and their matches are added.
  func run(_ features: FeatureSet, _ effort: Effort = .quick, beyond known: Int = 0) {
    count = 0
    let n = min(features.count, capacity)
    guard index.featureCount > 0, n > 0 else { return }
    let pairs = sortByKey(features, n, effort, beyond: known)
    if known == 0 {
      nearest.update(
        repeating: FeatureMatch(query: -1, place: 0, anchor: .max, distance: UInt16(Self.distance + 1)),
        count: n * effort.kept)
    }
    compare(features, pairs, kept: effort.kept)
    collect(n, kept: effort.kept)
    sortByDistance()
  }

  /// Fills `asked` with the sorted keys and `waiting` with their features, and returns the number of keys.
  private func sortByKey(_ features: FeatureSet, _ n: Int, _ effort: Effort, beyond known: Int) -> Int {
    let bits = index.keyBits
    let places = 1 << (bits - shortened)
    ends.update(repeating: 0, count: places + 1)
    var pairs = 0
    for q in 0..<n {
      probes.fill(
        firstWord: features.descriptor(q)[0], margins: features.margins + q * FeatureSet.marginCount, bits: bits,
        wanted: effort.probes)
      let first = min(known, probes.count)
      counts[q] = Int32(truncatingIfNeeded: probes.count - first)
      for i in first..<probes.count {
        let key = probes.keys[i]
        keys[pairs] = key
        ends[Int(key) >> shortened + 1] &+= 1
        pairs += 1
      }
    }
    for place in 0..<places { ends[place + 1] &+= ends[place] }
    var pair = 0
    for q in 0..<n {
      for _ in 0..<counts[q] {
        let key = keys[pair]
        let at = Int(ends[Int(key) >> shortened])
        asked[at] = key
        waiting[at] = UInt16(truncatingIfNeeded: q)
        ends[Int(key) >> shortened] &+= 1
        pair += 1
      }
    }
    return pairs
  }

  /// Fills `nearest` with the best matches of each feature.
  private func compare(_ features: FeatureSet, _ pairs: Int, kept: Int) {
    let starts = index.keyStarts
    var fetched: Int32 = -1
    for i in 0..<pairs {
      let next = i + Self.ahead
      if next + Self.ahead < pairs { ck_prefetch(starts + Int(asked[next + Self.ahead]), 1) }
      if next < pairs, asked[next] != fetched {
        fetched = asked[next]
        fetch(Int(fetched))
      }
      let key = Int(asked[i])
      compare(features, Int(waiting[i]), with: Int(starts[key])..<Int(starts[key + 1]), kept: kept)
    }
    keep(all: true, kept: kept)
  }

  /// Compares a feature with a range of the library's features.
  @inline(__always)
  private func compare(_ features: FeatureSet, _ q: Int, with range: Range<Int>, kept: Int) {
    let (descriptors, records) = (index.descriptors, index.features)
    let last = nearest + q * kept + kept - 1
    var start = range.lowerBound
    while start < range.upperBound {
      let stretch = min(Self.stretch, range.upperBound - start)
      // A candidate that is not nearer than the last kept match is skipped.
      let near = ck_near(
        features.descriptor(q), descriptors + 4 * start, Int32(truncatingIfNeeded: stretch),
        Int32(last.pointee.distance) - 1, places, distances)
      for k in 0..<Int(near) {
        let place = start + Int(places[k])
        ck_prefetch(records + place, 1)
        found[foundCount] = FeatureMatch(
          query: Int32(truncatingIfNeeded: q), place: UInt32(truncatingIfNeeded: place), anchor: .max,
          distance: distances[k])
        foundCount += 1
      }
      if foundCount >= Self.waitingMatches.most { keep(all: false, kept: kept) }
      start += stretch
    }
  }

  /// Moves the pending matches to `nearest`: all of them, or all but the last `waitingMatches.last`.
  private func keep(all: Bool, kept: Int) {
    let records = index.features
    let n = all ? foundCount : foundCount - Self.waitingMatches.last
    for i in 0..<n {
      var match = found[i]
      match.anchor = records[Int(match.place)].anchor
      Self.insert(match, into: nearest + Int(match.query) * kept, kept: kept)
    }
    found.update(from: found + n, count: foundCount - n)
    foundCount -= n
  }

  /// Prefetches the descriptors under a key.
  private func fetch(_ key: Int) {
    let (start, end) = (Int(index.keyStarts[key]), Int(index.keyStarts[key + 1]))
    ck_prefetch(index.descriptors + 4 * start, 32 * min(end - start, 32))
  }

  /// Inserts a match into the nearest matches of different anchors.
  @inline(__always)
  private static func insert(_ match: FeatureMatch, into best: UnsafeMutablePointer<FeatureMatch>, kept: Int) {
    var at = 0
    while at < kept - 1, best[at].query >= 0, best[at].anchor != match.anchor { at += 1 }
    guard match.distance < best[at].distance else { return }
    while at > 0, best[at - 1].distance > match.distance {
      best[at] = best[at - 1]
      at -= 1
    }
    best[at] = match
  }

  private func collect(_ n: Int, kept: Int) {
    for q in 0..<n {
      let best = nearest + q * kept
      guard best[0].query >= 0 else { continue }
      let greatest = Int(best[0].distance) + Self.slack
      for i in 0..<kept where best[i].query >= 0 && Int(best[i].distance) <= greatest {
        unordered[count] = best[i]
        count += 1
      }
    }
  }

  private func sortByDistance() {
    var start = InlineArray<257, Int32>(repeating: 0)
    for i in 0..<count { start[Int(unordered[i].distance) + 1] += 1 }
    for i in 1..<257 { start[i] += start[i - 1] }
    for i in 0..<count {
      let d = Int(unordered[i].distance)
      matches[Int(start[d])] = unordered[i]
      start[d] += 1
    }
  }
}

/// The keys to look up for one descriptor, the likeliest first.
///
/// A projection close to its threshold may have the opposite sign in another view. So the keys with the cheapest flips are looked
/// up (after Q. Lv et al., "Multi-probe LSH", VLDB 2007, section 4.4, enumerated among the weakest bits).
struct KeyProbes {
  /// Returns the number of bits that may be flipped; the longest keys have more uncertain bits.
  private static func weakest(of bits: Int) -> Int { min(bits, bits < FeatureKey.bitsOfThousands ? 7 : 9) }
  /// The most keys that are enumerated for a descriptor.
  private static let most = 64

  private let memory = ScratchMemory()
  private(set) var count = 0
  let keys: UnsafeMutablePointer<Int32>
  private let costs: UnsafeMutablePointer<Int32>

  init() {
    keys = memory.allocate(Self.most)
    costs = memory.allocate(Self.most)
  }

  /// Finds the `wanted` likeliest keys, at most 64.
  ///
  /// - Parameters:
  ///   - firstWord: The first 64 bits of the descriptor.
  ///   - margins: The distance of each leading bit's projection from its threshold, which is the cost of flipping the bit.
  ///   - bits: The length of a key.
  mutating func fill(firstWord: UInt64, margins: UnsafePointer<Int16>, bits: Int, wanted: Int) {
    let weakest = Self.weakest(of: bits)
    let base = Int32(truncatingIfNeeded: FeatureKey.key(firstWord, bits: bits))
    // The weakest bits, by insertion sort.
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
    // All subsets in order of cost: the sorted list of sums is extended by bit after bit and cut at `wanted`.
    keys[0] = base
    costs[0] = 0
    count = 1
    for i in 0..<weakest {
      let flip = Int32(1) << bit[i]
      let added = cost[i]
      if count == wanted, added >= costs[count - 1] { break }
      let old = count
      // Merges the list with a copy of itself in which this bit is also flipped.
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

/// A feature of the frame and the feature of the library that it resembles.
struct FeatureMatch {
  /// The index of the feature in the frame; −1 for an empty entry.
  var query: Int32
  /// The position of the feature in the library's index.
  var place: UInt32
  var anchor: UInt16
  /// The Hamming distance of the descriptors.
  var distance: UInt16
}
