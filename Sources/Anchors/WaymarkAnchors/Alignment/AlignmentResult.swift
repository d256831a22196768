package import WaymarkImage

/// The coordinates in which an alignment step is solved: the origin is the mean of the patches' positions, the unit
/// their standard deviation, at least four pixels.
///
/// The file has these coordinates, the parameters of a step (`AlignmentParameters`), the outcome of an alignment
/// (`AlignmentResult`), and the matrices of its covariance (`Matrix8`).
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
  func point(_ p: Point2) -> Point2 { (p - center) / radius }

  func unscale(_ h: Homography) -> Homography {
    let to = Homography(
      SIMD3(1 / radius, 0, -center.x / radius), SIMD3(0, 1 / radius, -center.y / radius), SIMD3(0, 0, 1))
    let from = Homography(SIMD3(radius, 0, center.x), SIMD3(0, radius, center.y), SIMD3(0, 0, 1))
    return from * h * to
  }
}

/// The parameters that alignment changes: the eight of a plane's homography, or the six of a cylinder's pose.
///
/// Each parameter is scaled so that one unit moves a patch by about the unit of `AlignmentFrame`.
struct AlignmentParameters {
  /// The cylinder of a round anchor in pixels of the level, and the point about which it turns; `nil` for a flat anchor.
  private let cylinder: CylinderMap?
  private let pivot: Point3
  /// The shifts in metres along x, along y and along the line of sight that move the picture by one unit of the frame.
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

  /// Returns the derivatives of a patch's x and y by each parameter, in pixels of the level.
  @inline(__always)
  func derivative(_ frame: AlignmentFrame, _ set: PatchSet, _ i: Int) -> (SIMD8<Double>, SIMD8<Double>) {
    guard let cylinder else { return Self.derivative(frame, at: set.place[i]) }
    let (x, y) = cylinder.poseDerivative(at: set.anchor[i], pivot: pivot)
    let unit = SIMD8(1, 1, 1, reach.x, reach.y, reach.z, 0, 0)
    return (x * unit, y * unit)
  }

  /// Returns the derivatives of the x and y of a plane's point at `place` by the eight parameters, in pixels of the
  /// level.
  @inline(__always)
  static func derivative(_ frame: AlignmentFrame, at place: Point2) -> (SIMD8<Double>, SIMD8<Double>) {
    let p = frame.point(place)
    let s = frame.radius
    return (
      SIMD8(p.x, p.y, 1, 0, 0, 0, -p.x * p.x, -p.x * p.y) * s,
      SIMD8(0, 0, 0, p.x, p.y, 1, -p.x * p.y, -p.y * p.y) * s
    )
  }

  /// Returns the map after a step; `nil` if it is not finite.
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

/// The outcome of `PatchAligner.align`: the map, and how well reference and frame agree under it.
package struct AlignmentResult: Sendable {
  /// Reference pixels → frame pixels.
  package var map: SurfaceMap
  /// The likeness of reference and frame, 0…1: the mean of the better half of the patches' correlations.
  package var score: Double
  /// The share of the patches in view that agree: with a correlation above 0.5, and a measured shift of less than a pixel from their
  /// position under the map.
  package var share: Double
  /// The number of patches in view, and the number of patches that agree.
  var patches: Int
  package var inliers: Int
  /// The root mean square of the measured shifts of the agreeing patches, in frame pixels.
  package var residual: Double
  /// The smaller of the two principal standard deviations of the agreeing patches' positions, in reference pixels.
  package var spread: Double
  /// The mean correlation of the agreeing patches.
  package var gain: Double
  /// The covariance of the coordinates of the four corners in the frame; `nil` if it was not asked for or the map is not flat.
  package var covariance: Matrix8?

  /// Returns whether the agreeing patches determine the position of the whole reference; always true for a cylinder.
  ///
  /// The error of a map grows with the square of the distance from the patches that determine it. The smaller standard deviation of
  /// their positions must therefore be at least a fortieth of the reference's size, the root of its area: about that of an evenly
  /// textured strip of a twelfth.
  func determines(_ template: AnchorTemplate) -> Bool {
    map.cylinder != nil || 40 * spread >= Double(template.width * template.height).squareRoot()
  }

  /// Reference pixels → frame pixels as a homography, see `SurfaceMap.homography`.
  package var homography: Homography { map.homography }
}

// MARK: - Covariance

/// A matrix of eight rows and columns, such as the covariance of the coordinates of four corners.
package struct Matrix8: Sendable {
  var rows: InlineArray<8, SIMD8<Double>>

  init() { rows = InlineArray(repeating: .zero) }

  init(rows: InlineArray<8, SIMD8<Double>>) { self.rows = rows }

  package init(diagonal: SIMD8<Double>) {
    self.init()
    for i in 0..<8 { rows[i][i] = diagonal[i] }
  }

  var transposed: Matrix8 {
    var result = Matrix8()
    for i in 0..<8 { for k in 0..<8 { result.rows[i][k] = rows[k][i] } }
    return result
  }

  /// The mean of the matrix and its transpose, which removes the asymmetry that rounding errors cause.
  var symmetric: Matrix8 { (self + transposed) * 0.5 }

  /// The inverse of a symmetric matrix; `nil` if it is not positive definite to working precision.
  var inverse: Matrix8? {
    var result = Matrix8()
    for i in 0..<8 {
      var unit = SIMD8<Double>.zero
      unit[i] = 1
      guard let row = solve(unit) else { return nil }
      result.rows[i] = row
    }
    return result
  }

  /// Returns the vector that a symmetric matrix maps to `v`; `nil` if it is not positive definite to working precision.
  func solve(_ v: SIMD8<Double>) -> SIMD8<Double>? {
    var system = NormalEquations()
    (system.rows, system.rhs) = (rows, v)
    return system.solve()
  }

  static func + (a: Matrix8, b: Matrix8) -> Matrix8 {
    var result = a
    for i in 0..<8 { result.rows[i] += b.rows[i] }
    return result
  }

  static func - (a: Matrix8, b: Matrix8) -> Matrix8 { a + b * -1 }

  static func * (a: Matrix8, s: Double) -> Matrix8 {
    var result = a
    for i in 0..<8 { result.rows[i] *= s }
    return result
  }

  static func * (a: Matrix8, b: Matrix8) -> Matrix8 {
    var result = Matrix8()
    for i in 0..<8 { for k in 0..<8 { result.rows[i] += b.rows[k] * a.rows[i][k] } }
    return result
  }

  static func * (a: Matrix8, v: SIMD8<Double>) -> SIMD8<Double> {
    var result = SIMD8<Double>.zero
    for i in 0..<8 { result[i] = (a.rows[i] * v).sum() }
    return result
  }
}
