/// The pose of a cylinder from points of the picture on it and the places where they were seen.
package enum CylinderFit {
  /// Both poses that a cylinder can have by how it looks around one point: the planes that touch it there, by IPPE
  /// (`PlanePoseSolver`), each turned to where the middle of the picture is.
  ///
  /// - Parameters:
  ///   - local: reference → frame, right around `point`.
  ///   - shape: a map of the same picture and camera; its pose does not count.
  ///   - pairs: what the distance is taken from.
  package static func seeds(
    _ local: Homography, at point: Point2, shape: CylinderMap, _ pairs: UnsafeBufferPointer<PointPair>
  ) -> (CylinderMap, CylinderMap?)? {
    let unit = shape.unit
    let toReference = Homography(SIMD3(1 / unit, 0, point.x), SIMD3(0, 1 / unit, point.y), SIMD3(0, 0, 1))
    let (f, c) = (shape.camera.focal, shape.camera.center)
    let toDirection = Homography(SIMD3(1 / f.x, 0, -c.x / f.x), SIMD3(0, 1 / f.y, -c.y / f.y), SIMD3(0, 0, 1))
    guard let (first, second) = PlanePoseSolver.rotations(toDirection * local * toReference) else { return nil }
    // The picture's axes as the touching plane has them.
    let angle = (point.x - (shape.referenceSize.x - 1) / 2) * unit / shape.radius
    let turned = Matrix3.rotation(Point3(0, angle, 0))
    func seed(_ r: Matrix3) -> CylinderMap? { place(r * turned, shape, pairs) }
    guard let a = seed(first) else { return seed(second).map { ($0, nil) } }
    return (a, seed(second))
  }

  /// The distance and place of least squared algebraic error for a rotation.
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

  /// The pose of least robust reprojection error (S. Geman, D. McClure, 1987), by Levenberg and Marquardt's method.
  ///
  /// - Parameter sigma: pairs further off than a few of these, in pixels, count little.
  /// - Returns: the pose and its cost, 0…1 a pair: pairs that are off, or turned away, cost 1.
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
