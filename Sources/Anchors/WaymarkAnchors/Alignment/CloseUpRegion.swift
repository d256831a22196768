import WaymarkImage

/// The visible part of a reference of which a frame shows less than half: it is then compared in more detail than its 480 pixels.
struct CloseUpRegion {
  /// The least rectangle around it, in pixels of the reference.
  let low: Point2
  let high: Point2

  /// - Parameters:
  ///   - inverse: frame → reference, without the lens's distortion.
  ///   - width: of the frame; `height` likewise.
  ///   - straight: where a place of the frame lies without that distortion.
  /// - Returns: `nil` where half of the reference or more is in sight, or none.
  init?(
    _ template: AnchorTemplate, _ inverse: SurfaceMap.Inverse, width: Int, height: Int, straight: (Point2) -> Point2
  ) {
    let (w, h) = (Double(template.width), Double(template.height))
    var (least, most) = (SIMD2(Double.infinity, .infinity), SIMD2(-Double.infinity, -.infinity))
    // Not as literals of literals: these are arrays on their way.
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

/// Where the patches of a reference stand of which only a part is in sight: the places of the whole would leave it a few, which say
/// little about the rest.
final class CloseUpPatches {
  /// For the octaves of an alignment, and for two anchors in turn.
  private static let sets = 4
  private let places = UnsafeMutableBufferPointer<SIMD2<Float>>.allocate(capacity: sets * TextureRanking.most)
  private var counts = InlineArray<4, Int>(repeating: 0)
  /// The key for which each set was chosen.
  private var keys = InlineArray<4, Key>(repeating: Key(serial: 0, level: 0, window: .zero))
  /// The set that was chosen longest ago.
  private var oldest = 0

  private struct Key: Equatable {
    /// Of the template; 0: none.
    var serial: Int
    var level: Int
    /// Left, top, right and bottom on the level, in steps of 16 pixels: a window that moves by less keeps its places.
    var window: SIMD4<Int>
  }

  deinit { places.deallocate() }

  /// The places on the part in sight, in pixels of the reference.
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
      // They are told as of a picture that begins at the part's corner.
      let offset = SIMD2(Float(x), Float(y)) / Float(scale)
      for i in 0..<counts[set] { own[i] += offset }
    }
    return UnsafeBufferPointer(start: base + set * TextureRanking.most, count: counts[set])
  }
}
