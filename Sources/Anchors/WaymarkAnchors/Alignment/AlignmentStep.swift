package import WaymarkImage

/// The coordinates in which an alignment step is solved: the origin is the mean of the patches' positions, the unit
/// their standard deviation.
///
/// The file has these coordinates, the parameters of a step (`AlignmentParameters`) and its outcome
/// (`AlignmentResult`).
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

/// The parameters that alignment changes: the eight of a plane's homography, or the six of a cylinder's pose.
///
/// Each parameter is scaled so that one unit moves a patch by about the unit of `AlignmentFrame`.
struct AlignmentParameters {
  /// The cylinder on the level, and the point about which it turns.
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
  /// The share of the patches in view that agree: their correlation is above 0.5, and the measured shift from their
  /// position under the map is below a pixel.
  package var share: Double
  /// The number of patches in view, and the number of those that agree.
  var patches: Int
  package var inliers: Int
  /// The root mean square of the measured shifts of the agreeing patches, in frame pixels.
  package var residual: Double
  /// The smaller of the two principal standard deviations of the agreeing patches' positions, in reference pixels.
  package var spread: Double
  /// The mean correlation of the agreeing patches.
  package var gain: Double

  /// Returns whether the agreeing patches determine the position of the whole reference.
  ///
  /// The error of a map grows with the square of the distance from the patches that determine it. So their standard deviation
  /// must be at least a twentieth of half the reference's size, as when a twelfth of an evenly textured reference is in view.
  func determines(_ template: AnchorTemplate) -> Bool {
    map.cylinder != nil || 40 * spread >= Double(template.width * template.height).squareRoot()
  }

  /// Reference pixels → frame pixels as a homography, see `SurfaceMap.homography`.
  package var homography: Homography { map.homography }
}
