/// The pose of an anchor in front of the camera.
///
/// Lengths are in metres. The camera frame is right-handed: +x right, +y up, looking along −z. The anchor frame has its origin at
/// the centre of the anchor, +x along its width, +y out of the picture, +z down its height.
///
/// The file also has the solver that finds poses from points (`PlanePoseSolver`), and the placement of an anchor in a frame
/// (`AnchorPlacement`).
public struct Pose: Hashable, Sendable {
  /// The centre of the anchor in the camera frame, in metres.
  public var position: Point3
  /// The rotation from the anchor frame to the camera frame.
  public var orientation: Quaternion

  /// Creates a pose from its position, in metres, and its orientation.
  public init(position: Point3, orientation: Quaternion) {
    self.position = position
    self.orientation = orientation
  }

  /// The 4×4 matrix from the anchor frame to the camera frame: sixteen numbers, column-major.
  public var matrix: [Double] {
    let m = orientation.matrix
    return [
      m.x.x, m.x.y, m.x.z, 0, m.y.x, m.y.y, m.y.z, 0, m.z.x, m.z.y, m.z.z, 0, position.x, position.y, position.z, 1,
    ]
  }

  /// Transforms a point from the anchor frame to the camera frame.
  public func apply(_ p: Point3) -> Point3 { orientation.matrix * p + position }

  /// Projects a point of the anchor frame: its pixel and its distance in front of the camera, in metres; `nil` if it is behind the
  /// camera.
  public func project(_ p: Point3, _ intrinsics: CameraIntrinsics) -> (pixel: Point2, depth: Double)? {
    let c = apply(p)
    guard c.z < -1e-9 else { return nil }
    let pixel = intrinsics.project(Point2(c.x, -c.y) / -c.z)
    guard pixel.x.isFinite, pixel.y.isFinite else { return nil }
    return (pixel, -c.z)
  }

  /// True if the front of the picture faces the camera.
  public var facesCamera: Bool { orientation.matrix.y.dot(position) < 0 }

  /// Creates a pose from a plane pose, converting the axes of both frames.
  package init(_ plane: PlanePose) {
    // Camera: y and z change sign. Anchor: the plane's axes (x, y, z) are the axes (x, z, −y) of `Pose`.
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

  /// Creates a plane pose from a `Pose`, converting the axes.
  package init(_ pose: Pose) {
    func flip(_ v: Point3) -> Point3 { Point3(v.x, -v.y, -v.z) }
    let m = pose.orientation.matrix
    self.init(
      rotation: Matrix3(columns: flip(m.x), flip(m.z), -flip(m.y)), translation: flip(pose.position))
  }

  /// Projects a point of the plane: its direction (x, y, 1) and its depth.
  @inline(__always)
  package func project(_ p: Point2) -> (direction: Point2, depth: Double) {
    let c = rotation.x * p.x + rotation.y * p.y + translation
    return (Point2(c.x, c.y) / c.z, c.z)
  }
}

// MARK: - Placement of an anchor

/// The placement of an anchor (a picture, a cylinder or a code) in one frame.
public struct AnchorPlacement: Hashable, Sendable {
  /// The source of a placement.
  public enum Method: String, Hashable, Sendable {
    /// The anchor is visible in this frame.
    case fullTracking
    /// The anchor is not visible; the placement is the last known placement.
    case lastKnownPose
    /// The anchor is not visible and no placement is known.
    case notTracking
  }

  /// The width and height of the reference, in pixels: the long side of a picture is 480; the size of a code depends on the code.
  public var referenceSize: Point2
  /// The corners in the frame, in pixels, of the reference points (0,0), (w,0), (w,h), (0,h); for a cylinder, of the part that faces
  /// the camera. For a flat anchor, the changes of shape that one frame determines poorly are averaged over frames.
  public var corners: Quadrilateral
  /// The standard deviation of each corner along an axis, in pixels; `nil` if it is not known.
  public var uncertainty: SIMD4<Double>?
  /// The map from reference pixels to frame pixels, through the corners. For a cylinder, the map of the tangent plane in the middle of the
  /// visible part, without lens distortion.
  public var homography: Homography
  /// The similarity of reference and frame, 0…1.
  public var score: Double
  /// The pose of the anchor, smoothed over time; `nil` without a physical width.
  public var pose: Pose?
  /// The pose from this frame alone; only the choice between the two possible tilts uses earlier frames.
  public var rawPose: Pose?

  /// Creates a placement. Without poses, only its position in the frame is known.
  public init(
    referenceSize: Point2, corners: Quadrilateral, homography: Homography, score: Double, pose: Pose? = nil,
    rawPose: Pose? = nil
  ) {
    self.referenceSize = referenceSize
    self.corners = corners
    self.homography = homography
    self.score = score
    self.pose = pose
    self.rawPose = rawPose
  }

  /// True if every number of the placement is finite and the reference is not empty.
  package var isFinite: Bool {
    func finite(_ pose: Pose?) -> Bool {
      pose.map { $0.position.sum().isFinite && $0.orientation.vector.sum().isFinite } ?? true
    }
    return corners.isFinite && homography.rowMajor.allSatisfy({ $0.isFinite }) && score.isFinite && finite(pose)
      && finite(rawPose) && referenceSize.x > 0 && referenceSize.y > 0
  }
}

// MARK: - Pose of a plane

/// Finds the pose of a plane from the positions of its points in a frame.
///
/// T. Collins, A. Bartoli, "Infinitesimal plane-based pose estimation" (IPPE), IJCV 109 (2014): the derivative of the homography at
/// one point determines the rotation up to two solutions, in closed form. Both solutions are returned, because for a small or
/// distant plane their errors differ by less than the noise. Each is refined to the least squared reprojection error.
package enum PlanePoseSolver {
  /// A pose and its reprojection error.
  package struct Solution: Hashable, Sendable {
    package var pose: PlanePose
    /// The root mean square distance in the frame, in pixels.
    package var error: Double

    package init(pose: PlanePose, error: Double) {
      self.pose = pose
      self.error = error
    }
  }

  /// Both poses, the better pose first; the second is `nil` if both are refined to the same pose.
  package typealias Solutions = (best: Solution, other: Solution?)

  /// Returns the poses of a reference, given its homography to the frame.
  ///
  /// - Parameters:
  ///   - homography: the map from reference pixels to frame pixels without lens distortion (`CameraIntrinsics.rectify`).
  ///   - width: the width of the reference, in pixels.
  ///   - height: the height of the reference, in pixels.
  ///   - physicalWidth: the width of the picture, in metres.
  /// - Returns: `nil` if a length is not positive, a part of the picture is behind the camera, or the map is
  ///   degenerate.
  package static func solve(
    homography: Homography, width: Int, height: Int, physicalWidth: Double, intrinsics: CameraIntrinsics
  ) -> Solutions? {
    guard physicalWidth > 0, physicalWidth.isFinite, width > 0, height > 0 else { return nil }
    let s = physicalWidth / Double(width)
    let center = 0.5 * Point2(Double(width - 1), Double(height - 1))
    // Plane metres → reference pixels → frame pixels → directions.
    let toReference = Homography(SIMD3(1 / s, 0, center.x), SIMD3(0, 1 / s, center.y), SIMD3(0, 0, 1))
    let toDirection = Homography(
      SIMD3(1 / intrinsics.focal.x, 0, -intrinsics.center.x / intrinsics.focal.x),
      SIMD3(0, 1 / intrinsics.focal.y, -intrinsics.center.y / intrinsics.focal.y), SIMD3(0, 0, 1))
    let h = toDirection * homography * toReference
    // A grid of 3×3 points over the picture represents the homography.
    let half = 0.5 * physicalWidth * Point2(1, Double(height) / Double(width))
    var points = InlineArray<9, PointPair>(repeating: PointPair(reference: .zero, frame: .zero))
    for i in 0..<9 {
      let p = Point2(Double(i % 3) - 1, Double(i / 3) - 1) * half
      guard h.depth(p) * h.row2.z > 0 else { return nil }
      points[i] = PointPair(reference: p, frame: h.apply(p))
    }
    return points.span.withUnsafeBufferPointer { solve($0, homography: h, focal: intrinsics.focal) }
  }

  /// Returns the poses of a plane from pairs of plane points (metres, mean near zero) and directions (x, y, 1).
  ///
  /// - Parameters:
  ///   - homography: the map from plane points to directions; `nil` to fit it to the pairs.
  ///   - focal: the focal lengths in pixels, which convert the error to pixels.
  package static func solve(
    _ pairs: UnsafeBufferPointer<PointPair>, homography: Homography? = nil, focal: Point2 = Point2(1, 1)
  ) -> Solutions? {
    guard pairs.count >= 4, let h = homography ?? Homography.fit(pairs), let (r1, r2) = rotations(h) else { return nil }
    func refined(_ r: Matrix3) -> Solution? {
      let start = translation(
        pairs, turned: { r.x * $0.reference.x + r.y * $0.reference.y }, direction: { $0.frame })
      return start.flatMap { refine(PlanePose(rotation: r, translation: $0), pairs, focal) }
    }
    let (first, second) = (refined(r1), refined(r2))
    guard let a = first ?? second else { return nil }
    guard first != nil, let b = second else { return (a, nil) }
    let (best, other) = a.error <= b.error ? (a, b) : (b, a)
    // Poses less than 0.06° apart are the same minimum.
    return (best, best.pose.rotation.angle(to: other.pose.rotation) < 1e-3 ? nil : other)
  }

  /// Returns the two rotations (Collins and Bartoli, section 4 and appendix) for a map from plane points to directions; `nil` if it
  /// is degenerate.
  static func rotations(_ homography: Homography) -> (Matrix3, Matrix3)? {
    guard homography.row2.z != 0 else { return nil }
    let h = homography.normalized
    let v = Point2(h.row0.z, h.row1.z)
    let j = h.derivative(at: .zero)
    // The rotation from the optical axis to the direction of the plane's origin.
    let direction = Point3(v.x, v.y, 1) / (1 + v.dot(v)).squareRoot()
    let across = Point3(-direction.y, direction.x, 0)  // ẑ × direction
    let turn: Matrix3
    if across.length < 1e-12 {
      turn = .identity
    } else {
      turn = .rotation(across / across.length * Double.arcTangent(y: across.length, x: direction.z))
    }
    let (rx, ry) = (turn.x, turn.y)
    let b00 = rx.x - v.x * rx.z
    let b01 = ry.x - v.x * ry.z
    let b10 = rx.y - v.y * rx.z
    let b11 = ry.y - v.y * ry.z
    let determinant = b00 * b11 - b01 * b10
    guard abs(determinant) > 1e-12 else { return nil }
    // A = B⁻¹·J
    func solve(_ c: Point2) -> Point2 { Point2(b11 * c.x - b01 * c.y, b00 * c.y - b10 * c.x) / determinant }
    let ax = solve(j.dx)
    let ay = solve(j.dy)
    let s00 = ax.x * ax.x + ay.x * ay.x
    let s01 = ax.x * ax.y + ay.x * ay.y
    let s11 = ax.y * ax.y + ay.y * ay.y
    let spread = ((s00 - s11) * (s00 - s11) + 4 * s01 * s01).squareRoot()
    let gamma = (0.5 * (s00 + s11 + spread)).squareRoot()
    guard gamma > 1e-12, gamma.isFinite else { return nil }
    let p = ax / gamma
    let q = ay / gamma
    let b0 = max(0, 1 - p.dot(p)).squareRoot()
    let b1 = (p.dot(q) > 0 ? -1.0 : 1.0) * max(0, 1 - q.dot(q)).squareRoot()
    func rotation(_ sign: Double) -> Matrix3 {
      let x = Point3(p.x, p.y, sign * b0)
      let y = Point3(q.x, q.y, sign * b1)
      return (turn * Matrix3(columns: x, y, x.cross(y))).orthonormalized
    }
    return (rotation(1), rotation(-1))
  }

  /// Returns the translation of least squared algebraic error; `nil` if the points would not be in front of the camera.
  ///
  /// - Parameters:
  ///   - turned: returns the point of a pair in space, rotated to the camera's axes but not translated.
  ///   - direction: returns the direction (x, y, 1) in which the pair was seen.
  @inline(__always)
  static func translation(
    _ pairs: UnsafeBufferPointer<PointPair>, turned: (PointPair) -> Point3, direction: (PointPair) -> Point2
  ) -> Point3? {
    // x·(r₃·X + t_z) = r₁·X + t_x, and so for y.
    var system = NormalEquations()
    for pair in pairs {
      let (c, d) = (turned(pair), direction(pair))
      system.add(SIMD8(1, 0, -d.x, 0, 0, 0, 0, 0), d.x * c.z - c.x)
      system.add(SIMD8(0, 1, -d.y, 0, 0, 0, 0, 0), d.y * c.z - c.y)
    }
    guard let t = system.solve(count: 3), t[2] > 0 else { return nil }
    return Point3(t[0], t[1], t[2])
  }

  /// Minimises the reprojection error by Levenberg and Marquardt's method; the rotation is updated by a rotation vector from the
  /// left.
  package static func refine(
    _ start: PlanePose, _ pairs: UnsafeBufferPointer<PointPair>, _ focal: Point2, iterations: Int = 10
  ) -> Solution? {
    func cost(_ pose: PlanePose) -> Double {
      var sum = 0.0
      for pair in pairs {
        let (d, depth) = pose.project(pair.reference)
        guard depth > 0 else { return .infinity }
        let r = (pair.frame - d) * focal
        sum += r.dot(r)
      }
      return sum
    }
    let descent = DampedDescent(
      unknowns: 6, iterations: iterations, damping: 1e-6, leastDamping: 1e-9, greatestDamping: 10, gain: 1e-10)
    let least = descent.run(
      from: start, cost: cost,
      equations: { pose in
        var system = NormalEquations()
        for pair in pairs {
          let turned = pose.rotation.x * pair.reference.x + pose.rotation.y * pair.reference.y
          let c = turned + pose.translation
          let w = 1 / c.z
          let d = Point2(c.x, c.y) * w
          let r = (pair.frame - d) * focal
          // ∂direction/∂c = [w 0 −d.x·w; 0 w −d.y·w], ∂c/∂ω = −[turned]×, ∂c/∂t = I.
          let gx = Point3(w, 0, -d.x * w) * focal.x
          let gy = Point3(0, w, -d.y * w) * focal.y
          let ox = turned.cross(gx)
          let oy = turned.cross(gy)
          system.add(SIMD8(ox.x, ox.y, ox.z, gx.x, gx.y, gx.z, 0, 0), r.x)
          system.add(SIMD8(oy.x, oy.y, oy.z, gy.x, gy.y, gy.z, 0, 0), r.y)
        }
        return system
      },
      moved: { pose, step in
        PlanePose(
          rotation: (Matrix3.rotation(Point3(step[0], step[1], step[2])) * pose.rotation).orthonormalized,
          translation: pose.translation + Point3(step[3], step[4], step[5]))
      })
    guard let (pose, cost) = least else { return nil }
    let error = (cost / Double(pairs.count)).squareRoot()
    guard error.isFinite, pose.translation.length.isFinite else { return nil }
    return Solution(pose: pose, error: error)
  }
}
