import WaymarkImage

/// The camera that the tests look through.
let camera = CameraIntrinsics(fx: 600, fy: 600, cx: 319.5, cy: 239.5)!

/// The map of a picture of `width` × `height` pixels and `physicalWidth` metres at a pose, worked out point by point.
func homography(_ pose: PlanePose, width: Int, height: Int, physicalWidth: Double) -> Homography {
  let s = physicalWidth / Double(width)
  let c = 0.5 * Point2(Double(width - 1), Double(height - 1))
  func image(_ x: Double, _ y: Double) -> Point2 {
    let p = pose.rotation * Point3((x - c.x) * s, (y - c.y) * s, 0) + pose.translation
    return Point2(p.x / p.z * 600 + 319.5, p.y / p.z * 600 + 239.5)
  }
  let (w, h) = (Double(width), Double(height))
  return Homography(
    from: Quadrilateral(width: w, height: h),
    to: Quadrilateral(topLeft: image(0, 0), topRight: image(w, 0), bottomRight: image(w, h), bottomLeft: image(0, h)))!
}

/// A pose with tilts in radians at a distance in metres.
func pose(_ a: Double, _ b: Double, _ roll: Double, at t: Point3) -> PlanePose {
  PlanePose(
    rotation: Matrix3.rotation(Point3(a, 0, 0)) * Matrix3.rotation(Point3(0, b, 0))
      * Matrix3.rotation(Point3(0, 0, roll)),
    translation: t)
}
