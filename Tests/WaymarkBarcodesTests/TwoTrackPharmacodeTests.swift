import Testing
import WaymarkImage

@testable import WaymarkBarcodes

@Suite struct TwoTrackPharmacodeTests {
  /// Draws bars: 1 in the lower track, 2 in the upper one, 3 in both.
  private func draw(_ bars: [Int], module: Int = 3, space: Int = 3, height: Int = 48) -> GrayImage {
    let margin = 8 * module
    let width = 2 * margin + bars.count * (module + space)
    return GrayImage(width: width, height: height + 40) { pixels in
      for y in 0..<(height + 40) {
        for x in 0..<width {
          let (bar, within) = (x - margin).quotientAndRemainder(dividingBy: module + space)
          let track = y < 20 || y >= height + 20 ? 0 : y < 20 + height / 2 ? 2 : 1
          let isDark = x >= margin && bar < bars.count && within < module && bars[bar] & track != 0
          pixels[y * width + x] = isDark ? 25 : 230
        }
      }
    }
  }

  private func read(_ image: GrayImage) throws -> [String] {
    try image.read(ScanConfiguration(symbologies: [.pharmacode2])).symbols.map(\.text)
  }

  @Test(
    arguments: [
      ([1, 2, 3, 1, 2, 3], "504"), ([2, 1, 1, 1, 1, 1], "607"), ([3, 3, 3, 3, 3, 1], "1090"),
      ([1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2], "26904200"),
      ([3, 3, 2, 1, 3, 2, 1, 3, 3, 3, 2, 1, 1, 2, 3, 3], nil),
    ] as [([Int], String?)])
  func reads(bars: [Int], text: String?) throws {
    let value = text ?? String(bars.reduce(0) { 3 * $0 + $1 })
    #expect(String(bars.reduce(0) { 3 * $0 + $1 }) == value)
    for module in [2, 3, 5] { #expect(try read(draw(bars, module: module, space: module)) == [value]) }
  }

  @Test("bars that are alike, few or many, and bars of other widths or heights are refused")
  func refuses() throws {
    for bars in [
      [3, 3, 3, 3, 3, 3, 3], [1, 1, 1, 1, 1, 1, 1], [1, 2, 3, 1, 2],
      Array(repeating: [1, 2, 3], count: 6).flatMap { $0 },
    ] {
      #expect(try read(draw(bars)).isEmpty, "\(bars)")
    }
    #expect(try read(draw([1, 2, 3, 1, 2, 3, 1], module: 2, space: 8)).isEmpty)
    let picture = draw([1, 2, 3, 1, 2, 3, 1])
    let cut = GrayImage(width: picture.width, height: picture.height) { pixels in
      for y in 0..<picture.height {
        for x in 0..<picture.width {
          let isCut = x < picture.width / 2 && y > 50
          pixels[y * picture.width + x] = isCut ? 230 : picture[x, y]
        }
      }
    }
    #expect(try read(cut).isEmpty)
  }
}
