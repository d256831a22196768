import WaymarkImage

extension AnchorLibrary {
  /// The pairs of anchors that look alike, by their names.
  package var lookalikes: [Lookalikes] {
    var pairs: [Lookalikes] = []
    for twin in twins.joined() where twin.first < twin.second {
      guard let back = twin.map.inverse, let difference = difference(of: twin),
        let reverse = self.difference(of: AnchorTwin(first: twin.second, second: twin.first, map: back))
      else { continue }
      pairs.append(
        Lookalikes(
          first: references[twin.first].name, second: references[twin.second].name, difference: difference,
          reverse: reverse))
    }
    return pairs
  }

  private func difference(of twin: AnchorTwin) -> TwinDifference? {
    guard let one = references[twin.first].image, let other = references[twin.second].image,
      let back = twin.map.inverse
    else { return nil }
    let pyramid = GrayPyramid()
    one.withView { pyramid.update($0, levels: 7) }
    let evidence = TwinComparison().compare(
      (AnchorTemplate(one), .plane(.identity)), (AnchorTemplate(other), .plane(back)), in: pyramid, octave: 0)
    return TwinDifference(evidence, width: one.width, height: one.height)
  }
}

extension AnchorTwin {
  /// Pairs of anchors of which the first is found in the picture of the second.
  static func pairs(in library: AnchorLibrary) -> [AnchorTwin] {
    let detector = AnchorDetector(library: library)
    detector.allowsOverlaps = true
    // Pictures are compared as they are printed.
    detector.takesAllFlat = true
    var twins: [AnchorTwin] = []
    var seen = Set<Set<Int>>()
    for (index, r) in library.references.enumerated() {
      guard let picture = r.image else { continue }
      for claim in picture.withView({ detector.detect($0) })
      where claim.anchor != index && seen.insert([claim.anchor, index]).inserted {
        twins.append(AnchorTwin(first: claim.anchor, second: index, map: claim.homography))
      }
    }
    return twins
  }
}

/// Two anchors that look alike.
package struct Lookalikes: Hashable, Sendable {
  package var first: String
  package var second: String
  /// The part in which they differ, in the first one's picture and in the second one's.
  package var difference: TwinDifference
  package var reverse: TwinDifference
}

/// The part in which two pictures that look alike differ.
package struct TwinDifference: Hashable, Sendable {
  /// The share of the structure that differs, 0…1.
  package var share: Double
  /// The least rectangle around it, in shares of the first picture's width and height: left, top, right, bottom.
  package var part: [Double]

  init(_ evidence: TwinComparison.TwinEvidence, width: Int, height: Int) {
    share = evidence.share
    let (w, h) = (Double(width), Double(height))
    part =
      evidence.squares == 0
      ? [] : [evidence.low.x / w, evidence.low.y / h, evidence.high.x / w, evidence.high.y / h]
  }

  /// The difference in words.
  package var text: String {
    func percent(_ x: Double) -> Int { Int((100 * x).rounded()) }
    guard part.count == 4 else { return "they do not differ" }
    return
      "they differ in \(percent(share)) % of their detail, from \(percent(part[0])) to \(percent(part[2])) % across "
      + "and from \(percent(part[1])) to \(percent(part[3])) % down"
  }
}
