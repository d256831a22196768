/// The pose of a plane from where its points are seen.
///
/// T. Collins, A. Bartoli, "Infinitesimal plane-based pose estimation" (IPPE), IJCV 109 (2014): the derivative of the
/// homography at one point determines the rotation up to two solutions, in closed form; both are given, since for a small
/// or far plane noise cannot tell them apart. Each is then refined to the least squared reprojection error.
package enum PlanePoseSolver {
  /// A pose and how well it explains the points.
  package struct Solution: Hashable, Sendable {
    package var pose: PlanePose
    /// Root of the mean squared distance in the frame, in pixels.
    package var error: Double

    package init(pose: PlanePose, error: Double) {
      self.pose = pose
      self.error = error
    }
  }

  /// Both poses, the better one first; the second is `nil` where refinement brings it to the first.
  package typealias Solutions = (best: Solution, other: Solution?)

  /// The poses of a reference whose map to the frame is known.
  ///
  /// - Parameters:
  ///   - homography: reference pixels → frame pixels, distortion taken out (`CameraIntrinsics.rectify`).
  ///   - width: of the reference, in pixels.
  ///   - height: of the reference, in pixels.
  ///   - physicalWidth: of the picture, in metres.
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
    // A grid of 3×3 points over the picture stands for all that the map knows.
    let half = 0.5 * physicalWidth * Point2(1, Double(height) / Double(width))
    var points = InlineArray<9, PointPair>(repeating: PointPair(reference: .zero, frame: .zero))
    for i in 0..<9 {
      let p = Point2(Double(i % 3) - 1, Double(i / 3) - 1) * half
      guard h.depth(p) * h.row2.z > 0 else { return nil }
      points[i] = PointPair(reference: p, frame: h.apply(p))
    }
    return points.span.withUnsafeBufferPointer { solve($0, homography: h, focal: intrinsics.focal) }
  }

  /// The poses of a plane from pairs of plane points (metres, mean near zero) and directions (x, y, 1).
  ///
  /// - Parameters:
  ///   - homography: plane → directions, if it is already known.
  ///   - focal: the focal lengths, to count the error in pixels.
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
    // The same valley: less than a twentieth of a degree apart.
    return (best, best.pose.rotation.angle(to: other.pose.rotation) < 1e-3 ? nil : other)
  }

  /// The two rotations (Collins and Bartoli, section 4 and appendix), plane → directions; `nil` for a degenerate map.
  static func rotations(_ homography: Homography) -> (Matrix3, Matrix3)? {
    guard homography.row2.z != 0 else { return nil }
    let h = homography.normalized
    let v = Point2(h.row0.z, h.row1.z)
    let j = h.derivative(at: .zero)
    // The rotation that takes the optical axis to the direction of the plane's origin.
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

  /// The translation of least squared algebraic error; `nil` unless what is seen lies before the camera.
  ///
  /// - Parameters:
  ///   - turned: the point of a pair in space, turned as the camera sees it but not moved.
  ///   - direction: where the pair was seen: the point at distance 1 before the camera.
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

  /// The least reprojection error by Levenberg and Marquardt's method, the rotation moved by a vector from the left.
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
