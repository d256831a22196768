import WaymarkImage

/// The search of one picture for 1-D codes: straightened strips of the regions that look like bars, and passes of libzbar.
struct LinearSearch {
  private let image: ImageView
  private let octaves: Octaves
  private let symbologies: Set<Symbology>
  /// The regions in which brightness changes in one direction only, in the order of `BarSearch`.
  let bars: [BarRegion]
  /// Further regions after `bars`, searched only in a still picture in which a 1-D code was read, such as a shelf with many codes.
  private let further: [BarRegion]
  /// The regions, among all that were found, of high coherence and contrast: the passes of libzbar scan windows around them.
  private let clearest: [BarRegion]
  /// The outlines of regions in which characters of a DataBar Expanded were seen and no symbol was read.
  private(set) var unreadExpanded: [Quadrilateral] = []
  /// The outlines of regions in which a symbol was seen that may continue beyond what was read.
  private(set) var partial: [Quadrilateral] = []
  /// The number of poses in which the EAN-13 model has been compared with bars so far.
  private var fitted = 0
  /// The strips of a still picture drawn so far, shared by all passes.
  private var drawn: [BarStrip: GrayImage] = [:]
  /// Regions examined so far: true if they have as many dark runs as codes.
  private var ruled: [Place: Bool] = [:]
  /// Regions examined so far: true if they look alike at neighbouring heights.
  private var continuous: [Place: Bool] = [:]

  /// The key of a region of bars.
  private struct Place: Hashable {
    let center: Point2
    let direction: Point2
    let size: Point2

    init(_ region: BarRegion) {
      (center, direction, size) = (region.center, region.direction, [region.length, region.height])
    }
  }

  /// - Parameters:
  ///   - edges: the edges of the picture; `nil` if none are needed.
  ///   - factor: the number of pixels of the picture per pixel of the reduced picture (octave) of these edges.
  ///   - regions: the number of regions to search.
  init(
    _ image: ImageView, _ octaves: Octaves, symbologies: Set<Symbology>, edges: PictureEdges?, factor: Double,
    regions: Int
  ) {
    self.image = image
    self.octaves = octaves
    self.symbologies = symbologies
    guard let edges, symbologies.contains(where: { !$0.isMatrix }) else {
      (bars, further, clearest) = ([], [], [])
      return
    }
    let found = BarSearch(edges.tensor, limit: Self.places).regions.map { $0.scaled(by: factor) }
    bars = Array(found.prefix(regions))
    further = found.dropFirst(regions).filter(Self.isClear)
    clearest = Array(
      found.filter { $0.coherence >= 0.7 && $0.energy >= 20 && $0.length >= 40 }.prefix(Self.windows))
  }

  /// The largest number of regions kept, and the largest number of clear regions that get a pass of libzbar.
  private static let (places, windows) = (200, 12)
  /// The largest numbers of pixels of a picture that libzbar scans as a whole: `medium` in its cheapest pass (`level`), `small` in all
  /// others. In a smaller picture, the bar search has too few cells to choose windows by.
  private static let (small, medium) = (200_000, 310_000)

  /// The number of agreeing bands from which a code of libzbar is certain enough that `CrowdedReaders` are not tried.
  private static let few = 3

  private var wanted: Set<Symbology> { symbologies.filter { !$0.isMatrix } }

  /// The symbologies that are also read light on dark: DataBar would be misread there.
  private var invertible: Set<Symbology> { symbologies.subtracting([.dataBar, .dataBarExpanded, .dataBarLimited]) }

  // MARK: Clear bars

  /// True if a region of strong contrast, longer than 100 pixels, has parallel edges, and may have as many of them as a code.
  var hasClearBars: Bool { bars.contains { Self.isClear($0) && mayBeRuled($0) } }

  private static func isClear(_ bars: BarRegion) -> Bool {
    bars.coherence > 0.85 && bars.energy > 50 && bars.length > 100
  }

  /// The directions of the scan lines that cross all clear bars; `both` without clear bars.
  var scanDirections: BarWindow.Ways {
    let clear = bars.filter(Self.isClear)
    let upright = clear.count { abs($0.direction.x) >= abs($0.direction.y) }
    return clear.isEmpty || upright > 0 && upright < clear.count ? .both : upright > 0 ? .rows : .columns
  }

  /// Returns whether clear bars of sufficient length were seen that none of `symbols` covers; false if `symbols` is empty.
  func hasBars(beside symbols: [Symbol]) -> Bool {
    guard let widest = symbols.map({ $0.corners.bounds.max.x - $0.corners.bounds.min.x }).max() else { return false }
    return bars.contains { region in
      region.coherence > 0.8 && region.energy > 100 && region.length > 0.4 * widest
        && !symbols.contains {
          $0.corners.bounds.contains(region.center) || region.corners.contains($0.corners.center)
        }
    }
  }

  // MARK: Strips

  /// Reads 1-D codes from straightened strips of bars.
  ///
  /// - Parameter explained: the areas that are not searched again.
  mutating func readStrips(
    _ pass: ScanPass, _ effort: ScanConfiguration.Effort, explained: ExplainedPlaces, _ evidence: inout Evidence,
    with zbar: inout ZBarScanner
  ) {
    let wanted = pass == .stripInverted ? self.wanted.intersection(invertible) : self.wanted
    var bars = self.bars.filter { !explained.contains($0) }
    if effort == .still, evidence.accepted.contains(where: { !$0.symbology.isMatrix }) {
      bars += further.filter { !explained.contains($0) }
    }
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
    let crowded = Self.library(wanted).intersection(CrowdedReaders.symbologies)
    let seeksCrowded = effort == .still && pass != .stripStretched && !crowded.isEmpty
    var looked: [BarRegion] = []
    var all: [StripLines] = []
    for region in bars {
      let strip = BarStrip(region)
      let plain = effort == .still ? draw(strip) : strip.draw(image)
      guard isRuled(region, plain) || pass == .strip else { continue }
      looked.append(region)
      let picture = tone(plain)
      let lines = StripLines(picture: picture, strip: strip, pass: pass, image: image)
      all.append(lines)
      let found = picture.withView { zbar.scan($0, visible: lines.visible) }
      note(found.parts, region.corners)
      var codes = found.codes
      if seeksCrowded, codes.allSatisfy({ $0.quality < Self.few }) {
        if let code = lines.crowded(crowded) { codes.append(code) }
      }
      for code in codes {
        guard var symbol = Symbol(code, pass: pass) else { continue }
        if symbol.symbology == .code128 { symbol = lines.extended(symbol) }
        // If another pass has read the same content from these bars, its outline is reused.
        let known = evidence.claims.first {
          $0.symbol.sameContent(as: symbol) && region.corners.contains($0.symbol.corners.center)
        }
        symbol.corners =
          known?.symbol.corners
          ?? BarOutline.corners(
            of: symbol, leftAt: code.points.map { Point2($0.x, $0.y / 2) }, isUpsideDown: code.isUpsideDown, in: strip,
            of: region, image)
        add(symbol, to: &evidence)
      }
      if !own.isEmpty { for symbol in lines.read(own) where isWhole(symbol) { evidence.add(symbol) } }
      if wanted.contains(.pharmacode2) {
        if let symbol = TwoTrackPharmacode.read(region, tone, pass, image) { evidence.add(symbol) }
      }
    }
    // Stretching the contrast shows hardly anything new to this reader, whose threshold is local.
    if wanted.contains(.dataBarExpanded), effort == .live || pass != .stripStretched || evidence.accepted.isEmpty {
      readExpanded(pass, effort, tone, looked, all, &evidence)
    }
  }

  /// Records a region in which at least half of the required lines show a part of a symbol.
  private mutating func note(_ parts: [ZBarScanner.Raw], _ corners: Quadrilateral) {
    let isSure = parts.contains { 2 * $0.quality >= $0.symbology.row.linear?.lines($0.bytes.count).inOnePass ?? .max }
    if isSure { partial.append(corners) }
  }

  /// Returns the picture of a strip, drawn on the grid of its modules if it shows one; each strip is drawn once.
  private mutating func draw(_ strip: BarStrip) -> GrayImage {
    if let known = drawn[strip] { return known }
    let picture = strip.drawOnGrid(image) ?? strip.draw(image)
    drawn[strip] = picture
    return picture
  }

  /// Returns whether the strip of a region has as many dark runs as a code.
  private mutating func isRuled(_ region: BarRegion, _ strip: GrayImage) -> Bool {
    if let known = ruled[Place(region)] { return known }
    let isRuled = BarStrip.isRuled(strip)
    ruled[Place(region)] = isRuled
    return isRuled
  }

  /// Returns whether the strip of a region looks alike in neighbouring bands.
  private mutating func isContinuous(_ region: BarRegion) -> Bool {
    if let known = continuous[Place(region)] { return known }
    let isContinuous = BarStrip.isContinuous(draw(BarStrip(region)))
    continuous[Place(region)] = isContinuous
    return isContinuous
  }

  /// Returns whether a region may have as many dark runs as a code; true if no strip of it was drawn yet.
  private func mayBeRuled(_ region: BarRegion) -> Bool { ruled[Place(region)] ?? true }

  /// Returns the symbologies to enable in libzbar, which reads a Code 32 as a Code 39, and a UPC-A as an EAN-13. DataBar Expanded
  /// is not enabled: libzbar misreads dates and joins characters of different rows.
  private static func library(_ wanted: Set<Symbology>) -> Set<Symbology> {
    var asked = wanted.subtracting([.dataBarExpanded])
    if wanted.contains(.code32) { asked.insert(.code39) }
    if wanted.contains(.upcA) { asked.insert(.ean13) }
    return asked
  }

  /// Returns false if a symbol may be a part of a longer one, because it lacks a quiet zone or is too close to the border of the picture.
  private func isWhole(_ symbol: Symbol) -> Bool {
    guard let rules = symbol.symbology.row.linear else { return true }
    let bars = BarRegion(covering: symbol.corners)
    let reach = (0.5 + rules.inside) * bars.length * bars.direction
    let isInside = [bars.center - reach, bars.center + reach].allSatisfy {
      $0.x > -1 && $0.y > -1 && $0.x < Double(image.width) && $0.y < Double(image.height)
    }
    return (isInside || rules.inside == 0) && rules.zone(of: symbol.bytes)?.surrounds(symbol, in: image) != false
  }

  /// Adds a symbol that libzbar read: a Code 39 as Code 32 if it is one, a Code 128 with the characters above 127 that libzbar drops.
  private func add(_ symbol: Symbol, to evidence: inout Evidence) {
    guard isWhole(symbol) else { return }
    let extended = evidence.claims.first { claim in
      claim.symbol.symbology == .code128 && claim.symbol.bytes != symbol.bytes
        && claim.symbol.bytes.map { $0 & 0x7F } == symbol.bytes && Evidence.overlap(claim.symbol, symbol)
    }
    if symbol.symbology == .code128, let extended {
      // libzbar read the same bars as `StripLines`, but drops the eighth bit.
      var other = extended.symbol
      (other.corners, other.quality, other.pass) = (symbol.corners, symbol.quality, symbol.pass)
      evidence.add(other)
    } else if symbologies.contains(.code32), symbol.symbology == .code39, let text = Code39.code32(symbol.text) {
      var other = symbol
      other.symbology = .code32
      other.text = text
      other.bytes = Array(text.utf8)
      evidence.add(other)
    } else if symbologies.contains(symbol.symbology) {
      evidence.add(symbol)
    }
  }

  /// Reads DataBar Expanded symbols, complete in one region, or in rows that are separate regions for the bar search.
  private mutating func readExpanded(
    _ pass: ScanPass, _ effort: ScanConfiguration.Effort, _ tone: (GrayImage) -> GrayImage, _ bars: [BarRegion],
    _ coarse: [StripLines], _ evidence: inout Evidence
  ) {
    var open: [(region: BarRegion, lines: StripLines, reader: DataBarExpandedReader)] = []
    let accepted = evidence.accepted
    unreadExpanded = []
    for (region, lines) in zip(bars, coarse) {
      // Skips a region in which a code was read.
      if accepted.contains(where: { $0.corners.contains(region.center) }) { continue }
      // A single line finds a character in many textures, so a second line is required in a live frame, and with stretched
      // contrast.
      let coarse = lines.expanded(isThorough: false)
      guard effort == .live || pass == .stripStretched ? coarse.hasSeveralTraces : coarse.hasTraces else { continue }
      let bands = min(44, max(9, Int(region.height / 3)))
      // If modules are large, the bar search found only a part of the code.
      for margin in [0.12, 1] {
        // A wide strip is coarser, and in a live frame fewer samples are averaged, to save time; the next frame is another chance.
        let strip = BarStrip(
          region, bands: bands, scale: margin < 1 ? 2 : 1.5, margin: margin, depth: effort == .live ? 3 : 8)
        let drawn = effort == .still ? draw(strip) : strip.draw(image)
        let fine = StripLines(picture: tone(drawn), strip: strip, pass: pass, image: image)
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

  /// Reads EAN-13 and UPC-A by the model of their bars.
  ///
  /// - Parameters:
  ///   - accepted: the symbols that were read.
  ///   - isLast: true to confirm symbols that were read with difficulty, without reading others.
  mutating func readFitted(beside accepted: [Symbol], isLast: Bool, _ evidence: inout Evidence) {
    let wanted = symbologies.intersection(RetailRescue.symbologies)
    guard !wanted.isEmpty else { return }
    var tried = fitted
    let likely = bars.filter {
      !isLast && RetailRescue.isWorthwhile($0, beside: accepted) && mayBeRuled($0) && isContinuous($0)
    }
    let found = RetailRescue(image: image, symbologies: wanted, bars: likely).read(
      beside: accepted, tried: &tried
    ) { draw(BarStrip($0)) }
    fitted = tried
    for symbol in found.refuted { evidence.drop(symbol) }
    for symbol in found.symbols { evidence.add(symbol) }
  }

  /// Reads DataBar Expanded along the rows and columns of the whole picture: codes with bars so wide that the bar search finds only a few
  /// at a time.
  func readAcross(_ evidence: inout Evidence) {
    let (width, height) = (Double(image.width), Double(image.height))
    for (direction, length, other) in [(Point2(1, 0), width, height), (Point2(0, 1), height, width)] {
      let region = BarRegion(
        center: Point2(width - 1, height - 1) / 2, direction: direction, length: length, height: other, coherence: 1,
        energy: 0)
      // Several lines must cross each row of a stacked symbol, so a second round has more lines.
      let few = min(24, max(9, Int(other / 4)))
      for bands in [few, max(few, min(Self.dense, Int(other / 6)))] {
        let strip = BarStrip(region, bands: bands, scale: min(1, 1200 / length), margin: 0, depth: 2)
        let lines = StripLines(picture: strip.draw(image), strip: strip, pass: .strip, image: image)
        let reader = lines.expanded(isThorough: false)
        if let reading = reader.read(isStrict: true), let extent = reader.extent {
          evidence.add(lines.symbol(reading, extent))
        }
        guard reader.isLikely, evidence.accepted.isEmpty else { break }
      }
    }
  }

  /// The largest number of lines of `readAcross` in each direction.
  private static let dense = 120

  /// Returns the windows of the picture that a pass of libzbar scans, each with the directions of its scan lines. The windows are
  /// around unexplained bars; a small picture is one window. In two test sets, these windows contain 105 of the 108 codes that such
  /// passes read, and cover a fifth of a photograph without a code. All passes but the cheapest scan only bars with as many edges
  /// as a code.
  mutating func windows(_ pass: ScanPass, explained: ExplainedPlaces) -> [BarWindow] {
    // The cheapest pass may scan larger pictures whole.
    guard image.width * image.height > (pass == .level ? Self.medium : Self.small) else { return [BarWindow(image)] }
    let left = clearest.filter { !explained.contains($0) }
    let bars = left.filter { isContinuous($0) && (pass == .level || isRuled($0, draw(BarStrip($0)))) }
    return BarWindow.windows(around: bars, in: image)
  }

  /// Runs a pass of libzbar over windows of the picture, for 1-D codes only. QR codes are disabled in it: they are read by their modules,
  /// and libzbar could spend minutes on their finder patterns.
  ///
  /// - Parameter thinning: n to scan every n-th of the pass's lines.
  func readWindows(
    _ pass: ScanPass, _ windows: [BarWindow], thinning: Int = 1, _ evidence: inout Evidence,
    with zbar: inout ZBarScanner
  ) {
    let wanted = Self.library(pass == .inverted ? invertible : symbologies).filter { $0 != .qr && $0.row.zbar != nil }
    guard !wanted.isEmpty else { return }
    let index = octaves.index(ofAtMost: Self.swept)
    let whole = octaves.view(index)
    let factor = Double(1 << index)
    zbar.use(wanted)
    for window in windows {
      let part = window.isWhole ? nil : window.scaled(by: 1 / factor).cut(from: whole)
      let view = part?.image.unsafeView ?? whole
      let corner = part?.corner ?? [0, 0]
      let (picture, density, toView) = PassPicture.make(pass, view) {
        part == nil ? octaves[index].levels : BlockMean(view)
      }
      let step = density * thinning
      zbar.set(x: window.ways == .rows ? 0 : step, y: window.ways == .columns ? 0 : step)
      let raw = picture?.withView { zbar.scan($0) } ?? zbar.scan(view)
      for var code in raw.codes {
        code.points = code.points.map { (toView($0) + corner + 0.5) * factor - 0.5 }
        add(code, pass, to: &evidence)
      }
      withExtendedLifetime(part) {}
    }
  }

  /// Adds a code that a pass of libzbar read, with the outline of its bars.
  private func add(_ code: ZBarScanner.Raw, _ pass: ScanPass, to evidence: inout Evidence) {
    guard var symbol = Symbol(code, pass: pass) else { return }
    if !symbol.symbology.isMatrix, let region = bars.first(where: { $0.corners.contains(symbol.corners.center) }) {
      let strip = BarStrip(region)
      // `isUpsideDown` refers to the picture; a region may run the other way.
      let way = region.direction
      symbol.corners = BarOutline.corners(
        of: symbol, leftAt: code.points.map { Point2(strip.column(of: $0), strip.row(of: $0)) },
        isUpsideDown: code.isUpsideDown != (abs(way.x) >= abs(way.y) ? way.x < 0 : way.y < 0), in: strip, of: region,
        image)
    }
    add(symbol, to: &evidence)
  }

  /// The largest number of pixels that libzbar scans. A larger photograph is scanned at half its size: bars lost that way are
  /// thinner than its lens can resolve.
  private static let swept = 4_000_000
}
