package import WaymarkImage

/// Maps the points of a reference into a frame, flat or wrapped round a cylinder.
///
/// Frame pixels exclude the lens distortion. The file also has the part of a reference that a close-up shows
/// (`CloseUpRegion`) and its patches (`CloseUpPatches`).
package enum SurfaceMap: Hashable, Sendable {
  case plane(Homography)
  case cylinder(CylinderMap)

  /// Returns the frame point of a reference point.
  @inline(__always)
  package func apply(_ p: Point2) -> Point2 {
    switch self {
    case .plane(let h): h.apply(p)
    case .cylinder(let c): c.apply(p)
    }
  }

  /// Returns the depth of a reference point, greater than zero if it is visible.
  @inline(__always)
  package func depth(_ p: Point2) -> Double {
    switch self {
    case .plane(let h): h.depth(p)
    case .cylinder(let c): c.depth(p)
    }
  }

  /// Returns the derivatives of the frame point by the x and by the y of the reference point.
  @inline(__always)
  package func derivative(at p: Point2) -> (dx: Point2, dy: Point2) {
    switch self {
    case .plane(let h): h.derivative(at: p)
    case .cylinder(let c): c.derivative(at: p)
    }
  }

  /// Returns the map into frames that are `factor` times as large as the frame.
  package func resized(by factor: Double) -> SurfaceMap {
    switch self {
    case .plane(let h): .plane(Homography.resize(Point2(factor, factor)) * h)
    case .cylinder(let c): .cylinder(c.resized(by: factor))
    }
  }

  /// Returns the map shifted in the frame by `shift` pixels; a cylinder is moved parallel to the image at the distance of its visible part.
  package func shifted(by shift: Point2) -> SurfaceMap {
    switch self {
    case .plane(let h): return .plane((Homography.translation(shift) * h).normalized)
    case .cylinder(let c):
      let place = c.visibleMiddle.map { c.seen($0) } ?? c.axisPoint
      let way = shift / c.camera.focal * place.z
      return .cylinder(c.moved(turn: .zero, shift: Point3(way.x, way.y, 0), pivot: .zero))
    }
  }

  /// The map as a homography; for a cylinder, the homography of the tangent plane in the middle of the visible part.
  package var homography: Homography {
    switch self {
    case .plane(let h): h
    case .cylinder(let c): c.tangent(at: c.visibleMiddle ?? (c.referenceSize - 1) / 2).normalized
    }
  }

  /// The cylinder; `nil` if the map is flat.
  package var cylinder: CylinderMap? {
    guard case .cylinder(let c) = self else { return nil }
    return c
  }

  /// Returns the corners of the visible part of a reference in the frame; `nil` if they are not a plausible outline.
  package func outline(width: Int, height: Int) -> Quadrilateral? {
    switch self {
    case .plane(let h): return h.outline(width: Double(width), height: Double(height))
    case .cylinder(let c):
      guard let corners = c.corners, corners.isPlausible() else { return nil }
      return corners
    }
  }

  /// Returns the number of frame pixels per reference pixel, in the middle of the visible part.
  func enlargement(_ outline: Quadrilateral, width: Int, height: Int) -> Double {
    switch self {
    case .plane: return (outline.signedArea / Double(width * height)).squareRoot()
    case .cylinder(let c):
      let d = c.derivative(at: c.visibleMiddle ?? (c.referenceSize - 1) / 2)
      return abs(d.dx.cross(d.dy)).squareRoot()
    }
  }

  /// Returns the smallest box in the frame around the visible part of a reference; `nil` if it is not finite.
  func box(width: Int, height: Int) -> (low: Point2, high: Point2)? {
    var (low, high) = (Point2(repeating: .infinity), Point2(repeating: -.infinity))
    func take(_ p: Point2) { (low, high) = (pointwiseMin(low, p), pointwiseMax(high, p)) }
    switch self {
    case .plane(let h):
      let outline = h.apply(Quadrilateral(width: Double(width), height: Double(height)))
      guard outline.isFinite else { return nil }
      for i in 0..<4 { take(outline[i]) }
    case .cylinder(let c):
      guard let visible = c.visible else { return nil }
      for i in 0..<2 * CylinderMap.arcPoints { take(c.outlinePoint(i, of: visible)) }
    }
    return (low + high).sum().isFinite ? (low, high) : nil
  }

  /// The inverse map; for a cylinder it is computed point by point.
  var inverse: Inverse? {
    switch self {
    case .plane(let h): return h.inverse.map(Inverse.plane)
    case .cylinder(let c): return .cylinder(c)
    }
  }

  /// A map from frame pixels to reference pixels.
  enum Inverse {
    case plane(Homography)
    case cylinder(CylinderMap)

    /// Returns the reference point at a frame pixel; `nil` if the pixel shows none.
    func apply(_ q: Point2) -> Point2? {
      switch self {
      case .plane(let h): return h.apply(q)
      case .cylinder(let c): return c.inverse(q).flatMap { c.depth($0) > 0 ? $0 : nil }
      }
    }

    /// Returns a homography that approximates the inverse within a patch of eight pixels around `q`.
    ///
    /// A cylinder is curved within the patch. The affine map is fitted to four points at the root mean square distance of the
    /// patch's pixels from its middle, so that the mean error of the curvature is zero.
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
        // The mean of the second-order terms over the patch is half the sum of the second differences in x and in y.
        let center = middle + 0.5 * (l + r + t + b - 4 * middle)
        let o = center - dx * q.x - dy * q.y
        guard o.x.isFinite, o.y.isFinite else { return nil }
        return Homography(SIMD3(dx.x, dy.x, o.x), SIMD3(dx.y, dy.y, o.y), SIMD3(0, 0, 1))
      }
    }
  }
}

/// The visible part of a reference that is less than half in view. Its patches are drawn from the picture at up to double the
/// reference's size.
struct CloseUpRegion {
  /// The top left corner of the smallest rectangle around the part, in reference pixels; `high`: its bottom right
  /// corner.
  let low: Point2
  let high: Point2

  /// - Parameters:
  ///   - inverse: Frame pixels → reference pixels, without the lens distortion.
  ///   - width: The width of the frame in pixels; `height` likewise.
  ///   - straight: Removes the lens distortion from a point of the frame.
  /// - Returns: `nil` if at least half of the reference, or nothing of it, is in view.
  init?(
    _ template: AnchorTemplate, _ inverse: SurfaceMap.Inverse, width: Int, height: Int, straight: (Point2) -> Point2
  ) {
    let (w, h) = (Double(template.width), Double(template.height))
    var (least, most) = (SIMD2(Double.infinity, .infinity), SIMD2(-Double.infinity, -.infinity))
    // Built from constants, because nested array literals would allocate arrays.
    let (right, bottom) = (Double(width), Double(height))
    let corners: InlineArray<4, Point2> = [Point2(0, 0), Point2(right, 0), Point2(right, bottom), Point2(0, bottom)]
    for i in corners.indices {
      guard let p = inverse.apply(straight(corners[i])), p.x.isFinite,
        p.y.isFinite
      else {
        return nil
      }
      least = pointwiseMin(least, SIMD2(p.x, p.y))
      most = pointwiseMax(most, SIMD2(p.x, p.y))
    }
    low = Point2(max(0, least.x), max(0, least.y))
    high = Point2(min(w, most.x), min(h, most.y))
    guard low.x < high.x, low.y < high.y, 2 * (high.x - low.x) * (high.y - low.y) < w * h else { return nil }
  }
}

/// Chooses the patches of a reference that is only partly in view, because few of the patches chosen for the whole reference are in
/// the visible part.
final class CloseUpPatches {
  /// The number of sets that are kept, so that a change of octave or anchor rarely requires choosing patches again.
  private static let sets = 4
  private let places = UnsafeMutableBufferPointer<SIMD2<Float>>.allocate(capacity: sets * TextureRanking.most)
  private var counts = InlineArray<4, Int>(repeating: 0)
  /// The template, level and window for which each set was chosen.
  private var keys = InlineArray<4, Key>(repeating: Key(serial: 0, level: 0, window: .zero))
  /// The index of the set to replace next: the set chosen longest ago.
  private var oldest = 0

  private struct Key: Equatable {
    /// The serial number of the template (`AnchorTemplate.serial`); 0 for an empty entry.
    var serial: Int
    var level: Int
    /// Left, top, right and bottom on the level in units of 16 pixels, so that a small move of the window keeps the patches.
    var window: SIMD4<Int>
  }

  deinit { places.deallocate() }

  /// Returns the patch centres on the visible part, in reference pixels.
  func centers(
    _ template: AnchorTemplate, _ index: Int, _ sight: CloseUpRegion, _ ranking: TextureRanking
  ) -> UnsafeBufferPointer<SIMD2<Float>> {
    let view = template.pyramid.level(index)
    let scale = template.scale(index)
    let (low, high) = (sight.low * (scale / 16), sight.high * (scale / 16))
    let window = SIMD4(
      Int(low.x.rounded(.down)), Int(low.y.rounded(.down)), min((view.width + 15) / 16, Int(high.x.rounded(.up))),
      min((view.height + 15) / 16, Int(high.y.rounded(.up))))
    let wanted = Key(serial: template.serial, level: index, window: window)
    guard let base = places.baseAddress else { return UnsafeBufferPointer(rebasing: places[..<0]) }
    var set = 0
    while set < Self.sets, keys[set] != wanted { set += 1 }
    if set == Self.sets {
      (set, oldest) = (oldest, (oldest + 1) % Self.sets)
      keys[set] = wanted
      counts[set] = 0
      let (x, y) = (16 * window.x, 16 * window.y)
      let own = base + set * TextureRanking.most
      if x < view.width, y < view.height {
        let part = ImageView(
          base: view.base + y * view.stride + x, width: min(view.width, 16 * window.z) - x,
          height: min(view.height, 16 * window.w) - y, stride: view.stride)
        counts[set] = ranking.rank(part, scale: scale, into: own)
      }
      // The centres are relative to the corner of the part.
      let offset = SIMD2(Float(x), Float(y)) / Float(scale)
      for i in 0..<counts[set] { own[i] += offset }
    }
    return UnsafeBufferPointer(start: base + set * TextureRanking.most, count: counts[set])
  }
}
