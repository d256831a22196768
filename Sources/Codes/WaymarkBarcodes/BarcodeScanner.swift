public import WaymarkImage
public import WaymarkSystem

/// Reads codes from gray pictures. A scanner owns a libzbar handle: use one scanner per thread. `FileReading` below is its result for a
/// picture file.
public struct BarcodeScanner: ~Copyable {
  /// The symbologies to look for, and the effort.
  public let configuration: ScanConfiguration
  private(set) var zbar: ZBarScanner
  /// Receives the time that each stage of a scan takes; nil measures none.
  package var stages: StageTimes?
  /// The number of live frames so far: the passes take turns.
  private var turn = 0

  /// The number of QR codes after which the libzbar handle is renewed: libzbar keeps 556 bytes of every QR code until the handle is
  /// destroyed, so this limits the growth to 142 kB.
  private static let readsPerHandle = 256
  /// The passes over whole frames, in the order in which they take turns.
  private static let rotation: [ScanPass] = [.level, .stretch, .half, .inverted]

  /// Creates a scanner for the symbologies and effort of `configuration`.
  ///
  /// - Throws: `noSymbologies` if `configuration` has none, `scannerUnavailable` if libzbar cannot allocate a scanner.
  public init(_ configuration: ScanConfiguration = .still) throws(BarcodeError) {
    // This call comes first: see `LumaConverter`'s initializer.
    zbar = try ZBarScanner(symbologies: configuration.symbologies)
    self.configuration = configuration
  }

  /// Reads the codes in a picture.
  ///
  /// - Parameter image: an 8-bit gray picture; copied only if there are gaps between its rows.
  public mutating func scan(_ image: ImageView) -> ScanReading {
    renewIfWorn()
    guard image.width > 0, image.height > 0 else { return ScanReading() }
    if image.stride == image.width { return read(image) }
    return GrayImage(copying: image).withView { read($0) }
  }

  private mutating func read(_ image: ImageView) -> ScanReading {
    switch configuration.effort {
    case .plain: readPlain(image)
    case .still: readStill(image)
    case .live: readLive(image)
    }
  }

  private mutating func readPlain(_ image: ImageView) -> ScanReading {
    var reading = ScanReading()
    var wanted = configuration.symbologies
    if wanted.contains(.qr), !Self.isHarmless(image) {
      wanted.remove(.qr)
      reading.limited = true
    }
    guard !wanted.isEmpty else { return reading }
    zbar.use(wanted)
    let raw = zbar.scan(image)
    reading.symbols = Self.withoutStacks(raw.codes.compactMap { Symbol($0, pass: .base) })
    reading.incomplete = raw.incomplete.map { IncompleteSymbol(zbarParts: $0) }
    return reading
  }

  /// Returns the symbols without the rows of stacked symbols, which libzbar misreads as Code 128: the ends of such rows are
  /// aligned, and only a thin bar separates them.
  private static func withoutStacks(_ symbols: [Symbol]) -> [Symbol] {
    symbols.filter { symbol in
      symbol.symbology != .code128
        || symbols.allSatisfy { other in
          guard other.symbology == .code128, other != symbol else { return true }
          let (own, bounds) = (symbol.corners.bounds, other.corners.bounds)
          let (size, ends) = (own.max - own.min, [own.min - bounds.min, own.max - bounds.max])
          let (along, gap) =
            size.x > size.y
            ? (ends.map(\.x), max(own.min.y, bounds.min.y) - min(own.max.y, bounds.max.y))
            : (ends.map(\.y), max(own.min.x, bounds.min.x) - min(own.max.x, bounds.max.x))
          return along.contains { abs($0) > 0.03 * max(size.x, size.y) } || gap > max(4, 0.3 * min(size.x, size.y))
        }
    }
  }

  /// Returns whether libzbar may look for QR codes: it combines every finder pattern with every other, which takes minutes for
  /// thousands of them.
  private static func isHarmless(_ image: ImageView) -> Bool {
    let search = FinderSearch(image, levels: BlockMean(image))
    return !search.isLimited && search.looks < 1500 && search.found[0].count + search.found[1].count < 250
  }

  /// Renews the handle for each still picture, or after many QR codes. libzbar keeps a half of an EAN from picture to picture and joins
  /// it with the other half of another code; that does not harm live frames, which show the same scene.
  private mutating func renewIfWorn() {
    guard configuration.effort == .still || zbar.matrixReads >= Self.readsPerHandle else { return }
    if let fresh = try? ZBarScanner(symbologies: configuration.symbologies) { zbar = fresh }
  }

  // MARK: Live

  /// Reads a live frame in limited time: probes for finder patterns and bars, reads the codes there, and runs at most one pass over
  /// the whole picture. The passes take turns, because the next frame is another chance.
  private mutating func readLive(_ image: ImageView) -> ScanReading {
    turn &+= 1
    var clock = StageClock(stages)
    var reader = QRReader(budget: ReadingBudget(ReadingBudget.live))
    reader.failures = 2
    reader.pairs = 4
    if configuration.symbologies != [.qr] {
      // When other readers are enabled, patterns that hardly look like a code are examined in some frames only.
      let doubtful = 0.6
      reader.leastTiming = [turn.isMultiple(of: 2) ? doubtful : 0, turn.isMultiple(of: 4) ? 0 : doubtful]
    }
    reader.makesOctaves = false
    // Light codes on dark ground are rarer, so only every other frame is searched for them.
    reader.polarities = turn.isMultiple(of: 2) ? [0, 1] : [0]
    var search = PictureSearch(image, symbologies: configuration.symbologies, regions: 6, reader: reader)
    search.isLive = true
    clock.mark("probe")
    search.readModules()
    clock.mark("modules")
    search.readOwn(configuration.effort, turn: turn)
    clock.mark("matrices")
    search.readStrips(turn.isMultiple(of: 2) ? .strip : .stripStretched, configuration.effort, with: &zbar)
    clock.mark("strips")
    if search.accepted.isEmpty, configuration.symbologies.contains(where: { !$0.isMatrix }) {
      // If no code was read, whole passes run in every frame with traces of a code, otherwise in three of four frames, where each
      // may cost more.
      if search.hasTraces, turn.isMultiple(of: 4) {
        // Every fourth frame looks along rows and columns: parallel bars, as of a fence, must not hide a code at right angles to them.
        readWhole(Self.rotation, from: turn / 4, within: LiveBudget.everyFourth, ways: .both, &search)
      } else if search.hasTraces {
        readWhole(Self.rotation, from: turn, within: LiveBudget.everyFrame, &search)
      } else if turn.isMultiple(of: 4) {
        readWhole(Self.rotation, from: turn / 4, within: LiveBudget.everyFrame, &search)
      } else if !turn.isMultiple(of: 2) {
        readWhole([.level], from: 0, within: LiveBudget.everyOther, &search)
      }
      clock.mark("whole")
    }
    return search.reading
  }

  /// Runs the pass at the index `first`, modulo the number of passes, or the next pass that the remaining time of the frame allows.
  ///
  /// - Parameter most: the largest cost of the pass, in the unit of `LiveBudget`, if it scans rows and columns.
  private mutating func readWhole(
    _ passes: [ScanPass], from first: Int, within most: Double, ways: BarWindow.Ways? = nil,
    _ search: inout PictureSearch
  ) {
    let budget = LiveBudget(busyness: search.octaves[0].levels.busyness(of: search.image))
    let ways = ways ?? search.linear.scanDirections
    // Scanning along rows only, or columns only, halves the cost.
    let most = ways == .both ? most : 2 * most
    for i in passes.indices {
      let pass = passes[(first + i) % passes.count]
      guard let thinning = budget.thinning(pass, within: most) else { continue }
      search.readWhole(pass, thinning: thinning, ways, with: &zbar)
      return
    }
  }

  // MARK: Still

  /// Reads every code in a still picture, by every pass that may help.
  private mutating func readStill(_ image: ImageView) -> ScanReading {
    let reader = QRReader(budget: ReadingBudget(ReadingBudget.still))
    var search = PictureSearch(image, symbologies: configuration.symbologies, regions: 8, reader: reader)
    let withheld = configuration.withheld
    var clock = StageClock(stages)
    if !withheld.contains(.modules) { search.readModules() }
    clock.mark("modules")
    if isEnough(search) { return search.reading }
    for pass in [ScanPass.strip, .stripStretched] where !withheld.contains(pass) {
      search.readStrips(pass, with: &zbar)
    }
    clock.mark("strips")
    if isEnough(search) { return search.reading }
    search.readOwn(configuration.effort)
    clock.mark("matrices")
    if isEnough(search) { return search.reading }
    if !withheld.contains(.strip) { search.readAcross() }
    if search.accepted.isEmpty, !withheld.contains(.stripInverted) {
      search.readStrips(.stripInverted, with: &zbar)
    }
    clock.mark("inverted")
    if !withheld.contains(.fitted) { search.readFitted() }
    clock.mark("fitted")
    search.readOwnEnlarged()
    clock.mark("enlarged")
    search.readUnusual(with: &zbar)
    clock.mark("unusual")
    if !withheld.contains(.modulesScaled), search.needsScaledPasses { search.readScaled() }
    clock.mark("scaled")
    var spent = 0.0
    for pass in ScanPass.ladder where !withheld.contains(pass) {
      if isDone(search, spent: spent) || isEnough(search) { break }
      guard isWorthwhile(pass, search, spent: spent) else { continue }
      search.readWindows(pass, with: &zbar)
      spent += pass.cost
    }
    clock.mark("whole")
    // Codes that the passes over the whole picture read must be confirmed by the model, too.
    if spent > 0, !withheld.contains(.fitted) { search.readFitted(isLast: true) }
    return search.reading
  }

  /// Returns whether the search is complete: symbols explain all edges, or one code suffices and was read.
  private func isEnough(_ search: PictureSearch) -> Bool {
    configuration.stopsAtFirst && !search.accepted.isEmpty || search.isExplained
  }

  /// Returns whether a code was read and no further code is known in the picture. If there are other bars, a cheap pass still
  /// follows.
  private func isDone(_ search: PictureSearch, spent: Double) -> Bool {
    guard !search.accepted.isEmpty || !search.parts.outcome.incomplete.isEmpty else { return false }
    return spent > 0 || !search.hasOtherBars
  }

  /// The largest total `ScanPass.cost` of the passes over a picture without traces of a code: they may still find codes of two pixels
  /// per module, whose rings and bars merge in the probe.
  private static let untraced = 1.25

  /// Returns whether to run a pass on this picture. If there are traces of a code, every affordable pass runs.
  private func isWorthwhile(_ pass: ScanPass, _ search: PictureSearch, spent: Double) -> Bool {
    let pixels = search.image.width * search.image.height
    guard search.hasTraces || spent + pass.cost <= Self.untraced else { return false }
    // Local histograms of a large picture cost more time than they gain.
    return pass != .equalized || pixels <= 1_000_000
  }
}

extension IncompleteSymbol {
  init(zbarParts parts: [[Point2]]) {
    self.init(count: nil, present: [], missing: [], corners: parts.compactMap(Quadrilateral.init(zbarMatrix:)))
  }
}

// MARK: - Picture files

/// The codes in a picture file, and the decoded picture.
package struct FileReading: Sendable {
  /// The picture over the background on which codes were read; over the default one if none were read.
  package let picture: DecodedPicture<GrayImage>
  package let background: PictureBackground
  package let reading: ScanReading
  /// The time of the reading in seconds, without decoding the picture.
  package let seconds: Double
}

extension BarcodeScanner {
  /// Reads the codes in a picture file. A transparent picture without a code over the decoder's background, white by default, is read
  /// again over black, or over white if that background is black, because logos are made for dark pages, too.
  ///
  /// - Throws: `ImageError` if the file cannot be decoded.
  package mutating func scan(
    _ file: UnsafeRawBufferPointer, with decoder: PictureDecoder = PictureDecoder()
  ) throws(ImageError) -> FileReading {
    var decoder = decoder
    decoder.background = decoder.background ?? .white
    let usual = try look(file, decoder)
    guard usual.picture.isTransparent, usual.reading.symbols.isEmpty else { return usual }
    decoder.background = decoder.background == .white ? .black : .white
    let second = try look(file, decoder)
    return second.reading.symbols.isEmpty ? usual : second
  }

  package mutating func scan(
    _ file: [UInt8], with decoder: PictureDecoder = PictureDecoder()
  ) throws(ImageError) -> FileReading {
    try file.withUnsafeBufferPointer { bytes throws(ImageError) in
      try scan(UnsafeRawBufferPointer(bytes), with: decoder)
    }
  }

  private mutating func look(
    _ file: UnsafeRawBufferPointer, _ decoder: PictureDecoder
  ) throws(ImageError) -> FileReading {
    let picture = try decoder.gray(file)
    let began = MonotonicClock.now
    let reading = picture.image.withView { scan($0) }
    return FileReading(
      picture: picture, background: picture.background, reading: reading, seconds: MonotonicClock.now - began)
  }
}
