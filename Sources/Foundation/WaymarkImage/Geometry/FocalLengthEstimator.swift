/// Estimates the focal length of a camera from flat objects of known proportions, seen at several tilts.
///
/// The method is Z. Zhang's ("A flexible new technique for camera calibration", PAMI 22 (2000)) with one unknown: it assumes square
/// pixels, a principal point in the middle of the frame and no distortion. A view is a homography. For each focal length of a fixed
/// grid, the reprojection error of the view's best pose is added to a sum, so that views need not be stored. The estimate is the
/// minimum of the sums; the curvature at the minimum gives its standard deviation.
package struct FocalLengthEstimator: Sendable {
  package struct Estimate: Hashable, Sendable {
    /// The focal length, in pixels.
    package var focal: Double
    /// The standard deviation, as a fraction of `focal`.
    package var deviation: Double
    /// The number of views used.
    package var views: Int

    package init(focal: Double, deviation: Double, views: Int) {
      (self.focal, self.deviation, self.views) = (focal, deviation, views)
    }
  }

  /// The greatest number of views, misfits included: more would not improve the estimate.
  package static let limit = 96
  /// The least number of views for an estimate.
  private static let least = 8
  /// The focal lengths of the grid, as multiples of the frame's longer side: from a field of view of 103° to 14°.
  private static let range = 0.4...4.0
  private static let count = 49
  /// The least tilt of a view, in radians. It is required because an object parallel to the frame looks the same at every focal
  /// length.
  private static let leastTilt = 0.2
  /// The least difference in tilt between two views, in radians, so that a view at rest is not added repeatedly.
  private static let leastTurn = 0.06
  /// A limit in squared standard deviations. A view whose least error is larger is a misfit, and a view adds at most this much to
  /// the sum of a focal length, so that an object with wrong proportions cannot decide the estimate.
  private static let worst = 9.0

  /// The width of the frames, in pixels.
  package let width: Int
  /// The height of the frames, in pixels.
  package let height: Int
  private var costs = [Double](repeating: 0, count: count)
  private var tilts: [Point2] = []
  /// The number of views that fit no focal length: the object has other proportions than its picture, or is not flat.
  private var misfits = 0

  /// Creates an estimator for frames of `width` × `height` pixels.
  package init(width: Int, height: Int) {
    (self.width, self.height) = (width, height)
  }

  /// The number of views used so far.
  package var views: Int { tilts.count - misfits }

  /// Returns the camera at an index of the grid. Each focal length is 5 % longer than the one before.
  private func camera(_ place: Double) -> CameraIntrinsics {
    let span = Self.range.upperBound / Self.range.lowerBound
    let share = Self.range.lowerBound * Double.power(span, place / Double(Self.count - 1))
    return CameraIntrinsics(estimatedFor: width, height, focal: share * Double(max(width, height)))
  }

  /// Adds a view if it is tilted, differs from the earlier views and fits some focal length.
  ///
  /// - Parameters:
  ///   - homography: the map from pixels of the object's picture to pixels of the frame.
  ///   - size: the size of the picture, in pixels; only the proportions matter.
  /// - Returns: true if the view was added.
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
    // A standard deviation of 1 pixel in a frame 640 wide: corners are located more exactly, but paper is not quite flat and lenses
    // distort.
    let noise = Double(max(width, height)) / 640
    var errors = [Double](repeating: 0, count: Self.count)
    for place in 0..<Self.count {
      guard let fit = pose(homography, size, Double(place)) else { return false }
      // A homography carries the information of four corners.
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
    // The physical width is arbitrary: the scale does not change the error.
    PlanePoseSolver.solve(
      homography: homography, width: Int(size.x.rounded()), height: Int(size.y.rounded()), physicalWidth: 1,
      intrinsics: camera(place))?.best
  }

  /// Returns the tilt of a plane against the frame: a vector in the direction of the tilt whose length is the angle in radians.
  private static func tilt(_ pose: PlanePose) -> Point2 {
    let normal = pose.rotation.z
    let across = Point2(normal.x, normal.y)
    guard across.length > 1e-9 else { return .zero }
    return across / across.length * Double.arcTangent(y: across.length, x: abs(normal.z))
  }

  /// The estimate so far; `nil` while there are too few views, too many misfits, or the minimum is at an end of the grid.
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
