import CKernels
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
    let perView = 500
    /// Simulated frames that decide which features are kept.
    package var shots = 60
    /// The most features it keeps besides, of a picture that has more pixels than the reference: what is seen of it from near.
    package var details = 400
    /// The most features it keeps of views from far aside.
    var grazing = 300
    /// Simulated frames from near, and as many from far aside, that decide which of these are kept.
    let closeUps = 24
    /// The greatest Hamming distance at which a feature counts as found again.
    package var distance = 70
    package init() {}

    /// The settings for a library of so many anchors: a thousand of them must stay within 80 megabytes and ten thousand within 300,
    /// and what large libraries go without costs a point of recognition.
    package init(anchors: Int) {
      let count = max(1, anchors)
      limit = max(min(600, 5_600_000 / count), min(limit, 573_000 / count))
      // With 60,000 features a frame takes a twentieth more time than with 35,000.
      var room = max(0, 60_000 / count - limit)
      // A handful is of no use.
      if room < 200 { room = 0 }
      grazing = min(grazing, room / 2)
      details = min(details, room - grazing)
    }
  }

  package let settings: Settings
  private let renderer = PictureRenderer()
  private let viewExtractor: FeatureExtractor
  private let shotExtractor: FeatureExtractor
  private let enlargingExtractor = FeatureExtractor(settings: .enlarging)
  private let detailExtractor: FeatureExtractor
  private var viewBuffer = PixelBuffer(capacity: 0)

  package init(settings: Settings = Settings()) {
    self.settings = settings
    var view = FeatureExtractor.Settings()
    view.limit = settings.perView
    view.levels = ViewCatalog.levels
    viewExtractor = FeatureExtractor(settings: view)
    shotExtractor = FeatureExtractor()
    var detail = FeatureExtractor.Settings()
    detail.limit = 3000
    detail.levels = ViewCatalog.details.count
    detailExtractor = FeatureExtractor(settings: detail)
  }

  /// Fewer agreeing features are never claimed, so an anchor with fewer would never be found.
  static let fewestFeatures = 8

  /// The most bytes of an anchor's name.
  static let longestName = 1024

  /// The long side of a reference in pixels.
  package static let side = 480

  /// Compiles a picture of any size.
  ///
  /// - Throws: `AnchorError` with `unusablePicture` for a name that is empty or a picture that is a mere strip or dot.
  package func compile(name: String, physicalWidth: Double?, picture: GrayImage) throws(AnchorError) -> CompiledAnchor {
    _ = try DescriptorModel.load()
    let image = try Self.reference(name: name, picture: picture)
    var anchor = compile(
      name: name, physicalWidth: physicalWidth, image: image, originalSide: max(picture.width, picture.height))
    addFringe(of: picture, to: &anchor)
    return anchor
  }

  /// A picture of any size as the reference that is compiled: its long side 480 pixels.
  ///
  /// - Throws: as `compile`.
  package static func reference(name: String, picture: GrayImage) throws(AnchorError) -> GrayImage {
    guard !name.isEmpty, name.utf8.count <= longestName, !name.unicodeScalars.contains(where: \.isControl) else {
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

  /// A picture at twice the size of its reference; `nil` where it has little more pixels than that, which four times as many are not worth, or
  /// nothing is kept of what is seen from near.
  package static func detail(of picture: GrayImage, reference: GrayImage, _ settings: Settings) -> GrayImage? {
    guard settings.details > 0, 4 * max(picture.width, picture.height) >= 5 * side else { return nil }
    return picture.resized(width: 2 * reference.width, height: 2 * reference.height)
  }

  /// Makes sure that an anchor can be found at all before it is put into a library.
  ///
  /// - Throws: `AnchorError` with `unusablePicture` for one with fewer features than any claim needs.
  package static func check(_ anchor: CompiledAnchor) throws(AnchorError) {
    guard anchor.features.count < fewestFeatures else { return }
    throw AnchorError(
      .unusablePicture,
      "The picture of \"\(anchor.name)\" has \(anchor.features.count) usable corners; "
        + "\(fewestFeatures) are needed.",
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
    var cover = FeatureSelector(pool: pool, distance: settings.distance)
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
    let reasons = ReferenceAssessor.reasons(
      image, originalSide: originalSide, chosen: features, extractor: shotExtractor)
    let sightings = cover.sightings(chosen)
    return CompiledAnchor(
      name: name, physicalWidth: physicalWidth, image: image, features: features, asked: [settings.limit, 0, 0],
      descriptors: descriptors,
      recall: AnchorQuality.Scale.recall(sightings), sightings: sightings, reasons: reasons)
  }

  /// Adds what the reference's own pixels and views cannot show: what is seen of a picture from near, in its larger sizes, and from far aside.
  ///
  /// The reference has 480 pixels; of a part of it that fills a frame hardly anything would be known. Both have features and simulated
  /// frames of their own, so that what is usual is found as well as without them.
  private func addFringe(of picture: GrayImage, to anchor: inout CompiledAnchor) {
    let (w, h) = (anchor.image.width, anchor.image.height)
    anchor.detail = Self.detail(of: picture, reference: anchor.image, settings)
    let detailed = anchor.detail ?? anchor.image
    let scale = anchor.detail == nil ? 1.0 : 2
    anchor.asked = [settings.limit, anchor.detail == nil ? 0 : settings.details, settings.grazing]
    detailed.withView { renderer.load($0) }
    let camera = SimulatedCamera()
    if scale > 1 {
      var pool = CandidatePool(width: w, height: h)
      detailed.withView { detailExtractor.extract($0) }
      for (i, size) in ViewCatalog.details.enumerated() {
        take(
          detailExtractor, at: size / scale, view: ViewCatalog.firstDetail + i,
          Homography.resize(Point2(1 / scale, 1 / scale)), w, h, into: &pool)
      }
      let shots = (0..<settings.closeUps).map { camera.closeUp($0, of: settings.closeUps, w: w, h: h) }
      add(pool, seenIn: shots, camera, scale, limit: settings.details, to: &anchor)
    }
    if settings.grazing > 0 {
      var pool = CandidatePool(width: w, height: h)
      for (i, view) in ViewCatalog.grazing.enumerated() {
        let back = show(view, enlarged: scale, w, h)
        for (j, size) in ViewCatalog.grazingScales.enumerated() {
          take(
            viewExtractor, at: size / scale, view: ViewCatalog.firstGrazing + i * ViewCatalog.grazingScales.count + j,
            back, w, h, into: &pool)
        }
      }
      let aside = SimulatedCamera(areas: 0.015...0.25, tilts: 68...81)
      let shots = (0..<settings.closeUps).map { aside.shot($0, of: settings.closeUps, w: w, h: h) }
      add(pool, seenIn: shots, aside, scale, limit: settings.grazing, to: &anchor)
    }
  }

  /// Adds the features of a pool that simulated frames find again.
  private func add(
    _ pool: CandidatePool, seenIn shots: [SimulatedCamera.Shot?], _ camera: SimulatedCamera, _ scale: Double,
    limit: Int,
    to anchor: inout CompiledAnchor
  ) {
    var pool = pool
    pool.finish()
    var cover = FeatureSelector(pool: pool, distance: settings.distance)
    for (i, shot) in shots.enumerated() {
      guard let shot,
        let (frame, map) = camera.render(
          shot, index: i, w: anchor.image.width, h: anchor.image.height, with: renderer, detail: scale)
      else { continue }
      frame.withView { shotExtractor.extract($0) }
      cover.add(shotExtractor.features, map: map, doubled: false, share: shot.area)
    }
    for c in cover.choose(limit: limit) {
      anchor.features.append(pool.features[c])
      anchor.descriptors += pool.descriptors[(4 * c)..<(4 * c + 4)]
    }
  }

  /// Takes the features that an extractor has found on its level of a size.
  ///
  /// - Parameter back: pixels of the extractor's picture → pixels of the reference.
  private func take(
    _ extractor: FeatureExtractor, at size: Double, view: Int, _ back: Homography, _ w: Int, _ h: Int,
    into pool: inout CandidatePool
  ) {
    let found = extractor.features
    for i in 0..<found.count {
      let f = found.features[i]
      guard abs(Double(f.scale) * size - 1) < 0.05 else { continue }
      let p = back.apply(Point2(Double(f.x), Double(f.y)))
      guard p.x > 2, p.y > 2, p.x < Double(w) - 3, p.y < Double(h) - 3 else { continue }
      pool.add(
        AnchorFeature(
          anchor: 0, x64: UInt16((p.x * 64).rounded()), y64: UInt16((p.y * 64).rounded()), view: UInt8(view),
          direction: f.direction),
        found.descriptor(i))
    }
  }

  private func collect(_ view: ViewCatalog.View, _ index: Int, _ image: GrayImage, into pool: inout CandidatePool) {
    let back = show(view, enlarged: 1, image.width, image.height)
    for (level, scale) in ViewCatalog.scales.enumerated() {
      take(
        viewExtractor, at: scale, view: index * ViewCatalog.levels + level, back, image.width, image.height, into: &pool
      )
    }
  }

  /// Extracts the features of a view of what the renderer shows.
  ///
  /// - Parameters:
  ///   - scale: how much larger than the reference that is.
  ///   - width: of the reference; `height` likewise.
  /// - Returns: pixels of the view → pixels of the reference.
  private func show(_ view: ViewCatalog.View, enlarged scale: Double, _ width: Int, _ height: Int) -> Homography {
    let linear = view.linear.scaled(by: Float(scale))
    let (w, h) = (Double(width), Double(height))
    // The bounding box of the reference in the view.
    let corners = [(0.0, 0.0), (w, 0), (w, h), (0, h)].map { linear.apply(Float($0.0 - 0.5), Float($0.1 - 0.5)) }
    let x0 = Double(corners.map(\.x).min()!)
    let y0 = Double(corners.map(\.y).min()!)
    let columns = Int((Double(corners.map(\.x).max()!) - x0).rounded(.up))
    let rows = Int((Double(corners.map(\.y).max()!) - y0).rounded(.up))
    let forward =
      Homography.translation(Point2(-x0 - 0.5, -y0 - 0.5))
      * Homography(
        SIMD3(Double(linear.a), Double(linear.b), 0), SIMD3(Double(linear.c), Double(linear.d), 0), SIMD3(0, 0, 1))
    guard let back = forward.inverse, columns > 0, rows > 0 else {
      viewExtractor.features.removeAll()
      return .identity
    }
    if viewBuffer.capacity < columns * rows { viewBuffer = PixelBuffer(capacity: 2 * columns * rows) }
    let shown = scale == 1 ? back : Homography.resize(Point2(scale, scale)) * back
    renderer.render(
      shown, into: viewBuffer.bytes, width: columns, height: rows, shrink: view.tilt.squareRoot())
    viewExtractor.extract(
      ImageView(base: UnsafePointer(viewBuffer.bytes), width: columns, height: rows, stride: columns))
    return back
  }
}
