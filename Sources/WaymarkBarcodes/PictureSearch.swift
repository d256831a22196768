import WaymarkGeometry
import WaymarkImage

/// One picture on its way through the passes: what the probe saw of it, and what was read so far.
struct PictureSearch {
  let image: ImageView
  let symbologies: Set<Symbology>
  let octaves: Octaves
  /// Finder patterns of QR codes, over all octaves that were looked at.
  private(set) var field = FinderField()
  private(set) var bars: [BarRegion] = []
  var evidence = Evidence()
  /// What became of the finder patterns.
  private(set) var candidates: [QRReader.Candidate] = []
  /// Structured appends of which parts are missing.
  var incomplete: [IncompleteSymbol] { incompleteQR + incompleteOwn }
  private var incompleteQR: [IncompleteSymbol] = []
  private var incompleteOwn: [IncompleteSymbol] = []
  /// Codes of the readers of this module that are there and were not read.
  private(set) var unreadOwn: [MatrixFinding] = []
  /// Whether something was left undone because the picture would have cost too much.
  var isLimited = false
  /// Finder patterns that only a code can have, and whether they were looked for.
  private(set) var trace: FinderTrace?
  private(set) var isTraced = false
  /// What may still be spent on QR codes.
  private var reader: QRReader

  /// The finest octave in which finder patterns are looked for at first has no more pixels than that: a code of two modules
  /// a pixel there is a twentieth of the picture wide.
  private static let searched = 3_200_000
  /// Bars are looked for in pictures of no more pixels than that.
  private static let barred = 1_600_000

  init(_ image: ImageView, symbologies: Set<Symbology>, regions: Int, reader: QRReader) {
    self.image = image
    self.symbologies = symbologies
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

  var linear: Set<Symbology> { symbologies.filter { !$0.isMatrix } }

  /// Light on dark, DataBar reads other codes than are there.
  var invertible: Set<Symbology> { symbologies.subtracting([.dataBar, .dataBarExpanded]) }

  /// Whether a code is there for certain, but none that was read covers it.
  var unreadCodes: [QRReader.Candidate] {
    let read = evidence.sure
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
      guard let message = candidate.message, var symbol = Symbol(qr: message, corners: candidate.grid.corners)
      else { continue }
      symbol.pass = pass
      evidence.add(symbol)
    }
    let (whole, open) = QRAppend.join(candidates)
    for symbol in whole { evidence.add(symbol) }
    incompleteQR = open
  }

  /// What the readers of this module find: each gets the picture in the octave in which finder patterns are looked for too.
  ///
  /// - Parameter turn: the number of a live frame, in which the readers take turns; `nil` asks all of them.
  mutating func readOwn(_ effort: ScanConfiguration.Effort, turn: Int? = nil) {
    var wanted = symbologies.intersection(OwnReaders.symbologies)
    if let turn { wanted = OwnReaders.turn(turn, of: wanted) }
    guard !wanted.isEmpty else { return }
    let index = octaves.index(ofAtMost: Self.searched)
    take(octaves[index], wanted, effort)
    // What is there and was not read may be too fine for this octave.
    let left = Set(unreadOwn.map(\.symbology))
    guard effort == .still, index > 0, !left.isEmpty else { return }
    unreadOwn = []
    take(octaves[index - 1], left, effort)
  }

  private mutating func take(_ octave: Octaves.Octave, _ wanted: Set<Symbology>, _ effort: ScanConfiguration.Effort) {
    let own = OwnReaders(view: octave.view, levels: octave.levels, wanted: wanted, effort: effort).read()
    for var symbol in own.symbols {
      symbol.corners = symbol.corners.scaled(by: octave.factor)
      evidence.add(symbol)
    }
    for var part in own.incomplete {
      part.corners = part.corners.map { $0.scaled(by: octave.factor) }
      incompleteOwn.append(part)
    }
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
    readAnew(octaves.view(faint), scale: 1 / Double(1 << faint), flat: Self.faintest)
    guard image.width * image.height <= 400_000, !candidates.contains(where: \.isRead) else { return }
    Resampling.double(image).withView { readAnew($0, scale: 2, flat: BlockMean.plain) }
  }

  /// Edges of so few gray levels are looked for where there are no stronger ones.
  private static let faintest: UInt8 = 10

  /// QR codes of the picture in another size or with another eye for contrast.
  private mutating func readAnew(_ view: ImageView, scale: Double, flat: UInt8) {
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
  mutating func readStrips(_ pass: ScanPass, with zbar: inout ZBarScanner) {
    let wanted = pass == .stripInverted ? linear.intersection(invertible) : linear
    guard !wanted.isEmpty, !bars.isEmpty else { return }
    zbar.use(Self.library(wanted))
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
        if symbol.symbology == .code128 { symbol = extended(symbol, in: picture) }
        symbol.corners = strip.corners(of: code, in: region)
        add(symbol)
      }
      let own = wanted.intersection(LinearReaders.symbologies)
      if !own.isEmpty { readLines(picture, strip, own, pass) }
    }
  }

  /// What the library is asked for: a Code 32 is a Code 39 to it.
  private static func library(_ wanted: Set<Symbology>) -> Set<Symbology> {
    wanted.contains(.code32) ? wanted.union([.code39]) : wanted
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

  /// A Code 128 with the characters beyond ASCII that the library leaves out: where a line shows the same ones but for the
  /// eighth bit.
  private func extended(_ symbol: Symbol, in strip: GrayImage) -> Symbol {
    let bytes = strip.withView { view -> [UInt8]? in
      for row in stride(from: 0, to: view.height, by: 2) {
        guard let line = LinearLine(view, row: row) else { continue }
        for line in [line, line.reversed] {
          if let bytes = Code128Line.read(line), bytes.map({ $0 & 0x7F }) == symbol.bytes { return bytes }
        }
      }
      return nil
    }
    guard let bytes, bytes != symbol.bytes else { return symbol }
    var other = symbol
    other.bytes = bytes
    other.charset = .latin1
    other.text = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    return other
  }

  /// What our own readers of bars make of the lines of a strip.
  private mutating func readLines(
    _ picture: GrayImage, _ strip: BarStrip, _ wanted: Set<Symbology>, _ pass: ScanPass
  ) {
    var lines: [LinearRead: (count: Int, from: Double, to: Double)] = [:]
    let way = strip.place(1, 0) - strip.place(0, 0)
    let isBackward = abs(way.x) > 0.01 * way.length ? way.x < 0 : way.y > 0
    picture.withView { view in
      for row in stride(from: 0, to: view.height, by: 2) {
        guard let line = LinearLine(view, row: row) else { continue }
        for var read in LinearReaders.read(line, wanted, isBackward: isBackward) {
          let (from, to) = (line.edges[read.first], line.edges[read.last + 1])
          (read.first, read.last) = (0, 0)
          let known = lines[read]
          lines[read] = ((known?.count ?? 0) + 1, min(from, known?.from ?? from), max(to, known?.to ?? to))
        }
      }
    }
    let rows = Double(strip.bands)
    for (read, seen) in lines {
      let corners = Quadrilateral(
        topLeft: strip.place(seen.from, 0), topRight: strip.place(seen.to, 0),
        bottomRight: strip.place(seen.to, rows), bottomLeft: strip.place(seen.from, rows))
      evidence.add(
        Symbol(
          symbology: read.symbology, text: String(decoding: read.bytes, as: UTF8.self), bytes: read.bytes,
          charset: .ascii, corners: corners, quality: seen.count, pass: pass))
    }
  }

  /// A pass of the library over the whole picture, for 1-D codes: QR codes are read by their modules, and what makes the
  /// library take minutes for them is nothing that it gets to see.
  ///
  /// - Parameter thinning: only every so manieth of its lines.
  mutating func readWhole(_ pass: ScanPass, thinning: Int = 1, with zbar: inout ZBarScanner) {
    let wanted = Self.library(pass == .inverted ? invertible : symbologies).filter { $0 != .qr && $0.zbarType != nil }
    guard !wanted.isEmpty else { return }
    let index = octaves.index(ofAtMost: Self.swept)
    let view = octaves.view(index)
    let (picture, density, toView) = PassPicture.make(pass, view) { octaves[index].levels }
    zbar.use(wanted)
    zbar.set(density: density * thinning)
    let raw = picture?.withView { zbar.scan($0) } ?? zbar.scan(view)
    let factor = Double(1 << index)
    for var code in raw.codes {
      code.points = code.points.map { (toView($0) + 0.5) * factor - 0.5 }
      guard var symbol = Symbol(code, pass: pass) else { continue }
      if !symbol.symbology.isMatrix, let region = bars.first(where: { $0.corners.contains(symbol.corners.center) }) {
        symbol.corners = region.corners
      }
      add(symbol)
    }
  }

  /// The library sweeps no more pixels than that: bars that are lost at half the size of a large photograph are thinner than
  /// its lens shows.
  private static let swept = 4_000_000
}
