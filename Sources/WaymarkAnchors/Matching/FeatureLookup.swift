import CKernels

/// Looks the features of a frame up in the index of a library.
///
/// Every feature is compared with those under its own key and under the keys that it would have if its least certain bits
/// had come out the other way; the nearest of up to three different anchors are kept. Matches come out nearest first.
final class FeatureLookup {
  struct Settings {
    /// Keys looked under for each feature. 28 found no more among a thousand anchors and took an eighth more time.
    var probes = 20
    /// The greatest Hamming distance of a match.
    var distance = 64
    /// Of how many different anchors the nearest match is kept, at most eight.
    var kept = 3
    /// How much farther than the nearest another anchor's match may be.
    var slack = 14
  }

  private let settings: Settings
  private let library: AnchorLibrary
  private var probes: KeyProbes
  private var ahead: KeyProbes
  private let capacity = 1024
  private let places: UnsafeMutablePointer<UInt32>
  private let distances: UnsafeMutablePointer<UInt16>
  private let unordered: UnsafeMutablePointer<FeatureMatch>
  /// The matches of the last frame, nearest first.
  let matches: UnsafeMutablePointer<FeatureMatch>
  private(set) var count = 0
  /// The most matches of a frame.
  let limit: Int
  private let kept: Int
  private let probed: Int

  init(library: AnchorLibrary, features: Int, settings: Settings = Settings()) {
    self.settings = settings
    self.library = library
    kept = max(1, min(8, settings.kept))
    probed = settings.probes
    limit = kept * features
    probes = KeyProbes(capacity: probed)
    ahead = KeyProbes(capacity: probed)
    places = .allocate(capacity: capacity)
    distances = .allocate(capacity: capacity)
    unordered = .allocate(capacity: limit)
    matches = .allocate(capacity: limit)
  }

  deinit {
    probes.deallocate()
    ahead.deallocate()
    places.deallocate()
    distances.deallocate()
    unordered.deallocate()
    matches.deallocate()
  }

  /// Fills `matches` for the features of a frame.
  func run(_ features: FeatureSet) {
    count = 0
    guard library.featureCount > 0 else { return }
    let (starts, descriptors, records) = (library.keyStarts, library.descriptors, library.features)
    prepare(&ahead, features, 0)
    for q in 0..<features.count {
      swap(&probes, &ahead)
      if q + 1 < features.count { prepare(&ahead, features, q + 1) }
      let found = Int(
        ck_probe(
          features.descriptor(q), probes.keys, Int32(probes.count), starts, descriptors, Int32(settings.distance),
          places, distances, Int32(capacity)))
      keepNearest(found, query: q, records)
    }
    sort()
  }

  private func prepare(_ probes: inout KeyProbes, _ features: FeatureSet, _ q: Int) {
    guard q < features.count else { return }
    probes.fill(
      firstWord: features.descriptor(q)[0], margins: features.margins + q * FeatureSet.marginCount,
      bits: library.keyBits, wanted: probed)
    ck_prefetch(probes.keys, Int32(probes.count), library.keyStarts, library.descriptors)
  }

  private func keepNearest(_ found: Int, query: Int, _ records: UnsafePointer<AnchorFeature>) {
    guard found > 0 else { return }
    // The nearest of different anchors, by insertion.
    var best = InlineArray<8, FeatureMatch>(repeating: .none)
    let last = kept - 1
    for i in 0..<found {
      let distance = distances[i]
      guard distance < best[last].distance else { continue }
      let anchor = records[Int(places[i])].anchor
      var at = 0
      while at < last, best[at].distance != .max, best[at].anchor != anchor { at += 1 }
      if best[at].anchor == anchor, best[at].distance <= distance { continue }
      while at > 0, best[at - 1].distance > distance {
        best[at] = best[at - 1]
        at -= 1
      }
      best[at] = FeatureMatch(query: Int32(query), place: places[i], anchor: anchor, distance: distance)
    }
    let limit = Int(best[0].distance) + settings.slack
    for i in 0..<kept { keep(best[i], limit) }
  }

  @inline(__always)
  private func keep(_ match: FeatureMatch, _ greatest: Int) {
    guard match.distance != .max, Int(match.distance) <= greatest, count < limit else { return }
    unordered[count] = match
    count += 1
  }

  private func sort() {
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

extension FeatureMatch {
  fileprivate static let none = FeatureMatch(query: -1, place: 0, anchor: .max, distance: .max)
}
