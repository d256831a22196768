public import WaymarkImage

/// Shows a frame as cameras in other directions would see it, so that an anchor is found that is seen more obliquely than
/// the views in its library.
///
/// The compiler simulates directions of the reference, this class those of the frame. ASIFT simulates both (J.-M. Morel,
/// G. Yu, SIAM J. Imaging Sciences 2, 2009); MODS starts with few directions and adds more while nothing is found
/// (D. Mishkin, J. Matas, M. Perdoch, Computer Vision and Image Understanding 141, 2015). Each direction costs a search of
/// the frame. Use it from one thread.
final class TiltedFrames {
  /// The directions in order of their tilts: 2, √8, 4 and √32.
  static let views = ViewCatalog.views.filter { $0.tilt > 1.5 } + ViewCatalog.grazing

  /// The greatest extent of a shown frame in pixels: a detector halves larger ones.
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

extension AnchorDetector {
  /// Returns the anchors in a frame as `detect` does and, if there are none, those found when the frame is seen from other
  /// directions: tilt by tilt, until something is found, each anchor once.
  ///
  /// A frame without an anchor takes about twenty times as long as with `detect`.
  public func detectFromAllSides(_ frame: ImageView) -> [DetectedAnchor] {
    let found = detect(frame)
    guard found.isEmpty else { return found }
    tilted.load(frame, lens)
    var (seen, tilt) = ([DetectedAnchor](), 0.0)
    for view in TiltedFrames.views {
      if view.tilt != tilt, !seen.isEmpty { break }
      tilt = view.tilt
      seen += detections(from: view)
    }
    guard !seen.isEmpty else { return [] }
    let (pyramid, aligner) = (GrayPyramid(), PatchAligner())
    pyramid.update(frame, levels: 7)
    aligner.lens = lens
    var (kept, outlines) = ([DetectedAnchor](), [Quadrilateral]())
    for var detection in seen.sorted(by: { ($1.inliers, $0.anchor) < ($0.inliers, $1.anchor) }) {
      let reference = library.references[detection.anchor]
      guard let outline = detection.map.outline(width: reference.width, height: reference.height),
        !kept.contains(where: { $0.anchor == detection.anchor }),
        !outlines.contains(where: { $0.contains(outline.center) || outline.contains($0.center) })
      else { continue }
      if let result = aligner.align(template(detection.anchor), from: detection.map, in: pyramid),
        result.score >= detection.score - 0.05, result.inliers >= 6
      {
        detection.map = result.map
      }
      kept.append(detection)
      outlines.append(outline)
    }
    return kept
  }

  /// Returns the anchors in a frame as seen from one of the directions of `TiltedFrames`, counted round.
  package func detections(in frame: ImageView, from direction: Int) -> [DetectedAnchor] {
    tilted.load(frame, lens)
    return detections(from: TiltedFrames.views[direction % TiltedFrames.views.count])
  }

  /// Returns the anchors in the frame loaded into `tilted` as seen from a direction.
  private func detections(from view: ViewCatalog.View) -> [DetectedAnchor] {
    // What is shown has no distortion, and the intrinsics are those of another camera.
    let camera = (lens, intrinsics)
    (lens, intrinsics) = (nil, nil)
    defer { (lens, intrinsics) = camera }
    beginFrame()
    return tilted.detections(from: view) { detect($0, except: []) }
  }
}
