/// The intrinsics of a camera, which map directions to pixels: a pinhole with Brown's lens distortion, in the notation of OpenCV
/// and ROS. `LensMap` below converts positions between the undistorted picture and the frame.
///
/// A direction (x, y, 1), y down and z forward, maps to the pixel (fx·x″ + cx, fy·y″ + cy), where (x″, y″) is the distorted (x, y)
/// (D. Brown, "Close-range camera calibration", Photogrammetric Engineering 37 (1971)).
public struct CameraIntrinsics: Hashable, Sendable {
  /// The origin of the intrinsics.
  public enum Source: String, Hashable, Sendable {
    /// Measured for this camera.
    case calibrated
    /// Estimated from the anchors followed with this camera (`FocalLengthEstimator`).
    case estimated
    /// Assumed from a field of view.
    case assumed
  }

  /// The focal length, in pixel widths (x) and pixel heights (y).
  public var focal: Point2
  /// The principal point: where the optical axis meets the frame, in pixels.
  public var center: Point2
  /// The lens distortion by Brown's model.
  public var distortion: Distortion
  /// The origin of the intrinsics.
  public var source: Source

  /// The five coefficients of Brown's model; all zero for a lens without distortion.
  public struct Distortion: Hashable, Sendable {
    /// The radial coefficient of r².
    public var k1 = 0.0
    /// The radial coefficient of r⁴.
    public var k2 = 0.0
    /// The first tangential coefficient.
    public var p1 = 0.0
    /// The second tangential coefficient.
    public var p2 = 0.0
    /// The radial coefficient of r⁶.
    public var k3 = 0.0

    /// Creates a distortion from its coefficients.
    public init(k1: Double = 0, k2: Double = 0, p1: Double = 0, p2: Double = 0, k3: Double = 0) {
      self.k1 = k1
      self.k2 = k2
      self.p1 = p1
      self.p2 = p2
      self.k3 = k3
    }

    /// The coefficients in the order k1, k2, p1, p2, k3, as OpenCV writes them.
    public var values: [Double] { [k1, k2, p1, p2, k3] }
    /// True if the lens does not distort.
    public var isNone: Bool { k1 == 0 && k2 == 0 && p1 == 0 && p2 == 0 && k3 == 0 }
  }

  /// Creates a camera from its focal lengths and principal point in pixels; `nil` unless all numbers are finite and the focal
  /// lengths positive.
  public init?(
    fx: Double, fy: Double, cx: Double, cy: Double, distortion: Distortion = Distortion(), source: Source = .calibrated
  ) {
    let numbers = [fx, fy, cx, cy] + distortion.values
    guard fx > 0, fy > 0, numbers.allSatisfy({ $0.isFinite }) else { return nil }
    focal = Point2(fx, fy)
    center = Point2(cx, cy)
    self.distortion = distortion
    self.source = source
  }

  /// Creates a camera from its field of view alone: square pixels, the principal point in the middle of the frame, no
  /// distortion.
  ///
  /// - Parameters:
  ///   - width: the width of the frame, in pixels.
  ///   - height: the height of the frame, in pixels.
  ///   - fieldOfView: the angle of view across the longer side of the frame, in radians, above 0 and below π. Webcams have
  ///     55° to 78°; 60° is typical at 640×480.
  public init(assumedFor width: Int, _ height: Int, fieldOfView: Double = 60 * .pi / 180) {
    let angle = min(max(fieldOfView, 0.02), .pi - 0.02)
    self.init(width, height, focal: 0.5 * Double(max(width, height, 1)) / Double.tangent(angle / 2), .assumed)
  }

  /// Creates a camera with an estimated focal length: square pixels, the principal point in the middle of the frame, no
  /// distortion.
  ///
  /// - Parameters:
  ///   - width: the width of the frame, in pixels.
  ///   - height: the height of the frame, in pixels.
  ///   - focal: the focal length in pixels, above 0.
  package init(estimatedFor width: Int, _ height: Int, focal: Double) {
    self.init(width, height, focal: focal, .estimated)
  }

  private init(_ width: Int, _ height: Int, focal: Double, _ source: Source) {
    self.focal = Point2(focal, focal)
    center = Point2(0.5 * Double(width - 1), 0.5 * Double(height - 1))
    distortion = Distortion()
    self.source = source
  }

  /// Returns the intrinsics of the same camera for frames resized from one size to another, with pixel centres at whole
  /// numbers.
  public func scaled(from: (width: Int, height: Int), to: (width: Int, height: Int)) -> CameraIntrinsics {
    guard from.width > 0, from.height > 0, to.width > 0, to.height > 0 else { return self }
    let s = Point2(Double(to.width) / Double(from.width), Double(to.height) / Double(from.height))
    var result = self
    result.focal = focal * s
    result.center = (center + 0.5) * s - 0.5
    return result
  }

  /// Returns the pixel at which a direction (x, y, 1) appears.
  public func project(_ direction: Point2) -> Point2 { distort(direction) * focal + center }

  /// Returns the direction (x, y, 1) that appears at a pixel.
  public func unproject(_ pixel: Point2) -> Point2 { undistort((pixel - center) / focal) }

  /// Removes the distortion: returns the pixel at which the same point would appear through a lens without distortion.
  public func rectify(_ pixel: Point2) -> Point2 {
    distortion.isNone ? pixel : unproject(pixel) * focal + center
  }

  /// Adds the distortion: returns the pixel of the frame at which a pixel of the undistorted picture appears.
  public func unrectify(_ pixel: Point2) -> Point2 {
    distortion.isNone ? pixel : project((pixel - center) / focal)
  }

  /// Applies Brown's distortion to a direction (x, y, 1).
  public func distort(_ p: Point2) -> Point2 {
    guard !distortion.isNone else { return p }
    let d = distortion
    let r2 = p.dot(p)
    let radial = 1 + r2 * (d.k1 + r2 * (d.k2 + r2 * d.k3))
    let xy2 = 2 * p.x * p.y
    return p * radial + Point2(d.p1 * xy2 + d.p2 * (r2 + 2 * p.x * p.x), d.p1 * (r2 + 2 * p.y * p.y) + d.p2 * xy2)
  }

  /// Removes Brown's distortion from a direction: the inverse of `distort`, by Newton's method with the exact derivative.
  ///
  /// Far from the centre, where Brown's polynomial folds back, `distort` has no inverse. There, the best approximation found is
  /// returned; it is always finite.
  public func undistort(_ target: Point2) -> Point2 {
    guard !distortion.isNone, target.x.isFinite, target.y.isFinite else { return target }
    let d = distortion
    var p = target
    var best = (p, (distort(p) - target).length)
    for _ in 0..<20 where best.1 > 1e-12 {
      let r2 = p.dot(p)
      let radial = 1 + r2 * (d.k1 + r2 * (d.k2 + r2 * d.k3))
      let slope = 2 * (d.k1 + r2 * (2 * d.k2 + 3 * r2 * d.k3))
      let a = radial + p.x * p.x * slope + 2 * d.p1 * p.y + 6 * d.p2 * p.x
      let b = p.x * p.y * slope + 2 * d.p1 * p.x + 2 * d.p2 * p.y
      let c = radial + p.y * p.y * slope + 6 * d.p1 * p.y + 2 * d.p2 * p.x
      let determinant = a * c - b * b
      guard abs(determinant) > 1e-9 else { break }
      let r = distort(p) - target
      p -= Point2(c * r.x - b * r.y, a * r.y - b * r.x) / determinant
      let error = (distort(p) - target).length
      guard error.isFinite else { break }
      if error < best.1 { best = (p, error) } else if error > 4 * best.1 { break }
    }
    return best.0
  }
}

#if !hasFeature(Embedded)
  extension CameraIntrinsics.Source: Codable {}
#endif

/// The lens distortion between the undistorted picture, in which homographies hold, and the frame.
///
/// Alignment reads the frame's own pixels and uses this map only for the position and the local distortion of a patch, so the frame
/// is never resampled. Detection removes the distortion from the positions of the features.
package struct LensMap: Sendable {
  private let camera: CameraIntrinsics

  /// - Returns: `nil` for a lens that does not distort.
  package init?(_ camera: CameraIntrinsics?) {
    guard let camera, !camera.distortion.isNone else { return nil }
    self.camera = camera
  }

  /// Returns the map for frames resized by `factor`.
  package func scaled(by factor: Double) -> LensMap {
    var resized = camera
    resized.focal = camera.focal * factor
    resized.center = (camera.center + 0.5) * factor - 0.5
    return LensMap(resized) ?? self
  }

  /// Maps a pixel of the undistorted picture to the frame.
  package func bend(_ p: Point2) -> Point2 { camera.unrectify(p) }

  /// Maps a pixel of the frame to the undistorted picture.
  package func straighten(_ p: Point2) -> Point2 { camera.rectify(p) }

  /// Maps corners of the undistorted picture to the frame.
  package func bend(_ q: Quadrilateral) -> Quadrilateral {
    Quadrilateral(
      topLeft: bend(q.topLeft), topRight: bend(q.topRight), bottomRight: bend(q.bottomRight),
      bottomLeft: bend(q.bottomLeft))
  }

  /// Returns the derivatives of `bend` by x and by y, from central differences over one pixel. Within this distance, Brown's
  /// polynomial is practically linear.
  package func derivative(at p: Point2) -> (dx: Point2, dy: Point2) {
    (
      bend(Point2(p.x + 0.5, p.y)) - bend(Point2(p.x - 0.5, p.y)),
      bend(Point2(p.x, p.y + 0.5)) - bend(Point2(p.x, p.y - 0.5))
    )
  }

  /// Returns the corners of a reference (`width` × `height` pixels) in the frame, given its homography to the undistorted picture,
  /// and the homography from the reference to these corners, which is approximate between the corners. `nil` if the corners are not
  /// finite or determine no homography.
  package func seen(_ homography: Homography, width: Int, height: Int) -> (corners: Quadrilateral, map: Homography)? {
    let reference = Quadrilateral(width: Double(width), height: Double(height))
    let corners = bend(homography.apply(reference))
    guard corners.isFinite, let map = Homography(from: reference, to: corners) else { return nil }
    return (corners, map)
  }
}
