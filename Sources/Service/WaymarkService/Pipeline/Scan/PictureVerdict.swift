package import FoundationEssentials
package import WaymarkBarcodes
package import WaymarkImage
package import WaymarkOnboarding

/// A verdict and the judged code in the picture. The extensions below judge the codes of a reading.
package struct PictureVerdict: Sendable {
  package let verdict: Verdict
  /// The judged code; nil if no code was judged, or only an incomplete message.
  package let symbol: Symbol?
  /// The corners of the code, or of the first part of its message.
  package let corners: Quadrilateral?
}

extension ScanReading {
  /// Removes the codes outside a region of a picture of that size.
  mutating func keep(in region: ScanRegion, _ size: PictureSize) {
    symbols.removeAll { !region.contains($0.corners.center, in: size) }
    incomplete.removeAll { part in
      !part.corners.isEmpty && !part.corners.contains { region.contains($0.center, in: size) }
    }
    unread.removeAll { code in code.corners.map { !region.contains($0.center, in: size) } ?? false }
  }
}

extension Verdict {
  /// Returns the reason for refusing a code with this verdict after a person has seen the verdict `shown`; nil if both verdicts
  /// accept the same content.
  func refusal(of shown: Verdict) -> InvalidReason? {
    switch outcome {
    case .invalid(let reason): reason
    case .unsuccessful: .malformed
    case .successful where kind != shown.kind: .kindNotAllowed
    case .successful: connectTo == shown.connectTo ? nil : .hostNotAllowed
    }
  }
}

extension OnboardingJudge {
  /// Judges the reading of a picture or frame.
  ///
  /// - Parameters:
  ///   - center: the centre of the scan's region, in pixels.
  ///   - accepted: the symbologies whose codes can be accepted.
  ///   - now: the time at which tokens have to be valid.
  package func verdict(
    on reading: ScanReading, center: Point2, accepting accepted: Set<Symbology> = [.qr], now: Date
  ) -> PictureVerdict {
    // A part of a message is not judged by its text, but as an incomplete message.
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
    // If the only code in view is unread and not a QR code, the reason shows whether its symbology is accepted.
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
