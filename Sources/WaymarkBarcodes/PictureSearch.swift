import WaymarkGeometry
import WaymarkImage
import WaymarkSymbologies

/// The state of one picture in the passes: the result of the probe, and the codes read so far.
struct PictureSearch {
  let image: ImageView
  let symbologies: Set<Symbology>
  let octaves: Octaves
  /// Finder patterns of QR codes, over all octaves that were looked at.
  private(set) var field = FinderField()
  private(set) var bars: [BarRegion] = []
  var evidence = Evidence()
  /// The results of the finder patterns.
  private(set) var candidates: [QRReader.Candidate] = []
  /// Codes that carry parts of messages.
  private(set) var parts = StructuredAppend()
  /// Where characters of a DataBar Expanded were seen and no symbol was read.
  private(set) var unreadExpanded: [Quadrilateral] = []
  /// Codes of the readers of this module that are there and were not read.
  private(set) var unreadOwn: [MatrixDetection] = []
  /// True if something was left undone because the picture would have cost too much.
  var isLimited = false
  /// Finder patterns that only a code can have, and whether they were looked for.
  private(set) var trace: FinderTrace?
  private(set) var isTraced = false
  /// How many places and widths of EAN-13 were compared with bars.
  private var fitted = 0
  /// The reader with the budget that is left for QR codes.
  private var reader: QRReader

  /// The finest octave in which finder patterns are looked for at first has no more pixels than that: a code of two modules
  /// a pixel there is a twentieth of the picture wide.
  private static let searched = 3_200_000
  /// Bars are looked for in pictures of no more pixels than that.
  private static let barred = 1_600_000

  init(_ image: ImageView, symbologies: Set<Symbology>, regions: Int, reader: QRReader) {
    self.image = image
    // Add-ons stand beside codes of retail.
    let carries =
      AddOnReader.symbologies.isDisjoint(with: symbologies) || !AddOnReader.carriers.isDisjoint(with: symbologies)
    self.symbologies = carries ? symbologies : symbologies.union(AddOnReader.carriers)
    self.reader = reader
    octaves = Octaves(image)
    if symbologies.contains(.qr) {
      for index in (octaves.index(ofAtMost: Self.searched)..<octaves.count).reversed() { look(at: index) }
    }
    if !linear.isEmpty {
      let index = octaves.index(ofAtMost: Self.barred)
      let factor = Double(1 << index)
      bars = BarSearch(octaves.view(index), limit: regions).regions.map { $0.scaled(by: factor) }
    }
  }

  /// Looks for finder patterns on one octave.
  private mutating func look(at index: Int, step: Int = 3) {
    let octave = octaves[index]
    field.add(FinderSearch(octave.view, levels: octave.levels, step: step), octave: index, factor: octave.factor)
    if field.isLimited { isLimited = true }
  }

  /// The symbols read for certain: alone, or put together from parts. Those that fit so far may turn out to be parts of two messages.
  var accepted: [Symbol] { evidence.accepted + parts.outcome.whole }

  var linear: Set<Symbology> { symbologies.filter { !$0.isMatrix } }

  /// Light on dark, DataBar reads other codes than are there.
  var invertible: Set<Symbology> { symbologies.subtracting([.dataBar, .dataBarExpanded, .dataBarLimited]) }

  /// True if a code is there for certain, but none that was read covers it.
  var unreadCodes: [QRReader.Candidate] {
    let read = accepted
    let open = candidates.filter { candidate in
      candidate.isCode && !candidate.isRead
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
  mutating func readModules() {
    guard field.found.contains(where: { $0.count >= 3 }) else { return }
    take(reader.read(octaves, field, beside: candidates))
  }

  private mutating func take(_ found: [QRReader.Candidate], pass: ScanPass = .modules) {
    if reader.budget.isReached { isLimited = true }
    candidates += found
    for candidate in found where candidate.message?.part == nil {
      guard let message = candidate.message,
        var symbol = Symbol(message, symbology: .qr, corners: candidate.grid.corners)
      else { continue }
      symbol.pass = pass
      evidence.add(symbol)
    }
    take(
      found.compactMap { candidate in
        candidate.message.map {
          StructuredAppend.Code(symbology: .qr, message: $0, corners: candidate.grid.corners, pass: pass)
        }
      })
  }

  /// Codes that carry parts of messages, and what can be put together from all that were seen so far.
  private mutating func take(_ codes: [StructuredAppend.Code]) {
    parts.add(codes)
  }

  /// Runs the readers of this module: each gets the picture in the octave in which finder patterns are looked for too.
  ///
  /// - Parameter turn: the number of a live frame, in which the readers take turns; `nil` asks all of them.
  mutating func readOwn(_ effort: ScanConfiguration.Effort, turn: Int? = nil) {
    var wanted = symbologies.intersection(BuiltInReaders.symbologies)
    // Of fifteen live frames five in a row are patient ones, so that each search is in its turn.
    let isPatient = turn.map { $0 % 15 < 5 } ?? true
    if let turn { wanted = BuiltInReaders.turn(turn, of: wanted) }
    guard !wanted.isEmpty else { return }
    let index = octaves.index(ofAtMost: Self.searched)
    take(octaves[index], wanted, effort, isPatient: isPatient)
    // A code that is there and was not read may be too fine for this octave.
    let left = Set(unreadOwn.map(\.symbology))
    guard effort == .still, index > 0, !left.isEmpty else { return }
    unreadOwn = []
    take(octaves[index - 1], left, effort)
  }

  /// The same of a small picture in twice its size and with a border, light first, then dark: codes of a pixel a module, and
  /// those that fill their picture to its rim. Only where nothing else was read.
  mutating func readOwnEnlarged() {
    let wanted = symbologies.intersection(BuiltInReaders.symbologies)
    guard !wanted.isEmpty, image.width * image.height <= Self.enlarged, accepted.isEmpty,
      parts.outcome.incomplete.isEmpty
    else { return }
    let own = BuiltInReaders.enlarged(image, wanted)
    for symbol in own.symbols { evidence.add(symbol) }
    take(own.parts)
    unreadOwn.removeAll { open in own.symbols.contains { $0.corners.overlaps(open.corners) } }
  }

  /// Pictures of no more pixels than that are looked at in twice their size.
  private static let enlarged = 160_000

  private mutating func take(
    _ octave: Octaves.Octave, _ wanted: Set<Symbology>, _ effort: ScanConfiguration.Effort, isPatient: Bool = true
  ) {
    let own = BuiltInReaders(
      view: octave.view, levels: octave.levels, wanted: wanted, effort: effort, isPatient: isPatient
    )
    .read()
    for var symbol in own.symbols {
      symbol.corners = symbol.corners.scaled(by: octave.factor)
      evidence.add(symbol)
    }
    take(
      own.parts.map { code in
        var code = code
        code.corners = code.corners.scaled(by: octave.factor)
        return code
      })
    for var finding in own.unread {
      finding.corners = finding.corners.scaled(by: octave.factor)
      unreadOwn.append(finding)
    }
  }

  /// QR codes by finder patterns that are clear only in every row of the picture, or in twice of it, where rings of two
  /// pixels come apart.
  mutating func readScaled() {
    isTraced = true
    guard symbologies.contains(.qr) else { return }
    let finest = max(0, octaves.index(ofAtMost: Self.searched) - 1)
    if (image.width >> finest) * (image.height >> finest) <= 4 * Self.searched {
      look(at: finest, step: finest == octaves.index(ofAtMost: Self.searched) ? 1 : 3)
      take(reader.read(octaves, field, beside: candidates), pass: .modulesScaled)
    }
    trace = FinderTrace(field, octaves)
    guard !candidates.contains(where: \.isRead) else { return }
    let faint = octaves.index(ofAtMost: Self.barred)
    readRescaled(octaves.view(faint), scale: 1 / Double(1 << faint), flat: Self.faintest)
    guard image.width * image.height <= 400_000, !candidates.contains(where: \.isRead) else { return }
    Resampling.double(image).withView { readRescaled($0, scale: 2, flat: BlockMean.plain) }
  }

  /// Edges of so few gray levels are looked for where there are no stronger ones.
  private static let faintest: UInt8 = 10

  /// QR codes of the picture in another size or with another eye for contrast.
  private mutating func readRescaled(_ view: ImageView, scale: Double, flat: UInt8) {
    let others = Octaves(view, flat: flat)
    var seen = FinderField()
    for index in (0..<min(2, others.count)).reversed() {
      let octave = others[index]
      let search = FinderSearch(octave.view, levels: octave.levels, step: scale > 1 ? 1 : 2)
      seen.add(search, octave: index, factor: octave.factor)
    }
    if trace == nil { trace = FinderTrace(seen, others)?.scaled(by: 1 / scale) }
    let found = reader.read(others, seen).map { candidate in
      var candidate = candidate
      candidate.grid = candidate.grid.scaled(by: 1 / scale)
      return candidate
    }
    take(found, pass: .modulesScaled)
  }

  /// 1-D codes by their bars.
  mutating func readStrips(_ pass: ScanPass, _ effort: ScanConfiguration.Effort = .still, with zbar: inout ZBarScanner)
  {
    let wanted = pass == .stripInverted ? linear.intersection(invertible) : linear
    guard !wanted.isEmpty, !bars.isEmpty else { return }
    zbar.use(Self.library(wanted))
    zbar.set(x: 0, y: 2)
    let tone: (GrayImage) -> GrayImage =
      switch pass {
      case .stripStretched: { BarStrip.stretch($0, block: 40, gain: 8) }
      case .stripInverted: { ToneMapping.invert($0.unsafeView) }
      default: { $0 }
      }
    let own = wanted.intersection(LinearReaders.symbologies)
    var all: [StripLines] = []
    for region in bars {
      let strip = BarStrip(region)
      let picture = tone(strip.draw(image))
      let lines = StripLines(picture: picture, strip: strip, pass: pass)
      all.append(lines)
      for code in picture.withView({ zbar.scan($0) }).codes {
        guard var symbol = Symbol(code, pass: pass) else { continue }
        if symbol.symbology == .code128 { symbol = lines.extended(symbol) }
        // Every band occurs twice in a strip.
        symbol.corners = BarOutline.corners(
          of: symbol, leftAt: code.points.map { Point2($0.x, $0.y / 2) }, isUpsideDown: code.isUpsideDown, in: strip,
          of: region, image)
        add(symbol)
      }
      if !own.isEmpty { for symbol in lines.read(own) { evidence.add(symbol) } }
    }
    if wanted.contains(.dataBarExpanded) { readExpanded(pass, effort, tone, all) }
  }

  /// Returns the symbologies to ask the library for: a Code 32 is a Code 39 to it, and a UPC-A an EAN-13 of another name. DataBar Expanded is not
  /// its strength: it gets dates wrong, and puts characters of different rows together.
  private static func library(_ wanted: Set<Symbology>) -> Set<Symbology> {
    var asked = wanted.subtracting([.dataBarExpanded])
    if wanted.contains(.code32) { asked.insert(.code39) }
    if wanted.contains(.upcA) { asked.insert(.ean13) }
    return asked
  }

  /// Adds what the library read, which is perhaps a Code 32.
  private mutating func add(_ symbol: Symbol) {
    let extended = evidence.claims.first { claim in
      claim.symbol.symbology == .code128 && claim.symbol.bytes != symbol.bytes
        && claim.symbol.bytes.map { $0 & 0x7F } == symbol.bytes && Evidence.overlap(claim.symbol, symbol)
    }
    if symbol.symbology == .code128, let extended {
      // The same bars: the library leaves the eighth bit out.
      var other = extended.symbol
      (other.corners, other.quality, other.pass) = (symbol.corners, symbol.quality, symbol.pass)
      evidence.add(other)
    } else if symbologies.contains(.code32), symbol.symbology == .code39, let text = LinearReaders.code32(symbol.text) {
      var other = symbol
      other.symbology = .code32
      other.text = text
      other.bytes = Array(text.utf8)
      evidence.add(other)
    } else if symbologies.contains(symbol.symbology) {
      evidence.add(symbol)
    }
  }

  /// EAN-13 and UPC-A by the model of their bars; what was read with trouble is asked for the same proof.
  ///
  /// - Parameter isLast: only the latter.
  mutating func readFitted(isLast: Bool = false) {
    let wanted = symbologies.intersection(RetailRescue.symbologies)
    guard !wanted.isEmpty else { return }
    let found = RetailRescue(image: image, symbologies: wanted, bars: bars).read(
      beside: accepted, isLast: isLast, tried: &fitted)
    for symbol in found.refuted { evidence.drop(symbol) }
    for symbol in found.symbols { evidence.add(symbol) }
  }

  /// DataBar Expanded symbols, whole in one region or in rows of which each is one to the search for bars.
  private mutating func readExpanded(
    _ pass: ScanPass, _ effort: ScanConfiguration.Effort, _ tone: (GrayImage) -> GrayImage, _ coarse: [StripLines]
  ) {
    var open: [(region: BarRegion, lines: StripLines, reader: DataBarExpandedReader)] = []
    let accepted = self.accepted
    unreadExpanded = []
    for (region, lines) in zip(bars, coarse) {
      // A code that was read here needs no second look.
      if accepted.contains(where: { $0.corners.contains(region.center) }) { continue }
      // A single line sees a character in many a texture: in a live frame there must be another.
      let coarse = lines.expanded(isThorough: false)
      guard effort == .live ? coarse.hasSeveralTraces : coarse.hasTraces else { continue }
      let bands = min(44, max(9, Int(region.height / 3)))
      // Where modules are large, the search for bars saw a part of them.
      for margin in [0.12, 1] {
        let strip = BarStrip(region, bands: bands, scale: margin < 1 ? 2 : 1.5, margin: margin)
        let fine = StripLines(picture: tone(strip.draw(image)), strip: strip, pass: pass)
        let reader = fine.expanded()
        if let reading = reader.read(isStrict: margin >= 1), let extent = reader.extent {
          evidence.add(fine.symbol(reading, extent))
          break
        }
        guard margin >= 1 else { continue }
        open.append((region, fine, reader))
        if reader.isCode { unreadExpanded.append(region.corners) }
      }
    }
    guard open.count > 1, var whole = open.first?.reader else { return }
    for other in open.dropFirst() { whole.add(other.reader) }
    guard let reading = whole.read(isStrict: true), let extent = open[0].reader.extent else { return }
    var symbol = open[0].lines.symbol(reading, extent)
    guard !symbol.gs1.isEmpty else { return }
    symbol.corners = Quadrilateral(enclosing: open.flatMap { $0.region.corners.corners })
    evidence.add(symbol)
  }

  /// DataBar Expanded along the rows and columns of the whole picture: bars so wide that the search for bars sees but a few of
  /// them at a time.
  mutating func readAcross() {
    guard symbologies.contains(.dataBarExpanded), accepted.isEmpty else { return }
    let (width, height) = (Double(image.width), Double(image.height))
    for (direction, length, other) in [(Point2(1, 0), width, height), (Point2(0, 1), height, width)] {
      let region = BarRegion(
        center: Point2(width - 1, height - 1) / 2, direction: direction, length: length, height: other, coherence: 1,
        energy: 0)
      let strip = BarStrip(
        region, bands: min(24, max(9, Int(other / 4))), scale: min(1, 1200 / length), margin: 0, depth: 2)
      let lines = StripLines(picture: strip.draw(image), strip: strip, pass: .strip)
      let reader = lines.expanded(isThorough: false)
      guard let reading = reader.read(isStrict: true), let extent = reader.extent else { continue }
      evidence.add(lines.symbol(reading, extent))
    }
  }

  /// The lines of a picture along which bars may be read.
  enum Ways { case rows, columns, both }

  /// A pass of the library over the whole picture, for 1-D codes: QR codes are read by their modules, and what makes the
  /// library take minutes for them is nothing that it gets to see.
  ///
  /// - Parameters:
  ///   - thinning: one line in that many is looked at.
  ///   - ways: along which of them it looks.
  mutating func readWhole(_ pass: ScanPass, thinning: Int = 1, _ ways: Ways = .both, with zbar: inout ZBarScanner) {
    let wanted = Self.library(pass == .inverted ? invertible : symbologies).filter { $0 != .qr && $0.zbarType != nil }
    guard !wanted.isEmpty else { return }
    let index = octaves.index(ofAtMost: Self.swept)
    let view = octaves.view(index)
    let (picture, density, toView) = PassPicture.make(pass, view) { octaves[index].levels }
    zbar.use(wanted)
    let step = density * thinning
    zbar.set(x: ways == .rows ? 0 : step, y: ways == .columns ? 0 : step)
    let raw = picture?.withView { zbar.scan($0) } ?? zbar.scan(view)
    let factor = Double(1 << index)
    for var code in raw.codes {
      code.points = code.points.map { (toView($0) + 0.5) * factor - 0.5 }
      guard var symbol = Symbol(code, pass: pass) else { continue }
      if !symbol.symbology.isMatrix, let region = bars.first(where: { $0.corners.contains(symbol.corners.center) }) {
        let strip = BarStrip(region)
        // Upside down in the picture is not so along a region that runs the other way.
        let way = region.direction
        symbol.corners = BarOutline.corners(
          of: symbol, leftAt: code.points.map { Point2(strip.column(of: $0), strip.row(of: $0)) },
          isUpsideDown: code.isUpsideDown != (abs(way.x) >= abs(way.y) ? way.x < 0 : way.y < 0), in: strip, of: region,
          image)
      }
      add(symbol)
    }
  }

  /// The library sweeps no more pixels than that: bars that are lost at half the size of a large photograph are thinner than
  /// its lens shows.
  private static let swept = 4_000_000
}
