/// How an anchor is looked for in the next frame, and what is taken for it.
package struct TrackingOptions: Sendable {
  /// How far the anchor may be from the expected place, in pixels of the frame, at first and in the second attempt.
  package var radius = 20.0
  let wideRadius = 44.0
  /// The least score to go on, and the least share of the patches in view that must agree.
  package var minimumScore = 0.6
  var minimumShare = 0.3
  /// True if a picture that repeats itself is compared with itself a step aside.
  var comparesSteps = true
  /// The fewest patches that must agree.
  package var minimumInliers = 6
  package init() {}

  /// Returns whether an alignment is taken for the anchor.
  ///
  /// - Parameter isRigid: bars lie along one line, and keep their shape.
  func accept(_ result: PatchAligner.Result, of template: AnchorTemplate, isRigid: Bool = false) -> Bool {
    result.score >= minimumScore && result.share >= minimumShare && result.inliers >= minimumInliers
      && (isRigid || result.determines(template))
      && result.map.outline(width: template.width, height: template.height) != nil
  }
}
