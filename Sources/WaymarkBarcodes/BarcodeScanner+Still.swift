import WaymarkImage

extension BarcodeScanner {
  /// Every code in the picture, by everything that may help.
  mutating func readStill(_ image: ImageView) -> ScanReading {
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

  /// Returns whether a pass has a reason in this picture and a place in its budget.
  ///
  /// A picture without a trace of a code gets what can still find one: codes of two pixels a module whose rings and bars
  /// melt in the probe. Where there are traces, the person waits for the answer.
  private func isWorthwhile(_ pass: ScanPass, _ search: PictureSearch, spent: Double) -> Bool {
    let pixels = search.image.width * search.image.height
    let budget = search.hasTraces ? 9.0 : 1.25
    guard spent + pass.cost <= budget else { return false }
    // Local histograms of a large picture cost more than they bring.
    return pass != .equalized || pixels <= 1_000_000
  }
}
