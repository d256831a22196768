import WaymarkImage

extension BarcodeScanner {
  /// What fits into the time of a frame: the probe and what it points to, and one pass over the whole picture where
  /// there is a reason; these take turns, the next frame is another chance.
  mutating func readLive(_ image: ImageView) -> ScanReading {
    turn &+= 1
    var clock = StageClock(stages)
    var reader = QRReader(budget: ReadingBudget(ReadingBudget.live))
    reader.failures = 1
    reader.sizes = 2
    reader.pairs = 4
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
    search.readStrips(turn.isMultiple(of: 2) ? .strip : .stripStretched, with: &zbar)
    clock.mark("strips")
    if search.sure.isEmpty, !search.linear.isEmpty {
      if search.hasTraces || turn.isMultiple(of: 4) {
        readWhole(Self.rotation, &search)
      } else {
        readWhole([.level], &search)
      }
      clock.mark("whole")
    }
    return search.reading
  }
  private static let rotation: [ScanPass] = [.level, .stretch, .half, .inverted]

  /// The pass whose turn it is, or the next one that fits into the time of this frame.
  private mutating func readWhole(_ passes: [ScanPass], _ search: inout PictureSearch) {
    let budget = LiveBudget(busyness: search.octaves[0].levels.busyness(of: search.image))
    for i in passes.indices {
      let pass = passes[(turn + i) % passes.count]
      guard let thinning = budget.thinning(pass) else { continue }
      search.readWhole(pass, thinning: thinning, with: &zbar)
      return
    }
  }
}
