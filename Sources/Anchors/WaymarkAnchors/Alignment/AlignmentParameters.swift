import WaymarkImage

/// The coordinates in which a step is solved: origin at the patches' mean, their spread as the unit.
struct AlignmentFrame {
  let center: Point2
  let radius: Double

  init(_ set: PatchSet) {
    var sum = Point2.zero
    for i in 0..<set.count { sum += set.place[i] }
    let mean = sum / Double(set.count)
    var squares = 0.0
    for i in 0..<set.count {
      let d = set.place[i] - mean
      squares += d.dot(d)
    }
    center = mean
    radius = max(4, (squares / Double(set.count)).squareRoot())
  }

  @inline(__always)
  func point(_ set: PatchSet, _ i: Int) -> Point2 {
    (set.place[i] - center) / radius
  }

  func unscale(_ h: Homography) -> Homography {
    let to = Homography(
      SIMD3(1 / radius, 0, -center.x / radius), SIMD3(0, 1 / radius, -center.y / radius), SIMD3(0, 0, 1))
    let from = Homography(SIMD3(radius, 0, center.x), SIMD3(0, radius, center.y), SIMD3(0, 0, 1))
    return from * h * to
  }
}

/// The parameters that alignment changes: the eight numbers of a plane's map, or the six of a cylinder's pose.
///
/// Each number is counted such that one of it moves a patch by about the patches' spread.
struct AlignmentParameters {
  /// The cylinder on the level, and the place that it turns about.
  private let cylinder: CylinderMap?
  private let pivot: Point3
  /// Metres of a shift across, along x and y, and along the line of sight that move the picture by the spread.
  private let reach: Point3

  init(_ map: SurfaceMap, _ scale: Double, _ frame: AlignmentFrame) {
    cylinder = map.resized(by: scale).cylinder
    guard let cylinder else {
      (pivot, reach) = (.zero, .zero)
      return
    }
    pivot = cylinder.visibleMiddle.map(cylinder.seen) ?? cylinder.axisPoint
    let across = pivot.z / cylinder.camera.focal * frame.radius
    reach = Point3(across.x, across.y, pivot.z)
  }

  /// How the place of a patch changes with each number, in pixels of the level.
  @inline(__always)
  func derivative(_ frame: AlignmentFrame, _ set: PatchSet, _ i: Int) -> (SIMD8<Double>, SIMD8<Double>) {
    guard let cylinder else {
      let p = frame.point(set, i)
      let s = frame.radius
      return (
        SIMD8(p.x, p.y, 1, 0, 0, 0, -p.x * p.x, -p.x * p.y) * s,
        SIMD8(0, 0, 0, p.x, p.y, 1, -p.x * p.y, -p.y * p.y) * s
      )
    }
    let (x, y) = cylinder.poseDerivative(at: set.anchor[i], pivot: pivot)
    let unit = SIMD8(1, 1, 1, reach.x, reach.y, reach.z, 0, 0)
    return (x * unit, y * unit)
  }

  /// The map after a step; `nil` where it is none.
  func step(_ x: SIMD8<Double>, from map: SurfaceMap, _ scale: Double, _ frame: AlignmentFrame) -> SurfaceMap? {
    switch map {
    case .plane(let h):
      let step = Homography(SIMD3(1 + x[0], x[1], x[2]), SIMD3(x[3], 1 + x[4], x[5]), SIMD3(x[6], x[7], 1))
      let toLevel = Homography.resize(Point2(scale, scale))
      let fromLevel = Homography.resize(Point2(1 / scale, 1 / scale))
      let next = (fromLevel * frame.unscale(step) * toLevel * h).normalized
      return next.isFinite ? .plane(next) : nil
    case .cylinder(let c):
      let next = c.moved(
        turn: Point3(x[0], x[1], x[2]), shift: Point3(x[3], x[4], x[5]) * reach, pivot: pivot)
      return next.isFinite ? .cylinder(next) : nil
    }
  }
}
