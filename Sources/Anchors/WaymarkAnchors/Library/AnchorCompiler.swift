import CKernels
package import WaymarkImage
import WaymarkSystem

/// Compiles reference pictures into anchors: it extracts features from many views and keeps the features that are found again in
/// simulated frames.
///
/// Use one compiler per thread. The result depends only on the picture and the settings.
package final class AnchorCompiler {
  package struct Settings: Sendable {
    /// The most features per anchor; each takes 44 bytes in the library.
    package var limit = 700
    /// The number of simulated frames that decide which features are kept.
    package var shots = 60
    /// The most additional features for close views, of a picture with more pixels than the reference.
    package var details = 400
    /// The most additional features for views at grazing angles.
    var grazing = 300
    package init() {}

    /// Creates the settings for a library of `anchors` anchors. A thousand must fit into 80 MB and ten thousand into 300 MB;
    /// therefore large libraries recognise one percentage point less.
    package init(anchors: Int) {
      let count = max(1, anchors)
      limit = max(min(600, 5_600_000 / count), min(limit, 573_000 / count))
      // With 60,000 features a frame takes 5 % more time than with 35,000.
      var room = max(0, 60_000 / count - limit)
      // Fewer than 200 additional features bring no gain.
      if room < 200 { room = 0 }
      grazing = min(grazing, room / 2)
      details = min(details, room - grazing)
    }
  }

  /// The largest number of features taken from one view.
  private static let perView = 500
  /// The number of simulated close views, and of simulated grazing views. They decide which features of such views are kept.
  private static let closeUps = 24
  /// The largest Hamming distance at which a feature counts as found again in a simulated frame, and in a close view.
  ///
  /// `FeatureLookup` accepts 66, but real frames differ more than simulated ones, so only features found again at a smaller
  /// distance are kept. In close views the limit is larger, because they may show only plain parts of a picture, which have few
  /// such features.
  private static let (distance, closeDistance) = (63, 70)

  private let settings: Settings
  private let renderer = PictureRenderer()
  private let viewExtractor: FeatureExtractor
  private let shotExtractor: FeatureExtractor
  private let enlargingExtractor = FeatureExtractor(settings: .enlarging)
  private let detailExtractor: FeatureExtractor

  package init(settings: Settings = Settings()) {
    self.settings = settings
    var view = FeatureExtractor.Settings()
    view.limit = Self.perView
    view.levels = ViewCatalog.levels
    viewExtractor = FeatureExtractor(settings: view)
    shotExtractor = FeatureExtractor()
    var detail = FeatureExtractor.Settings()
    detail.limit = 3000
    detail.levels = ViewCatalog.details.count
    detailExtractor = FeatureExtractor(settings: detail)
  }

  /// The least number of features of an anchor: a detection needs as many agreeing features, so an anchor with fewer is
  /// never found.
  static let fewestFeatures = 8

  /// The long side of a reference in pixels.
  package static let side = 480

  /// Compiles a picture of any size.
  ///
  /// - Throws: `AnchorError` with `unusablePicture` if the name is empty, too long or has control characters, or the
  ///   picture is too small or too elongated; with `damaged` if the descriptor model is corrupt.
  package func compile(name: String, physicalWidth: Double?, picture: GrayImage) throws(AnchorError) -> CompiledAnchor {
    _ = try DescriptorModel.load()
    let image = try Self.reference(name: name, picture: picture)
    var anchor = compile(
      name: name, physicalWidth: physicalWidth, image: image, originalSide: max(picture.width, picture.height))
    addFringe(of: picture, to: &anchor)
    return anchor
  }

  /// Returns the reference of a picture of any size: its long side scaled to 480 pixels.
  ///
  /// - Throws: `AnchorError` with `unusablePicture`, as `compile`.
  package static func reference(name: String, picture: GrayImage) throws(AnchorError) -> GrayImage {
    guard !name.isEmpty, name.utf8.count <= LibraryHeader.longestName, !name.unicodeScalars.contains(where: \.isControl)
    else {
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

  /// Returns a picture at twice the size of its reference; `nil` if the picture has less than 1.25 times the reference's
  /// pixels a side, or the settings keep no features of close views.
  package static func detail(of picture: GrayImage, reference: GrayImage, _ settings: Settings) -> GrayImage? {
    guard settings.details > 0, 4 * max(picture.width, picture.height) >= 5 * side else { return nil }
    return picture.resized(width: 2 * reference.width, height: 2 * reference.height)
  }

  /// Checks that an anchor has enough features to be found at all.
  ///
  /// - Throws: `AnchorError` with `unusablePicture` if it has fewer than `fewestFeatures`.
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
    for (index, view) in ViewCatalog.views.enumerated() {
      let back = show(view, enlarged: 1, image.width, image.height)
      for (level, scale) in ViewCatalog.scales.enumerated() {
        take(
          viewExtractor, at: scale, view: index * ViewCatalog.levels + level, back, image.width, image.height,
          into: &pool)
      }
    }
    var anchor = CompiledAnchor(
      name: name, physicalWidth: physicalWidth, image: image, features: [], asked: [settings.limit, 0, 0],
      descriptors: [], recall: 0, sightings: [], reasons: [])
    let camera = SimulatedCamera()
    let shots = (0..<settings.shots).map { camera.shot($0, of: settings.shots, w: image.width, h: image.height) }
    anchor.sightings = add(pool, seenIn: shots, camera, 1, limit: settings.limit, doubles: true, to: &anchor)
    anchor.recall = AnchorQuality.Scale.recall(anchor.sightings)
    anchor.reasons = ReferenceAssessor.reasons(
      image, originalSide: originalSide, chosen: anchor.features, extractor: shotExtractor)
    return anchor
  }

  /// Adds the features of close views, from larger sizes of the picture, and of grazing views.
  ///
  /// At the reference's 480 pixels, a part that fills the frame would have too few pixels. Close and grazing views have separate
  /// features and simulated frames, so that the usual views are recognised as well as without them.
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
      let shots = (0..<Self.closeUps).map { camera.closeUp($0, of: Self.closeUps, w: w, h: h) }
      _ = add(
        pool, seenIn: shots, camera, scale, limit: settings.details, distance: Self.closeDistance, to: &anchor)
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
      let shots = (0..<Self.closeUps).map { aside.shot($0, of: Self.closeUps, w: w, h: h) }
      _ = add(pool, seenIn: shots, aside, scale, limit: settings.grazing, to: &anchor)
    }
  }

  /// Adds the features of a pool that are best found again in simulated frames to an anchor, and returns the number of corners
  /// found again in each frame.
  ///
  /// - Parameter doubles: True to search frames at double size if they show the anchor small.
  private func add(
    _ pool: CandidatePool, seenIn shots: [SimulatedCamera.Shot?], _ camera: SimulatedCamera, _ scale: Double,
    limit: Int, distance: Int = AnchorCompiler.distance, doubles: Bool = false, to anchor: inout CompiledAnchor
  ) -> [Int] {
    var pool = pool
    pool.finish()
    var cover = FeatureSelector(pool: pool, distance: distance)
    for (i, shot) in shots.enumerated() {
      guard let shot,
        let (frame, map) = camera.render(
          shot, index: i, w: anchor.image.width, h: anchor.image.height, with: renderer, detail: scale)
      else { continue }
      let doubled = doubles && shot.area < 0.03
      let extractor = doubled ? enlargingExtractor : shotExtractor
      frame.withView { extractor.extract($0, doubled: doubled) }
      cover.add(extractor.features, map: map)
    }
    let chosen = cover.choose(limit: limit)
    for c in chosen {
      anchor.features.append(pool.features[c])
      anchor.descriptors += pool.descriptors[(4 * c)..<(4 * c + 4)]
    }
    return cover.sightings(chosen)
  }

  /// Adds to the pool the features that an extractor has found on one level, as features of a view.
  ///
  /// - Parameters:
  ///   - size: The size of the level relative to the extractor's picture.
  ///   - view: The index of the view and level in `ViewCatalog.linears`.
  ///   - back: Pixels of the extractor's picture → reference pixels.
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

  /// Extracts the features of a view of the renderer's picture.
  ///
  /// - Parameters:
  ///   - scale: The size of the renderer's picture relative to the reference.
  ///   - width: The width of the reference; `height` likewise.
  /// - Returns: View pixels → reference pixels.
  private func show(_ view: ViewCatalog.View, enlarged scale: Double, _ width: Int, _ height: Int) -> Homography {
    guard let (image, back) = renderer.view(view, enlarged: scale, size: scale, width: width, height: height) else {
      viewExtractor.features.removeAll()
      return .identity
    }
    image.withView { viewExtractor.extract($0) }
    return back
  }
}
