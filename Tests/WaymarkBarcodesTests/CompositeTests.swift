import Testing
import WaymarkImage

@testable import WaymarkBarcodes

@Suite("GS1 composite symbols")
struct CompositeTests {
  /// The symbols that zint made, with the elements of both parts as text.
  private func fixtures() throws -> [MatrixFixture] { try MatrixFixture.load("composites.txt") }

  private func draw(_ fixture: MatrixFixture, scale: Int = 3) -> GrayImage {
    fixture.draw(scale: scale).framed(10 * scale, tone: 235)
  }

  private func read(_ image: GrayImage, _ effort: ScanConfiguration.Effort = .still) throws -> ScanReading {
    try image.read(ScanConfiguration(effort: effort))
  }

  private func elements(_ reading: ScanReading) -> [String] {
    reading.symbols.map { $0.gs1.map(\.description).joined() }
  }

  /// The rows before the bars, which are the first thirteen equal rows.
  private func rowsAbove(_ fixture: MatrixFixture) throws -> Int {
    let modules = fixture.modules
    func row(_ y: Int) -> ArraySlice<Bool> { modules.dark[(y * modules.columns)..<((y + 1) * modules.columns)] }
    return try #require((0..<(modules.rows - 8)).first { y in (1...8).allSatisfy { row(y) == row(y + $0) } })
  }

  private func cut(_ fixture: MatrixFixture, _ rows: Range<Int>) -> MatrixFixture {
    var other = fixture
    let columns = fixture.modules.columns
    let dark = Array(fixture.modules.dark[(rows.lowerBound * columns)..<(rows.upperBound * columns)])
    other.modules = ModuleMatrix(columns: columns, rows: rows.count, dark: dark)
    return other
  }

  @Test("both parts are one reading, and the content of the linear code stays")
  func joined() throws {
    for fixture in try fixtures() {
      let reading = try read(draw(fixture))
      #expect(elements(reading) == [fixture.text], "\(fixture.testDescription)")
      #expect(reading.symbols.map(\.symbology) == [fixture.symbology])
      let symbol = try #require(reading.symbols.first)
      #expect(symbol.composite?.text.map(symbol.text.contains) == false, "\(fixture.testDescription)")
      #expect(reading.incomplete.isEmpty && reading.unread.isEmpty)
    }
  }

  @Test("nearly all turned and live, and the others without a part that is wrong")
  func turned() throws {
    var (joined, all) = (0, 0)
    for fixture in try fixtures().enumerated().filter({ $0.offset.isMultiple(of: 3) }).map(\.element) {
      let drawn = draw(fixture)
      let readings = try [
        read(drawn.oriented(.turn90)), read(drawn.oriented(.turn180)), read(drawn, .live),
      ]
      for found in readings.map({ elements($0) }) {
        all += 1
        if found == [fixture.text] { joined += 1 }
        #expect(found.count == 1 && fixture.text.hasPrefix(found[0]), "\(fixture.testDescription): \(found)")
      }
    }
    #expect(joined >= all - all / 10, "\(joined) of \(all)")
  }

  @Test("most whose rows are not at right angles to the bars, as in perspective")
  func inclined() throws {
    var (joined, all) = (0, 0)
    let fixtures = try fixtures().enumerated().filter { $0.offset.isMultiple(of: 3) }.map(\.element)
    for fixture in fixtures where fixture.symbology != .code128 {
      let drawn = draw(fixture)
      for (run, falls) in [(11, true), (11, false), (14, true), (14, false)] {
        let extra = drawn.width / run + 1
        let picture = GrayImage(width: drawn.width, height: drawn.height + extra) { pixels in
          for y in 0..<(drawn.height + extra) {
            for x in 0..<drawn.width {
              let row = y - (falls ? x / run : extra - x / run)
              pixels[y * drawn.width + x] = (0..<drawn.height).contains(row) ? drawn[x, row] : 235
            }
          }
        }
        let found = elements(try read(picture))
        all += 1
        if found == [fixture.text] { joined += 1 }
        #expect(found.count == 1 && fixture.text.hasPrefix(found[0]), "\(fixture.testDescription): \(found)")
      }
    }
    #expect(4 * joined >= 3 * all, "\(joined) of \(all)")
  }

  @Test("a linear code without its component says so if it declares one")
  func withoutComponent() throws {
    for fixture in try fixtures() {
      let whole = try read(draw(fixture)).symbols
      let part = cut(fixture, try rowsAbove(fixture)..<fixture.modules.rows)
      let symbols = try read(draw(part)).symbols
      #expect(symbols.map(\.text) == whole.map(\.text), "\(fixture.testDescription)")
      let declares = !Symbology.retail.contains(fixture.symbology)
      #expect(symbols.map(\.composite) == [declares ? SymbolComposite() : nil], "\(fixture.testDescription)")
    }
  }

  @Test("a component alone is a part of a message, and no code")
  func withoutLinear() throws {
    for fixture in try fixtures() {
      let isRetail = Symbology.retail.contains(fixture.symbology)
      let reading = try read(draw(cut(fixture, 0..<(try rowsAbove(fixture) - (isRetail ? 6 : 1)))))
      #expect(reading.symbols.isEmpty, "\(fixture.testDescription)")
      #expect(reading.incomplete.map(\.missing) == [[1]], "\(fixture.testDescription)")
    }
  }

  @Test("a component whose codewords are wrong is not read, or right")
  func damaged() throws {
    var random = RandomSource(seed: 5)
    for fixture in try fixtures() {
      var spoilt = fixture
      let (rows, columns) = (try rowsAbove(fixture), fixture.modules.columns)
      for _ in 0..<(rows * columns / 12) {
        spoilt.modules.dark[Int(random.next() % UInt64(rows * columns))].toggle()
      }
      for symbol in try read(draw(spoilt)).symbols where symbol.composite?.text != nil {
        #expect(symbol.gs1.map(\.description).joined() == fixture.text, "\(fixture.testDescription)")
      }
    }
  }

  @Test("the data of both parts follow one identifier, with a separator where it is needed")
  func identified() {
    let serial = "0109501101530003" + "21A1"
    #expect(
      Symbology.ean13.identified("9501101530003", isGS1: true, component: "10A\u{1D}21B")
        == ("]e0", "0109501101530003" + "10A\u{1D}21B"))
    #expect(Symbology.upcE.identified("04252614", isGS1: true, component: "10A").data == "0100042100005264" + "10A")
    #expect(Symbology.code128.identified(serial, isGS1: true, component: "10A") == ("]e0", serial + "\u{1D}10A"))
  }

  @Test("sequences of elements and their ranks")
  func ranks() {
    let widths = ElementWidths(elements: 4, modules: 10, widest: 6, needsNarrow: true)
    for rank in 0..<widths.count { #expect(widths.rank(of: widths.sequence(at: rank)) == rank) }
  }
}
