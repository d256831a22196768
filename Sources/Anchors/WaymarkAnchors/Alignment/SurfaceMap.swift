package import WaymarkImage

/// Where the points of a reference stand in a frame: flat, or wrapped round a cylinder.
///
/// Pixels of the frame are those without the lens's distortion.
package enum SurfaceMap: Hashable, Sendable {
  case plane(Homography)
  case cylinder(CylinderMap)

  /// The image of a point of the reference.
  @inline(__always)
  package func apply(_ p: Point2) -> Point2 {
    switch self {
    case .plane(let h): h.apply(p)
    case .cylinder(let c): c.apply(p)
    }
  }

  /// Above zero where a point of the reference can be seen.
  @inline(__always)
  package func depth(_ p: Point2) -> Double {
    switch self {
    case .plane(let h): h.depth(p)
    case .cylinder(let c): c.depth(p)
    }
  }

  /// The derivatives of the image by x and by y.
  @inline(__always)
  package func derivative(at p: Point2) -> (dx: Point2, dy: Point2) {
    switch self {
    case .plane(let h): h.derivative(at: p)
    case .cylinder(let c): c.derivative(at: p)
    }
  }

  /// The same for frames resized by `factor`.
  package func resized(by factor: Double) -> SurfaceMap {
    switch self {
    case .plane(let h): .plane(Homography.resize(Point2(factor, factor)) * h)
    case .cylinder(let c): .cylinder(c.resized(by: factor))
    }
  }

  /// The same a few pixels further in the frame; a cylinder goes there at the distance of what is in sight of it.
  package func shifted(by shift: Point2) -> SurfaceMap {
    switch self {
    case .plane(let h): return .plane((Homography.translation(shift) * h).normalized)
    case .cylinder(let c):
      let place = c.visibleMiddle.map { c.seen($0) } ?? c.axisPoint
      let way = shift / c.camera.focal * place.z
      return .cylinder(c.moved(turn: .zero, shift: Point3(way.x, way.y, 0), pivot: .zero))
    }
  }

  /// The map as a homography; of a cylinder that of the plane which touches it in the middle of what is in sight.
  package var homography: Homography {
    switch self {
    case .plane(let h): h
    case .cylinder(let c): c.tangent(at: c.visibleMiddle ?? (c.referenceSize - 1) / 2).normalized
    }
  }

  /// The cylinder, where it is one.
  package var cylinder: CylinderMap? {
    guard case .cylinder(let c) = self else { return nil }
    return c
  }

  /// The corners of what can be seen of a reference; `nil` where they are not a plausible outline.
  package func outline(width: Int, height: Int) -> Quadrilateral? {
    switch self {
    case .plane(let h): return h.outline(width: Double(width), height: Double(height))
    case .cylinder(let c):
      guard let corners = c.corners, corners.isPlausible() else { return nil }
      return corners
    }
  }

  /// How many pixels of the frame a pixel of the reference has, in the middle of what is in sight.
  func enlargement(_ outline: Quadrilateral, width: Int, height: Int) -> Double {
    switch self {
    case .plane: return (outline.signedArea / Double(width * height)).squareRoot()
    case .cylinder(let c):
      let d = c.derivative(at: c.visibleMiddle ?? (c.referenceSize - 1) / 2)
      return abs(d.dx.cross(d.dy)).squareRoot()
    }
  }

  /// The smallest box of the frame around what can be seen of a reference; `nil` where it has no end.
  func box(width: Int, height: Int) -> (low: Point2, high: Point2)? {
    var low = Point2(repeating: .infinity)
    var high = -low
    func take(_ p: Point2) {
      low = pointwiseMin(low, p)
      high = pointwiseMax(high, p)
    }
    switch self {
    case .plane(let h):
      let outline = h.apply(Quadrilateral(width: Double(width), height: Double(height)))
      guard outline.isFinite else { return nil }
      take(outline.topLeft)
      take(outline.topRight)
      take(outline.bottomRight)
      take(outline.bottomLeft)
    case .cylinder(let c):
      guard let visible = c.visible else { return nil }
      for i in 0..<2 * CylinderMap.arcPoints { take(c.outlinePoint(i, of: visible)) }
    }
    return (low + high).sum().isFinite ? (low, high) : nil
  }

  /// The map back from the frame: a plane's whole inverse, and for a cylinder the inverse around a pixel.
  var inverse: Inverse? {
    switch self {
    case .plane(let h): return h.inverse.map(Inverse.plane)
    case .cylinder(let c): return .cylinder(c)
    }
  }

  /// Frame pixels → reference pixels.
  enum Inverse {
    case plane(Homography)
    case cylinder(CylinderMap)

    /// The point of the reference that a pixel shows.
    func apply(_ q: Point2) -> Point2? {
      switch self {
      case .plane(let h): return h.apply(q)
      case .cylinder(let c): return c.inverse(q).flatMap { c.depth($0) > 0 ? $0 : nil }
      }
    }

    /// A map that stands for the inverse within a patch of eight pixels around `q`.
    ///
    /// A cylinder bends within the patch: the affine map goes through four places as far from the middle as the patch's pixels are in
    /// the root of the mean square, so that what the bend brings is right in the mean.
    func near(_ q: Point2) -> Homography? {
      switch self {
      case .plane(let h): return h
      case .cylinder(let c):
        let reach = 2.29
        guard let l = c.inverse(q - Point2(reach, 0)), let r = c.inverse(q + Point2(reach, 0)),
          let t = c.inverse(q - Point2(0, reach)), let b = c.inverse(q + Point2(0, reach)),
          let middle = c.inverse(q)
        else { return nil }
        let (dx, dy) = ((r - l) / (2 * reach), (b - t) / (2 * reach))
        // Half of the second derivatives times the mean squares; both of the four places' deviations hold one of them.
        let center = middle + 0.5 * (l + r + t + b - 4 * middle)
        let o = center - dx * q.x - dy * q.y
        guard o.x.isFinite, o.y.isFinite else { return nil }
        return Homography(SIMD3(dx.x, dy.x, o.x), SIMD3(dx.y, dy.y, o.y), SIMD3(0, 0, 1))
      }
    }
  }
}
