import Foundation
import WaymarkBarcodes
import WaymarkImage
import WaymarkOnboarding
import WaymarkProtocol
import WaymarkSystem

/// Puts reports on standard output in the form asked for, and diagnostics on standard error.
struct ScanPrinter {
  enum Mode: Hashable {
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
    if mode != .quiet || report.error != nil || report.annotationError != nil { progress?.clear() }
    for error in [report.error, report.annotationError].compactMap({ $0 }) {
      Output.diagnostic("waymark: \(DisplayText.escaped(report.name)): \(error.message)\n  \(error.hint)")
    }
    write(report)
  }

  /// One more input is done.
  mutating func advance(failed: Bool) { progress?.advance(failed: failed) }

  mutating func finish() { progress?.clear() }

  private func write(_ report: ScanReport) {
    switch mode {
    case .quiet: break
    case .text: if report.error == nil { Output.styled(text.lines(for: report)) }
    case .json:
      // Nothing in a report can fail to encode: its numbers are finite.
      if let line = try? JSONLineEncoder.encode(report) { Output.json(String(decoding: line, as: UTF8.self)) }
    case .raw(let separated):
      var symbols = report.symbols
      if isVerdict { symbols = report.outcome == .successful ? report.chosen.map { [symbols[$0]] } ?? [] : [] }
      Output.data(Data(symbols.flatMap { $0.bytes + (separated ? [UInt8(ascii: "\n")] : []) }))
    }
  }
}
