import CKernels

/// Looks the features of a frame up in the index of a library.
///
/// Every feature is compared with those under its own key and under the keys that it would have if its least certain bits
/// had come out the other way; the nearest of a few different anchors are kept. The features of the frame are put in the
/// order of these keys first, so that the index is gone through once, from its beginning to its end, whatever its size:
/// looking feature after feature up, most of the time would be spent waiting for memory.
final class FeatureLookup {
  /// How far is looked.
  struct Effort: Sendable {
    /// Keys looked under for each feature, the likeliest first.
    var probes: Int
    /// Of how many different anchors the nearest match is kept, at most six.
    var kept: Int

    /// In small libraries. With 20 keys no more of what fills a fair part of the frame is found.
    static let quick = Self(probes: 12, kept: 3)
    /// In libraries that are worth a thorough look: the more anchors, the more often one that is not there is nearer.
    static let quickOfMany = Self(probes: 10, kept: 4)
    /// In libraries of thousands: less, because the memory that is gone through takes the time, and the thorough look has the rest.
    static let quickOfThousands = Self(probes: 8, kept: 6)
    /// For frames in which that found nothing; as many are kept as before.
    static let thoroughOfMany = Self(probes: 32, kept: 4)
    static let thoroughOfThousands = Self(probes: 40, kept: 6)
    /// For such frames at twice their size in small libraries: a small picture has few features, and each counts.
    static let enlarged = Self(probes: 20, kept: 3)
    /// The same in libraries of thousands.
    static let enlargedOfThousands = Self(probes: 4, kept: 6)
  }

  /// The greatest Hamming distance of a match.
  static let distance = 66
  /// How much farther than the nearest another anchor's match may be.
  static let slack = 14

  private let index: LibraryIndex
  private var probes: KeyProbes
  /// The keys that the features look under, one feature's after the other's.
  private let keys: UnsafeMutablePointer<Int32>
  /// How many keys each feature looks under.
  private let counts: UnsafeMutablePointer<Int32>
  /// The keys of all features, put in order, and beside each the feature that looks under it.
  private let asked: UnsafeMutablePointer<Int32>
  private let waiting: UnsafeMutablePointer<UInt16>
  /// By how many bits a key is shortened for putting keys in order: longer ones differ by less than a page of memory.
  private let shortened: Int
  /// Where the keys end that are the same when shortened.
  private let ends: UnsafeMutablePointer<Int32>
  /// The nearest matches of each feature so far, `mostKept` each.
  private let nearest: UnsafeMutablePointer<FeatureMatch>
  /// Matches whose anchors are not read yet, in the order in which they were found.
  private let found: UnsafeMutablePointer<FeatureMatch>
  private var foundCount = 0
  private let places: UnsafeMutablePointer<UInt32>
  private let distances: UnsafeMutablePointer<UInt16>
  private let unordered: UnsafeMutablePointer<FeatureMatch>
  /// The matches of the last frame, nearest first.
  let matches: UnsafeMutablePointer<FeatureMatch>
  private(set) var count = 0
  /// The most matches of a frame.
  let limit: Int
  private let capacity: Int
  private static let mostKept = 6
  /// So many keys ahead of their use descriptors are asked for, and twice as many ahead the places where they start.
  private static let ahead = 12
  /// So many matches wait before their anchors are read, and so many of them still do afterwards: the last ones' memory was just asked for.
  private static let waitingMatches = (most: 64, last: 12)
  /// Descriptors compared in one call.
  private static let stretch = 256

  /// - Parameters:
  ///   - library: the library that is looked in.
  ///   - features: the most features of a frame, at most 65,535.
  ///   - orderedBits: by how many bits of a key the features are put in order.
  init(library: AnchorLibrary, features: Int, orderedBits: Int = 16) {
    index = library.index
    capacity = min(features, Int(UInt16.max))
    limit = Self.mostKept * capacity
    let most = Effort.thoroughOfThousands.probes
    probes = KeyProbes()
    keys = .allocate(capacity: most * capacity)
    waiting = .allocate(capacity: most * capacity)
    asked = .allocate(capacity: most * capacity)
    shortened = max(0, index.keyBits - orderedBits)
    counts = .allocate(capacity: capacity)
    ends = .allocate(capacity: 1 << (index.keyBits - shortened) + 1)
    nearest = .allocate(capacity: limit)
    found = .allocate(capacity: Self.waitingMatches.most + Self.stretch)
    places = .allocate(capacity: Self.stretch)
    distances = .allocate(capacity: Self.stretch)
    unordered = .allocate(capacity: limit)
    matches = .allocate(capacity: limit)
  }

  deinit {
    probes.deallocate()
    keys.deallocate()
    waiting.deallocate()
    asked.deallocate()
    counts.deallocate()
    ends.deallocate()
    nearest.deallocate()
    found.deallocate()
    places.deallocate()
    distances.deallocate()
    unordered.deallocate()
    matches.deallocate()
  }

  /// True if the library has about two hundred anchors and more: then more keys and more hypotheses find what the first look missed. In smaller
  /// ones the features that are missing under the first keys are few, and every frame that shows nothing would pay for the search.
  var isOfHundreds: Bool { index.keyBits >= 14 }

  /// True if the library has thousands of anchors: about 3,500 and more.
  private var isOfThousands: Bool { index.keyBits >= FeatureKey.bitsOfThousands }

  /// The first look for a library of this size.
  var quickEffort: Effort {
    isOfThousands ? .quickOfThousands : isOfHundreds ? .quickOfMany : .quick
  }

  /// The look that goes on where the first one found nothing.
  var thoroughEffort: Effort { isOfThousands ? .thoroughOfThousands : .thoroughOfMany }

  /// The look at the frame at twice its size.
  var enlargedEffort: Effort { isOfThousands ? .enlargedOfThousands : isOfHundreds ? .quickOfMany : .enlarged }

  /// Fills `matches` for the features of a frame.
  ///
  /// - Parameter known: so many keys of each feature were looked under before, with these features and as many kept: only the others
  ///   are, and what they bring is added.
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

  /// Fills `asked` and `waiting`: under which keys which features look. Returns how many they are.
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

  /// Fills `nearest`: the best matches of each feature.
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

  /// Compares a feature with some of the library.
  @inline(__always)
  private func compare(_ features: FeatureSet, _ q: Int, with range: Range<Int>, kept: Int) {
    let (descriptors, records) = (index.descriptors, index.features)
    let last = nearest + q * kept + kept - 1
    var start = range.lowerBound
    while start < range.upperBound {
      let stretch = min(Self.stretch, range.upperBound - start)
      // A candidate that is not nearer than the last one kept changes nothing.
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

  /// Puts what was found among the nearest, all of it or but for the last matches.
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

  /// Asks for the descriptors under a key.
  private func fetch(_ key: Int) {
    let (start, end) = (Int(index.keyStarts[key]), Int(index.keyStarts[key + 1]))
    ck_prefetch(index.descriptors + 4 * start, 32 * min(end - start, 32))
  }

  /// Puts a match among the nearest of different anchors.
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
