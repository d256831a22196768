import Foundation
import Testing
import WaymarkBarcodes
import WaymarkImage
import WaymarkSystem

@testable import WaymarkWorker

/// Files that another program converts, and that program when it was compromised by one.
struct PictureConverterTests {
  /// Beside the bundle of tests that is running.
  private static let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appendingPathComponent("waymark-pictures").path
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Fixtures/Pictures/converted").path

  private static func converter(_ program: String = program, limit: Double = 30) -> PictureConverter {
    PictureConverter(executable: program, limit: limit, monitor: WorkerMonitor { _ in })
  }

  private static func file(_ name: String) throws -> [UInt8] { try PictureFile.read(folder + "/" + name) }

  @Test(arguments: [
    "noise-gray.tif", "noise-colour.tif", "noise-gray.jxl", "noise-colour.jxl", "noise-colour.heic",
  ])
  func thePixelsAreThoseOfThePNGBeside(_ name: String) throws {
    let expected = try PictureDecoder().rgb(Self.file(name + ".png")).image
    for keepsColour in [false, true] {
      let file = try Self.converter().pages(of: Self.file(name), keepsColour: keepsColour).page(1)
      let image = try PictureDecoder().rgb(file).image
      #expect(image.width == expected.width && image.height == expected.height)
      let wanted = expected.withBytes { Array($0) }
      let worst = image.withBytes { bytes in zip(bytes, wanted).map { abs(Int($0) - Int($1)) }.max() }
      // The encoder of the HEIC rounds: libheif's own heif-convert is off by as much.
      #expect(worst == (name.hasSuffix(".heic") ? 1 : 0), "\(name)")
    }
  }

  @Test func whatIsReadAlreadyStaysAsItIs() throws {
    let file = try Self.file("noise-gray.tif.png")
    let pages = try Self.converter("/nonexistent").pages(of: file, keepsColour: true)
    #expect(try pages.count() == 1)
    #expect(try pages.page(1) == file)
    #expect(!PictureConverter.converts(file))
    #expect(PictureConverter.converts(try Self.file("pdf-pages.pdf")))
  }

  @Test func pagesComeInAnyOrder() throws {
    let pages = try Self.converter().pages(of: Self.file("tiff-pages.tif"), keepsColour: false)
    #expect(try pages.count() == 3)
    let (third, first) = (try pages.page(3), try pages.page(1))
    #expect(third != first)
    #expect(try pages.page(1) == first)
    #expect {
      try pages.page(4)
    } throws: {
      ($0 as? ImageError)?.message == "the TIFF has no page 4"
    }
  }

  @Test func aPictureOfTheGalleryBecomesAJPEG() throws {
    let isolation = Isolation(launcher: nil, pictures: Self.program) { _ in }
    for (width, expected) in [(nil, 111), (40, 40), (500, 111)] as [(Int?, Int)] {
      let picture = try isolation.prepare(Self.file("heic.heic"), width: width)
      #expect(picture.format == .jpeg && picture.width == expected)
      #expect(try PictureDecoder().gray(#require(picture.replacement)).image.width == expected)
    }
    let codes = try isolation.codes(in: Self.file("dark-avif.avif"), .still)
    #expect(codes.reading.symbols.map(\.text) == ["waymark dark-avif"])
    #expect(try isolation.gray(Self.file("jxl.jxl")).height == 123)
  }

  @Test func aLargePageIsReducedToTheNeededSize() throws {
    // Four bytes a pixel, and three, are more than a worker takes.
    for channels in [4, 3] {
      let (width, height) = (4800, 4700)
      let pixels = UnsafeMutablePointer<UInt8>.allocate(capacity: width * height * channels)
      pixels.initialize(repeating: 200, count: width * height * channels)
      let page = DecodedPage(count: 1, width: width, height: height, channels: channels, owning: pixels)
      let gray = try page.file(keepsColour: false)
      #expect(gray.starts(with: "P5\n4800 4700\n".utf8))
      let colour = try page.file(keepsColour: true)
      #expect(colour.starts(with: [0xFF, 0xD8]))
      #expect(gray.count <= ConvertedPage.byteLimit && colour.count <= ConvertedPage.byteLimit)
    }
  }

  // MARK: The program, compromised

  @Test(arguments: [
    "answer(0, b'P5 1 1 255 x')", "answer(2**32 - 1, b'P5 1 1 255 x')", "say(0, 2**32 - 1)", "say(0, 4)",
    "say(0, \(ConvertedPage.answerLimit) + 1)", "os.write(3, b'abc')", "say(1, 9)", "os._exit(1)",
    "os.kill(os.getpid(), signal.SIGSEGV)",
  ])
  func anAnswerWithoutSenseIsNotBelieved(_ body: String) throws {
    let fake = try FakeConverter(body)
    let pages = try Self.converter(fake.path).pages(of: Self.file("noise-gray.tif"), keepsColour: false)
    #expect {
      try pages.page(1)
    } throws: {
      ($0 as? ImageError)?.message == "the TIFF ended the program that reads it"
    }
  }

  @Test func aProgramThatHangsIsEnded() throws {
    let fake = try FakeConverter("time.sleep(600)")
    let pages = try Self.converter(fake.path, limit: 0.2).pages(of: Self.file("noise-gray.tif"), keepsColour: false)
    #expect {
      try pages.page(1)
    } throws: {
      ($0 as? ImageError)?.message == "the TIFF took the program that reads it too long, which was ended"
    }
  }

  @Test func aProgramThatIsOfNoUseIsReported() throws {
    let pages = try Self.converter("/nonexistent").pages(of: Self.file("noise-gray.tif"), keepsColour: false)
    #expect {
      try pages.page(1)
    } throws: {
      guard let error = $0 as? ImageError else { return false }
      return error.code == .unsupportedFormat && error.hint.hasPrefix("apt install --reinstall waymark-pictures")
    }
  }

  @Test func messagesPass() throws {
    let request = ConversionRequest(size: 12, page: 999, keepsColour: true)
    #expect(try ConversionRequest(wireBytes: request.wireBytes) == request)
    let page = ConvertedPage(count: 1001, file: [1, 2, 3])
    #expect(try ConvertedPage(wireBytes: page.wireBytes) == page)
    #expect(throws: WireReader.Malformed.self) { try ConvertedPage(wireBytes: Array(page.wireBytes.dropLast())) }
  }
}

/// A program in place of `waymark-pictures` that greets like it, and then answers as a test wants.
private final class FakeConverter {
  let path: String
  private let folder: String

  /// - Parameter body: Python that answers one request, in which `answer(count, file)` sends a page and `say(status, count)` says that so
  ///   many bytes were written to `arena`.
  init(_ body: String) throws {
    folder = NSTemporaryDirectory() + "waymark-pictures-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    path = folder + "/converter"
    let program = """
      #!/usr/bin/python3 -IS
      import mmap, os, signal, struct, time
      def say(status, count): os.write(3, struct.pack("<II", status, count))
      def answer(count, file):
        bytes = struct.pack("<II", count, len(file)) + file
        arena[:len(bytes)] = bytes
        say(0, len(bytes))
      arena = mmap.mmap(4, \(WorkerArena.outputLimit), offset=\(WorkerArena.inputLimit))
      say(0x\(String(WorkerEndpoint.greeting, radix: 16)), 0)
      while os.read(3, 64):
        \(body)
      """
    try program.write(toFile: path + ".py", atomically: true, encoding: .utf8)
    // Another process makes the executable, as in FakeTextEngine.
    let install = try Process.run(
      URL(fileURLWithPath: "/usr/bin/install"), arguments: ["-m", "755", path + ".py", path])
    install.waitUntilExit()
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }
}
