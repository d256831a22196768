import CPictures
import Glibc
import WaymarkImage
import WaymarkSystem
import WaymarkWorker

/// The program that decodes picture files whose formats need large libraries. `waymark` starts it, and it runs in a sandbox.
@main
enum PicturesProgram {
  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count == 3, arguments[1] == WorkerMain.argument,
      let format = ConvertedFormat(rawValue: arguments[2])
    else {
      let words = Array("waymark-pictures is started by waymark; see waymark scan --help\n".utf8)
      _ = write(STDERR_FILENO, words, words.count)
      exit(64)
    }
    // The libraries open their own files here, before the sandbox forbids it.
    ConverterMain.run(problem: cpictures_load(number(of: format))) { decode(format, $0, $1) }
    exit(69)
  }

  private static func number(of format: ConvertedFormat) -> Int32 {
    switch format {
    case .tiff: Int32(CPICTURES_TIFF)
    case .heif: Int32(CPICTURES_HEIF)
    case .jxl: Int32(CPICTURES_JXL)
    case .pdf: Int32(CPICTURES_PDF)
    }
  }

  private static func decode(
    _ format: ConvertedFormat, _ file: UnsafeRawBufferPointer, _ number: Int
  ) -> Result<DecodedPage, ImageError> {
    let name = ConvertedFormat.detect(file)?.name ?? "picture"
    var page = cpictures_page()
    let status = cpictures_decode(
      self.number(of: format), file.baseAddress?.assumingMemoryBound(to: UInt8.self), file.count, UInt32(number),
      UInt64(PictureDecoder.defaultPixelLimit), UInt32(ConverterMain.countLimit), &page)
    guard Int(status) == CPICTURES_OK, let pixels = page.pixels else {
      return .failure(error(Int(status), name, page, number))
    }
    return .success(
      DecodedPage(
        count: Int(page.pages), width: Int(page.width), height: Int(page.height), channels: Int(page.channels),
        owning: pixels))
  }

  private static func error(_ status: Int, _ name: String, _ page: cpictures_page, _ number: Int) -> ImageError {
    switch status {
    case CPICTURES_LARGE:
      ImageError(
        .tooManyPixels,
        "the picture has \(page.width) x \(page.height) pixels, more than the limit of \(PictureDecoder.defaultPixelLimit)",
        hint: "Scale it down.")
    case CPICTURES_MEMORY:
      ImageError(.outOfMemory, "there is no memory to decode the \(name)", hint: "Scale it down.")
    case CPICTURES_NO_PAGE:
      ImageError(.damagedPicture, "the \(name) has no page \(number + 1)", hint: "Make or copy the file again.")
    case CPICTURES_UNSUPPORTED:
      ImageError(.unsupportedVariant, "this kind of \(name) is not supported", hint: "Save it as PNG or JPEG.")
    case CPICTURES_LOCKED:
      ImageError(.unsupportedVariant, "the \(name) needs a password", hint: "Save it without one.")
    default:
      ImageError(.damagedPicture, "the \(name) is damaged", hint: "Make or copy the file again.")
    }
  }
}
