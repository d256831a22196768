import WaymarkImage

/// The searches of a still picture for Data Matrix symbols. The first uses the local mean as the threshold between dark and light.
/// Further searches use other thresholds where frames of symbols were seen, or in the whole picture if symbols were read.
///
/// The L is found as a border between dark and light, which a shadow at the L, the grain of metal and gloss displace. Halving the
/// picture removes grain, and lower thresholds remove shadows. The extension of `DataMatrixReader` below chooses between these
/// searches and the search of a live frame, and `DottedDataMatrix` reads symbols of dots.
struct DataMatrixLooks {
  let view: ImageView
  let levels: BlockMean

  /// The thresholds of the further searches, as shares of the local mean.
  private static let shares = [0.85, 0.7]
  /// The largest number of corners that may fail in a search.
  private static let failures = 600

  /// Returns the result of all searches together.
  func read() -> DataMatrixReader.Look {
    var look = reader(findsCut: true).read(contours)
    if look.detections.contains(where: \.isRead) {
      readAgain(at: [0, 0], &look)
      return look
    }
    for place in places(of: look.frames) {
      // The part is aligned to the blocks of the local means.
      let side = Double(BlockMean.side)
      let origin = Point2((place.min.x / side).rounded(.down), (place.min.y / side).rounded(.down)) * side
      let size = place.max - origin
      let part = view.cropped(x: Int(origin.x), y: Int(origin.y), width: Int(size.x), height: Int(size.y))
      DataMatrixLooks(view: part, levels: BlockMean(part)).readAgain(at: origin, &look)
    }
    return look
  }

  /// Runs the further searches on this part of the picture, which begins at `origin`, and adds the symbols that they read.
  private func readAgain(at origin: Point2, _ look: inout DataMatrixReader.Look) {
    view.shrunk(by: 2).withView { half in
      let other = DataMatrixLooks(view: half, levels: BlockMean(half))
      Self.add(other.reader().read(other.contours, known: Self.known(look, origin, 0.5)), 2, origin, to: &look)
    }
    for share in Self.shares {
      let lower = DataMatrixLooks(view: view, levels: levels.lowered(to: share))
      Self.add(lower.reader().read(lower.contours, known: Self.known(look, origin, 1)), 1, origin, to: &look)
    }
  }

  private func reader(findsCut: Bool = false) -> DataMatrixReader {
    DataMatrixReader(view: view, levels: levels, isThorough: true, failures: Self.failures, findsCut: findsCut)
  }

  /// The contours of the picture. At most 400,000 border pixels are traced, or half of the picture's pixels if that is more;
  /// further contours are noise.
  private var contours: Contours {
    Contours(view, levels: levels, budget: max(400_000, view.width * view.height / 2))
  }

  /// Returns the surroundings of frames; surroundings that overlap are joined.
  private func places(of frames: [Quadrilateral]) -> [Bounds] {
    var places: [Bounds] = []
    for frame in frames {
      let bounds = frame.bounds
      let margin = 0.3 * (bounds.max - bounds.min) + 16
      var place = Bounds(
        min: pointwiseMax([0, 0], bounds.min - margin),
        max: pointwiseMin([Double(view.width), Double(view.height)], bounds.max + margin))
      while let i = places.firstIndex(where: { Self.overlap($0, place) }) {
        let other = places.remove(at: i)
        place = Bounds(min: pointwiseMin(place.min, other.min), max: pointwiseMax(place.max, other.max))
      }
      if place.min.x < place.max.x, place.min.y < place.max.y { places.append(place) }
    }
    return places
  }

  private static func overlap(_ a: Bounds, _ b: Bounds) -> Bool {
    a.min.x < b.max.x && b.min.x < a.max.x && a.min.y < b.max.y && b.min.y < a.max.y
  }

  /// Returns the corners of the symbols read, in pixels of a copy, of `scale` times the size, of the part that begins at `origin`.
  private static func known(_ look: DataMatrixReader.Look, _ origin: Point2, _ scale: Double) -> [Quadrilateral] {
    look.detections.filter(\.isRead).map { $0.corners.mapped { $0 - origin }.scaled(by: scale) }
  }

  /// Adds the symbols read by a search at another size; one of its pixels is `scale` pixels of the picture.
  private static func add(
    _ other: DataMatrixReader.Look, _ scale: Double, _ origin: Point2, to look: inout DataMatrixReader.Look
  ) {
    if other.isLimited { look.isLimited = true }
    for found in other.detections where found.isRead {
      let symbol = found.placed(scale: scale, origin: origin)
      if look.detections.contains(where: { $0.isRead && $0.corners.overlaps(symbol.corners) }) { continue }
      look.detections.append(symbol)
    }
  }
}

extension DataMatrixReader {
  static func detections(_ search: inout MatrixSearch) -> [MatrixDetection] {
    if search.isStill {
      let look = DataMatrixLooks(view: search.view, levels: search.levels).read()
      search.isLimited = look.isLimited
      return look.detections
    }
    return DataMatrixReader(
      view: search.view, levels: search.levels, isThorough: false, failures: search.isPatient ? 40 : 12
    ).read(Contours(search.view, levels: search.levels, isFine: false)).detections
  }
}

/// Reads Data Matrix symbols whose modules are dots, touching or apart, such as those of dot peening and ink jets. A blur of less
/// than half the distance of the dots joins the dots of the L to straight strokes, while the alternating dots of the other sides
/// stay apart.
///
/// The blur leaves 3 % of the amplitude of a pattern with a period of one module, and 42 % at a period of two modules.
enum DottedDataMatrix {
  /// The distances of the dots to try, in pixels; each suits distances from three quarters to four thirds of it.
  private static let pitches = [3.5, 6, 10, 17]
  /// The standard deviation of the blur, and the width of the light border, in distances of the dots.
  private static let (blur, border) = (0.42, 3.0)
  /// The least distance of the dots in the searched picture if it is shrunk, in pixels.
  private static let searched = 5.0

  /// The largest number of pixels of a picture to search.
  private static let largest = 250_000

  /// Returns whether to search a picture: it must be small, and either drawn or with a border of one tone.
  static func suits(_ image: ImageView) -> Bool {
    guard image.width > 0, image.height > 0, image.width * image.height <= largest else { return false }
    if image.isDrawn { return true }
    let (right, bottom) = (image.width - 1, image.height - 1)
    var rim: [UInt8] = []
    for x in 0...right { rim += [image[x, 0], image[x, bottom]] }
    for y in 0...bottom { rim += [image[0, y], image[right, y]] }
    rim.sort()
    return rim[rim.count * 19 / 20] - rim[rim.count / 20] <= 16
  }

  static func read(_ image: ImageView) -> [MatrixDetection] {
    for pitch in pitches where Double(min(image.width, image.height)) >= 8 * pitch {
      let border = Int(Self.border * pitch)
      let factor = max(1, Int(pitch / searched))
      let joined = joined(GrayImage(copying: image).framed(border, tone: .max), sigma: blur * pitch)
      let found = joined.unsafeView.shrunk(by: factor).withView {
        DataMatrixLooks(view: $0, levels: BlockMean($0)).read().detections.filter(\.isRead)
      }
      if !found.isEmpty {
        return found.map { $0.placed(scale: Double(factor), origin: [-Double(border), -Double(border)]) }
      }
    }
    return []
  }

  /// Returns a blurred picture with its tones stretched to the full range.
  private static func joined(_ image: GrayImage, sigma: Double) -> GrayImage {
    GrayImage(width: image.width, height: image.height) { pixels in
      guard let target = pixels.baseAddress else { return }
      image.withView { target.update(from: $0.base, count: pixels.count) }
      GaussianBlur.apply(target, width: image.width, height: image.height, sigma: sigma)
      let (low, high) = (Int(pixels.min() ?? 0), Int(pixels.max() ?? 0))
      guard high > low else { return }
      for i in pixels.indices { pixels[i] = UInt8(255 * (Int(pixels[i]) - low) / (high - low)) }
    }
  }
}
