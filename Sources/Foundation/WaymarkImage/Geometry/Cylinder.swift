/// Maps the points of a picture wrapped round an upright cylinder to a frame: a label on a can, a poster on a column. `CylinderFit`
/// below finds the pose of a cylinder.
///
/// The picture's width runs round the cylinder, its height along the axis. In the picture's own coordinates (x right, y down, z
/// into the picture, origin at its middle) the axis of the cylinder is one radius behind the middle, and a point x pixels from the
/// middle is at the angle x · unit / radius. Pixels of the frame are without lens distortion, unless stated otherwise.
public struct CylinderMap: Hashable, Sendable {
  /// The pose of the plane that touches the cylinder at the middle of the picture; its origin is this point.
  package var pose: PlanePose
  /// The radius of the cylinder, in metres.
  public let radius: Double
  /// Metres per pixel of the reference, along its width and its height.
  package let unit: Double
  /// Width and height of the reference, in pixels.
  public let referenceSize: Point2
  /// The intrinsics of the camera for this size of frame.
  public private(set) var camera: CameraIntrinsics
  /// The point of the reference at the origin of the picture's coordinates, in pixels.
  private let middle: Point2

  /// Creates a map.
  ///
  /// - Parameters:
  ///   - pose: the pose of the tangent plane at the middle of the picture, in metres.
  ///   - width: the width of the reference, in pixels; `height` likewise.
  ///   - physicalWidth: the width of the picture along the curve, in metres.
  ///   - radius: the radius of the cylinder, in metres.
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

  /// Returns whether a picture of `width` metres wraps round a cylinder of `radius` metres at most once, with 1 % tolerance for
  /// measurement errors.
  package static func fits(width: Double, radius: Double) -> Bool { width <= 2.02 * .pi * radius }

  /// Returns the map for frames resized by `factor`.
  package func resized(by factor: Double) -> CylinderMap {
    var result = self
    result.camera.focal = camera.focal * factor
    result.camera.center = (camera.center + 0.5) * factor - 0.5
    return result
  }

  /// The least cosine of the angle between line of sight and surface normal. Points seen at a more glancing angle are not used.
  private static let leastFacing = 0.2

  /// The angle round the axis of the reference's column `x`, in radians; 0 at the middle of the picture.
  private func angle(_ x: Double) -> Double { (x - middle.x) * unit / radius }

  /// Returns a point of the reference in the picture's coordinates, in metres.
  package func point(_ p: Point2) -> Point3 {
    let a = angle(p.x)
    return Point3(radius * Double.sine(a), (p.y - middle.y) * unit, radius * (1 - Double.cosine(a)))
  }

  /// Returns a point of the reference in the camera's coordinates, in metres: x right, y down, z forward.
  package func seen(_ p: Point2) -> Point3 { pose.rotation * point(p) + pose.translation }

  private func pixel(_ c: Point3) -> Point2 { Point2(c.x, c.y) / c.z * camera.focal + camera.center }

  /// Returns the pixel of a point of the reference, even if the point is on the far side of the cylinder.
  public func apply(_ p: Point2) -> Point2 { pixel(seen(p)) }

  /// Returns the distance of a point of the reference in front of the camera, in metres; -1 if the point is behind the
  /// camera, faces away or is seen at a glancing angle.
  public func depth(_ p: Point2) -> Double {
    let a = angle(p.x)
    let normal = pose.rotation.x * Double.sine(a) - pose.rotation.z * Double.cosine(a)
    let c = seen(p)
    return c.z > 0 && -normal.dot(c) > Self.leastFacing * c.length ? c.z : -1
  }

  /// Returns the derivatives of `apply` by x and by y.
  package func derivative(at p: Point2) -> (dx: Point2, dy: Point2) {
    let a = angle(p.x)
    let c = seen(p)
    func moved(_ v: Point3) -> Point2 { (Point2(v.x, v.y) - Point2(c.x, c.y) * (v.z / c.z)) * camera.focal / c.z }
    let round = pose.rotation.x * Double.cosine(a) + pose.rotation.z * Double.sine(a)
    return (moved(round * unit), moved(pose.rotation.y * unit))
  }

  /// Returns the point of the reference seen at a pixel, which may be outside the picture; `nil` if the pixel does not show the
  /// cylinder.
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

  /// The range of the reference's columns that face the camera, in pixels; `nil` if the picture faces away.
  package var visible: ClosedRange<Double>? {
    let o = pose.rotation.transpose * (Point3.zero - pose.translation)
    let distance = Point2(o.x, radius - o.z).length
    guard distance > radius * 1.0001, distance.isFinite else { return nil }
    let towards = Double.arcTangent(y: o.x, x: radius - o.z)
    let ratio = radius / distance
    let half = Double.arcTangent(y: (1 - ratio * ratio).squareRoot(), x: ratio)
    var best: ClosedRange<Double>?
    // Of a picture all round the cylinder, both ends may face the camera: use the larger part.
    for turn in -1...1 {
      let middle = towards + 2 * .pi * Double(turn)
      let low = max(0, (middle - half) * radius / unit + self.middle.x)
      let high = min(referenceSize.x, (middle + half) * radius / unit + self.middle.x)
      if low < high, high - low > best.map({ $0.upperBound - $0.lowerBound }) ?? 0 { best = low...high }
    }
    return best
  }

  /// The middle of the part that faces the camera, in pixels of the reference; `nil` without such a part.
  package var visibleMiddle: Point2? {
    visible.map { Point2(($0.lowerBound + $0.upperBound) / 2, middle.y) }
  }

  /// The corners in the frame of the part that faces the camera, in pixels; `nil` without such a part, or if a corner is behind the
  /// camera.
  package var corners: Quadrilateral? {
    guard let visible else { return nil }
    let (a, b, h) = (visible.lowerBound, visible.upperBound, referenceSize.y)
    let ends = (seen(Point2(a, 0)), seen(Point2(b, 0)), seen(Point2(b, h)), seen(Point2(a, h)))
    guard min(ends.0.z, ends.1.z, ends.2.z, ends.3.z) > 0 else { return nil }
    return Quadrilateral(
      topLeft: pixel(ends.0), topRight: pixel(ends.1), bottomRight: pixel(ends.2), bottomLeft: pixel(ends.3))
  }

  /// The number of points of the outline on each of its two curved sides.
  package static let arcPoints = 9

  /// Returns a point of the outline of the part that faces the camera, in pixels: along the top from the left, then along the bottom from
  /// the right.
  package func outlinePoint(_ index: Int, of visible: ClosedRange<Double>) -> Point2 {
    let isTop = index < Self.arcPoints
    let step = Double(isTop ? index : 2 * Self.arcPoints - 1 - index) / Double(Self.arcPoints - 1)
    let x = visible.lowerBound + (visible.upperBound - visible.lowerBound) * step
    return apply(Point2(x, isTop ? 0 : referenceSize.y))
  }

  /// The outline in the frame, with lens distortion, of the part that faces the camera: 18 points, along the top from the left, then along
  /// the bottom from the right; empty if the picture faces away.
  public var outline: [Point2] {
    guard let visible else { return [] }
    return (0..<2 * Self.arcPoints).map { camera.unrectify(outlinePoint($0, of: visible)) }
  }

  /// Returns the homography of the plane that touches the cylinder at a point of the reference: an approximation of the map near
  /// this point.
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

  /// Returns the derivatives of a point's pixel by the pose: by a rotation about `pivot` (radians about the camera's axes) and a
  /// translation (metres), in the camera's coordinates.
  ///
  /// - Returns: the six derivatives of x and of y, in pixels; the last two elements are zero.
  package func poseDerivative(at p: Point2, pivot: Point3) -> (x: SIMD8<Double>, y: SIMD8<Double>) {
    let c = seen(p)
    let w = 1 / c.z
    let gx = Point3(w, 0, -c.x * w * w) * camera.focal.x
    let gy = Point3(0, w, -c.y * w * w) * camera.focal.y
    let ox = (c - pivot).cross(gx)
    let oy = (c - pivot).cross(gy)
    return (SIMD8(ox.x, ox.y, ox.z, gx.x, gx.y, gx.z, 0, 0), SIMD8(oy.x, oy.y, oy.z, gy.x, gy.y, gy.z, 0, 0))
  }

  /// Returns the map after a rotation about `pivot` and a translation, as in `poseDerivative`.
  package func moved(turn: Point3, shift: Point3, pivot: Point3) -> CylinderMap {
    let r = Matrix3.rotation(turn)
    var result = self
    result.pose.rotation = (r * pose.rotation).orthonormalized
    result.pose.translation = r * (pose.translation - pivot) + pivot + shift
    return result
  }

  /// The point of the cylinder's axis nearest to the middle of the picture, in the camera's coordinates, in metres.
  package var axisPoint: Point3 { pose.translation + pose.rotation.z * radius }

  /// True if all numbers are finite and `corners` exists.
  package var isFinite: Bool {
    let r = pose.rotation
    return (r.x + r.y + r.z + pose.translation).sum().isFinite && corners != nil
  }
}

// MARK: - Fitting

/// Finds the pose of a cylinder from points of its picture and their positions in a frame.
package enum CylinderFit {
  /// Returns the two poses of the cylinder that fit its appearance around one point: the poses of the tangent plane at the point,
  /// by IPPE (`PlanePoseSolver`), each rotated to the middle of the picture.
  ///
  /// - Parameters:
  ///   - local: the homography from the reference to the frame near `point`.
  ///   - shape: a map of the same picture and camera; its pose is ignored.
  ///   - pairs: the pairs from which the translation is computed.
  /// - Returns: `nil` if `local` is degenerate or neither pose is in front of the camera.
  package static func seeds(
    _ local: Homography, at point: Point2, shape: CylinderMap, _ pairs: UnsafeBufferPointer<PointPair>
  ) -> (CylinderMap, CylinderMap?)? {
    let unit = shape.unit
    let toReference = Homography(SIMD3(1 / unit, 0, point.x), SIMD3(0, 1 / unit, point.y), SIMD3(0, 0, 1))
    let (f, c) = (shape.camera.focal, shape.camera.center)
    let toDirection = Homography(SIMD3(1 / f.x, 0, -c.x / f.x), SIMD3(0, 1 / f.y, -c.y / f.y), SIMD3(0, 0, 1))
    guard let (first, second) = PlanePoseSolver.rotations(toDirection * local * toReference) else { return nil }
    // From the picture's axes to the axes of the tangent plane.
    let angle = (point.x - (shape.referenceSize.x - 1) / 2) * unit / shape.radius
    let turned = Matrix3.rotation(Point3(0, angle, 0))
    func seed(_ r: Matrix3) -> CylinderMap? { place(r * turned, shape, pairs) }
    guard let a = seed(first) else { return seed(second).map { ($0, nil) } }
    return (a, seed(second))
  }

  /// Returns the map with `rotation` and the translation of least squared algebraic error; `nil` if the points or the
  /// picture would not be in front of the camera.
  private static func place(
    _ rotation: Matrix3, _ shape: CylinderMap, _ pairs: UnsafeBufferPointer<PointPair>
  ) -> CylinderMap? {
    let camera = shape.camera
    let translation = PlanePoseSolver.translation(
      pairs, turned: { rotation * shape.point($0.reference) }, direction: { ($0.frame - camera.center) / camera.focal })
    guard let translation else { return nil }
    var result = shape
    result.pose = PlanePose(rotation: rotation, translation: translation)
    return result.isFinite ? result : nil
  }

  /// Minimises a robust reprojection error (S. Geman, D. McClure, 1987) over the pose by Levenberg and Marquardt's method.
  ///
  /// - Parameter sigma: the standard deviation of a correct pair, in pixels; pairs several times as far off have little weight.
  /// - Returns: the map and its cost, to which each pair adds 0 to 1: nearly 1 for an outlier, 1 for a point that faces
  ///   away. `nil` if no part of the picture faces the camera in `start`.
  package static func refine(
    _ start: CylinderMap, _ pairs: UnsafeBufferPointer<PointPair>, sigma: Double, iterations: Int = 12
  ) -> (map: CylinderMap, cost: Double)? {
    let square = sigma * sigma
    func cost(_ map: CylinderMap) -> Double {
      guard map.isFinite else { return .infinity }
      var sum = 0.0
      for pair in pairs {
        guard map.depth(pair.reference) > 0 else {
          sum += 1
          continue
        }
        let r = pair.frame - map.apply(pair.reference)
        let e = r.dot(r)
        sum += e / (e + square)
      }
      return sum
    }
    let descent = DampedDescent(
      unknowns: 6, iterations: iterations, damping: 1e-4, leastDamping: 1e-9, greatestDamping: 10, gain: 1e-6)
    return descent.run(
      from: start, cost: cost,
      equations: { map in
        var system = NormalEquations()
        let pivot = map.axisPoint
        for pair in pairs where map.depth(pair.reference) > 0 {
          let r = pair.frame - map.apply(pair.reference)
          let ratio = square / (r.dot(r) + square)
          let (x, y) = map.poseDerivative(at: pair.reference, pivot: pivot)
          system.add(x, r.x, weight: ratio * ratio)
          system.add(y, r.y, weight: ratio * ratio)
        }
        return system
      },
      moved: { map, s in
        map.moved(turn: Point3(s[0], s[1], s[2]), shift: Point3(s[3], s[4], s[5]), pivot: map.axisPoint)
      }
    ).map { ($0.state, $0.cost) }
  }
}
