import Glibc
import Testing
import WaymarkImage

@testable import WaymarkBarcodes

/// EAN-13 by the model of its bars: blurred ones are read, and nothing is read for fitting best.
@Suite struct RetailRescueTests {
  private func number(_ random: inout RandomSource) -> [UInt8] {
    var digits = (0..<12).map { _ in UInt8(random.next() % 10) }
    let sum = digits.enumerated().reduce(0) { $0 + Int($1.element) * ($1.offset.isMultiple(of: 2) ? 1 : 3) }
    digits.append(UInt8((10 - sum % 10) % 10))
    return digits.map { $0 + 0x30 }
  }

  /// Bars of three pixels a module under a Gaussian, with noise of a few gray levels.
  private func draw(_ widths: [Int], blur: Double, _ random: inout RandomSource) -> GrayImage {
    let modules = widths.enumerated().flatMap {
      [Double](repeating: $0.offset.isMultiple(of: 2) ? 1 : 0, count: $0.element)
    }
    let pixels = 3
    let line = (0..<((modules.count + 24) * pixels)).map { x -> Double in
      let at = (Double(x) + 0.5) / Double(pixels) - 12
      return modules.enumerated().reduce(0) { sum, module in
        guard module.element > 0, abs(Double(module.offset) - at) < 8 else { return sum }
        let (from, to) = (Double(module.offset) - at, Double(module.offset + 1) - at)
        return sum + (erf(to / blur / 2.0.squareRoot()) - erf(from / blur / 2.0.squareRoot())) / 2
      }
    }
    let height = 120
    var noise: [Double] = []
    for _ in 0..<(line.count * height) { noise.append(Double(random.next() % 9) - 4) }
    return GrayImage(width: line.count, height: height) { picture in
      for y in 0..<height {
        for x in line.indices {
          let dark = (12..<108).contains(y) ? line[x] : 0
          picture[y * line.count + x] = UInt8(210 - 150 * dark + noise[y * line.count + x])
        }
      }
    }
  }

  private func read(_ image: GrayImage, withheld: Set<ScanPass> = []) throws -> [String] {
    try image.read(ScanConfiguration(symbologies: [.ean13], withheld: withheld)).symbols.map(\.text)
  }

  @Test("bars that melt are read, and none of them wrong")
  func blurred() throws {
    var random = RandomSource(seed: 32)
    var (right, without) = (0, 0)
    for _ in 0..<12 {
      let digits = number(&random)
      let widths = try #require(RetailPattern.widths(.ean13, digits))
      let picture = draw(widths, blur: 0.95, &random)
      let texts = try read(picture)
      #expect(texts.allSatisfy { $0 == String(decoding: digits, as: UTF8.self) }, "\(texts)")
      right += texts.count
      without += try read(picture, withheld: [.fitted]).count
    }
    #expect(right >= 6)
    #expect(right > without)
  }

  /// The picture with a stripe over some of its bars.
  private func spoilt(_ image: GrayImage, from left: Int, width: Int, level: UInt8) -> GrayImage {
    GrayImage(width: image.width, height: image.height) { pixels in
      for i in pixels.indices {
        let x = i % image.width
        pixels[i] = (left..<(left + width)).contains(x) ? level : image[x, i / image.width]
      }
    }
  }

  @Test("a stripe over some modules makes no other product of a code")
  func stripe() throws {
    var random = RandomSource(seed: 1080)
    var right = 0
    for i in 0..<72 {
      let digits = number(&random)
      let clean = draw(try #require(RetailPattern.widths(.ean13, digits)), blur: 0.35, &random)
      let left = 36 + Int(random.next() % 270)
      let picture = spoilt(clean, from: left, width: 3 * (i % 6 + 1), level: [250, 60, 20, 128][i / 6 % 4])
      let texts = try read(picture)
      #expect(texts.allSatisfy { $0 == String(decoding: digits, as: UTF8.self) }, "\(i) \(digits) \(texts)")
      right += texts.count
    }
    #expect(right >= 24)
  }

  @Test(
    "a stripe turns two digits into others whose parities name a first digit",
    arguments: [ScanConfiguration.Effort.still, .live])
  func exchanged(_ effort: ScanConfiguration.Effort) throws {
    let widths = try #require(RetailPattern.widths(.ean13, Array("7738540288178".utf8)))
    let line =
      [Bool](repeating: false, count: 40)
      + widths.enumerated().flatMap { i, width in
        [Bool](repeating: i.isMultiple(of: 2), count: 2 * width)
      } + [Bool](repeating: false, count: 40)
    for shift in 0..<8 {
      let picture = GrayImage(width: line.count, height: 128) { pixels in
        for y in 0..<128 {
          for x in line.indices { pixels[y * line.count + x] = line[x] && (16..<112).contains(y) ? 30 : 225 }
        }
      }
      let stripe = spoilt(picture, from: 111 + shift, width: 4, level: 255)
      var scanner = try BarcodeScanner(ScanConfiguration(effort: effort))
      let texts = stripe.withView { view in (0..<4).flatMap { _ in scanner.scan(view).symbols.map(\.text) } }
      #expect(Set(texts).isSubset(of: ["7738540288178"]), "\(shift)")
    }
  }

  @Test("stripes that are no code fit none for certain")
  func stripes() throws {
    var random = RandomSource(seed: 5)
    for i in 0..<12 {
      var widths: [Int] = []
      while widths.reduce(0, +) < 95 { widths.append(1 + Int(random.next() % (i.isMultiple(of: 2) ? 4 : 2))) }
      if widths.count.isMultiple(of: 2) { widths.removeLast() }
      #expect(try read(draw(widths, blur: 0.4 + 0.1 * Double(i), &random)).isEmpty)
    }
  }

  @Test func proofGrowsWithWhatWasTried() {
    #expect(RetailRescue.lead(whereTried: 0) >= 3)
    #expect(RetailRescue.lead(whereTried: 200_000) > RetailRescue.lead(whereTried: 20_000) + 2)
  }
}

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
    try image.read().symbols
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
