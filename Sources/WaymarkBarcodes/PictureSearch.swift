import WaymarkGeometry
import WaymarkImage

/// One picture on its way through the passes: what the probe saw of it, and what was read so far.
struct PictureSearch {
  let image: ImageView
  let symbologies: Set<Symbology>
  let levels: BlockMean
  private(set) var finders: FinderSearch?
  private(set) var bars: [BarRegion] = []
  var evidence = Evidence()
  /// What became of the finder patterns.
  var candidates: [QRReader.Candidate] = []
  var incomplete: [IncompleteSymbol] = []
  /// Codes of the readers of this module that are there and were not read.
  private(set) var unreadOwn: [MatrixFinding] = []
  /// Finder patterns that only a code can have, and whether they were looked for.
  private(set) var trace: FinderTrace?
  private(set) var isTraced = false

  init(_ image: ImageView, symbologies: Set<Symbology>, regions: Int) {
    self.image = image
    self.symbologies = symbologies
    levels = BlockMean(image)
    if symbologies.contains(.qr) { finders = FinderSearch(image, levels: levels) }
    if !linear.isEmpty { bars = BarSearch(image, limit: regions).regions }
  }

  var linear: Set<Symbology> { symbologies.filter { !$0.isMatrix } }

  /// Light on dark, DataBar reads other codes than are there.
  var invertible: Set<Symbology> { symbologies.subtracting([.dataBar, .dataBarExpanded]) }

  /// Whether a code is there for certain, but none that was read covers it.
  var unreadCodes: [QRReader.Candidate] {
    let read = evidence.sure
    let open = candidates.filter { candidate in
      candidate.isCode && candidate.symbol == nil
        && !read.contains { $0.symbology.isMatrix && $0.corners.contains(candidate.grid.corners.center) }
    }
    // Several grids may fit one code: the best one speaks for it.
    var distinct: [QRReader.Candidate] = []
    for candidate in open.sorted(by: { $0.timing > $1.timing }) {
      let center = candidate.grid.corners.center
      if !distinct.contains(where: { $0.grid.corners.bounds.contains(center) }) { distinct.append(candidate) }
    }
    return distinct
  }

  // MARK: Passes

  /// QR codes by their finder patterns.
  mutating func readModules(_ reader: QRReader, with zbar: inout ZBarScanner) {
    guard let finders, finders.found.contains(where: { $0.count >= 3 }) else { return }
    zbar.use([.qr])
    zbar.set(density: 1)
    take(reader.read(image, finders, with: &zbar), with: &zbar)
  }

  private mutating func take(_ found: [QRReader.Candidate], with zbar: inout ZBarScanner) {
    candidates += found
    for symbol in found.compactMap(\.symbol) { evidence.add(symbol) }
    let (whole, incomplete) = QRAppend.join(found, with: &zbar)
    if let whole { evidence.add(whole) }
    if let incomplete { self.incomplete.append(incomplete) }
  }

  /// What the readers of this module find.
  mutating func readOwn(_ effort: ScanConfiguration.Effort) {
    let wanted = symbologies.intersection(OwnReaders.symbologies)
    guard !wanted.isEmpty else { return }
    let own = OwnReaders(view: image, levels: levels, wanted: wanted, effort: effort).read()
    for symbol in own.symbols { evidence.add(symbol) }
    incomplete += own.incomplete
    unreadOwn = own.unread
  }

  /// QR codes by finder patterns that are clear at another size of the picture: in half and in a third of it noise and
  /// broken print are averaged away, in twice of it rings of two pixels come apart.
  mutating func readScaled(_ reader: QRReader, with zbar: inout ZBarScanner) {
    isTraced = true
    guard symbologies.contains(.qr) else { return }
    zbar.use([.qr])
    zbar.set(density: 1)
    let pixels = image.width * image.height
    for size in FinderSize.allCases where size.fits(image.width, image.height, pixels) {
      let picture = size.draw(image)
      let found = picture?.unsafeView ?? image
      let search = FinderSearch(found, levels: BlockMean(found), step: 1)
      if let seen = FinderTrace(search, in: found, scale: size.scale) {
        if seen.marks.count > trace?.marks.count ?? 0 { trace = seen }
        let source = image
        let read = reader.read(found, search, with: &zbar).map { $0.scaled(by: 1 / size.scale, to: source) }
        take(read, with: &zbar)
      }
      // The view above lives as long as its picture.
      withExtendedLifetime(picture) {}
      if !evidence.sure.isEmpty { return }
    }
  }

  /// 1-D codes by their bars.
  mutating func readStrips(_ pass: ScanPass, with zbar: inout ZBarScanner) {
    let wanted = pass == .stripInverted ? linear.intersection(invertible) : linear
    guard !wanted.isEmpty, !bars.isEmpty else { return }
    zbar.use(wanted)
    zbar.set(x: 0, y: 2)
    for region in bars {
      let strip = BarStrip(region)
      var picture = strip.draw(image)
      switch pass {
      case .stripStretched: picture = BarStrip.stretch(picture, block: 40, gain: 8)
      case .stripInverted: picture = Tone.invert(picture.unsafeView)
      default: break
      }
      for code in picture.withView({ zbar.scan($0) }).codes {
        guard var symbol = Symbol(code, pass: pass) else { continue }
        symbol.corners = strip.corners(of: code, in: region)
        evidence.add(symbol)
      }
    }
  }

  /// A pass over the whole picture.
  ///
  /// - Parameters:
  ///   - thinning: only every so manieth of its lines.
  ///   - patterns: no look for QR codes where more finder patterns than that were found.
  mutating func readWhole(
    _ pass: ScanPass, thinning: Int = 1, patterns: Int = .max, with zbar: inout ZBarScanner
  ) {
    var wanted = pass == .inverted ? invertible : symbologies
    if (finders?.found.reduce(0) { $0 + $1.count } ?? 0) > patterns { wanted.remove(.qr) }
    guard !wanted.isEmpty else { return }
    let (picture, density, toSource) = PassPicture.make(pass, image, levels)
    zbar.use(wanted)
    zbar.set(density: density * thinning)
    let raw = picture?.withView { zbar.scan($0) } ?? zbar.scan(image)
    for var code in raw.codes {
      code.points = code.points.map(toSource)
      guard var symbol = Symbol(code, pass: pass) else { continue }
      if !symbol.symbology.isMatrix, let region = bars.first(where: { $0.corners.contains(symbol.corners.center) }) {
        symbol.corners = region.corners
      }
      evidence.add(symbol)
    }
    incomplete += raw.incomplete.map { parts in IncompleteSymbol(zbarParts: parts.map { $0.map(toSource) }) }
  }
}
