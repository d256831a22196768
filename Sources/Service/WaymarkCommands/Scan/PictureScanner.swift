import Foundation
import WaymarkBarcodes
import WaymarkImage
import WaymarkOnboarding
import WaymarkService
import WaymarkSystem

/// Turns inputs into reports, one after the other; one for each thread.
final class PictureScanner {
  /// The settings that all of them have in common.
  struct Settings: Sendable {
    var decoder = PictureDecoder()
    var scan = ScanConfiguration.still
    /// Judges the codes; nil when any code will do.
    var judge: OnboardingJudge?
    /// The symbologies that onboarding reads.
    var onboardingSymbologies: Set<Symbology> = [.qr]
    /// Leaves only the one code that counts.
    var onlyOne = false
  }

  private let settings: Settings
  private var scanner: BarcodeScanner

  init(_ settings: Settings) throws(BarcodeError) {
    self.settings = settings
    scanner = try BarcodeScanner(settings.scan)
  }

  /// Reads, decodes, scans and judges the pages of one input. Whatever is wrong with one stands in its report.
  func scan(_ input: ScanInput) -> [ScanReport] {
    var reports: [ScanReport] = []
    for page in InputPage.pages(of: input, keepsColour: input.annotation != nil) {
      reports.append(scan(page))
      if settings.onlyOne, reports.last?.outcome == .successful { break }
    }
    return reports
  }

  private func scan(_ page: InputPage) -> ScanReport {
    let input = page.input
    var report = ScanReport(input: input.name, page: page.number, isFound: input.isFound)
    do throws(ImageError) {
      let file = try page.read()
      let found = try scanner.scan(file, with: settings.decoder)
      let (picture, reading) = (found.picture, found.reading)
      report.width = picture.image.width
      report.height = picture.image.height
      report.isTruncated = picture.isTruncated
      report.elapsed = found.seconds
      report.symbols = reading.symbols
      report.isLimited = reading.limited
      let open = reading.incomplete.flatMap(\.corners).filter { part in
        !reading.symbols.contains { $0.corners == part }
      }
      report.unread = open + reading.unread.compactMap(\.corners)
      judge(&report, reading)
      if report.reason == ReadingFailure.codeNotReadable.rawValue {
        report.advice = reading.unread.lazy.compactMap(\.advice).first
      }
      if settings.onlyOne { keepOne(&report) }
      if let path = input.annotation {
        annotate(&report, file, found.background, AnnotationTarget.path(path, page: page.number))
      }
    } catch {
      report.error = error
    }
    return report
  }

  /// Judges by the rules that live scans have, with the policy or, without one, by what there is to read.
  private func judge(_ report: inout ScanReport, _ reading: ScanReading) {
    if settings.judge == nil, !reading.symbols.isEmpty {
      report.outcome = .successful
      if reading.incomplete.count == 1 { report.missing = reading.incomplete[0].missing }
      return
    }
    let middle = Point2(Double(report.width ?? 0) - 1, Double(report.height ?? 0) - 1) / 2
    let accepted = settings.judge == nil ? settings.scan.symbologies : settings.onboardingSymbologies
    let result = (settings.judge ?? OnboardingJudge()).verdict(
      on: reading, center: middle, accepting: accepted, now: WallClock.date)
    let verdict = result.verdict
    switch verdict.outcome {
    case .successful: report.outcome = .successful
    case .invalid: report.outcome = .invalid
    case .unsuccessful: report.outcome = .unsuccessful
    }
    report.reason = verdict.reason
    report.explanation = verdict.steps.last { $0.result == .failed }?.detail
    report.kind = verdict.kind?.rawValue
    report.connectTo = verdict.connectTo
    report.fields = verdict.kind == nil ? nil : verdict.fields
    report.missing = verdict.missing
    report.chosen = result.symbol.flatMap { report.symbols.firstIndex(of: $0) }
  }

  private func annotate(
    _ report: inout ScanReport, _ file: [UInt8], _ background: PictureBackground, _ path: String
  ) {
    do {
      var decoder = settings.decoder
      decoder.background = background
      let marks = report.marks(isVerdict: settings.judge != nil)
      try AnnotationTarget.write(MarkedPicture.draw(marks, on: try decoder.rgb(file).image), to: path)
    } catch {
      report.annotationError = error
    }
  }

  private func keepOne(_ report: inout ScanReport) {
    guard report.outcome == .successful else { return }
    report.symbols = [report.symbols[report.chosen ?? 0]]
    if report.chosen != nil { report.chosen = 0 }
  }
}
