import WaymarkImage

/// The search of one picture for all symbologies: runs its passes, and keeps the codes that each pass has read so far.
struct PictureSearch {
  let image: ImageView
  let symbologies: Set<Symbology>
  let octaves: Octaves
  /// True for a live frame, in which the search for composite components is bounded more tightly.
  var isLive = false
  var evidence = Evidence()
  private(set) var qr: QRSearch
  private(set) var linear: LinearSearch
  /// Codes that carry parts of messages (structured append).
  private(set) var parts = StructuredAppend()
  /// The 2-D components of GS1 composite symbols.
  private var components: [MatrixDetection] = []
  /// Codes that the readers of this module found and did not decode.
  private(set) var unreadOwn: [MatrixDetection] = []
  /// The number of searches so far: one for each run of a reader of this module, and one for each pass over the picture.
  private(set) var searches = 0
  /// The cells with edges, where codes may be; `nil` if only QR codes are looked for, because they are found without edges.
  private let edges: PictureEdges?

  /// The largest number of pixels of a photograph and of a drawing that are also read at twice their size.
  private static let enlarged = (photographs: 40_000, drawings: 160_000)

  init(_ image: ImageView, symbologies: Set<Symbology>, regions: Int, reader: QRReader) {
    self.image = image
    // Add-ons are printed beside retail codes.
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

  /// The accepted symbols: single symbols, and messages joined from parts. Parts of an incomplete message are left out, because
  /// they may belong to two messages.
  var accepted: [Symbol] { evidence.accepted + parts.outcome.whole }

  /// True if a search was cut short because the picture would have cost too much time.
  var isLimited: Bool { qr.isLimited || isOwnLimited }

  /// True if a reader of this module cut its search short.
  private var isOwnLimited = false

  /// The areas of symbols that no further pass can make doubtful; they are not searched again.
  var explained: ExplainedPlaces { ExplainedPlaces(evidence.settled.map(\.corners) + parts.places) }

  /// True if symbols cover every edge of the picture, so that readers have nothing left to look for.
  var isExplained: Bool {
    guard !accepted.isEmpty, parts.outcome.incomplete.isEmpty, qr.unread(beside: accepted).isEmpty else { return false }
    return edges?.isExplained(by: explained) ?? true
  }

  // MARK: Passes

  /// Reads QR codes by their finder patterns.
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

  /// Reads QR codes whose finder patterns are clear only if every row is searched, or in the enlarged picture, where rings of two
  /// pixels separate.
  mutating func readScaled() {
    searches += 1
    take(qr.readScaled(image, octaves), pass: .modulesScaled)
  }

  /// Runs the readers of this module on the octave that is searched for finder patterns, with the explained areas covered.
  ///
  /// - Parameter turn: the number of a live frame, in which the readers take turns; `nil` runs all of them.
  mutating func readOwn(_ effort: ScanConfiguration.Effort, turn: Int? = nil) {
    var wanted = symbologies.intersection(MatrixSearch.symbologies)
    // Patience lasts five of fifteen consecutive live frames, so that each search, when its turn comes, gets a patient frame.
    let isPatient = turn.map { $0 % 15 < 5 } ?? true
    if let turn { wanted = MatrixSearch.turn(turn, of: wanted) }
    guard !wanted.isEmpty else { return }
    let index = octaves.index(ofAtMost: Octaves.searched)
    take(index, wanted, effort, isPatient: isPatient)
    // The modules of a code that was found but not decoded may be too small in this octave.
    let left = Set(unreadOwn.map(\.symbology))
    guard effort == .still, index > 0, !left.isEmpty else { return }
    unreadOwn = []
    take(index - 1, left, effort)
  }

  /// If nothing was read, runs the readers of this module on a small picture enlarged to twice its size and with a border, for
  /// codes of one pixel per module and codes without a quiet zone.
  mutating func readOwnEnlarged() {
    let wanted = symbologies.intersection(MatrixSearch.symbologies)
    let pixels = image.width * image.height
    guard !wanted.isEmpty, accepted.isEmpty, parts.outcome.incomplete.isEmpty, pixels <= Self.enlarged.drawings,
      pixels <= Self.enlarged.photographs || image.isDrawn
    else { return }
    searches += wanted.count
    let own = MatrixSearch.enlarged(image, wanted)
    if own.isLimited { isOwnLimited = true }
    for symbol in own.symbols { evidence.add(symbol) }
    parts.add(own.parts)
    add(own.components)
    unreadOwn.removeAll { open in own.symbols.contains { $0.corners.overlaps(open.corners) } }
  }

  /// If nothing was read, reads codes that are not printed dark on light with a quiet zone: light PDF417 on dark, codes on a ground
  /// as dark as their modules, and Data Matrix symbols of dots in a small picture.
  mutating func readUnusual(with zbar: inout ZBarScanner) {
    guard accepted.isEmpty, parts.outcome.incomplete.isEmpty else { return }
    let octave = octaves[octaves.index(ofAtMost: Octaves.barred)]
    var found: [MatrixDetection] = []
    if symbologies.contains(.pdf417) {
      found = PDF417Reader.inverted(octave.view, octave.levels).map { $0.placed(scale: octave.factor) }
    }
    for part in DarkGround(octave.view)?.parts(symbologies) ?? [] where accepted.isEmpty {
      searches += 1
      for var symbol in part.picture.withView({ Self.symbols($0, part.wanted, with: &zbar) }) {
        symbol.corners = symbol.corners.mapped { $0 + part.origin }.scaled(by: octave.factor)
        evidence.add(symbol)
      }
    }
    if found.isEmpty, accepted.isEmpty, symbologies.contains(.dataMatrix), DottedDataMatrix.suits(image) {
      found = DottedDataMatrix.read(image)
    }
    for symbol in found.compactMap(\.symbol) { evidence.add(symbol) }
    let read = accepted
    unreadOwn.removeAll { open in read.contains { $0.corners.overlaps(open.corners) } }
  }

  /// Returns the symbols of a part of a picture, by the three passes that read the most codes.
  private static func symbols(
    _ view: ImageView, _ wanted: Set<Symbology>, with zbar: inout ZBarScanner
  ) -> [Symbol] {
    var search = PictureSearch(
      view, symbologies: wanted, regions: 4, reader: QRReader(budget: ReadingBudget(ReadingBudget.still)))
    search.readModules()
    if search.accepted.isEmpty { search.readStrips(.strip, with: &zbar) }
    if search.accepted.isEmpty { search.readOwn(.still) }
    return search.accepted
  }

  private mutating func take(
    _ index: Int, _ wanted: Set<Symbology>, _ effort: ScanConfiguration.Effort, isPatient: Bool = true
  ) {
    searches += wanted.count
    let octave = octaves[index]
    let explained = self.explained
    let own: MatrixSearch.Reading
    if explained.isEmpty {
      own = MatrixSearch(
        view: octave.view, levels: octave.levels, wanted: wanted, effort: effort, isPatient: isPatient,
        finders: { [octaves] in octaves.finders(index) }
      ).read()
    } else {
      own = explained.covered(octave.view, factor: octave.factor).withView {
        MatrixSearch(view: $0, levels: BlockMean($0), wanted: wanted, effort: effort, isPatient: isPatient).read()
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
    add(
      own.components.map { component in
        var component = component
        component.corners = component.corners.scaled(by: octave.factor)
        component.module *= octave.factor
        return component
      })
    for var finding in own.unread {
      finding.corners = finding.corners.scaled(by: octave.factor)
      unreadOwn.append(finding)
    }
  }

  private mutating func add(_ found: [MatrixDetection]) {
    components += found.filter { one in !components.contains { $0.corners.overlaps(one.corners) } }
  }

  /// Reads 1-D codes from straightened strips of bars that no symbol explains.
  mutating func readStrips(_ pass: ScanPass, _ effort: ScanConfiguration.Effort = .still, with zbar: inout ZBarScanner)
  {
    linear.readStrips(pass, effort, explained: explained, &evidence, with: &zbar)
  }

  /// Reads EAN-13 and UPC-A symbols by the model of their bars; codes that other passes read with difficulty must be confirmed by
  /// the model, too.
  ///
  /// - Parameter isLast: true to confirm codes without reading others.
  mutating func readFitted(isLast: Bool = false) {
    linear.readFitted(beside: accepted, isLast: isLast, &evidence)
  }

  /// Reads DataBar Expanded along the rows and columns of the whole picture.
  mutating func readAcross() {
    guard symbologies.contains(.dataBarExpanded), accepted.isEmpty else { return }
    linear.readAcross(&evidence)
  }

  /// Runs a pass of libzbar for 1-D codes over the regions that look like bars and are not explained.
  mutating func readWindows(_ pass: ScanPass, with zbar: inout ZBarScanner) {
    let windows = linear.windows(pass, explained: explained)
    guard !windows.isEmpty else { return }
    searches += 1
    linear.readWindows(pass, windows, &evidence, with: &zbar)
  }

  /// Runs a pass of libzbar for 1-D codes over the whole picture.
  ///
  /// - Parameters:
  ///   - thinning: n to scan every n-th of the pass's lines.
  ///   - ways: the directions of the scan lines: along rows, along columns, or both.
  mutating func readWhole(_ pass: ScanPass, thinning: Int, _ ways: BarWindow.Ways, with zbar: inout ZBarScanner) {
    searches += 1
    linear.readWindows(pass, [BarWindow(image, ways)], thinning: thinning, &evidence, with: &zbar)
  }

  // MARK: Reasons for further passes

  /// True if a feature was seen that only a code would show: such a picture gets every pass.
  var hasTraces: Bool {
    qr.trace != nil || !parts.outcome.incomplete.isEmpty || !unreadClaims.isEmpty
      || qr.candidates.contains { $0.isCode } || linear.hasClearBars
  }

  /// True if there is a reason to look for QR codes in every row: nothing was read, or a QR code was found and not read.
  var needsScaledPasses: Bool {
    guard symbologies.contains(.qr) else { return false }
    let accepted = self.accepted
    return accepted.isEmpty && parts.outcome.incomplete.isEmpty || !qr.unread(beside: accepted).isEmpty
  }

  /// True if bars were seen outside of the accepted symbols.
  var hasOtherBars: Bool { linear.hasBars(beside: accepted) }

  /// The claims of 1-D codes that have a check but were not accepted.
  private var unreadClaims: [Symbol] {
    let accepted = self.accepted
    return evidence.claims.map(\.symbol).filter { symbol in
      symbol.isChecked && !accepted.contains { Evidence.overlap($0, symbol) }
    }
  }

  // MARK: Result

  /// The result so far: symbols in reading order with add-ons and composites, incomplete messages, and unread codes with advice.
  var reading: ScanReading {
    let accepted = self.accepted
    var symbols = ReadingOrder.sorted(accepted + parts.outcome.parts)
    let addOns = AddOnReader(
      image: image, wanted: symbologies.intersection(AddOnReader.symbologies), bars: linear.bars)
    if !addOns.wanted.isEmpty { for i in symbols.indices { symbols[i].addOn = addOns.read(symbols[i]) } }
    var composites = CompositeReader(image, components, isLive: isLive)
    for i in symbols.indices { composites.read(&symbols[i]) }
    var reading = ScanReading(symbols: symbols)
    // A component without its linear code is reported as the second part of a message whose first part is missing.
    reading.incomplete =
      parts.outcome.incomplete
      + composites.components.map {
        IncompleteSymbol(symbology: $0.symbology, count: 2, present: [2], missing: [1], corners: [$0.corners])
      }
    reading.limited = isLimited
    reading.unread = qr.unread(beside: accepted).map {
      UnreadCode(kind: .qr, corners: $0.grid.corners, advice: CaptureAdvisor.advice(for: $0, in: image))
    }
    reading.unread += unreadOwn.filter { open in !composites.joined.contains { $0.overlaps(open.corners) } }.map {
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
      reading.unread += linear.partial.prefix(1).compactMap {
        let advice = CaptureAdvisor.advice(forBars: $0, in: image)
        return advice == .cutOff ? UnreadCode(kind: .bars, corners: $0, advice: advice) : nil
      }
      reading.unread += unreadClaims.map {
        UnreadCode(kind: .bars, corners: $0.corners, advice: CaptureAdvisor.advice(forBars: $0.corners, in: image))
      }
    }
    return reading
  }
}
