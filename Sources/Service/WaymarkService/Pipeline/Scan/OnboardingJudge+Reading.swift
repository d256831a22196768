package import FoundationEssentials
package import WaymarkBarcodes
package import WaymarkImage
package import WaymarkOnboarding

/// A verdict and the code in the picture that it is about.
package struct PictureVerdict: Sendable {
  /// The verdict.
  package let verdict: Verdict
  /// The code; nil when none was judged.
  package let symbol: Symbol?
  /// Where the code is, or what is there of it.
  package let corners: Quadrilateral?
}

extension OnboardingJudge {
  /// The verdict on what was read in a picture, still or live.
  ///
  /// - Parameters:
  ///   - reading: everything that was read.
  ///   - center: the middle of the region of interest, in pixels.
  ///   - accepted: what onboarding reads.
  ///   - now: the moment to judge tokens by.
  package func verdict(
    on reading: ScanReading, center: Point2, accepting accepted: Set<Symbology> = [.qr], now: Date
  ) -> PictureVerdict {
    // A part does not say what the whole says: parts are judged as what they are, incomplete.
    let symbols = reading.symbols.filter { $0.part == nil }
    var codes = symbols.map { symbol in
      ScannedCode(
        bytes: symbol.bytes, text: symbol.text, isAcceptedSymbology: accepted.contains(symbol.symbology),
        center: symbol.corners.center)
    }
    codes += reading.incomplete.map { part in
      let centers = part.corners.map(\.center)
      return ScannedCode(
        bytes: [], isAcceptedSymbology: accepted.contains(part.symbology),
        center: centers.isEmpty ? center : centers.reduce(.zero, +) / Double(centers.count), isIncomplete: true,
        missing: part.missing)
    }
    let unread = reading.unread.first { accepted.contains(.qr) && $0.kind == .qr }
    var verdict = verdict(for: codes, now: now, center: center, sawUnreadable: unread != nil)
    // A code that could not be read and is not a QR code is a code of another symbology anyway.
    if verdict.outcome == .unsuccessful(.nothingFound), let other = reading.unread.first(where: { $0.kind != .qr }) {
      let isAccepted = accepted.contains { other.kind == .bars ? !$0.isMatrix : $0.isMatrix && $0 != .qr }
      verdict.outcome = .unsuccessful(isAccepted ? .codeNotReadable : .notQR)
    }
    guard let chosen = verdict.chosen else {
      return PictureVerdict(verdict: verdict, symbol: nil, corners: unread?.corners)
    }
    if symbols.indices.contains(chosen) {
      let symbol = symbols[chosen]
      return PictureVerdict(verdict: verdict, symbol: symbol, corners: symbol.corners)
    }
    let part = reading.incomplete[chosen - symbols.count]
    return PictureVerdict(verdict: verdict, symbol: nil, corners: part.corners.first)
  }
}
