import WaymarkBarcodes
import WaymarkOnboarding

/// A report as a person reads it. What comes from the code or the file name is escaped first.
struct ScanText {
  let terminal: Terminal
  /// True if an onboarding verdict was asked for.
  let isVerdict: Bool

  func lines(for report: ScanReport) -> String {
    var lines = [headline(report)]
    if isVerdict {
      if let connectTo = report.connectTo {
        lines.append(row("connects to", terminal.styled(shown(connectTo), .strong)))
      }
      if let kind = report.kind { lines.append(row("kind", shown(kind))) }
      if let why = report.explanation { lines.append(row("because", shown(why))) }
      for field in report.fields ?? [] { lines.append(row(shown(field.name), shown(field.value))) }
    }
    if !report.missing.isEmpty {
      lines.append(row("missing", "part " + report.missing.map(String.init).joined(separator: ", ")))
    }
    if let advice = report.advice { lines.append(row("advice", Self.phrase(advice))) }
    for (index, symbol) in report.symbols.enumerated() {
      // The symbol that the verdict is about has been shown already, field by field.
      let isTold = isVerdict && index == report.chosen && report.fields?.isEmpty == false
      lines.append(row(symbol.symbology.displayName, isTold ? terminal.styled("(as above)", .faint) : content(symbol)))
      if let part = symbol.part {
        let total = part.count.map { " of \($0)" } ?? ""
        lines.append(row("  part", "\(part.index)\(total)" + (part.id.map { ", " + shown($0) } ?? "")))
      }
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private func headline(_ report: ScanReport) -> String {
    let word: String
    switch report.outcome {
    case .successful where isVerdict: word = terminal.styled("successful", .good)
    case .successful:
      word = terminal.styled(report.symbols.count == 1 ? "1 code" : "\(report.symbols.count) codes", .good)
    case .invalid: word = terminal.styled("invalid", .bad) + ", " + (report.reason ?? "")
    case .unsuccessful: word = terminal.styled(Self.phrase(report.reason), .warning)
    case .error: word = terminal.styled("error", .bad)
    }
    let cut = report.isTruncated ? terminal.styled(" (the file is cut short)", .warning) : ""
    let limit =
      report.isLimited ? terminal.styled(" (too many places look like codes; some were not tried)", .warning) : ""
    return "\(shown(report.name)): \(word)\(cut)\(limit)"
  }

  private static func phrase(_ reason: String?) -> String {
    switch reason.flatMap(ReadingFailure.init(rawValue:)) {
    case .nothingFound: "no code"
    case .notQR: "no QR code, but another one"
    case .incomplete: "incomplete: a part of a message spread over several codes"
    case .codeNotReadable: "a code that cannot be read"
    case nil: reason ?? "nothing"
    }
  }

  private static func phrase(_ advice: UnreadCode.Advice) -> String {
    switch advice {
    case .tooSmall: "it is too small: take the picture from closer, or with more pixels"
    case .tooClose: "it is too large: take the picture from farther away"
    case .blurred: "it is blurred: hold still, or let the camera focus"
    case .cutOff: "a part of it lies outside: show all of it, with some white around"
    case .tooDark: "it is too dark: add light"
    case .tooBright: "it is too bright: avoid glare"
    }
  }

  private func content(_ symbol: Symbol) -> String {
    if !symbol.gs1.isEmpty { return shown(symbol.gs1.map(\.description).joined(separator: " ")) }
    return shown(symbol.text) + (symbol.addOn.map { " + " + shown($0) } ?? "")
  }

  private func row(_ name: String, _ value: String) -> String {
    "  " + name + String(repeating: " ", count: max(2, 18 - name.count)) + value
  }

  private func shown(_ text: String) -> String { DisplayText.escaped(text) }
}
