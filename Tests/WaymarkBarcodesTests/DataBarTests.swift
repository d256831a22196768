import Testing
import WaymarkImage

@testable import WaymarkBarcodes

@Suite("GS1 DataBar Expanded and Limited, and add-ons")
struct DataBarTests {
  /// The symbols that zint made, with separators a module high.
  private func draw(_ fixture: MatrixFixture, scale: Int = 2, height: Int = 24) -> GrayImage {
    let modules = fixture.modules
    let heights = (0..<modules.rows).map { $0.isMultiple(of: 4) ? height : 1 }
    let rows = heights.enumerated().flatMap { [Int](repeating: $0.offset, count: $0.element) }
    let (width, margin) = ((modules.columns + 20) * scale, 10)
    return GrayImage(width: width, height: (rows.count + 2 * margin) * scale) { pixels in
      pixels.update(repeating: 235)
      for y in 0..<(rows.count * scale) {
        for x in 0..<(modules.columns * scale) where modules[x / scale, rows[y / scale]] {
          pixels[(y + margin * scale) * width + x + margin * scale] = 20
        }
      }
    }
  }

  private func read(_ image: GrayImage, _ symbologies: Set<Symbology>, _ effort: ScanConfiguration.Effort = .still)
    throws -> [Symbol]
  {
    try image.read(ScanConfiguration(symbologies: symbologies, effort: effort)).symbols
  }

  @Test("a Limited that is close, whose wide elements are larger than the cells of the search", arguments: [5, 8])
  func close(scale: Int) throws {
    for fixture in try MatrixFixture.load("databar.txt") where fixture.symbology == .dataBarLimited {
      let symbols = try read(draw(fixture, scale: scale), [.dataBarLimited])
      #expect(symbols.map(\.text) == [fixture.text], "\(fixture.testDescription)")
    }
  }

  @Test("every encodation method, every number of characters, every number of rows, and Limited over its range")
  func all() throws {
    let fixtures = try MatrixFixture.load("databar.txt")
    #expect(Set(fixtures.map(\.modules.rows)).isSuperset(of: [1, 5, 9, 13, 21, 41]))
    for fixture in fixtures {
      let symbols = try read(draw(fixture), [.dataBarExpanded, .dataBarLimited])
      #expect(symbols.map(\.text) == [fixture.text], "\(fixture.testDescription)")
      #expect(symbols.first?.symbology == fixture.symbology)
      // The input of zint is made of element strings.
      #expect(symbols.first?.gs1.isEmpty == false, "\(fixture.testDescription)")
    }
  }

  @Test("nothing else is read in them, whatever is looked for")
  func alone() throws {
    for fixture in try MatrixFixture.load("databar.txt").enumerated().filter({ $0.offset.isMultiple(of: 6) }).map(
      \.element)
    {
      #expect(try read(draw(fixture), Symbology.common).map(\.text) == [fixture.text], "\(fixture.testDescription)")
    }
  }

  @Test("on its head, tilted, and live")
  func otherwise() throws {
    let fixtures = try MatrixFixture.load("databar.txt").enumerated().filter { $0.offset.isMultiple(of: 5) }.map(
      \.element)
    for fixture in fixtures {
      let upright = draw(fixture)
      let (width, height) = (upright.width, upright.height)
      let turned = GrayImage(width: width, height: height) { pixels in
        for y in 0..<height {
          for x in 0..<width { pixels[y * width + x] = upright[width - 1 - x, height - 1 - y] }
        }
      }
      #expect(try read(turned, [fixture.symbology]).map(\.text) == [fixture.text], "\(fixture.testDescription)")
      #expect(try read(upright, [fixture.symbology], .live).map(\.text) == [fixture.text], "\(fixture.testDescription)")
      // A code of one row, seen from the side.
      guard fixture.modules.rows == 1, width < 900 else { continue }
      let (w, h) = (Double(width), Double(height))
      let corners = Quadrilateral(
        topLeft: [40, 60], topRight: [40 + 0.95 * w, 60 + 0.2 * w],
        bottomRight: [20 + 0.95 * w, 60 + 0.2 * w + 1.3 * h],
        bottomLeft: [20, 60 + 1.3 * h])
      let seen = upright.seen(as: corners, width: width + 80, height: Int(0.2 * w + 1.3 * h) + 120)
      #expect(try read(seen, [fixture.symbology]).map(\.text) == [fixture.text], "tilted \(fixture.testDescription)")
    }
  }

  @Test("a symbol with a spoilt module is not read, or right")
  func damaged() throws {
    var random = RandomSource(seed: 17)
    let fixtures = try MatrixFixture.load("databar.txt").filter { $0.modules.rows == 1 }
    for fixture in fixtures.enumerated().filter({ $0.offset.isMultiple(of: 5) }).map(\.element) {
      for _ in 0..<2 {
        var spoilt = fixture
        // An edge that moves by a module: another character, which the sum over all of them finds.
        let edges = (1..<spoilt.modules.columns).filter { spoilt.modules[$0, 0] != spoilt.modules[$0 - 1, 0] }
        let x = edges[Int(random.next() % UInt64(edges.count))]
        spoilt.modules.dark[x].toggle()
        let texts = try read(draw(spoilt), [.dataBarExpanded, .dataBarLimited]).map(\.text)
        #expect(texts.isEmpty || texts == [fixture.text], "\(fixture.testDescription)")
      }
    }
  }

  @Test("add-ons are told where they are asked for, and those alone")
  func addOns() throws {
    let fixtures = try MatrixFixture.load("addons.txt")
    #expect(fixtures.count == 24)
    for fixture in fixtures {
      let picture = draw(fixture, height: 30)
      // To libzbar an UPC-A is an EAN-13.
      let carrier: Set<Symbology> = [fixture.symbology, .ean13]
      let asked = try read(picture, carrier.union([.ean2, .ean5]))
      #expect(asked.map(\.addOn) == [fixture.text], "\(fixture.testDescription)")
      #expect(asked.map(\.symbology) == [fixture.symbology])
      #expect(try read(picture, carrier).map(\.addOn) == [nil])
      let other: Symbology = fixture.text.count == 2 ? .ean5 : .ean2
      #expect(try read(picture, carrier.union([other])).map(\.addOn) == [nil], "\(fixture.testDescription)")
    }
  }

  @Test("an add-on asked for alone brings the codes that carry one; a code without one has none")
  func addOnAlone() throws {
    let fixture = try #require(try MatrixFixture.load("addons.txt").first { $0.text == "52495" })
    #expect(try read(draw(fixture, height: 30), [.ean5]).map(\.addOn) == ["52495"])
    #expect(try read(Fixture.load("ean13"), [.ean13, .ean2, .ean5]).map(\.addOn) == [nil])
  }

  @Test("an add-on whose parity does not fit its digits is none")
  func brokenAddOn() throws {
    var random = RandomSource(seed: 29)
    for fixture in try MatrixFixture.load("addons.txt") {
      var spoilt = fixture
      let first = spoilt.modules.columns - (fixture.text.count == 2 ? 16 : 43)
      let edges = (first..<spoilt.modules.columns - 1).filter { spoilt.modules[$0, 0] != spoilt.modules[$0 - 1, 0] }
      spoilt.modules.dark[edges[Int(random.next() % UInt64(edges.count))]].toggle()
      let found = try read(draw(spoilt, height: 30), [fixture.symbology, .ean13, .ean2, .ean5])
      #expect(found.allSatisfy { $0.addOn == nil || $0.addOn == fixture.text }, "\(fixture.testDescription)")
    }
  }

  @Test("a DataBar Expanded of which an end is missing is told", arguments: [0.0, 0.3])
  func cutOff(_ left: Double) throws {
    let fixture = try #require(
      try MatrixFixture.load("databar.txt").first { $0.modules.rows == 1 && $0.modules.columns > 190 })
    let whole = draw(fixture)
    let (from, width) = (Int(left * Double(whole.width)), Int(0.7 * Double(whole.width)))
    let part = GrayImage(width: width, height: whole.height) { pixels in
      for y in 0..<whole.height { for x in 0..<width { pixels[y * width + x] = whole[x + from, y] } }
    }
    let reading = try part.read()
    #expect(reading.symbols.isEmpty)
    #expect(reading.unread.map(\.kind) == [.bars])
  }
}
