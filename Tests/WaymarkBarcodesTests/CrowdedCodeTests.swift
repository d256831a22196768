import Testing
import WaymarkBarcodes
import WaymarkImage

/// Bars without a quiet zone, and bars that melt. They are zint's (`zint -b … -d … --dump`), a digit of sixteen for four modules.
@Suite struct CrowdedCodeTests {
  private static let code128 = "D21D1A8C768BB14631758E9B939B3974CF498EB"
  private static let code39 = "96D66AB52D96ADA96A5B565AA695B6CAACB52DA"
  private static let itf = "AE8AE3BA28E8E2A2B8E8E8EBA"
  private static let module = 3

  /// Bars of three pixels a module on a dark ground, with so many light modules on either side.
  private func draw(_ dump: String, quiet: Int, cut: Int = 0, blur: Double = 0) -> GrayImage {
    var bits = dump.compactMap(\.hexDigitValue).flatMap { digit in (0..<4).map { digit >> (3 - $0) & 1 == 1 } }
    while bits.last == false { bits.removeLast() }
    bits.removeFirst(cut)
    let (beside, height) = (20 * Self.module, 130)
    let line = [Bool](repeating: false, count: quiet) + bits + [Bool](repeating: false, count: quiet)
    let width = line.count * Self.module + 2 * beside
    return GrayImage(width: width, height: height) { pixels in
      for y in 0..<height {
        for x in 0..<width {
          let isLabel = (beside..<(width - beside)).contains(x) && (15..<(height - 15)).contains(y)
          let isBar = isLabel && (25..<(height - 25)).contains(y) && line[(x - beside) / Self.module]
          pixels[y * width + x] = isLabel && !isBar ? 205 : 50
        }
      }
      guard blur > 0, let first = pixels.baseAddress else { return }
      GaussianBlur.apply(first, width: width, height: height, sigma: blur)
    }
  }

  private func read(_ image: GrayImage) throws -> [Symbol] {
    var scanner = try BarcodeScanner()
    return image.withView { scanner.scan($0).symbols }
  }

  @Test(arguments: [
    (code128, 3, Symbology.code128, "WAYMARK-128"), (code39, 3, .code39, "WAYMARK-39"), (itf, 5, .itf, "1234567895"),
  ])
  func readsLabelsThatAreCutClose(dump: String, quiet: Int, symbology: Symbology, text: String) throws {
    let symbols = try read(draw(dump, quiet: quiet))
    #expect(symbols.map(\.symbology) == [symbology])
    #expect(symbols.map(\.text) == [text])
  }

  /// Under a Gaussian of 0.7 modules only passes over changed pictures read them otherwise.
  @Test(arguments: [
    (code128, Symbology.code128, "WAYMARK-128"), (code39, .code39, "WAYMARK-39"), (itf, .itf, "1234567895"),
  ])
  func readsBarsThatMelt(dump: String, symbology: Symbology, text: String) throws {
    let symbols = try read(draw(dump, quiet: 12, blur: 0.7 * Double(Self.module)))
    #expect(symbols.map(\.symbology) == [symbology])
    #expect(symbols.map(\.pass) == [.strip])
    #expect(symbols.map(\.text) == [text])
  }

  @Test func readsNoITFThatIsCutOff() throws {
    for cut in [4, 18, 36] { #expect(try read(draw(Self.itf, quiet: 1, cut: cut)).isEmpty) }
  }
}
