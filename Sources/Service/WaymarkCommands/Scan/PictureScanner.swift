import ArgumentParser
import FoundationEssentials
import Glibc
import WaymarkBarcodes
import WaymarkImage
import WaymarkOnboarding
import WaymarkService
import WaymarkSystem

/// Scans inputs one after the other and returns their reports; each thread has its own scanner. `AnnotationTarget`
/// below names the files for annotated pictures.
final class PictureScanner {
  /// The settings shared by all scanners.
  struct Settings: Sendable {
    var decoder = PictureDecoder()
    var scan = ScanConfiguration.still
    /// Judges the codes; `nil` to accept any code.
    var judge: OnboardingJudge?
    /// The symbologies whose codes are accepted for onboarding.
    var onboardingSymbologies: Set<Symbology> = [.qr]
    /// True to report one code only, and to stop at the first page with success.
    var onlyOne = false
    /// The seconds after which no further page of a file is read.
    var fileLimit = 600.0
    /// The clock of `fileLimit`, in seconds.
    var now: @Sendable () -> Double = { MonotonicClock.now }
  }

  private let settings: Settings
  private var scanner: BarcodeScanner

  init(_ settings: Settings) throws(BarcodeError) {
    self.settings = settings
    scanner = try BarcodeScanner(settings.scan)
  }

  /// Reads, decodes, scans and judges the pages of one input. Errors are part of the report of their page.
  func scan(_ input: ScanInput) -> [ScanReport] {
    scan(InputPage.pages(of: input, keepsColour: input.annotation != nil), since: settings.now())
  }

  /// Scans the pages of one input until `fileLimit` seconds have passed since `begun`. The first page that is left out is reported
  /// with the error `tooSlow`.
  func scan(_ pages: [InputPage], since begun: Double) -> [ScanReport] {
    var reports: [ScanReport] = []
    for page in pages {
      guard reports.isEmpty || settings.now() - begun < settings.fileLimit else {
        var report = ScanReport(input: page.input.name, page: page.number, isFound: page.input.isFound)
        report.error = ImageError(
          .tooSlow,
          "\(pages.count - reports.count) of \(pages.count) pages were not read within \(Int(settings.fileLimit)) seconds",
          hint: "Raise --max-seconds, or split the file.")
        return reports + [report]
      }
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

  /// Judges a reading by the rules of live scans; without a policy, any code is a success.
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

// MARK: - Annotated pictures

/// The files into which annotated pictures are written.
struct AnnotationTarget: Sendable {
  /// The file of each input, in order.
  let paths: [String]

  /// Creates the target: for one input the file `destination`, for several inputs files in the folder `destination`.
  ///
  /// - Throws: `ValidationError` if there are several inputs and no such folder, or the file ends neither in .png nor
  ///   in .jpg.
  init(_ destination: String, inputs: [ScanInput]) throws {
    var isFolder = false
    let exists = FileManager.default.fileExists(atPath: destination, isDirectory: &isFolder)
    if exists && isFolder {
      paths = Self.names(inputs).map { destination.hasSuffix("/") ? destination + $0 : destination + "/" + $0 }
      return
    }
    guard inputs.count == 1 else {
      throw ValidationError("--annotate with \(inputs.count) inputs needs a folder that exists, not \(destination).")
    }
    guard Self.encoder(for: destination) != nil else {
      throw ValidationError("--annotate writes .png and .jpg files, not \(destination).")
    }
    paths = [destination]
  }

  /// Throws a `ValidationError` if an annotated picture would replace an input.
  func keepInputs(_ inputs: [ScanInput]) throws {
    let targets = Set(paths.compactMap { FileIdentity(Array($0.utf8)) })
    if let input = inputs.first(where: { $0.identity.map(targets.contains) ?? false }) {
      throw ValidationError(
        "--annotate would write over the input \(DisplayText.escaped(input.name)): name another file.")
    }
  }

  /// Returns the names of the inputs with .png appended, numbered if a name occurs twice.
  private static func names(_ inputs: [ScanInput]) -> [String] {
    var used: Set<String> = []
    return inputs.map { input in
      let last = input.name.split(separator: "/").last.map(String.init) ?? "picture"
      let stem = last == "-" ? "stdin" : last
      var name = stem + ".png"
      var number = 2
      while !used.insert(name).inserted {
        name = "\(stem)-\(number).png"
        number += 1
      }
      return name
    }
  }

  /// Returns the path for a page: `path` for the first page, with the number before the extension for others.
  static func path(_ path: String, page: Int?) -> String {
    guard let page, page > 1, let dot = path.lastIndex(of: ".") else { return path }
    return "\(path[..<dot])-\(page)\(path[dot...])"
  }

  private static func encoder(for path: String) -> ((RGBImage) throws(ImageError) -> [UInt8])? {
    let name = path.lowercased()
    if name.hasSuffix(".png") { return { image throws(ImageError) in try PNGEncoder.encode(image) } }
    if name.hasSuffix(".jpg") || name.hasSuffix(".jpeg") {
      return { image throws(ImageError) in try JPEGEncoder.encode(image, quality: JPEGQuality.file) }
    }
    return nil
  }

  /// Writes a picture in the format given by the file's extension.
  ///
  /// - Throws: `cannotEncode` if encoding fails, `cannotWrite` if the file cannot be written.
  static func write(_ image: RGBImage, to path: String) throws(ImageError) {
    guard let encode = encoder(for: path) else { return }
    let bytes = try encode(image)
    do throws(FileError) {
      try DurableFile.write(bytes, to: path)
    } catch {
      throw ImageError(
        .cannotWrite, "the annotated picture \(path) cannot be written: \(error.cause ?? error.message)",
        hint: "Check that its folder exists and that this user may write in it.", cause: error.cause)
    }
  }
}
