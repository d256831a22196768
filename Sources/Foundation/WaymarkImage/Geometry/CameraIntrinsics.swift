/// How a camera maps directions to pixels: the pinhole with Brown's lens distortion, as OpenCV and ROS write it.
///
/// A direction (x, y, 1), y down and z forward, goes to (fx·x″ + cx, fy·y″ + cy), where x″ is the distorted x
/// (D. Brown, "Close-range camera calibration", Photogrammetric Engineering 37 (1971)).
public struct CameraIntrinsics: Hashable, Sendable {
  /// Where the numbers come from.
  public enum Source: String, Hashable, Sendable {
    /// Measured for this camera.
    case calibrated
    /// Found from what was followed in this camera (`FocalLengthEstimator`).
    case estimated
    /// Guessed from a field of view.
    case assumed
  }

  /// The focal length in pixel widths and heights.
  public var focal: Point2
  /// The place in the frame that the optical axis meets, in pixels.
  public var center: Point2
  /// The distortion `[k1, k2, p1, p2, k3]`: three radial and, third and fourth, two tangential numbers.
  public var distortion: Distortion
  /// Where the numbers come from.
  public var source: Source

  /// Brown's five numbers; all zero for a lens without distortion.
  public struct Distortion: Hashable, Sendable {
    /// Radial, of r².
    public var k1 = 0.0
    /// Radial, of r⁴.
    public var k2 = 0.0
    /// Tangential, horizontal.
    public var p1 = 0.0
    /// Tangential, vertical.
    public var p2 = 0.0
    /// Radial, of r⁶.
    public var k3 = 0.0

    /// A lens from its numbers.
    public init(k1: Double = 0, k2: Double = 0, p1: Double = 0, p2: Double = 0, k3: Double = 0) {
      self.k1 = k1
      self.k2 = k2
      self.p1 = p1
      self.p2 = p2
      self.k3 = k3
    }

    /// In the order k1, k2, p1, p2, k3.
    public var values: [Double] { [k1, k2, p1, p2, k3] }
    /// True if the lens does not distort.
    public var isNone: Bool { k1 == 0 && k2 == 0 && p1 == 0 && p2 == 0 && k3 == 0 }
  }

  /// A camera from its numbers; `nil` unless all are finite and the focal lengths positive.
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

  /// A camera of which only the field of view is known or guessed: square pixels, centred, no distortion.
  ///
  /// - Parameters:
  ///   - width: of the frame, in pixels.
  ///   - height: of the frame, in pixels.
  ///   - fieldOfView: across the longer side of the frame, in radians, above 0 and below π. Webcams have 55° to 78°;
  ///     the default of 60° is the middle of what they give at 640×480.
  public init(assumedFor width: Int, _ height: Int, fieldOfView: Double = 60 * .pi / 180) {
    let angle = min(max(fieldOfView, 0.02), .pi - 0.02)
    self.init(width, height, focal: 0.5 * Double(max(width, height, 1)) / Double.tangent(angle / 2), .assumed)
  }

  /// A camera whose focal length was found from what it sees: square pixels, centred, no distortion.
  ///
  /// - Parameters:
  ///   - width: of the frame, in pixels.
  ///   - height: of the frame, in pixels.
  ///   - focal: in pixels, above 0.
  package init(estimatedFor width: Int, _ height: Int, focal: Double) {
    self.init(width, height, focal: focal, .estimated)
  }

  private init(_ width: Int, _ height: Int, focal: Double, _ source: Source) {
    self.focal = Point2(focal, focal)
    center = Point2(0.5 * Double(width - 1), 0.5 * Double(height - 1))
    distortion = Distortion()
    self.source = source
  }

  /// The same camera for frames resized from one size to another, pixel centres at whole numbers.
  public func scaled(from: (width: Int, height: Int), to: (width: Int, height: Int)) -> CameraIntrinsics {
    guard from.width > 0, from.height > 0, to.width > 0, to.height > 0 else { return self }
    let s = Point2(Double(to.width) / Double(from.width), Double(to.height) / Double(from.height))
    var result = self
    result.focal = focal * s
    result.center = (center + 0.5) * s - 0.5
    return result
  }

  /// The pixel of a direction (x, y, 1).
  public func project(_ direction: Point2) -> Point2 { distort(direction) * focal + center }

  /// The direction (x, y, 1) that a pixel sees.
  public func unproject(_ pixel: Point2) -> Point2 { undistort((pixel - center) / focal) }

  /// Where the same point would appear through a lens without distortion, in pixels.
  public func rectify(_ pixel: Point2) -> Point2 {
    distortion.isNone ? pixel : unproject(pixel) * focal + center
  }

  /// Where a point of the undistorted picture appears in the frame, in pixels.
  public func unrectify(_ pixel: Point2) -> Point2 {
    distortion.isNone ? pixel : project((pixel - center) / focal)
  }

  /// Brown's model on a direction.
  public func distort(_ p: Point2) -> Point2 {
    guard !distortion.isNone else { return p }
    let d = distortion
    let r2 = p.dot(p)
    let radial = 1 + r2 * (d.k1 + r2 * (d.k2 + r2 * d.k3))
    let xy2 = 2 * p.x * p.y
    return p * radial + Point2(d.p1 * xy2 + d.p2 * (r2 + 2 * p.x * p.x), d.p1 * (r2 + 2 * p.y * p.y) + d.p2 * xy2)
  }

  /// The inverse of `distort`, by Newton's method with the derivative taken in closed form.
  ///
  /// Beyond the place where the model folds back there is no inverse; the nearest direction found is returned, always finite.
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
