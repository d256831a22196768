import FoundationEssentials
import WaymarkBarcodes
import WaymarkImage
import WaymarkOnboarding
import WaymarkProtocol
import WaymarkSystem

/// Prints reports to standard output in the requested form, and diagnostics to standard error. The file also has the
/// text of a report (`ScanText`), and the progress of a long run (`ProgressBar`, `ProgressFigures`).
struct ScanPrinter {
  enum Mode: Hashable {
    case text
    case json
    /// The bytes of the codes; `separated` adds a line feed after each code.
    case raw(separated: Bool)
    case quiet
  }

  private let mode: Mode
  private let text: ScanText
  private let isVerdict: Bool
  private var progress: ProgressBar?

  init(mode: Mode, isVerdict: Bool, count: Int) {
    self.mode = mode
    self.isVerdict = isVerdict
    text = ScanText(terminal: .output, isVerdict: isVerdict)
    progress = ProgressBar(total: count)
  }

  mutating func show(_ report: ScanReport) {
    if mode != .quiet || report.error != nil || report.annotationError != nil { progress?.clear() }
    for error in [report.error, report.annotationError].compactMap({ $0 }) {
      Output.diagnostic("waymark: \(DisplayText.escaped(report.name)): \(error.message)\n  \(error.hint)")
    }
    write(report)
  }

  /// Counts a finished input.
  mutating func advance(failed: Bool) { progress?.advance(failed: failed) }

  mutating func finish() { progress?.clear() }

  private func write(_ report: ScanReport) {
    switch mode {
    case .quiet: break
    case .text: if report.error == nil { Output.styled(text.lines(for: report)) }
    case .json:
      // Encoding a report cannot fail, because its numbers are finite.
      if let line = try? JSONLineEncoder.encode(report) { Output.json(String(decoding: line, as: UTF8.self)) }
    case .raw(let separated):
      var symbols = report.symbols
      if isVerdict { symbols = report.outcome == .successful ? report.chosen.map { [symbols[$0]] } ?? [] : [] }
      Output.data(Data(symbols.flatMap { $0.bytes + (separated ? [UInt8(ascii: "\n")] : []) }))
    }
  }
}

// MARK: - Text for people

/// Formats a report for people. Text of codes and file names is escaped.
struct ScanText {
  let terminal: Terminal
  /// True if an onboarding verdict was requested.
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
      // The fields of the chosen symbol are printed already.
      let isShown = isVerdict && index == report.chosen && report.fields?.isEmpty == false
      lines.append(row(symbol.symbology.displayName, isShown ? terminal.styled("(as above)", .faint) : content(symbol)))
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
      word = terminal.styled(Output.count(report.symbols.count, "code"), .good)
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
    let missing = symbol.composite.map { $0.text == nil } == true ? " (its 2-D component was not read)" : ""
    if !symbol.gs1.isEmpty { return shown(symbol.gs1.map(\.description).joined(separator: " ")) + missing }
    return shown(symbol.text) + (symbol.addOn.map { " + " + shown($0) } ?? "") + missing
  }

  private func row(_ name: String, _ value: String) -> String {
    "  " + name + String(repeating: " ", count: max(2, 18 - name.count)) + value
  }

  private func shown(_ text: String) -> String { DisplayText.escaped(text) }
}

// MARK: - Progress

/// A line on a terminal that shows the progress of a long run.
struct ProgressBar {
  private let terminal: Terminal
  private var figures: ProgressFigures
  private var drawn: Double?
  private var isShown = false

  /// Creates the progress line without drawing it; nil without a terminal, or for three items or fewer.
  init?(total: Int, terminal: Terminal = .error) {
    guard terminal.isTerminal, total > 3 else { return nil }
    figures = ProgressFigures(total: total, began: MonotonicClock.now)
    self.terminal = terminal
  }

  /// Counts a finished item; draws the line at most 20 times a second.
  mutating func advance(failed: Bool = false) {
    figures.add(failed: failed)
    let now = MonotonicClock.now
    if let drawn, now - drawn < 0.05 { return }
    drawn = now
    draw(at: now)
  }

  /// Erases the line, so that other text can be written.
  mutating func clear() {
    if isShown { Output.draw("\r\u{1B}[K") }
    isShown = false
  }

  private mutating func draw(at now: Double) {
    let count = " " + figures.text(at: now)
    let room = max(10, min(60, terminal.columns - count.utf8.count - 3))
    let filled = room * figures.done / max(1, figures.total)
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: room - filled)
    Output.draw("\r" + bar + count + "\u{1B}[K")
    isShown = true
  }
}

/// The progress of a long run. The type uses no clock.
struct ProgressFigures: Equatable {
  let total: Int
  /// The start of the run, in seconds.
  let began: Double
  private(set) var done = 0
  private(set) var failed = 0

  mutating func add(failed isFailure: Bool) {
    done += 1
    if isFailure { failed += 1 }
  }

  /// Returns the count and the number of failures, and after one second also the rate and the remaining time.
  func text(at now: Double) -> String {
    var parts = ["\(done)/\(total)"]
    let elapsed = now - began
    if elapsed >= 1, done > 0 {
      let rate = Double(done) / elapsed
      parts.append(rate < 10 ? rate.decimals(1) + "/s" : rate.decimals(0) + "/s")
      if done < total { parts.append(Self.phrase(Double(total - done) / rate) + " left") }
    }
    if failed > 0 { parts.append("\(failed) failed") }
    return parts.joined(separator: "  ")
  }

  private static func phrase(_ seconds: Double) -> String {
    switch seconds {
    case ..<100: "\(Int(seconds.rounded(.up))) s"
    case ..<6000: "\(Int((seconds / 60).rounded(.up))) min"
    default: "\(Int((seconds / 3600).rounded(.up))) h"
    }
  }
}
