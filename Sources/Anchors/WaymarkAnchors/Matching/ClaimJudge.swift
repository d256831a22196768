package import WaymarkImage

/// Judges whether a claim is proven against the pictures that look like its own: those in the library, by the part in which they
/// differ, and others by the part in sight that contradicts it.
///
/// All memory is taken once. To be used from one thread at a time.
package final class ClaimJudge {
  /// The result: which anchor it is, and where.
  package struct Judgement: Sendable {
    package var anchor: Int
    package var map: SurfaceMap
    /// The alignment of the anchor, where it is another one than the claim's.
    package var alignment: PatchAligner.Result?
    /// The anchors that it may be as well.
    package var rivals: [Int] = []
    /// The share of what is in sight that contradicts the anchor.
    var contradiction = 0.0
    /// True if the frame does not prove that it is this anchor and no other picture.
    package var isAmbiguous: Bool { ClaimJudge.isAmbiguous(rivals, contradiction) }
  }

  /// Returns whether rivals, or a share that contradicts, leave it open which picture it is.
  static func isAmbiguous(_ rivals: [Int], _ contradiction: Double) -> Bool {
    !rivals.isEmpty || contradiction > mostContradiction
  }

  /// The lens of the frames; maps are then those without its distortion.
  package var lens: LensMap? {
    didSet { (comparison.lens, meter.lens, aligner.lens) = (lens, lens, lens) }
  }
  /// A right claim stays below it where nothing covers it and little smears the frame; nearly every picture that is another one
  /// in a third of what is in sight does not.
  private static let mostContradiction = 0.1

  private let comparison = TwinComparison()
  private let meter = ContradictionMeter()
  private let aligner = PatchAligner()

  package init() {}

  /// Judges a claim.
  ///
  /// - Parameters:
  ///   - pyramid: of the frame.
  ///   - twins: of the anchors of the library.
  ///   - template: of an anchor.
  package func judge(
    _ anchor: Int, _ map: SurfaceMap, in pyramid: GrayPyramid, twins: [[AnchorTwin]], softness: Double = 0,
    template: (Int) -> AnchorTemplate
  ) -> Judgement {
    var result = Judgement(anchor: anchor, map: map)
    if anchor < twins.count, map.cylinder == nil { settle(&result, pyramid, twins, softness, template) }
    let own = template(result.anchor)
    if let octave = aligner.octaves(own, result.map, pyramid)?.finest {
      result.contradiction = meter.share(own, result.map, in: pyramid, octave: octave, softness: softness)
    }
    return result
  }

  /// Finds which one of the pictures that look alike stands there.
  private func settle(
    _ result: inout Judgement, _ pyramid: GrayPyramid, _ twins: [[AnchorTwin]], _ softness: Double,
    _ template: (Int) -> AnchorTemplate
  ) {
    var beaten: [Int] = []
    var rivals: [Int] = []
    var waiting = twins[result.anchor]
    while let twin = waiting.popLast() {
      guard twin.second != result.anchor, !beaten.contains(twin.second), !rivals.contains(twin.second),
        case .plane(let place) = result.map, let back = twin.map.inverse
      else { continue }
      let own = template(result.anchor)
      let other = template(twin.second)
      guard let octave = aligner.octaves(own, result.map, pyramid)?.finest else { continue }
      let start = SurfaceMap.plane((place * back).normalized)
      // The shared part puts a twin where it would have to stand.
      let alignment = aligner.align(other, from: start, in: pyramid, softness: softness)
      let map = alignment?.map ?? start
      switch comparison.compare((own, result.map), (other, map), in: pyramid, octave: octave, softness: softness)
        .verdict
      {
      case .first: beaten.append(twin.second)
      case .undecided: rivals.append(twin.second)
      case .second:
        // It fits better, but where it stands is not known.
        guard let alignment, alignment.score >= 0.6, alignment.determines(other) else {
          rivals.append(twin.second)
          continue
        }
        beaten.append(result.anchor)
        result.anchor = twin.second
        (result.map, result.alignment) = (alignment.map, alignment)
        // The pictures that could not be told from the first one are compared with the second.
        waiting = twins[twin.second]
        rivals = []
      }
    }
    if rivals.count > 1 { rivals.sort() }
    result.rivals = rivals
  }
}
