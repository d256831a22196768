public import WaymarkImage
public import WaymarkSystem

/// Reads codes from gray pictures. One scanner a thread: it is a handle that is owned, not shared.
public struct BarcodeScanner: ~Copyable {
  /// The symbologies to look for, and the effort.
  public let configuration: ScanConfiguration
  private(set) var zbar: ZBarScanner
  /// Told where the time of live frames goes.
  package var stages: StageTimes?
  /// Counts live frames: the passes take turns.
  private var turn = 0

  /// The library keeps 556 bytes of every QR code that it reads until its handle is closed; so the handle is renewed
  /// after this many, which bounds the growth to 142 kB.
  private static let readsPerHandle = 256
  /// The passes over whole frames, in the order in which they take turns.
  private static let rotation: [ScanPass] = [.level, .stretch, .half, .inverted]

  /// A scanner for what `configuration` says.
  public init(_ configuration: ScanConfiguration = .still) throws(BarcodeError) {
    // First: see LumaConverter's initializer.
    zbar = try ZBarScanner(symbologies: configuration.symbologies)
    self.configuration = configuration
  }

  /// Reads the codes in a picture.
  ///
  /// - Parameter image: 8-bit gray; not copied when its rows lie without gaps.
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
    reading.symbols = raw.codes.compactMap { Symbol($0, pass: .base) }
    reading.incomplete = raw.incomplete.map { IncompleteSymbol(zbarParts: $0) }
    return reading
  }

  /// Returns whether the library may look for QR codes: it tries each finder pattern with each, for minutes where there are
  /// thousands.
  private static func isHarmless(_ image: ImageView) -> Bool {
    let search = FinderSearch(image, levels: BlockMean(image))
    return !search.isLimited && search.looks < 1500 && search.found[0].count + search.found[1].count < 250
  }

  /// The library also keeps one half of an EAN from picture to picture, and joins it with the other half of another code:
  /// frames show one scene, stills do not.
  private mutating func renewIfWorn() {
    guard configuration.effort == .still || zbar.matrixReads >= Self.readsPerHandle else { return }
    if let fresh = try? ZBarScanner(symbologies: configuration.symbologies) { zbar = fresh }
  }

  // MARK: Live

  /// Reads as much as fits into the time of a frame: the probe and what it points to, and one pass over the whole picture where
  /// there is a reason; these take turns, the next frame is another chance.
  private mutating func readLive(_ image: ImageView) -> ScanReading {
    turn &+= 1
    var clock = StageClock(stages)
    var reader = QRReader(budget: ReadingBudget(ReadingBudget.live))
    reader.failures = 2
    reader.pairs = 4
    if configuration.symbologies != [.qr] {
      // Beside the other readers there is time for patterns that hardly look like a code in some frames only.
      let doubtful = 0.6
      reader.leastTiming = [turn.isMultiple(of: 2) ? doubtful : 0, turn.isMultiple(of: 4) ? 0 : doubtful]
    }
    reader.makesOctaves = false
    // Codes on screens in the dark are rarer: every other frame.
    reader.polarities = turn.isMultiple(of: 2) ? [0, 1] : [0]
    var search = PictureSearch(image, symbologies: configuration.symbologies, regions: 6, reader: reader)
    clock.mark("probe")
    search.readModules()
    clock.mark("modules")
    search.readOwn(configuration.effort, turn: turn)
    clock.mark("matrices")
    search.readStrips(turn.isMultiple(of: 2) ? .strip : .stripStretched, configuration.effort, with: &zbar)
    clock.mark("strips")
    if search.accepted.isEmpty, configuration.symbologies.contains(where: { !$0.isMatrix }) {
      // Where nothing speaks for a code, a look every other frame may cost more.
      if search.hasTraces, turn.isMultiple(of: 4) {
        // Now and then a better look, both ways: a fence is not a reason to miss the code across it.
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

  /// The pass whose turn it is (`first` of them, counted round), or the next one that fits into the time of this frame.
  private mutating func readWhole(
    _ passes: [ScanPass], from first: Int, within most: Double, ways: BarWindow.Ways? = nil,
    _ search: inout PictureSearch
  ) {
    let budget = LiveBudget(busyness: search.octaves[0].levels.busyness(of: search.image))
    let ways = ways ?? search.linear.scanDirections
    // Only along rows, or only along columns, it costs half.
    let most = ways == .both ? most : 2 * most
    for i in passes.indices {
      let pass = passes[(first + i) % passes.count]
      guard let thinning = budget.thinning(pass, within: most) else { continue }
      search.readWhole(pass, thinning: thinning, ways, with: &zbar)
      return
    }
  }

  // MARK: Still

  /// Every code in the picture, by everything that may help.
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
    // Codes that the passes over the whole picture read need the same proof.
    if spent > 0, !withheld.contains(.fitted) { search.readFitted(isLast: true) }
    return search.reading
  }

  /// Returns whether nothing is left to look for: what was read explains all that is seen, or the one code that was asked for is there.
  private func isEnough(_ search: PictureSearch) -> Bool {
    configuration.stopsAtFirst && !search.accepted.isEmpty || search.isExplained
  }

  /// Returns whether something was read and nothing else is known to be there. Bars beside it are worth one cheap pass.
  private func isDone(_ search: PictureSearch, spent: Double) -> Bool {
    guard !search.accepted.isEmpty || !search.parts.outcome.incomplete.isEmpty else { return false }
    return spent > 0 || !search.hasOtherBars
  }

  /// The passes that a picture without a trace of a code gets cost no more than that: they may still find codes of two pixels a module
  /// whose rings and bars melt in the probe.
  private static let untraced = 1.25

  /// Returns whether a pass has a reason in this picture. Where there are traces of a code, the person waits for the answer.
  private func isWorthwhile(_ pass: ScanPass, _ search: PictureSearch, spent: Double) -> Bool {
    let pixels = search.image.width * search.image.height
    guard search.hasTraces || spent + pass.cost <= Self.untraced else { return false }
    // Local histograms of a large picture cost more than they bring.
    return pass != .equalized || pixels <= 1_000_000
  }
}

extension IncompleteSymbol {
  init(zbarParts parts: [[Point2]]) {
    self.init(count: nil, present: [], missing: [], corners: parts.compactMap(Quadrilateral.init(zbarMatrix:)))
  }
}
