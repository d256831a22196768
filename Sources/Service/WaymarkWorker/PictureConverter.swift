import CSandbox
import Glibc
package import WaymarkImage
package import WaymarkSystem

/// Converts the picture formats that the program `waymark-pictures` reads, each file in its own sandboxed process. Files of other
/// formats are returned unchanged. The file also has the pages of a file (`PicturePages`), and the program's part: its main loop
/// (`ConverterMain`), the decoded pages (`DecodedPage`) and the messages.
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
  ///   - executable: the path of the program; nil for the installed program.
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

  /// Returns the pages of a file as files that `PictureDecoder` reads, or the file itself if it needs no conversion. Blocks.
  ///
  /// - Parameter keepsColour: false if the colours of a large page need not be kept.
  /// - Throws: `unsupportedFormat` if the file needs to be converted, and the program is not installed.
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
  /// The first page. `count()` converts it, and it is kept until `page(_:)` returns it.
  private var first: ConvertedPage?

  init(plain file: [UInt8]) {
    (self.file, name, worker, limit, keepsColour) = (file, nil, nil, 0, true)
  }

  init(_ file: [UInt8], _ name: String, _ worker: PersistentWorker, limit: Double, keepsColour: Bool) {
    (self.file, self.name, self.worker, self.limit, self.keepsColour) = (file, name, worker, limit, keepsColour)
  }

  /// Counts the pages: at least 1, and one more than `ConversionRequest.pageLimit` if there are more pages.
  ///
  /// - Throws: `ImageError` if the first page cannot be converted.
  package func count() throws(ImageError) -> Int {
    guard name != nil else { return 1 }
    let page = try reportingFailure { () throws(WorkerFailure) in try ask(1, or: nil) }
    first = page
    return page.count
  }

  /// Returns a page as a file that `PictureDecoder` reads; the first page is 1.
  ///
  /// - Throws: `ImageError` if the page cannot be converted, or `number` exceeds `ConversionRequest.pageLimit`.
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
  /// - Throws: `ImageError` if the page cannot be converted or the program cannot be started, `WorkerFailure` if the program fails
  ///   in another way.
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

// MARK: - The program

/// The main loop of the program `waymark-pictures`: sets up the sandbox, then decodes pages until the parent process ends.
package enum ConverterMain {
  /// Decodes a page of a file; the first page is 0.
  package typealias Decoding = (_ file: UnsafeRawBufferPointer, _ page: Int) -> Result<DecodedPage, ImageError>

  /// The time limit for one page in seconds, a little longer than the time for which the parent process waits.
  private static let deadline: UInt32 = 45
  /// The number up to which pages are counted: one more than the number of pages that are read.
  package static let countLimit = ConversionRequest.pageLimit + 1

  /// Runs until the parent process ends.
  ///
  /// - Parameters:
  ///   - problem: an errno if the library could not be loaded, which is reported instead of decoding; otherwise 0.
  ///   - decoding: decodes a page; it must have opened all its files before this call.
  package static func run(problem: Int32, _ decoding: Decoding) {
    guard let seat = WorkerEndpoint(), seat.lockIn(refusing: problem) else { return }
    while let request = seat.next(ConversionRequest.self) {
      csandbox_deadline(deadline)
      let file = UnsafeRawBufferPointer(rebasing: seat.arena.input[..<request.size])
      let answer: WorkerEndpoint.Answer?
      do throws(ImageError) {
        answer = seat.leave(try convert(file, request, decoding))
      } catch {
        answer = seat.leave(error, worked: false)
      }
      csandbox_deadline(0)
      guard let answer else { return }
      seat.say(answer)
    }
  }

  private static func convert(
    _ file: UnsafeRawBufferPointer, _ request: ConversionRequest, _ decoding: Decoding
  ) throws(ImageError) -> ConvertedPage {
    let page = try decoding(file, request.page).get()
    return ConvertedPage(count: max(1, page.count), file: try page.file(keepsColour: request.keepsColour))
  }
}

// MARK: - Decoded pages

/// The pixels of a page in memory of a C library, which is freed with this value.
package struct DecodedPage: ~Copyable {
  let count: Int
  let width: Int
  let height: Int
  /// The bytes of a pixel: 1 for gray, 3 for red, green and blue, 4 with opacity.
  private let channels: Int
  private let pixels: UnsafeMutablePointer<UInt8>

  /// Takes ownership of `width * height * channels` bytes, without padding between rows. `free` must be able to release them.
  package init(count: Int, width: Int, height: Int, channels: Int, owning pixels: UnsafeMutablePointer<UInt8>) {
    self.count = count
    self.width = width
    self.height = height
    self.channels = channels
    self.pixels = pixels
  }

  deinit { free(pixels) }

  /// Returns the page as a file: PNM, or BMP if it has opacity. If this file is larger than a worker accepts, returns a gray PNM,
  /// or a JPEG if `keepsColour` is true, both without opacity.
  ///
  /// - Throws: `tooManyPixels` if the smaller file is also too large.
  func file(keepsColour: Bool) throws(ImageError) -> [UInt8] {
    let plain = plainFile
    guard plain.count > ConvertedPage.byteLimit else { return plain }
    let file: [UInt8]
    if keepsColour {
      file = try JPEGEncoder.encode(try PictureDecoder().rgb(plain).image, quality: JPEGQuality.conversion)
    } else {
      let image = try PictureDecoder().gray(plain).image
      file = Self.header("P5", width, height) + UnsafeBufferPointer(start: image.unsafeView.base, count: width * height)
    }
    guard file.count <= ConvertedPage.byteLimit else {
      let limit = ConvertedPage.byteLimit >> 20
      throw ImageError(
        .tooManyPixels, "the picture has \(width) x \(height) pixels, which take more than \(limit) MB",
        hint: "Scale it down.")
    }
    return file
  }

  private var plainFile: [UInt8] {
    let head = channels == 4 ? bmpHeader : Self.header(channels == 1 ? "P5" : "P6", width, height)
    let byteCount = width * height * channels
    return [UInt8](unsafeUninitializedCapacity: head.count + byteCount) { bytes, count in
      _ = bytes.initialize(from: head)
      UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(bytes)[head.count...])
        .copyMemory(from: UnsafeRawBufferPointer(start: pixels, count: byteCount))
      count = head.count + byteCount
    }
  }

  private static func header(_ magic: String, _ width: Int, _ height: Int) -> [UInt8] {
    Array("\(magic)\n\(width) \(height)\n255\n".utf8)
  }

  /// The header of a BMP file (with a BITMAPV4HEADER) with the top row first, and pixels in the order red, green, blue,
  /// opacity.
  private var bmpHeader: [UInt8] {
    func long(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    let size = 14 + 108
    var head = Array("BM".utf8) + long(size + width * height * channels) + long(0) + long(size)
    head += long(108) + long(width) + long(-height) + [1, 0, 32, 0] + long(3)
    head += (0..<5).flatMap { _ in long(0) }
    head += long(0xFF) + long(0xFF00) + long(0xFF_0000) + long(0xFF00_0000)
    return head + [UInt8](repeating: 0, count: size - head.count)
  }
}

// MARK: - Messages

/// A request to the program `waymark-pictures` for a page of the file at the beginning of the arena.
struct ConversionRequest: Equatable {
  /// The maximum number of pages that are read from a file.
  static let pageLimit = 1000

  let size: Int
  /// The index of the page, from 0.
  let page: Int
  /// False if the page's colours need not be kept.
  let keepsColour: Bool
}

/// The answer to a `ConversionRequest`: the page as a file that `PictureDecoder` reads.
struct ConvertedPage: Equatable {
  /// The largest number of bytes of the file, which has to fit into the arena of the worker that reads it.
  static let byteLimit = WorkerArena.inputLimit

  /// The number of pages of the original file; one more than `ConversionRequest.pageLimit` if there are more pages.
  let count: Int
  let file: [UInt8]
}

// MARK: - Encodings

extension ConversionRequest: WireValue {
  private static let kind = 0x5049_4331
  private static let fields = inOrder(
    Wire<Int>.count(from: kind, upTo: kind), Wire<Int>.count(upTo: WorkerArena.inputLimit),
    Wire<Int>.count(upTo: pageLimit - 1), Wire<Bool>.flag)

  package static let wire: Wire<ConversionRequest> = fields.map(
    { ConversionRequest(size: $0.1, page: $0.2, keepsColour: $0.3) }, { (kind, $0.size, $0.page, $0.keepsColour) })
}

extension ConvertedPage: WireValue {
  static let answerLimit = byteLimit + 8

  package static let wire: Wire<ConvertedPage> = inOrder(
    Wire<Int>.count(from: 1, upTo: ConversionRequest.pageLimit + 1), Wire<[UInt8]>.raw(upTo: byteLimit)
  ).map({ ConvertedPage(count: $0.0, file: $0.1) }, { ($0.count, $0.file) })
}
