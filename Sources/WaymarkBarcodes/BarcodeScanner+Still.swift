import WaymarkImage

extension BarcodeScanner {
  /// Everything that may help, until a sure read.
  mutating func readStill(_ image: ImageView) -> ScanReading {
    var search = PictureSearch(image, symbologies: configuration.symbologies, regions: 8)
    let withheld = configuration.withheld
    if !withheld.contains(.modules) { search.readModules(QRReader(), with: &zbar) }
    search.readOwn(configuration.effort)
    for pass in [ScanPass.strip, .stripStretched] where !withheld.contains(pass) {
      search.readStrips(pass, with: &zbar)
    }
    if search.evidence.sure.isEmpty, !withheld.contains(.stripInverted) {
      search.readStrips(.stripInverted, with: &zbar)
    }
    var spent = 0.0
    for pass in ScanPass.ladder where !withheld.contains(pass) {
      if isDone(search, spent: spent) { break }
      if !search.isTraced, spent >= 1.45 || !isWorthwhile(pass, search, spent: spent) {
        // What is cheap did not help: is there a reason for the rest?
        readScaled(&search)
        if isDone(search, spent: spent) { break }
      }
      guard isWorthwhile(pass, search, spent: spent) else { continue }
      search.readWhole(pass, with: &zbar)
      spent += pass.cost
    }
    if search.evidence.sure.isEmpty, !search.isTraced { readScaled(&search) }
    return search.reading
  }

  private mutating func readScaled(_ search: inout PictureSearch) {
    guard !configuration.withheld.contains(.modulesScaled) else { return }
    search.readScaled(QRReader(), with: &zbar)
  }

  /// Whether something was read and nothing else is known to be there. Bars beside it are worth one cheap pass.
  private func isDone(_ search: PictureSearch, spent: Double) -> Bool {
    guard !search.evidence.sure.isEmpty || !search.incomplete.isEmpty else { return false }
    return spent > 0 || !search.hasOtherBars
  }

  /// Whether a pass has a reason in this picture and a place in its budget.
  ///
  /// A picture without a trace of a code gets what can still find one: codes of two pixels a module whose rings and bars
  /// melt in the probe. Where there are traces, the person waits for the answer.
  private func isWorthwhile(_ pass: ScanPass, _ search: PictureSearch, spent: Double) -> Bool {
    let pixels = search.image.width * search.image.height
    let budget = search.hasTraces ? 9.0 : search.hasFinderPair ? 2.9 : 1.55
    guard spent + pass.cost <= budget else { return false }
    switch pass {
    case .double, .equalized: return pixels <= 1_000_000
    case .third: return pixels >= 200_000
    case .turned45, .turned20, .turnedBack20: return pixels <= 1_000_000
    default: return true
    }
  }
}
