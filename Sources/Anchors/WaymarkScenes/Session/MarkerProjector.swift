import WaymarkImage

/// Projects the points of an anchor into a frame.
///
/// Points in the picture's plane are mapped by the homography, which is measured and does not depend on the lens, so that a
/// marker sticks to the print even if the intrinsics are estimated. For points above the plane, the offset from their foot
/// point is added by the pose. Without a physical width, the unit of length is the picture's width and the pose is computed
/// from the homography (Z. Zhang, "A flexible new technique for camera calibration", PAMI 22 (2000), section 3.1).
///
/// On a cylinder, x runs along the curve and y is perpendicular to the surface. The foot point is mapped by the pose of this
/// frame, which was measured with the same lens. Points on the far side are not in sight.
struct MarkerProjector {
  private let sighting: AnchorDetection
  private let intrinsics: CameraIntrinsics
  /// Pixels of the reference per unit of length of the anchor frame.
  private let scale: Double
  private let pose: Pose?
  /// The radius of the cylinder in metres; `nil` if the anchor is flat.
  private let radius: Double?
  /// True if the front of the picture faces the camera.
  let facesCamera: Bool

  /// - Parameters:
  ///   - physicalWidth: The width of the printed picture in metres; `nil` if unknown.
  ///   - radius: The radius in metres of the cylinder round which the picture is wrapped; `nil` if it is flat.
  init(
    _ sighting: AnchorDetection, physicalWidth: Double?, radius: Double? = nil, intrinsics: CameraIntrinsics
  ) {
    self.sighting = sighting
    self.intrinsics = intrinsics
    scale = sighting.referenceSize.x / (physicalWidth ?? 1)
    let metric = physicalWidth == nil ? nil : sighting.pose
    self.radius = metric == nil ? nil : radius
    pose = metric ?? Self.pose(sighting, scale: scale, intrinsics)
    facesCamera = sighting.corners.isConvex && (self.radius != nil || pose?.facesCamera ?? true)
  }

  /// Returns the pixel of a point of the anchor frame and its depth in units of length; `nil` for a point behind the camera or on
  /// the far side of a cylinder.
  func project(_ point: Point3) -> (pixel: Point2, depth: Double?)? {
    if let radius { return project(point, round: radius) }
    let foot = Point2(point.x, point.z) * scale + (sighting.referenceSize - 1) / 2
    // All points in front of the camera have the same sign of the third coordinate as the visible centre of the picture.
    let center = sighting.homography.depth((sighting.referenceSize - 1) / 2)
    guard sighting.homography.depth(foot) * center > 0 else { return nil }
    let base = sighting.homography.apply(foot)
    guard let pose else { return point.y == 0 ? finite(base, nil) : nil }
    guard let top = pose.project(point, intrinsics) else { return nil }
    guard point.y != 0 else { return finite(base, top.depth) }
    guard let bottom = pose.project(Point3(point.x, 0, point.z), intrinsics) else { return nil }
    return finite(base + (top.pixel - bottom.pixel), top.depth)
  }

  /// Returns the pixel and depth of a point on or above a cylinder; `nil` on the far side or behind the camera.
  private func project(_ point: Point3, round radius: Double) -> (pixel: Point2, depth: Double?)? {
    guard let pose else { return nil }
    let angle = point.x / radius
    let (s, c) = (Double.sine(angle), Double.cosine(angle))
    let foot = Point3(radius * s, radius * (c - 1), point.z)
    let normal = Point3(s, c, 0)
    guard (pose.orientation.matrix * normal).dot(pose.apply(foot)) < 0,
      let base = (sighting.rawPose ?? pose).project(foot, intrinsics),
      let top = pose.project(foot + normal * point.y, intrinsics), let bottom = pose.project(foot, intrinsics)
    else { return nil }
    return finite(base.pixel + (top.pixel - bottom.pixel), top.depth)
  }

  private func finite(_ pixel: Point2, _ depth: Double?) -> (pixel: Point2, depth: Double?)? {
    // Coordinates far outside the frame are useless, and sums of them lose precision.
    guard abs(pixel.x) < 1e6, abs(pixel.y) < 1e6 else { return nil }
    return (pixel, depth)
  }

  private static func pose(_ sighting: AnchorDetection, scale: Double, _ intrinsics: CameraIntrinsics) -> Pose? {
    // Anchor plane (x, z) → reference → frame → directions.
    let offset = (sighting.referenceSize - 1) / 2
    let toReference = Homography(
      SIMD3(scale, 0, offset.x), SIMD3(0, scale, offset.y), SIMD3(0, 0, 1))
    let f = intrinsics.focal
    let c = intrinsics.center
    let toDirections = Homography(
      SIMD3(1 / f.x, 0, -c.x / f.x), SIMD3(0, 1 / f.y, -c.y / f.y), SIMD3(0, 0, 1))
    let m = toDirections * sighting.homography * toReference
    var x = Point3(m.row0.x, m.row1.x, m.row2.x)
    var z = Point3(m.row0.y, m.row1.y, m.row2.y)
    var t = Point3(m.row0.z, m.row1.z, m.row2.z)
    let length = (x.length + z.length) / 2 * (t.z < 0 ? -1 : 1)
    guard length.isFinite, abs(length) > 1e-12 else { return nil }
    x /= length
    z /= length
    t /= length
    // The axes are made orthogonal: both turn by half of the difference to a right angle.
    let (sum, difference) = (x / x.length + z / z.length, x / x.length - z / z.length)
    guard sum.length > 1e-6, difference.length > 1e-6 else { return nil }
    x = (sum / sum.length + difference / difference.length) * 0.5.squareRoot()
    z = (sum / sum.length - difference / difference.length) * 0.5.squareRoot()
    let pose = Pose(PlanePose(rotation: Matrix3(columns: x, z, x.cross(z)), translation: t))
    return pose.position.sum().isFinite ? pose : nil
  }
}
