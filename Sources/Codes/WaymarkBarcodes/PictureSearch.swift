import WaymarkImage

/// One picture on its way through the passes: what every family has read of it so far, and what is left to explain.
struct PictureSearch {
  let image: ImageView
  let symbologies: Set<Symbology>
  let octaves: Octaves
  var evidence = Evidence()
  /// QR codes.
  private(set) var qr: QRSearch
  /// The codes made of bars.
  private(set) var linear: LinearSearch
  /// Codes that carry parts of messages.
  private(set) var parts = StructuredAppend()
  /// Codes of the readers of this module that are there and were not read.
  private(set) var unreadOwn: [MatrixDetection] = []
  /// How many searches over the whole picture it took: of each family that was asked, of each pass of the library.
  private(set) var searches = 0
  /// Where something may be; `nil` where only QR codes are wanted, which leave nothing to other families.
  private let edges: PictureEdges?

  /// Photographs, and drawings, of no more pixels than that are looked at in twice their size.
  private static let enlarged = (photographs: 40_000, drawings: 160_000)

  init(_ image: ImageView, symbologies: Set<Symbology>, regions: Int, reader: QRReader) {
    self.image = image
    // Add-ons stand beside codes of retail.
    let carries =
      AddOnReader.symbologies.isDisjoint(with: symbologies) || !AddOnReader.carriers.isDisjoint(with: symbologies)
    let wanted = carries ? symbologies : symbologies.union(AddOnReader.carriers)
    self.symbologies = wanted
    octaves = Octaves(image)
    qr = QRSearch(octaves, isWanted: symbologies.contains(.qr), reader: reader)
    let index = octaves.index(ofAtMost: Octaves.barred)
    let factor = Double(1 << index)
    edges = wanted == [.qr] ? nil : PictureEdges(octaves.view(index), factor: factor)
    linear = LinearSearch(image, octaves, symbologies: wanted, edges: edges, factor: factor, regions: regions)
  }

  /// The symbols read for certain: alone, or put together from parts. Those that fit so far may turn out to be parts of two messages.
  var accepted: [Symbol] { evidence.accepted + parts.outcome.whole }

  /// True if something was left undone because the picture would have cost too much.
  var isLimited: Bool { qr.isLimited || isOwnLimited }

  /// The same of the readers of this module.
  private var isOwnLimited = false

  /// Places that need no further look, because symbols of which no pass can say otherwise lie there.
  var explained: ExplainedPlaces { ExplainedPlaces(evidence.settled.map(\.corners) + parts.places) }

  /// True if symbols explain every edge of the picture, so that no family has anything left to look at.
  var isExplained: Bool {
    guard !accepted.isEmpty, parts.outcome.incomplete.isEmpty, qr.unread(beside: accepted).isEmpty else { return false }
    return edges?.isExplained(by: explained) ?? true
  }

  // MARK: Passes

  /// QR codes by their finder patterns.
  mutating func readModules() {
    guard qr.hasTriplets else { return }
    searches += 1
    take(qr.read(octaves), pass: .modules)
  }

  private mutating func take(_ found: [QRReader.Candidate], pass: ScanPass) {
    for candidate in found where candidate.message?.part == nil {
      guard let message = candidate.message,
        var symbol = Symbol(message, symbology: .qr, corners: candidate.grid.corners)
      else { continue }
      symbol.pass = pass
      evidence.add(symbol)
    }
    parts.add(
      found.compactMap { candidate in
        candidate.message.map {
          StructuredAppend.Code(symbology: .qr, message: $0, corners: candidate.grid.corners, pass: pass)
        }
      })
  }

  /// QR codes by finder patterns that are clear only in every row of the picture, or in twice of it, where rings of two
  /// pixels come apart.
  mutating func readScaled() {
    searches += 1
    take(qr.readScaled(image, octaves), pass: .modulesScaled)
  }

  /// Runs the readers of this module: each gets the picture in the octave in which finder patterns are looked for too, without what
  /// is explained.
  ///
  /// - Parameter turn: the number of a live frame, in which the readers take turns; `nil` asks all of them.
  mutating func readOwn(_ effort: ScanConfiguration.Effort, turn: Int? = nil) {
    var wanted = symbologies.intersection(BuiltInReaders.symbologies)
    // Of fifteen live frames five in a row are patient ones, so that each search is in its turn.
    let isPatient = turn.map { $0 % 15 < 5 } ?? true
    if let turn { wanted = BuiltInReaders.turn(turn, of: wanted) }
    guard !wanted.isEmpty else { return }
    let index = octaves.index(ofAtMost: Octaves.searched)
    take(index, wanted, effort, isPatient: isPatient)
    // A code that is there and was not read may be too fine for this octave.
    let left = Set(unreadOwn.map(\.symbology))
    guard effort == .still, index > 0, !left.isEmpty else { return }
    unreadOwn = []
    take(index - 1, left, effort)
  }

  /// The same of a small picture in twice its size and with a border, light first, then dark: codes of a pixel a module, and
  /// those that fill their picture to its rim. Only where nothing else was read.
  mutating func readOwnEnlarged() {
    let wanted = symbologies.intersection(BuiltInReaders.symbologies)
    let pixels = image.width * image.height
    guard !wanted.isEmpty, accepted.isEmpty, parts.outcome.incomplete.isEmpty, pixels <= Self.enlarged.drawings,
      pixels <= Self.enlarged.photographs || image.isDrawn
    else { return }
    searches += wanted.count
    let own = BuiltInReaders.enlarged(image, wanted)
    if own.isLimited { isOwnLimited = true }
    for symbol in own.symbols { evidence.add(symbol) }
    parts.add(own.parts)
    unreadOwn.removeAll { open in own.symbols.contains { $0.corners.overlaps(open.corners) } }
  }

  private mutating func take(
    _ index: Int, _ wanted: Set<Symbology>, _ effort: ScanConfiguration.Effort, isPatient: Bool = true
  ) {
    searches += wanted.count
    let octave = octaves[index]
    let explained = self.explained
    let own: BuiltInReaders.Reading
    if explained.isEmpty {
      own = BuiltInReaders(
        view: octave.view, levels: octave.levels, wanted: wanted, effort: effort, isPatient: isPatient,
        finders: wanted.isDisjoint(with: [.microQR, .rMQR]) ? nil : octaves.finders(index)
      ).read()
    } else {
      own = explained.covered(octave.view, factor: octave.factor).withView {
        BuiltInReaders(view: $0, levels: BlockMean($0), wanted: wanted, effort: effort, isPatient: isPatient).read()
      }
    }
    if own.isLimited { isOwnLimited = true }
    for var symbol in own.symbols {
      symbol.corners = symbol.corners.scaled(by: octave.factor)
      evidence.add(symbol)
    }
    parts.add(
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

  /// 1-D codes by their bars, where nothing explains these.
  mutating func readStrips(_ pass: ScanPass, _ effort: ScanConfiguration.Effort = .still, with zbar: inout ZBarScanner)
  {
    linear.readStrips(pass, effort, explained: explained, &evidence, with: &zbar)
  }

  /// EAN-13 and UPC-A by the model of their bars; what was read with trouble is asked for the same proof.
  ///
  /// - Parameter isLast: only the latter.
  mutating func readFitted(isLast: Bool = false) {
    linear.readFitted(beside: accepted, isLast: isLast, &evidence)
  }

  /// DataBar Expanded along the rows and columns of the whole picture.
  mutating func readAcross() {
    guard symbologies.contains(.dataBarExpanded), accepted.isEmpty else { return }
    linear.readAcross(&evidence)
  }

  /// A pass of the library, for 1-D codes, over what looks like bars and is not explained.
  mutating func readWindows(_ pass: ScanPass, with zbar: inout ZBarScanner) {
    let windows = linear.windows(pass, explained: explained)
    guard !windows.isEmpty else { return }
    searches += 1
    linear.readWindows(pass, windows, &evidence, with: &zbar)
  }

  /// The same over the whole picture.
  ///
  /// - Parameters:
  ///   - thinning: one line in that many is looked at.
  ///   - ways: along which of them it looks.
  mutating func readWhole(_ pass: ScanPass, thinning: Int, _ ways: BarWindow.Ways, with zbar: inout ZBarScanner) {
    searches += 1
    linear.readWindows(pass, [BarWindow(image, ways)], thinning: thinning, &evidence, with: &zbar)
  }

  // MARK: Reasons

  /// True if anything was seen that only a code would show: worth every pass.
  var hasTraces: Bool {
    qr.trace != nil || !parts.outcome.incomplete.isEmpty || !unreadClaims.isEmpty
      || qr.candidates.contains { $0.isCode } || linear.hasClearBars
  }

  /// True if there is a reason to look for QR codes in every row: nothing was read, or a code is there that was not.
  var needsScaledPasses: Bool {
    guard symbologies.contains(.qr) else { return false }
    let accepted = self.accepted
    return accepted.isEmpty && parts.outcome.incomplete.isEmpty || !qr.unread(beside: accepted).isEmpty
  }

  /// True if bars were seen where nothing was read: another code beside those that were.
  var hasOtherBars: Bool { linear.hasBars(beside: accepted) }

  /// Reads of 1-D codes that carry a check but were not confirmed.
  private var unreadClaims: [Symbol] {
    let accepted = self.accepted
    return evidence.claims.map(\.symbol).filter { symbol in
      SymbolRules.isChecked(symbol) && !accepted.contains { Evidence.overlap($0, symbol) }
    }
  }

  // MARK: Result

  /// The result for the picture.
  var reading: ScanReading {
    let accepted = self.accepted
    var symbols = ReadingOrder.sorted(accepted + parts.outcome.parts)
    let addOns = AddOnReader(
      image: image, wanted: symbologies.intersection(AddOnReader.symbologies), bars: linear.bars)
    if !addOns.wanted.isEmpty { for i in symbols.indices { symbols[i].addOn = addOns.read(symbols[i]) } }
    var reading = ScanReading(symbols: symbols)
    reading.incomplete = parts.outcome.incomplete
    reading.limited = isLimited
    reading.unread = qr.unread(beside: accepted).map {
      UnreadCode(kind: .qr, corners: $0.grid.corners, advice: CaptureAdvisor.advice(for: $0, in: image))
    }
    reading.unread += unreadOwn.map {
      UnreadCode(kind: .matrix, corners: $0.corners, advice: CaptureAdvisor.advice(for: $0, in: image))
    }
    if symbols.isEmpty, reading.unread.isEmpty, let trace = qr.trace {
      reading.unread = [
        UnreadCode(kind: .qr, corners: trace.corners, advice: CaptureAdvisor.advice(for: trace, in: image))
      ]
    }
    reading.unread += linear.unreadExpanded.filter { corners in
      !symbols.contains { $0.corners.bounds.contains(corners.center) || corners.contains($0.corners.center) }
    }.map { UnreadCode(kind: .bars, corners: $0, advice: CaptureAdvisor.advice(forBars: $0, in: image)) }
    if symbols.isEmpty {
      reading.unread += unreadClaims.map {
        UnreadCode(kind: .bars, corners: $0.corners, advice: CaptureAdvisor.advice(forBars: $0.corners, in: image))
      }
    }
    return reading
  }
}
