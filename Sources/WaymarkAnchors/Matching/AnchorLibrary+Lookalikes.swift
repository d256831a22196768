import WaymarkImage

extension AnchorLibrary {
  /// Pairs of anchors of which the first, one of `names`, is found in the picture of the other.
  package func lookalikes(of names: [String]) -> [(String, String)] {
    guard !names.isEmpty else { return [] }
    let wanted = Set(names)
    let detector = AnchorDetector(library: self)
    detector.allowsOverlaps = true
    // Pictures are compared as they are printed.
    detector.takesAllFlat = true
    var pairs: [(String, String)] = []
    var seen = Set<Set<String>>()
    for r in references {
      guard let picture = r.image else { continue }
      let detections = picture.withView { detector.detect($0) }
      for c in detections {
        let other = references[c.anchor].name
        guard other != r.name, wanted.contains(other) || wanted.contains(r.name), seen.insert([other, r.name]).inserted
        else { continue }
        pairs.append(wanted.contains(r.name) ? (r.name, other) : (other, r.name))
      }
    }
    return pairs
  }
}
