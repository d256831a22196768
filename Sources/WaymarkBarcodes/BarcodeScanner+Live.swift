import WaymarkImage

extension BarcodeScanner {
  /// What fits into the time of a frame: the probe and what it points to, and one pass over the whole picture where
  /// there is a reason; these take turns, the next frame is another chance.
  mutating func readLive(_ image: ImageView) -> ScanReading {
    turn &+= 1
    var clock = StageClock(stages)
    var search = PictureSearch(image, symbologies: configuration.symbologies, regions: 3)
    clock.mark("probe")
    var reader = QRReader()
    reader.failures = 1
    reader.sizes = 2
    reader.attempts.removeLast()
    // Codes on screens in the dark are rarer: every other frame.
    reader.polarities = turn.isMultiple(of: 2) ? [0, 1] : [0]
    search.readModules(reader, with: &zbar)
    clock.mark("modules")
    search.readStrips(turn.isMultiple(of: 2) ? .strip : .stripStretched, with: &zbar)
    clock.mark("strips")
    if search.evidence.sure.isEmpty {
      if search.hasTraces || turn.isMultiple(of: 4) {
        let passes: [ScanPass] = [.level, .stretch, .half, .inverted]
        search.readWhole(passes[turn % passes.count], with: &zbar)
      } else if !search.linear.isEmpty {
        search.readWhole(.level, with: &zbar)
      }
      clock.mark("whole")
    }
    return search.reading
  }
}
