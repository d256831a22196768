import Foundation
import Testing
import WaymarkSystem

@testable import WaymarkImage

/// The pictures that `Scripts/make-test-pictures` makes, pixel by pixel.
struct PictureFilesTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Fixtures/Pictures/read").path

  static func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map { folder + "/" + $0 }
  }

  /// All show the same: a code whose finder pattern stands 12 pixels from the top left, dark on light, 24 pixels of light
  /// below it.
  @Test func showTheSameInEveryFormat() throws {
    for file in try Self.files() where !file.contains("truncated") {
      let bytes = try PictureFile.read(file)
      let name = file.split(separator: "/").last ?? ""
      var decoder = PictureDecoder()
      if name.hasPrefix("dark") { decoder.background = .black }
      let gray = try decoder.gray(bytes).image
      #expect((gray.width, gray.height) == (111, 123), "\(name)")
      for (x, y) in [(3, 3), (107, 3), (3, 119), (107, 119), (55, 112)] { #expect(gray[x, y] > 150, "\(name)") }
      for (x, y) in [(13, 13), (13, 31), (31, 13), (22, 22)] { #expect(gray[x, y] < 90, "\(name)") }
      #expect(gray[17, 17] > 150, "\(name)")
      // In colour it has the same brightness.
      let colour = try decoder.rgb(bytes).image
      #expect((colour.width, colour.height) == (111, 123), "\(name)")
      for (x, y) in [(3, 3), (13, 13), (17, 17), (49, 60)] {
        let pixel = colour[x, y]
        #expect(abs(Int(Luma.of(pixel.red, pixel.green, pixel.blue)) - Int(gray[x, y])) <= 6, "\(name)")
      }
    }
  }

  @Test func fileProblemsAreNamed() {
    #expect { try PictureFile.read("/nowhere/at/all.png") } throws: { ($0 as? ImageError)?.code == .cannotOpen }
    #expect { try PictureFile.read("/") } throws: { ($0 as? ImageError)?.code == .cannotOpen }
    #expect { try PictureFile.read("/dev/zero", limit: 1 << 20) } throws: { ($0 as? ImageError)?.code == .fileTooLarge }
  }
}
