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
    var scanner = try BarcodeScanner(ScanConfiguration(symbologies: [.ean13], withheld: withheld))
    return image.withView { scanner.scan($0).symbols.map(\.text) }
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
    #expect(SymbolRules.lead(whereTried: 0) >= 3)
    #expect(SymbolRules.lead(whereTried: 200_000) > SymbolRules.lead(whereTried: 20_000) + 2)
  }
}
