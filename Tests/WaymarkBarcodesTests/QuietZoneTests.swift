import Testing
import WaymarkImage

@testable import WaymarkBarcodes

/// Symbols of which the picture may show a part only.
@Suite struct QuietZoneTests {
  private static let digits = [
    "00110", "10001", "01001", "11000", "00101", "10100", "01100", "00011", "10010", "01010",
  ].map { $0.map { $0 == "1" } }

  /// The bars of an ITF as modules, of which wide ones have three.
  private func modules(_ number: [Int]) -> [Bool] {
    var widths = [1, 1, 1, 1]
    for i in stride(from: 0, to: number.count, by: 2) {
      for k in 0..<5 {
        widths += [Self.digits[number[i]][k] ? 3 : 1, Self.digits[number[i + 1]][k] ? 3 : 1]
      }
    }
    widths += [3, 1, 1]
    return widths.enumerated().flatMap { i, width in [Bool](repeating: i.isMultiple(of: 2), count: width) }
  }

  /// Bars of so many pixels a module, and so many light pixels on either side.
  private func draw(_ bars: [Bool], _ scale: Int, before: Int, after: Int) -> GrayImage {
    let line =
      [Bool](repeating: false, count: before) + bars.flatMap { [Bool](repeating: $0, count: scale) }
      + [Bool](repeating: false, count: after)
    return GrayImage(width: line.count, height: 120) { pixels in
      for y in 0..<120 {
        for x in line.indices { pixels[y * line.count + x] = line[x] && (20..<100).contains(y) ? 30 : 225 }
      }
    }
  }

  private func number(_ random: inout RandomSource) -> [Int] {
    (0..<(8 + 2 * Int(random.next() % 6))).map { _ in Int(random.next() % 10) }
  }

  private func texts(_ image: GrayImage, _ effort: ScanConfiguration.Effort) throws -> [String] {
    var scanner = try BarcodeScanner(ScanConfiguration(effort: effort))
    // In live frames passes take turns.
    let looks = effort == .live ? 4 : 1
    return image.withView { view in (0..<looks).flatMap { _ in scanner.scan(view).symbols.map(\.text) } }
  }

  @Test(arguments: ScanConfiguration.Effort.allCases)
  func readsNoPartOfAnITF(_ effort: ScanConfiguration.Effort) throws {
    var random = RandomSource(seed: 14)
    for i in 0..<24 {
      let number = number(&random), scale = 2 + Int(random.next() % 2)
      var bars = modules(number)
      var (before, after) = (14 * scale, 14 * scale)
      let place = bars.count / 5 + Int(random.next() % UInt64(3 * bars.count / 5))
      switch i % 3 {
      case 0: (bars, before) = (Array(bars[place...]), 0)
      case 1: (bars, after) = (Array(bars[..<place]), 0)
      default:
        // Glare, or a staple.
        let gap = place..<min(bars.count, place + 4 + Int(random.next() % 5))
        bars.replaceSubrange(gap, with: [Bool](repeating: false, count: gap.count))
      }
      let texts = try texts(draw(bars, scale, before: before, after: after), effort)
      #expect(texts.isEmpty, "\(number) \(i)")
    }
  }

  @Test(arguments: ScanConfiguration.Effort.allCases)
  func readsAnITFWithItsQuietZone(_ effort: ScanConfiguration.Effort) throws {
    var random = RandomSource(seed: 15)
    for _ in 0..<12 {
      let number = number(&random), scale = 2 + Int(random.next() % 2)
      let texts = try texts(draw(modules(number), scale, before: 10 * scale, after: 10 * scale), effort)
      #expect(Set(texts) == [number.map(String.init).joined()])
    }
  }

  @Test func saysThatAnITFIsCutOff() throws {
    let number = [6, 1, 6, 5, 6, 5, 0, 9, 3, 3, 3, 0, 0, 2, 8, 0]
    let bars = modules(number)
    // Ten digits, and bars that are taken for the end.
    for count in 60..<bars.count {
      let reading = try draw(Array(bars[..<count]), 2, before: 30, after: 0).read()
      #expect(reading.symbols.isEmpty)
      #expect(reading.unread.allSatisfy { $0.advice == .cutOff })
    }
  }

  @Test func symbologiesThatRefutePartsNeedNoQuietZone() {
    let zones = Symbology.allCases.filter { $0.row.linear?.quietZone != nil }
    #expect(
      Set(zones) == [
        .itf, .standard2of5, .iata2of5, .matrix2of5, .code11, .code11Unchecked, .msi, .msiUnchecked, .telepen,
        .pharmacode,
      ])
  }

  /// A reflection before bars that read as the stop pattern, with the wide spaces beside it.
  @Test(arguments: ScanConfiguration.Effort.allCases)
  func readsNoPartOfAnITFBesideAWideGap(_ effort: ScanConfiguration.Effort) throws {
    let bars = modules([8, 6, 1, 0, 9, 2, 5, 3, 5, 2, 8, 2, 1, 4])
    // Four pairs of digits of 18 modules follow a start of four; then come a wide bar, a narrow space and a narrow bar.
    let from = 4 + 4 * 18 + 5
    for width in 8...14 {
      var spoilt = bars
      spoilt.replaceSubrange(from..<(from + width), with: [Bool](repeating: false, count: width))
      #expect(try texts(draw(spoilt, 3, before: 42, after: 42), effort).isEmpty, "\(width)")
    }
  }

  @Test("an ITF between other bars is read if its quiet zones are wide, or if its neighbour has other widths")
  func neighbours() throws {
    let bars = modules([1, 2, 3, 4, 5, 6, 7, 0])
    let other = [Bool](repeating: true, count: 2) + [false, false, true, true, true, true, false, false, true, true]
    for (quiet, beside) in [(17, modules([4, 4, 4, 4, 4, 4])), (11, other)] {
      let light = [Bool](repeating: false, count: quiet)
      let texts = try texts(draw(bars + light + beside, 3, before: 42, after: 42), .still)
      #expect(texts.contains("12345670"), "\(quiet)")
    }
  }

  @Test("bars of an ITF that the picture cuts are no UPC-E", arguments: [ScanConfiguration.Effort.still, .live])
  func readsNoUPCE(_ effort: ScanConfiguration.Effort) throws {
    var widths: [Int] = []
    for modules in RetailPattern.widths(.upcE, Array("01234565".utf8)) ?? [] { widths.append(modules) }
    let bars = widths.enumerated().flatMap { i, width in [Bool](repeating: i.isMultiple(of: 2), count: width) }
    for light in [6, 15] { #expect(try texts(draw(bars, 3, before: 30, after: light), effort).isEmpty) }
    #expect(try Set(texts(draw(bars, 3, before: 30, after: 27), effort)) == ["01234565"])
  }

  @Test("a UPC-E that libzbar left at one end only is refused outside of a strip")
  func oneEnd() throws {
    let bytes = Array("01234565".utf8)
    let widths = try #require(RetailPattern.widths(.upcE, bytes))
    let bars = widths.enumerated().flatMap { i, width in [Bool](repeating: i.isMultiple(of: 2), count: width) }
    let image = draw(bars, 3, before: 30, after: 27)
    let (begin, end) = (30.0, Double(30 + 3 * bars.count))
    for (ends, isRead) in [([end], false), ([begin], false), ([begin, end], true)] {
      let points = (0..<20).map { Point2(ends[$0 % ends.count], Double(40 + $0)) }
      let code = ZBarScanner.Raw(symbology: .upcE, bytes: bytes, quality: 20, isGS1: false, points: points)
      #expect(image.withView { (code.verified(in: $0, visible: nil) != nil) == isRead }, "\(ends)")
    }
  }

  @Test("an ITF-14 of the right check digit is read from a label that is cut close")
  func named() throws {
    let bars = modules([3, 0, 7, 1, 2, 3, 4, 5, 0, 0, 0, 0, 1, 0])
    #expect(try Set(texts(draw(bars, 3, before: 18, after: 18), .still)) == ["30712345000010"])
  }

  /// The bars alone, from the first to the last.
  private func cropped(_ name: String) throws -> GrayImage {
    let image = try Fixture.load(name)
    let dark = (0..<image.width).filter { x in (0..<image.height).contains { image[x, $0] < 128 } }
    let (from, to) = (try #require(dark.first), try #require(dark.last))
    return GrayImage(width: to - from + 1, height: image.height) { pixels in
      for i in pixels.indices { pixels[i] = image[from + i % (to - from + 1), i / (to - from + 1)] }
    }
  }

  @Test(arguments: ScanConfiguration.Effort.allCases)
  func readsCharactersBeyondASCIIWithoutAMargin(_ effort: ScanConfiguration.Effort) throws {
    let texts = try texts(cropped("code128-latin1"), effort)
    #expect(Set(texts).isSubset(of: ["óóóó1234"]))
    #expect(effort != .still || !texts.isEmpty)
  }
}
