/// The focal length of a camera from flat things of known proportions that it sees under several tilts.
///
/// Zhang's constraints on one unknown (Z. Zhang, "A flexible new technique for camera calibration", PAMI 22 (2000)): square pixels and a
/// principal point in the middle of the frame are assumed, and no distortion. A view is a homography. It fits some focal lengths better
/// than others, by the reprojection error of its best pose. The errors of all views are added up on a fixed row of focal lengths, so that
/// a view costs its poses once and no memory; the least sum tells the focal length, and its curvature how far that may be off.
package struct FocalLengthEstimator: Sendable {
  /// The result.
  package struct Estimate: Hashable, Sendable {
    /// In pixels.
    package var focal: Double
    /// The standard deviation, as a share of `focal`.
    package var deviation: Double
    /// The number of views that it comes from.
    package var views: Int

    package init(focal: Double, deviation: Double, views: Int) {
      (self.focal, self.deviation, self.views) = (focal, deviation, views)
    }
  }

  /// How many views are looked at in full at most: more of them tell nothing new.
  package static let limit = 96
  /// With fewer views nothing is told, whatever they say.
  private static let least = 8
  /// From a field of view of 103° across the longer side to one of 14°.
  private static let range = 0.4...4.0
  private static let count = 49
  /// Radians: what lies flatter before the camera looks the same through any lens.
  private static let leastTilt = 0.2
  /// Radians between two views: nearly the same view again has nearly the same errors.
  private static let leastTurn = 0.06
  /// The least error of a view that counts, and what it may say against a focal length at most, in squared deviations: one with a
  /// wrong picture of its proportions must not decide.
  private static let worst = 9.0

  /// The width of the frames, in pixels.
  package let width: Int
  /// The height of the frames, in pixels.
  package let height: Int
  private var costs = [Double](repeating: 0, count: count)
  private var tilts: [Point2] = []
  /// Views that fit no focal length: something has other proportions than its picture, or is not flat.
  private var misfits = 0

  /// An estimator for frames of a size.
  package init(width: Int, height: Int) {
    (self.width, self.height) = (width, height)
  }

  /// How many views count so far.
  package var views: Int { tilts.count - misfits }

  /// Each a twentieth longer than the last.
  private func camera(_ place: Double) -> CameraIntrinsics {
    let span = Self.range.upperBound / Self.range.lowerBound
    let share = Self.range.lowerBound * Double.power(span, place / Double(Self.count - 1))
    return CameraIntrinsics(estimatedFor: width, height, focal: share * Double(max(width, height)))
  }

  /// Takes a view, where it is tilted, unlike those before, and fits some focal length.
  ///
  /// - Parameters:
  ///   - homography: pixels of the thing's picture → pixels of the frame.
  ///   - size: of the picture, in pixels; only its proportions count.
  /// - Returns: whether it counts.
  @discardableResult
  package mutating func add(_ homography: Homography, size: Point2) -> Bool {
    guard tilts.count < Self.limit, size.x >= 1, size.y >= 1,
      homography.apply(Quadrilateral(width: size.x, height: size.y)).isPlausible(),
      let usual = pose(homography, size, Double(Self.count) / 3)
    else { return false }
    let tilt = Self.tilt(usual.pose)
    guard tilt.length >= Self.leastTilt, !tilts.contains(where: { $0.distance(to: tilt) < Self.leastTurn }) else {
      return false
    }
    // A pixel of a frame of 640: corners are placed better than that, but paper is not flat and lenses are not free of distortion.
    let noise = Double(max(width, height)) / 640
    var errors = [Double](repeating: 0, count: Self.count)
    for place in 0..<Self.count {
      guard let fit = pose(homography, size, Double(place)) else { return false }
      // Four corners stand for what a homography knows.
      errors[place] = 4 * fit.error * fit.error / (noise * noise)
    }
    tilts.append(tilt)
    guard let least = errors.min(), least <= Self.worst else {
      misfits += 1
      return false
    }
    for place in 0..<Self.count { costs[place] += min(errors[place] - least, Self.worst) }
    return true
  }

  private func pose(_ homography: Homography, _ size: Point2, _ place: Double) -> PlanePoseSolver.Solution? {
    // In metres it may be of any size.
    PlanePoseSolver.solve(
      homography: homography, width: Int(size.x.rounded()), height: Int(size.y.rounded()), physicalWidth: 1,
      intrinsics: camera(place))?.best
  }

  /// The direction and the angle in which a plane leans away from the plane of the frame, in radians.
  private static func tilt(_ pose: PlanePose) -> Point2 {
    let normal = pose.rotation.z
    let across = Point2(normal.x, normal.y)
    guard across.length > 1e-9 else { return .zero }
    return across / across.length * Double.arcTangent(y: across.length, x: abs(normal.z))
  }

  /// The focal length so far; `nil` while too few views speak for one within the row, or too many for none.
  package var estimate: Estimate? {
    guard views >= Self.least, misfits * 4 <= views, let best = costs.indices.min(by: { costs[$0] < costs[$1] }),
      best > 0, best < Self.count - 1
    else { return nil }
    let (before, here, after) = (costs[best - 1], costs[best], costs[best + 1])
    let bend = before - 2 * here + after
    guard bend > 0 else { return nil }
    let step =
      Double.naturalLogarithm(Self.range.upperBound / Self.range.lowerBound) / Double(Self.count - 1)
    return Estimate(
      focal: camera(Double(best) + 0.5 * (before - after) / bend).focal.x, deviation: step * (2 / bend).squareRoot(),
      views: views)
  }
}
