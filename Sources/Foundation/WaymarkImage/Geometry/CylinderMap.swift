/// Where the points of a picture that is wrapped round an upright cylinder appear in a frame: a label on a can, a poster on a column.
///
/// The picture's width runs round the cylinder, its height along the axis. In the picture's own axes (x right, y down, z into the picture,
/// origin at its middle) the axis stands one radius behind the middle, and the point x pixels beside it lies at the angle x · unit / radius.
/// Pixels are those of a frame without the lens's distortion, unless said otherwise.
public struct CylinderMap: Hashable, Sendable {
  /// Where the middle of the picture stands: origin there, tangent to the cylinder.
  package var pose: PlanePose
  /// The radius of the cylinder, in metres.
  public let radius: Double
  /// Metres per pixel of the reference, along its width and its height.
  package let unit: Double
  /// Width and height of the reference, in pixels.
  public let referenceSize: Point2
  /// The camera.
  public private(set) var camera: CameraIntrinsics
  /// The reference pixel at the origin.
  private let middle: Point2

  /// A map from its parts.
  ///
  /// - Parameters:
  ///   - pose: of the tangent plane at the middle of the picture, in metres.
  ///   - width: of the reference, in pixels; `height` likewise.
  ///   - physicalWidth: of the picture along the curve, in metres.
  ///   - radius: of the cylinder, in metres.
  package init(
    pose: PlanePose, width: Int, height: Int, physicalWidth: Double, radius: Double, camera: CameraIntrinsics
  ) {
    self.pose = pose
    self.radius = radius
    self.camera = camera
    unit = physicalWidth / Double(max(1, width))
    referenceSize = Point2(Double(width), Double(height))
    middle = (referenceSize - 1) / 2
  }

  /// Returns whether a picture of this width goes round a cylinder once at most; both in metres. A hundredth is left for what is measured.
  package static func fits(width: Double, radius: Double) -> Bool { width <= 2.02 * .pi * radius }

  /// The same for frames resized by `factor`.
  package func resized(by factor: Double) -> CylinderMap {
    var result = self
    result.camera.focal = camera.focal * factor
    result.camera.center = (camera.center + 0.5) * factor - 0.5
    return result
  }

  /// Below this cosine between line of sight and surface a place is squeezed so much that nothing is to be learned from it.
  private static let leastFacing = 0.2

  /// The angle round the axis, 0 at the middle of the picture.
  private func angle(_ x: Double) -> Double { (x - middle.x) * unit / radius }

  /// A point of the reference in the picture's axes, in metres.
  package func point(_ p: Point2) -> Point3 {
    let a = angle(p.x)
    return Point3(radius * Double.sine(a), (p.y - middle.y) * unit, radius * (1 - Double.cosine(a)))
  }

  /// A point of the reference before the camera, in metres: x right, y down, z forward.
  package func seen(_ p: Point2) -> Point3 { pose.rotation * point(p) + pose.translation }

  private func pixel(_ c: Point3) -> Point2 { Point2(c.x, c.y) / c.z * camera.focal + camera.center }

  /// The image of a point of the reference, also of one on the far side.
  public func apply(_ p: Point2) -> Point2 { pixel(seen(p)) }

  /// How far a point of the reference lies before the camera, in metres; below zero where it is turned away or seen at a
  /// glancing angle.
  public func depth(_ p: Point2) -> Double {
    let a = angle(p.x)
    let normal = pose.rotation.x * Double.sine(a) - pose.rotation.z * Double.cosine(a)
    let c = seen(p)
    return c.z > 0 && -normal.dot(c) > Self.leastFacing * c.length ? c.z : -1
  }

  /// How the image of a point moves when the point does: the derivatives by x and by y.
  package func derivative(at p: Point2) -> (dx: Point2, dy: Point2) {
    let a = angle(p.x)
    let c = seen(p)
    func moved(_ v: Point3) -> Point2 { (Point2(v.x, v.y) - Point2(c.x, c.y) * (v.z / c.z)) * camera.focal / c.z }
    let round = pose.rotation.x * Double.cosine(a) + pose.rotation.z * Double.sine(a)
    return (moved(round * unit), moved(pose.rotation.y * unit))
  }

  /// The point of the reference that a pixel shows, where the cylinder is there at all; it may lie beside the picture.
  package func inverse(_ q: Point2) -> Point2? {
    let direction = (q - camera.center) / camera.focal
    let back = pose.rotation.transpose
    let v = back * Point3(direction.x, direction.y, 1)
    let o = back * (Point3.zero - pose.translation)
    let a = v.x * v.x + v.z * v.z
    let b = o.x * v.x + (o.z - radius) * v.z
    let c = o.x * o.x + (o.z - radius) * (o.z - radius) - radius * radius
    let root = b * b - a * c
    guard a > 1e-12, root >= 0 else { return nil }
    let s = (-b - root.squareRoot()) / a
    guard s > 0, s.isFinite else { return nil }
    let p = o + v * s
    return Point2(Double.arcTangent(y: p.x, x: radius - p.z) * radius / unit, p.y / unit) + middle
  }

  /// From where to where the picture is turned to the camera, in pixels of the reference's width; `nil` where none of it is.
  package var visible: ClosedRange<Double>? {
    let o = pose.rotation.transpose * (Point3.zero - pose.translation)
    let distance = Point2(o.x, radius - o.z).length
    guard distance > radius * 1.0001, distance.isFinite else { return nil }
    let towards = Double.arcTangent(y: o.x, x: radius - o.z)
    let ratio = radius / distance
    let half = Double.arcTangent(y: (1 - ratio * ratio).squareRoot(), x: ratio)
    var best: ClosedRange<Double>?
    // A picture all round may be in sight at both of its ends; the larger part counts.
    for turn in -1...1 {
      let middle = towards + 2 * .pi * Double(turn)
      let low = max(0, (middle - half) * radius / unit + self.middle.x)
      let high = min(referenceSize.x, (middle + half) * radius / unit + self.middle.x)
      if low < high, high - low > best.map({ $0.upperBound - $0.lowerBound }) ?? 0 { best = low...high }
    }
    return best
  }

  /// The middle of what is turned to the camera, in pixels of the reference.
  package var visibleMiddle: Point2? {
    visible.map { Point2(($0.lowerBound + $0.upperBound) / 2, middle.y) }
  }

  /// The corners of what is turned to the camera.
  package var corners: Quadrilateral? {
    guard let visible else { return nil }
    let (a, b, h) = (visible.lowerBound, visible.upperBound, referenceSize.y)
    let ends = (seen(Point2(a, 0)), seen(Point2(b, 0)), seen(Point2(b, h)), seen(Point2(a, h)))
    guard min(ends.0.z, ends.1.z, ends.2.z, ends.3.z) > 0 else { return nil }
    return Quadrilateral(
      topLeft: pixel(ends.0), topRight: pixel(ends.1), bottomRight: pixel(ends.2), bottomLeft: pixel(ends.3))
  }

  /// How many points the outline has on each of its two curved sides.
  package static let arcPoints = 9

  /// A point of the outline of what is turned to the camera: along the top from the left, then along the bottom from the right.
  package func outlinePoint(_ index: Int, of visible: ClosedRange<Double>) -> Point2 {
    let isTop = index < Self.arcPoints
    let step = Double(isTop ? index : 2 * Self.arcPoints - 1 - index) / Double(Self.arcPoints - 1)
    let x = visible.lowerBound + (visible.upperBound - visible.lowerBound) * step
    return apply(Point2(x, isTop ? 0 : referenceSize.y))
  }

  /// The outline of what is turned to the camera as the frame shows it, with the lens's distortion: 18 points, along the top from the
  /// left, then along the bottom from the right; empty where nothing is.
  public var outline: [Point2] {
    guard let visible else { return [] }
    return (0..<2 * Self.arcPoints).map { camera.unrectify(outlinePoint($0, of: visible)) }
  }

  /// The map of the plane that touches the cylinder at a point of the reference: right around there.
  package func tangent(at p: Point2) -> Homography {
    let a = angle(p.x)
    let x = (pose.rotation.x * Double.cosine(a) + pose.rotation.z * Double.sine(a)) * unit
    let y = pose.rotation.y * unit
    let origin = seen(p) - x * p.x - y * p.y
    let (f, c) = (camera.focal, camera.center)
    return Homography(
      SIMD3(f.x * x.x + c.x * x.z, f.x * y.x + c.x * y.z, f.x * origin.x + c.x * origin.z),
      SIMD3(f.y * x.y + c.y * x.z, f.y * y.y + c.y * y.z, f.y * origin.y + c.y * origin.z),
      SIMD3(x.z, y.z, origin.z))
  }

  /// How the image of a point moves with the pose: by a turn about `pivot` (radians about the camera's axes) and a shift
  /// (metres), both before the camera.
  ///
  /// - Returns: the six derivatives of x and those of y, in pixels; the last two numbers are zero.
  package func poseDerivative(at p: Point2, pivot: Point3) -> (x: SIMD8<Double>, y: SIMD8<Double>) {
    let c = seen(p)
    let w = 1 / c.z
    let gx = Point3(w, 0, -c.x * w * w) * camera.focal.x
    let gy = Point3(0, w, -c.y * w * w) * camera.focal.y
    let ox = (c - pivot).cross(gx)
    let oy = (c - pivot).cross(gy)
    return (SIMD8(ox.x, ox.y, ox.z, gx.x, gx.y, gx.z, 0, 0), SIMD8(oy.x, oy.y, oy.z, gy.x, gy.y, gy.z, 0, 0))
  }

  /// The map after a turn about `pivot` and a shift, as in `poseDerivative`.
  package func moved(turn: Point3, shift: Point3, pivot: Point3) -> CylinderMap {
    let r = Matrix3.rotation(turn)
    var result = self
    result.pose.rotation = (r * pose.rotation).orthonormalized
    result.pose.translation = r * (pose.translation - pivot) + pivot + shift
    return result
  }

  /// The point of the axis beside the middle of the picture, before the camera.
  package var axisPoint: Point3 { pose.translation + pose.rotation.z * radius }

  /// True if all numbers are finite and what is turned to the camera stands before it.
  package var isFinite: Bool {
    let r = pose.rotation
    return (r.x + r.y + r.z + pose.translation).sum().isFinite && corners != nil
  }
}
