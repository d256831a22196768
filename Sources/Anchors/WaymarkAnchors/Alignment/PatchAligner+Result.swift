package import WaymarkImage

extension PatchAligner {
  /// Where the alignment ended.
  package struct Result: Sendable {
    /// Reference → frame.
    package var map: SurfaceMap
    /// How alike reference and frame are, 0…1: the mean of the better half of the patches' correlations.
    package var score: Double
    /// The share of the patches in view that correlate and agree with the map.
    package var share: Double
    /// How many patches were in view, and how many agree.
    var patches: Int
    package var inliers: Int
    /// Root of the weighted mean squared shift that is left in the agreeing patches, in pixels.
    package var residual: Double
    /// How far the agreeing patches are spread, in pixels of the reference: the smaller one of the two standard deviations of their places.
    package var spread: Double
    /// The mean share that the frame's contrast is of the reference's, in the agreeing patches.
    package var gain: Double

    /// Returns whether what agrees tells where the whole reference is: how far a map errs grows with the square of the distance from what determined it,
    /// and a frame that shows nothing but a label on the wall of a photograph says little of its corners. So the patches' deviation is at least
    /// a twentieth of half the reference's size, which a twelfth of it in sight has, evenly textured.
    func determines(_ template: AnchorTemplate) -> Bool {
      map.cylinder != nil || 40 * spread >= Double(template.width * template.height).squareRoot()
    }

    /// Reference → frame, as `SurfaceMap.homography`.
    package var homography: Homography { map.homography }
  }
}
