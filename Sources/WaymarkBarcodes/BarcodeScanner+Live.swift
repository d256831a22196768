import WaymarkImage
import WaymarkSymbologies

extension BarcodeScanner {
  /// Reads as much as fits into the time of a frame: the probe and what it points to, and one pass over the whole picture where
  /// there is a reason; these take turns, the next frame is another chance.
  mutating func readLive(_ image: ImageView) -> ScanReading {
    turn &+= 1
    var clock = StageClock(stages)
    var reader = QRReader(budget: ReadingBudget(ReadingBudget.live))
    reader.failures = 1
    reader.sizes = 2
    reader.pairs = 4
    if configuration.symbologies != [.qr] {
      // Beside the other readers there is time for patterns that hardly look like a code in some frames only.
      let doubtful = 0.6
      reader.leastTiming = [turn.isMultiple(of: 2) ? doubtful : 0, turn.isMultiple(of: 4) ? 0 : doubtful]
    }
    reader.makesOctaves = false
    reader.attempts.removeLast()
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
  private static let rotation: [ScanPass] = [.level, .stretch, .half, .inverted]

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
}
