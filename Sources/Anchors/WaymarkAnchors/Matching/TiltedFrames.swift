import WaymarkImage

/// Shows a frame as cameras in other directions would see it, to find anchors that are seen more obliquely than in the views of the
/// library.
///
/// The compiler simulates directions of the reference; this class simulates directions of the frame. ASIFT simulates both (J.-M.
/// Morel, G. Yu, SIAM J. Imaging Sciences 2, 2009); MODS starts with few directions and adds more until an object is found (D.
/// Mishkin, J. Matas, M. Perdoch, Computer Vision and Image Understanding 141, 2015). Each direction costs a search of the frame.
/// Use it from one thread.
final class TiltedFrames {
  /// The directions in order of their tilts: 2, √8, 4 and √32.
  static let views = ViewCatalog.views.filter { $0.tilt > 1.5 } + ViewCatalog.grazing

  /// The greatest extent of a shown frame in pixels; detectors halve larger frames.
  private static let side = 1000.0

  private let renderer = PictureRenderer()
  private var straight = PixelBuffer(capacity: 0)
  private var size = (width: 0, height: 0)

  /// Loads a frame, without the distortion of `lens`.
  func load(_ frame: ImageView, _ lens: LensMap?) {
    size = (frame.width, frame.height)
    guard let lens else { return renderer.load(frame) }
    if straight.capacity < frame.width * frame.height { straight = PixelBuffer(capacity: frame.width * frame.height) }
    for y in 0..<frame.height {
      let row = straight.bytes + y * frame.width
      for x in 0..<frame.width {
        let p = lens.bend(Point2(Double(x), Double(y)))
        row[x] = p.x.isFinite && p.y.isFinite ? UInt8(frame.bilinear(SIMD2(p.x, p.y)).rounded()) : 0
      }
    }
    GrayImage(width: frame.width, height: frame.height, buffer: straight).withView(renderer.load)
  }

  /// Returns the flat anchors that `detect` finds in the loaded frame as seen from a direction, placed in the loaded frame.
  func detections(
    from view: ViewCatalog.View, _ detect: (ImageView) -> [DetectedAnchor]
  ) -> [DetectedAnchor] {
    let diagonal = Point2(Double(size.width), Double(size.height)).length
    guard
      let (image, back) = renderer.view(
        view, size: min(1, Self.side / max(1, diagonal)), width: size.width, height: size.height)
    else { return [] }
    return image.withView(detect).compactMap { detection in
      guard detection.cylinder == nil else { return nil }
      var seen = detection
      seen.homography = (back * detection.homography).normalized
      return seen
    }
  }
}
