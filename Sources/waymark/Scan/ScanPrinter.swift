import WaymarkBarcodes
import WaymarkImage
import WaymarkOnboarding
import WaymarkProtocol

/// Puts reports on standard output in the form asked for, and diagnostics on standard error.
struct ScanPrinter {
  enum Mode {
    case text
    case json
    /// The codes' bytes; `separated` by line feeds.
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
    let output = bytes(of: report)
    if !output.isEmpty || report.error != nil || report.annotationError != nil { progress?.clear() }
    for error in [report.error, report.annotationError].compactMap({ $0 }) {
      explain(error.message, error.hint, report)
    }
    Terminal.output.write(output)
    progress?.advance()
  }

  mutating func finish() { progress?.clear() }

  private func explain(_ message: String, _ hint: String, _ report: ScanReport) {
    Terminal.error.write("waymark: \(DisplayText.escaped(report.input)): \(message)\n  \(hint)\n")
  }

  private func bytes(of report: ScanReport) -> [UInt8] {
    switch mode {
    case .quiet: return []
    case .text: return report.error == nil ? Array(text.lines(for: report).utf8) : []
    case .json:
      // Nothing in a report can fail to encode: its numbers are finite.
      return (try? JSONLineEncoder.line(report)) ?? []
    case .raw(let separated):
      var symbols = report.symbols
      if isVerdict { symbols = report.outcome == .successful ? report.chosen.map { [symbols[$0]] } ?? [] : [] }
      return symbols.flatMap { $0.bytes + (separated ? [UInt8(ascii: "\n")] : []) }
    }
  }
}
