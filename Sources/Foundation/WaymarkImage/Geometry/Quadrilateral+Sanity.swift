extension Quadrilateral {
  /// The limits for the outline of a picture in a frame before it is trusted.
  public struct Limits: Hashable, Sendable {
    /// The least area in square pixels.
    public var minimumArea = 400.0
    /// The least length of a side in pixels.
    public var minimumSide = 6.0
    /// The greatest distance of a corner from the origin in pixels.
    public var maximumCoordinate = 20_000.0
    /// The least sine of an angle between neighbouring sides.
    public var minimumSine = 0.03

    /// The limits that the engine uses.
    public init() {}
  }

  /// The corners of a picture of `width` × `height` pixels, by the reference points (0,0), (w,0), (w,h), (0,h).
  public init(width: Double, height: Double) {
    self.init(
      topLeft: Point2(0, 0), topRight: Point2(width, 0), bottomRight: Point2(width, height),
      bottomLeft: Point2(0, height))
  }

  /// Returns whether it can be the outline of a flat picture seen from its front: finite, convex, not mirrored, not a sliver.
  public func isPlausible(_ limits: Limits = Limits()) -> Bool {
    guard isFinite, signedArea >= limits.minimumArea else { return false }
    let sides = (topRight - topLeft, bottomRight - topRight, bottomLeft - bottomRight, topLeft - bottomLeft)
    func turns(_ a: Point2, _ b: Point2) -> Bool {
      let la = a.length
      let lb = b.length
      return la >= limits.minimumSide && a.cross(b) > limits.minimumSine * la * lb
    }
    func near(_ p: Point2) -> Bool { max(abs(p.x), abs(p.y)) <= limits.maximumCoordinate }
    return turns(sides.0, sides.1) && turns(sides.1, sides.2) && turns(sides.2, sides.3) && turns(sides.3, sides.0)
      && near(topLeft) && near(topRight) && near(bottomRight) && near(bottomLeft)
  }

  /// The mean distance of the corners from those of another one, in pixels.
  public func meanCornerDistance(to other: Quadrilateral) -> Double {
    (topLeft.distance(to: other.topLeft) + topRight.distance(to: other.topRight)
      + bottomRight.distance(to: other.bottomRight) + bottomLeft.distance(to: other.bottomLeft)) / 4
  }
}

extension Homography {
  /// The outline in the frame of a reference of `width` × `height` pixels; `nil` where a part of it lies behind the
  /// horizon or the outline is not plausible.
  public func outline(width: Double, height: Double, limits: Quadrilateral.Limits = .init()) -> Quadrilateral? {
    let q = Quadrilateral(width: width, height: height)
    let d = (depth(q.topLeft), depth(q.topRight), depth(q.bottomRight), depth(q.bottomLeft))
    // The sign of the matrix is free: all four corners must lie on the same side.
    guard (d.0 > 0) == (d.1 > 0), (d.1 > 0) == (d.2 > 0), (d.2 > 0) == (d.3 > 0) else { return nil }
    let image = apply(q)
    return image.isPlausible(limits) ? image : nil
  }
}
