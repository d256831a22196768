import Foundation
import Testing
import WaymarkBarcodes
import WaymarkImage
import WaymarkSystem

@Suite struct BarcodeScannerTests {
  @Test(arguments: [
    ("ean13", Symbology.ean13, "4006381333931"), ("ean8", .ean8, "96385074"), ("upca", .upcA, "036000291452"),
    ("upce", .upcE, "04252614"), ("code128", .code128, "Waymark 128"), ("code39", .code39, "WAYMARK-39"),
    ("code39-full", .code39, "W+A+Y+M+A+R+K/O39"), ("code93", .code93, "WAYMARK93"), ("codabar", .codabar, "A40156B"),
    ("itf", .itf, "12345678"), ("databar", .dataBar, "0109501101530010"), ("qr-ascii", .qr, "WAYMARK-1"),
  ])
  func readsEverySymbology(name: String, symbology: Symbology, text: String) throws {
    let reading = try Fixture.load(name).read()
    #expect(reading.symbols.map(\.symbology) == [symbology])
    #expect(reading.symbols.map(\.text) == [text])
    #expect(reading.symbols.first?.fullASCII == (name == "code39-full" ? "Waymark/39" : nil))
  }

  @Test(arguments: [
    ("code32", Symbology.code32, "A931028462"), ("standard2of5", .standard2of5, "5776158811"),
    ("telepen", .telepen, "Telepen"), ("pharmacode", .pharmacode, "123456"), ("iata2of5", .iata2of5, "57761588"),
    ("matrix2of5", .matrix2of5, "57761588"), ("code11", .code11, "123-45521"), ("msi", .msi, "577615883"),
    ("msi-plain", .msiUnchecked, "57761588"), ("code11-plain", .code11Unchecked, "123-457"),
    ("msi", .msiUnchecked, "577615883"), ("code11", .code11Unchecked, "123-45521"),
    ("pharmacode2", .pharmacode2, "29876543"),
  ])
  func readsWhatIsAskedFor(name: String, symbology: Symbology, text: String) throws {
    let picture = try Fixture.load(name)
    var asked = try BarcodeScanner(ScanConfiguration(symbologies: [symbology]))
    #expect(picture.withView { asked.scan($0) }.symbols.map(\.text) == [text])
    // And upside down, but for the one that has no ends of its own.
    if symbology != .pharmacode, symbology != .pharmacode2 {
      let turned = GrayImage(width: picture.width, height: picture.height) { pixels in
        let last = picture.width * picture.height - 1
        for i in 0...last { pixels[i] = picture[(last - i) % picture.width, (last - i) / picture.width] }
      }
      #expect(turned.withView { asked.scan($0) }.symbols.map(\.text) == [text])
    }
    var common = try BarcodeScanner()
    #expect(!picture.withView { common.scan($0) }.symbols.contains { $0.symbology == symbology })
  }

  @Test("a right check makes the checked symbology of bars that are asked for as both")
  func prefersChecks() throws {
    for (name, found) in [
      ("msi", Symbology.msi), ("msi-plain", .msiUnchecked), ("code11", .code11), ("code11-plain", .code11Unchecked),
    ] {
      let all = ScanConfiguration(symbologies: [.msi, .msiUnchecked, .code11, .code11Unchecked])
      #expect(try Fixture.load(name).read(all).symbols.map(\.symbology) == [found])
    }
  }

  @Test(arguments: [ScanConfiguration.Effort.still, .live])
  func readsCharactersBeyondASCIIInCode128(effort: ScanConfiguration.Effort) throws {
    let reading = try Fixture.load("code128-latin1").read(ScanConfiguration(effort: effort))
    #expect(reading.symbols.map(\.text) == ["óóóó1234"])
    #expect(reading.symbols.first?.charset == .latin1)
  }

  @Test func listsSixtyCodesInReadingOrderAndTwoOfOneContentTwice() throws {
    let code = try Fixture.load("qr-ascii")
    let bars = try Fixture.load("ean13")
    let (pitch, columns, rows) = (code.width + 10, 10, 6)
    let sheet = GrayImage(width: pitch * columns, height: pitch * rows + bars.height) { pixels in
      pixels.update(repeating: 255)
      for i in 0..<(columns * rows) {
        for y in 0..<code.height {
          for x in 0..<code.width {
            // A row hangs by a few pixels, as labels do.
            let top = i / columns * pitch + i % columns % 3
            pixels[(top + y) * pitch * columns + i % columns * pitch + x] = code[x, y]
          }
        }
      }
      for y in 0..<bars.height {
        for x in 0..<min(bars.width, pitch * columns) {
          pixels[(pitch * rows + y) * pitch * columns + x] = bars[x, y]
        }
      }
    }
    let symbols = try sheet.read(ScanConfiguration(symbologies: [.qr, .ean13])).symbols
    #expect(symbols.count == 61)
    #expect(symbols.last?.symbology == .ean13)
    for (i, symbol) in symbols.prefix(60).enumerated() {
      let expected = Point2(Double(i % 10 * pitch + code.width / 2), Double(i / 10 * pitch + code.height / 2))
      #expect(symbol.corners.center.distance(to: expected) < 6, "code \(i)")
    }
  }

  @Test(arguments: [(0.6, 1.0), (1.0, 0.6)])
  func saysThatACodeIsCutOffAtTheRightOrBelow(across: Double, down: Double) throws {
    let code = try Fixture.load("qr-v7")
    let (width, height) = (Int(Double(code.width) * across), Int(Double(code.height) * down))
    let part = GrayImage(width: width, height: height) { pixels in
      for y in 0..<height { for x in 0..<width { pixels[y * width + x] = code[x, y] } }
    }
    let reading = try part.read()
    #expect(reading.symbols.isEmpty)
    #expect(reading.unread.first?.advice == .cutOff)
  }

  @Test(arguments: [
    ("qr-utf8", "Zürich, 12,50 €", Charset.utf8), ("qr-latin1", "Zürich größer", .latin1),
    ("qr-sjis", "こんにちは世界", .shiftJIS), ("qr-gb18030", "你好,世界:简体", .gb18030), ("qr-ascii", "WAYMARK-1", .ascii),
  ])
  func decodesCharacterSets(name: String, text: String, charset: Charset) throws {
    let reading = try Fixture.load(name).read(.live())
    #expect(reading.symbols.map(\.text) == [text])
    #expect(reading.symbols.map(\.charset) == [charset])
  }

  @Test func keepsBinaryBytes() throws {
    let reading = try Fixture.load("qr-binary").read(.live())
    #expect(reading.symbols.first?.bytes == [0xFF, 0x80, 0x00, 0x81, 0x0A])
  }

  @Test func resolvesGS1ElementStrings() throws {
    var scanner = try BarcodeScanner()
    let reading = try Fixture.load("gs1-128").withView { scanner.scan($0) }
    #expect(
      reading.symbols.first?.gs1 == [
        GS1Element(identifier: "01", value: "09521234543213"), GS1Element(identifier: "10", value: "LOT-7"),
        GS1Element(identifier: "17", value: "271231"),
      ])
    let expanded = try Fixture.load("databar-expanded").withView { scanner.scan($0) }
    #expect(expanded.symbols.first?.gs1.map(\.identifier) == ["01", "3202", "15"])
  }

  @Test func joinsAStructuredAppend() throws {
    let reading = try Fixture.load("append-all").read(.live())
    #expect(
      reading.symbols.map(\.text) == [
        "part 1 of a long message part 2 of a long message part 3 of a long message part 4 of a long message"
      ])
    #expect(reading.incomplete.isEmpty)
  }

  @Test func distinguishesAnIncompleteAppendFromText() throws {
    let reading = try Fixture.load("append-gap").read(.live())
    #expect(reading.symbols.map(\.text) == ["part 1 of a long message part ", "a long message part 4 of a lon"])
    #expect(reading.symbols.map(\.part?.index) == [1, 3])
    #expect(reading.symbols.allSatisfy { $0.part?.count == 4 && $0.part?.id == reading.symbols[0].part?.id })
    #expect(reading.symbols[0].part?.id != nil)
    #expect(reading.incomplete.count == 1)
    #expect(reading.incomplete.first?.corners.count == 2)
    #expect(reading.incomplete.first?.count == 4)
    #expect(reading.incomplete.first?.present == [1, 3])
    #expect(reading.incomplete.first?.missing == [2, 4])
  }

  @Test func looksOnlyForWhatIsChosen() throws {
    var scanner = try BarcodeScanner(.live([.ean13]))
    #expect(try Fixture.load("qr-ascii").withView { scanner.scan($0) }.symbols.isEmpty)
    #expect(try Fixture.load("ean13").withView { scanner.scan($0) }.symbols.count == 1)
    #expect(throws: BarcodeError.noSymbologies) { try BarcodeScanner(.live([])).configuration.effort }
  }

  @Test func givesTheCornersOfAQRCodeClockwise() throws {
    // Version 1, 21 modules of 3 pixels, a margin of 4 modules.
    let reading = try Fixture.load("qr-ascii").read(.live())
    let corners = try #require(reading.symbols.first).corners
    #expect(corners.topLeft.distance(to: [11.5, 11.5]) < 2)
    #expect(corners.topRight.distance(to: [74.5, 11.5]) < 2)
    #expect(corners.bottomRight.distance(to: [74.5, 74.5]) < 2)
    #expect(corners.bottomLeft.distance(to: [11.5, 74.5]) < 2)
  }

  @Test func readsAPartOfAPicture() throws {
    let code = try Fixture.load("qr-ascii")
    let large = GrayImage(width: 200, height: 150) { pixels in
      for i in pixels.indices { pixels[i] = 255 }
      for y in 0..<code.height { for x in 0..<code.width { pixels[(y + 30) * 200 + x + 70] = code[x, y] } }
    }
    var scanner = try BarcodeScanner(.live())
    let reading = large.withView { scanner.scan($0.cropped(x: 60, y: 20, width: 120, height: 120)) }
    #expect(reading.symbols.map(\.text) == ["WAYMARK-1"])
  }

  @Test func doesNotGrow() throws {
    let image = try Fixture.load("qr-ascii")
    var scanner = try BarcodeScanner(.live())
    for _ in 0..<1_000 { image.withView { _ = scanner.scan($0) } }
    // 2,500 reads would cost 1.4 MB each time if the handle were not renewed; other tests may take memory meanwhile, but
    // not in every round.
    var least = Int.max
    for _ in 0..<4 {
      let before = try residentBytes()
      for _ in 0..<2_500 { image.withView { _ = scanner.scan($0) } }
      least = min(least, try residentBytes() - before)
    }
    #expect(least < 700_000)
  }

  private func residentBytes() throws -> Int {
    let statm = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return (Int(statm[1]) ?? 0) * 4096
  }
}
