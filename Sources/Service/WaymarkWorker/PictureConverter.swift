package import WaymarkImage
package import WaymarkSystem

/// Converts the picture formats that the program `waymark-pictures` reads, each file in its own sandboxed process. Files of other
/// formats are returned unchanged.
package struct PictureConverter: Sendable {
  /// The name of the program and of its package.
  static let programName = "waymark-pictures"
  /// The default time limit for one page, in seconds.
  static let usualLimit = 30.0
  private let executable: String?
  private let limit: Double
  private let monitor: WorkerMonitor

  /// Creates a converter that uses the installed program.
  package init() { self.init(executable: nil, limit: Self.usualLimit, monitor: WorkerMonitor { _ in }) }

  /// Creates a converter that counts its processes and their failures in `monitor`.
  ///
  /// - Parameters:
  ///   - executable: the path of the program; nil for the installed one.
  ///   - limit: the time limit for one page, in seconds.
  init(executable: String?, limit: Double, monitor: WorkerMonitor) {
    self.executable = executable
    self.limit = limit
    self.monitor = monitor
  }

  /// Returns whether a file needs to be converted.
  static func converts(_ file: [UInt8]) -> Bool { kind(of: file) != nil }

  private static func kind(of file: [UInt8]) -> (format: ConvertedFormat, name: String)? {
    file.withUnsafeBytes { ConvertedFormat.detect($0) }
  }

  /// Returns the pages of a file as files that `PictureDecoder` reads; the file itself if it needs no conversion. Blocks.
  ///
  /// - Parameter keepsColour: false if the colours of a large page need not be kept.
  package func pages(of file: [UInt8], keepsColour: Bool) throws(ImageError) -> PicturePages {
    guard let kind = Self.kind(of: file) else { return PicturePages(plain: file) }
    guard let program = executable ?? CompanionProgram.path(Self.programName) else {
      throw ImageError(
        .unsupportedFormat, "\(kind.name) is read by the package \(Self.programName), which is not installed",
        hint: "apt install \(Self.programName). Or convert it to PNG or JPEG first, for example with: "
          + ConvertedFormat.conversion(of: kind.name))
    }
    let launcher = WorkerLauncher(
      executable: program, arguments: [Self.programName, WorkerLauncher.argument, kind.format.rawValue])
    return PicturePages(
      file, kind.name, PersistentWorker(launcher, monitor), limit: limit, keepsColour: keepsColour)
  }

  /// Returns the first page of a file. Blocks.
  ///
  /// - Throws: `ImageError` for the file, `WorkerFailure` for the process.
  package func picture(_ file: [UInt8], keepsColour: Bool, or stop: StopSignal? = nil) throws -> [UInt8] {
    let pages = try pages(of: file, keepsColour: keepsColour)
    return try pages.first(or: stop)
  }
}

// MARK: - Pages

/// The pages of a picture file, converted on request. Not thread-safe.
package final class PicturePages {
  private let file: [UInt8]
  /// The name of the format; nil if the file is not converted.
  private let name: String?
  private let worker: PersistentWorker?
  private let limit: Double
  private let keepsColour: Bool
  /// The first page, kept after `count()` has converted it until `page(_:)` returns it.
  private var first: ConvertedPage?

  init(plain file: [UInt8]) {
    (self.file, name, worker, limit, keepsColour) = (file, nil, nil, 0, true)
  }

  init(_ file: [UInt8], _ name: String, _ worker: PersistentWorker, limit: Double, keepsColour: Bool) {
    (self.file, self.name, self.worker, self.limit, self.keepsColour) = (file, name, worker, limit, keepsColour)
  }

  /// Counts the pages: at least 1, and one more than `ConversionRequest.pageLimit` if there are more pages.
  package func count() throws(ImageError) -> Int {
    guard name != nil else { return 1 }
    let page = try reportingFailure { () throws(WorkerFailure) in try ask(1, or: nil) }
    first = page
    return page.count
  }

  /// Returns a page as a file that `PictureDecoder` reads; the first page is 1.
  package func page(_ number: Int) throws(ImageError) -> [UInt8] {
    guard let name else { return file }
    guard number <= ConversionRequest.pageLimit else {
      throw ImageError(
        .unsupportedVariant, "the \(name) has more than \(ConversionRequest.pageLimit) pages; the rest is not read",
        hint: "Split it.")
    }
    if number == 1, let first {
      self.first = nil
      return first.file
    }
    return try reportingFailure { () throws(WorkerFailure) in try ask(number, or: nil) }.file
  }

  /// Returns the first page as a file that `PictureDecoder` reads.
  ///
  /// - Throws: `ImageError`, `WorkerFailure`.
  func first(or stop: StopSignal?) throws -> [UInt8] {
    guard let name else { return file }
    do {
      return try ask(1, or: stop).get().file
    } catch WorkerFailure.cannotStart(let reason) {
      throw Self.error(.cannotStart(reason: reason), name)
    }
  }

  private func reportingFailure(
    _ ask: () throws(WorkerFailure) -> Result<ConvertedPage, ImageError>
  ) throws(ImageError) -> ConvertedPage {
    let answer: Result<ConvertedPage, ImageError>
    do throws(WorkerFailure) {
      answer = try ask()
    } catch {
      throw Self.error(error, name ?? "picture")
    }
    return try answer.get()
  }

  private func ask(_ number: Int, or stop: StopSignal?) throws(WorkerFailure) -> Result<ConvertedPage, ImageError> {
    guard let worker else { throw .crashed(signal: nil) }
    let request = ConversionRequest(size: file.count, page: number - 1, keepsColour: keepsColour)
    let answer = worker.use(until: stop) { process throws(WorkerFailure) -> Result<ConvertedPage, ImageError> in
      guard file.count <= WorkerArena.inputLimit else { throw .tooLarge }
      process.arena.input.copyBytes(from: file)
      return try process.ask(
        request, for: ConvertedPage.self, byteLimit: ConvertedPage.answerLimit, limit: limit, or: stop)
    }
    guard let answer else { throw worker.lastFailure ?? .hung }
    return answer
  }

  private static func error(_ failure: WorkerFailure, _ name: String) -> ImageError {
    let program = PictureConverter.programName
    switch failure {
    case .tooLarge:
      return ImageError(
        .fileTooLarge, "the \(name) has more than \(WorkerArena.inputLimit >> 20) MB",
        hint: "Scale it down or split it.")
    case .cannotStart(let reason):
      return ImageError(
        .unsupportedFormat, "the program that reads \(name) cannot be started: \(reason)",
        hint: "apt install --reinstall \(program), with the packages that it recommends")
    case .hung:
      return ImageError(
        .damagedPicture, "the \(name) took the program that reads it too long, which was ended",
        hint: "It may be crafted to do so. If it is yours, make it again.")
    case .crashed, .malformedAnswer, .interrupted:
      return ImageError(
        .damagedPicture, "the \(name) ended the program that reads it",
        hint: "It may be crafted to do so. If it is yours, make it again.")
    }
  }
}
