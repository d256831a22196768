import CSandbox
import Glibc
package import WaymarkImage
import WaymarkSystem

/// The main loop of the program `waymark-pictures`: sets up the sandbox, then decodes pages until the parent process ends.
package enum ConverterMain {
  /// Decodes a page of a file; the first page is 0.
  package typealias Decoding = (_ file: UnsafeRawBufferPointer, _ page: Int) -> Result<DecodedPage, ImageError>

  /// The time limit for one page in seconds, a little longer than the parent process waits.
  private static let deadline: UInt32 = 45
  /// The number up to which pages are counted, one more than are read.
  package static let countLimit = ConversionRequest.pageLimit + 1

  /// Runs until the parent process ends.
  ///
  /// - Parameters:
  ///   - problem: an errno if the library could not be loaded, which is reported instead of decoding; 0 otherwise.
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

// MARK: - Pages

/// The pixels of a page in memory of a C library, which is freed with this value.
package struct DecodedPage: ~Copyable {
  let count: Int
  let width: Int
  let height: Int
  /// The bytes of a pixel: 1 for gray, 3 for red, green and blue, 4 with opacity.
  private let channels: Int
  private let pixels: UnsafeMutablePointer<UInt8>

  /// Takes ownership of `width * height * channels` bytes, without padding between rows, which `free` can release.
  package init(count: Int, width: Int, height: Int, channels: Int, owning pixels: UnsafeMutablePointer<UInt8>) {
    self.count = count
    self.width = width
    self.height = height
    self.channels = channels
    self.pixels = pixels
  }

  deinit { free(pixels) }

  /// Returns the page as a file: PNM, or BMP if it has opacity. If that is larger than a worker accepts, a gray PNM, or a JPEG if
  /// `keepsColour` is true, both without opacity.
  ///
  /// - Throws: `tooManyPixels` if that file is too large too.
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

  /// The header of a BMP file with the top row first, and pixels in the order red, green, blue, opacity.
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
  /// The maximum bytes of the file, which has to fit into the arena of the worker that reads it.
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
