import CKernels
import WaymarkGeometry
package import WaymarkImage
import WaymarkSystem

/// Turns reference pictures into compiled anchors: features from many views, of which those are kept that are found
/// again in simulated frames.
///
/// Used from one thread; one compiler a worker. The result depends on the picture alone.
package final class AnchorCompiler {
  package struct Settings: Sendable {
    /// The most features an anchor keeps: 44 bytes each in the library.
    package var limit = 700
    /// The most features taken from one view.
    package var perView = 500
    /// Simulated frames that decide which features are kept.
    package var shots = 60
    /// The greatest Hamming distance at which a feature counts as found again.
    package var distance = 60
    package init() {}

    /// The settings for a library of so many anchors: a thousand of them must stay within 80 megabytes and ten thousand within 300,
    /// and what large libraries go without costs a point of recognition.
    package init(anchors: Int) {
      let count = max(1, anchors)
      limit = max(min(600, 5_600_000 / count), min(limit, 573_000 / count))
    }
  }

  package let settings: Settings
  private let renderer = PictureRenderer()
  private let viewExtractor: FeatureExtractor
  private let shotExtractor: FeatureExtractor
  private let enlargingExtractor = FeatureExtractor(settings: .enlarging)
  private var viewBuffer = PixelBuffer(capacity: 0)

  package init(settings: Settings = Settings()) {
    self.settings = settings
    var view = FeatureExtractor.Settings()
    view.limit = settings.perView
    view.levels = ViewCatalog.levels
    viewExtractor = FeatureExtractor(settings: view)
    shotExtractor = FeatureExtractor()
  }

  /// Fewer agreeing features are never claimed, so an anchor with fewer would never be found.
  package static let fewestFeatures = 8

  /// The most bytes of an anchor's name.
  static let longestName = 1024

  /// The long side of a reference in pixels.
  package static let side = 480

  /// Compiles a picture of any size.
  ///
  /// - Throws: `AnchorError` with `unusablePicture` for a name that is empty or a picture that is a mere strip or dot.
  package func compile(name: String, physicalWidth: Double?, picture: GrayImage) throws(AnchorError) -> CompiledAnchor {
    let image = try Self.reference(name: name, picture: picture)
    return compile(
      name: name, physicalWidth: physicalWidth, image: image, originalSide: max(picture.width, picture.height))
  }

  /// A picture of any size as the reference that is compiled: its long side 480 pixels.
  ///
  /// - Throws: as `compile`.
  package static func reference(name: String, picture: GrayImage) throws(AnchorError) -> GrayImage {
    guard !name.isEmpty, name.utf8.count <= longestName, !name.utf8.contains(where: { $0 < 32 }) else {
      throw AnchorError(
        .unusablePicture, "An anchor's name is empty, too long or holds control characters.", hint: "Give it a name.")
    }
    let long = max(picture.width, picture.height)
    let short = min(picture.width, picture.height)
    guard short >= 16, long <= 12 * short else {
      throw AnchorError(
        .unusablePicture, "The picture of \"\(name)\" has \(picture.width)×\(picture.height) pixels.",
        hint: "Anchors need at least 16 pixels a side and sides that differ at most twelvefold.")
    }
    guard long != side else { return picture }
    let scale = Double(side) / Double(long)
    return picture.resized(
      width: max(1, Int((Double(picture.width) * scale).rounded())),
      height: max(1, Int((Double(picture.height) * scale).rounded())))
  }

  /// Makes sure that an anchor can be found at all before it is put into a library.
  ///
  /// - Throws: `AnchorError` with `unusablePicture` for one with fewer features than any claim needs.
  package static func check(_ anchor: CompiledAnchor) throws(AnchorError) {
    guard anchor.features.count < fewestFeatures else { return }
    throw AnchorError(
      .unusablePicture,
      "The picture of \"\(anchor.name)\" has \(anchor.features.count) corners to be found again by, of the "
        + "\(fewestFeatures) needed.",
      hint: "It shows one colour or plain edges: choose a picture with letters or texture.")
  }

  /// Compiles a picture whose long side is 480 pixels.
  package func compile(
    name: String, physicalWidth: Double?, image: GrayImage, originalSide: Int = AnchorCompiler.side
  ) -> CompiledAnchor {
    var pool = CandidatePool(width: image.width, height: image.height)
    image.withView { renderer.load($0) }
    for (index, view) in ViewCatalog.views.enumerated() { collect(view, index, image, into: &pool) }
    pool.finish()
    var cover = FeatureCover(pool: pool, distance: settings.distance)
    let camera = SimulatedCamera()
    for i in 0..<settings.shots {
      guard let shot = camera.shot(i, of: settings.shots, w: image.width, h: image.height),
        let (picture, map) = camera.render(shot, index: i, w: image.width, h: image.height, with: renderer)
      else { continue }
      // A frame that shows the anchor so small is looked at doubled.
      let doubled = shot.area < 0.03
      picture.withView { (doubled ? enlargingExtractor : shotExtractor).extract($0, doubled: doubled) }
      cover.add((doubled ? enlargingExtractor : shotExtractor).features, map: map, doubled: doubled, share: shot.area)
    }
    let chosen = cover.choose(limit: settings.limit)
    var descriptors: [UInt64] = []
    descriptors.reserveCapacity(4 * chosen.count)
    for c in chosen { descriptors += pool.descriptors[(4 * c)..<(4 * c + 4)] }
    let features = chosen.map { pool.features[$0] }
    let reasons = PictureCritic.reasons(
      image, originalSide: originalSide, chosen: features, extractor: shotExtractor)
    let sightings = cover.sightings(chosen)
    return CompiledAnchor(
      name: name, physicalWidth: physicalWidth, image: image, features: features, descriptors: descriptors,
      recall: AnchorQuality.Scale.recall(sightings), sightings: sightings, reasons: reasons)
  }

  private func collect(_ view: ViewCatalog.View, _ index: Int, _ image: GrayImage, into pool: inout CandidatePool) {
    let linear = view.linear
    let (w, h) = (Double(image.width), Double(image.height))
    // The bounding box of the reference in the view.
    let corners = [(0.0, 0.0), (w, 0), (w, h), (0, h)].map { linear.apply(Float($0.0 - 0.5), Float($0.1 - 0.5)) }
    let x0 = Double(corners.map(\.x).min()!)
    let y0 = Double(corners.map(\.y).min()!)
    let width = Int((Double(corners.map(\.x).max()!) - x0).rounded(.up))
    let height = Int((Double(corners.map(\.y).max()!) - y0).rounded(.up))
    let forward =
      Homography.translation(Point2(-x0 - 0.5, -y0 - 0.5))
      * Homography(
        SIMD3(Double(linear.a), Double(linear.b), 0), SIMD3(Double(linear.c), Double(linear.d), 0), SIMD3(0, 0, 1))
    guard let back = forward.inverse, width > 0, height > 0 else { return }
    if viewBuffer.capacity < width * height { viewBuffer = PixelBuffer(capacity: 2 * width * height) }
    renderer.render(back, into: viewBuffer.bytes, width: width, height: height, shrink: view.tilt.squareRoot())
    viewExtractor.extract(
      ImageView(base: UnsafePointer(viewBuffer.bytes), width: width, height: height, stride: width))
    let found = viewExtractor.features
    for i in 0..<found.count {
      let f = found.features[i]
      let p = back.apply(Point2(Double(f.x), Double(f.y)))
      guard p.x > 2, p.y > 2, p.x < w - 3, p.y < h - 3 else { continue }
      pool.add(
        AnchorFeature(
          anchor: 0, x64: UInt16((p.x * 64).rounded()), y64: UInt16((p.y * 64).rounded()),
          view: UInt8(index * ViewCatalog.levels + Int(f.level)), direction: f.direction),
        found.descriptor(i))
    }
  }
}
