/// The pose of an anchor in front of the camera.
///
/// Metres. Camera frame right-handed: +x right, +y up, looking along −z. Anchor frame: origin at its centre, +x along its
/// width, +y out of the picture, +z down its height.
public struct Pose: Hashable, Sendable {
  /// The centre of the anchor in the camera frame, in metres.
  public var position: Point3
  /// The rotation from the anchor frame to the camera frame.
  public var orientation: Quaternion

  /// A pose from its parts.
  public init(position: Point3, orientation: Quaternion) {
    self.position = position
    self.orientation = orientation
  }

  /// The 4×4 matrix anchor → camera: sixteen numbers, column after column.
  public var matrix: [Double] {
    let m = orientation.matrix
    return [
      m.x.x, m.x.y, m.x.z, 0, m.y.x, m.y.y, m.y.z, 0, m.z.x, m.z.y, m.z.z, 0, position.x, position.y, position.z, 1,
    ]
  }

  /// A point of the anchor frame in the camera frame.
  public func apply(_ p: Point3) -> Point3 { orientation.matrix * p + position }

  /// Where a point of the anchor frame appears in the frame, in pixels, and how far it lies before the camera, in metres;
  /// `nil` behind the camera.
  public func project(_ p: Point3, _ intrinsics: CameraIntrinsics) -> (pixel: Point2, depth: Double)? {
    let c = apply(p)
    guard c.z < -1e-9 else { return nil }
    let pixel = intrinsics.project(Point2(c.x, -c.y) / -c.z)
    guard pixel.x.isFinite, pixel.y.isFinite else { return nil }
    return (pixel, -c.z)
  }

  /// True if the front of the picture is turned to the camera.
  public var facesCamera: Bool { orientation.matrix.y.dot(position) < 0 }

  /// The pose of a plane pose: turns the axes of both frames into ours.
  package init(_ plane: PlanePose) {
    // Camera: y and z change sign. Anchor: the plane's (x, y down, z into the picture) is our (x, z, −y).
    let r = plane.rotation
    func flip(_ v: Point3) -> Point3 { Point3(v.x, -v.y, -v.z) }
    self.init(
      position: flip(plane.translation),
      orientation: Quaternion(Matrix3(columns: flip(r.x), -flip(r.z), flip(r.y))))
  }
}

/// A pose in the axes of image geometry: camera x right, y down, z forward; plane x right, y down, z into the picture.
package struct PlanePose: Hashable, Sendable {
  package var rotation: Matrix3
  package var translation: Point3

  package init(rotation: Matrix3, translation: Point3) {
    self.rotation = rotation
    self.translation = translation
  }

  /// The same pose from our axes.
  package init(_ pose: Pose) {
    func flip(_ v: Point3) -> Point3 { Point3(v.x, -v.y, -v.z) }
    let m = pose.orientation.matrix
    self.init(
      rotation: Matrix3(columns: flip(m.x), flip(m.z), -flip(m.y)), translation: flip(pose.position))
  }

  /// The direction in which a point of the plane appears, and its depth.
  @inline(__always)
  package func project(_ p: Point2) -> (direction: Point2, depth: Double) {
    let c = rotation.x * p.x + rotation.y * p.y + translation
    return (Point2(c.x, c.y) / c.z, c.z)
  }
}
