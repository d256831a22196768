import Foundation
import Testing
import WaymarkImage

@testable import WaymarkBarcodes

@Suite("Matrix codes of our own readers")
struct MatrixCodeTests {
  private func read(_ image: GrayImage, _ symbology: Symbology, _ effort: ScanConfiguration.Effort = .still) throws
    -> ScanReading
  {
    try image.read(ScanConfiguration(symbologies: [symbology], effort: effort))
  }

  /// The fixtures that the limits in `docs/barcodes.md` leave out.
  private func isWithinLimits(_ fixture: MatrixFixture) -> Bool {
    switch fixture.symbology {
    case .dataMatrix: fixture.modules.rows != 8 || fixture.modules.columns != 32
    default: true
    }
  }

  @Test("symbols of nearly every size are read from pictures, and their corners are where they are")
  func pictures() throws {
    for fixture in try MatrixFixture.load("matrices.txt") where isWithinLimits(fixture) {
      let scale = 3
      let reading = try read(fixture.draw(scale: scale), fixture.symbology)
      #expect(reading.symbols.map(\.text) == [fixture.text], "\(fixture.testDescription)")
      guard let symbol = reading.symbols.first,
        ![.pdf417, .microPDF417, .maxiCode].contains(fixture.symbology)
      else { continue }
      let first = Double(4 * scale) - 0.5
      let last = first + Double(fixture.modules.columns * scale)
      #expect(symbol.corners.topLeft.distance(to: [first, first]) < 3, "\(fixture.testDescription)")
      #expect(abs(symbol.corners.bottomRight.x - last) < 3, "\(fixture.testDescription)")
    }
  }

  @Test("what declares GS1 is split, and a named character set is used")
  func content() throws {
    let fixtures = try MatrixFixture.load("matrices.txt").filter { $0.text.hasPrefix("0109") || $0.text == "Ελληνικά" }
    #expect(fixtures.count == 11)
    for fixture in fixtures {
      let symbol = try #require(read(fixture.draw(scale: 3), fixture.symbology).symbols.first)
      if fixture.text.hasPrefix("0109") {
        #expect(symbol.gs1.map(\.identifier) == ["01", "10", "17"])
      } else {
        #expect(symbol.charset == .greek)
      }
    }
  }

  @Test("light on dark, in a mirror, and live", arguments: [Symbology.dataMatrix, .aztec])
  func otherwise(_ symbology: Symbology) throws {
    let fixtures = try MatrixFixture.load("matrices.txt").filter { $0.symbology == symbology }
    for fixture in fixtures.prefix(8) {
      #expect(
        try read(fixture.draw(scale: 4, isInverted: true), symbology).symbols.map(\.text) == [fixture.text],
        "inverted \(fixture.testDescription)")
      #expect(
        try read(fixture.draw(scale: 4, isMirrored: true), symbology).symbols.map(\.text) == [fixture.text],
        "mirrored \(fixture.testDescription)")
      #expect(try read(fixture.draw(scale: 4), symbology, .live).symbols.map(\.text) == [fixture.text])
    }
  }

  @Test("tilted and turned", arguments: [Symbology.dataMatrix, .aztec])
  func tilted(_ symbology: Symbology) throws {
    let fixtures = try MatrixFixture.load("matrices.txt").filter {
      $0.symbology == symbology && $0.modules.columns < 140
    }
    let places = [
      Quadrilateral(topLeft: [60, 40], topRight: [560, 80], bottomRight: [540, 460], bottomLeft: [90, 420]),
      Quadrilateral(topLeft: [120, 30], topRight: [600, 150], bottomRight: [500, 470], bottomLeft: [40, 380]),
    ]
    var (read, all) = (0, 0)
    for fixture in fixtures where fixture.modules.columns >= 12 && fixture.modules.columns < 2 * fixture.modules.rows {
      guard fixture.modules.columns <= 40 else { continue }
      for place in places {
        let picture = fixture.draw(scale: 8).seen(as: place, width: 640, height: 480)
        let texts = try self.read(picture, symbology).symbols.map(\.text)
        all += 1
        if texts == [fixture.text] { read += 1 }
        #expect(texts.isEmpty || texts == [fixture.text], "read wrong: \(fixture.testDescription)")
      }
    }
    #expect(Double(read) >= 0.8 * Double(all), "\(read) of \(all)")
  }

  @Test("a Data Matrix symbol is read up to the limit of its error correction, and never wrong beyond")
  func damaged() throws {
    var random = RandomSource(seed: 5)
    for fixture in try MatrixFixture.load("matrices.txt") where fixture.symbology == .dataMatrix {
      let modules = fixture.modules
      let size = try #require(
        DataMatrixSize.all.first { $0.columns == modules.columns && $0.rows == modules.rows })
      let placement = size.placement()
      let limit = size.checks / size.blocks / 2
      for beyond in [0, 1] {
        var spoilt = modules
        // All in the first block, whose codewords are as many apart as there are blocks.
        let own = Array(stride(from: 0, to: size.data, by: size.blocks)).shuffled(using: &random)
        for word in own.prefix(limit + beyond) {
          let cell = placement[word][Int(random.next() % 8)]
          let (x, y) = (cell % size.dataColumns, cell / size.dataColumns)
          let i =
            (y / size.regionHeight * (size.regionHeight + 2) + 1 + y % size.regionHeight) * modules.columns
            + x / size.regionWidth * (size.regionWidth + 2) + 1 + x % size.regionWidth
          spoilt.dark[i].toggle()
        }
        let text = DataMatrixDecoder.decode(size, spoilt)?.decoded.text
        // Where there is less data than the limit, even that many errors can be undone.
        if beyond == 0 || own.count <= limit {
          #expect(text == fixture.text, "\(fixture.testDescription)")
        } else {
          #expect(text == nil, "\(fixture.testDescription)")
        }
      }
    }
  }

  @Test("an rMQR symbol is read up to the limit of its error correction, and never wrong beyond")
  func damagedRMQR() throws {
    var random = RandomSource(seed: 11)
    for fixture in try MatrixFixture.load("matrices.txt") where fixture.symbology == .rMQR {
      let modules = fixture.modules
      let found = RMQRSize.all.first { $0.columns == modules.columns && $0.rows == modules.rows }
      let size = try #require(found)
      var word: UInt32 = 0
      for (i, place) in RMQRSize.formatPlaces.enumerated() where modules[place.x, place.y] { word |= 1 << UInt32(i) }
      let (named, isHigh, errors) = RMQRSize.format(word)
      #expect(named == size && errors == 0)
      #expect(RMQRDecoder.decode(modules, size, isHigh: isHigh)?.decoded.text == fixture.text)
      // So many modules, each in a codeword of its own at worst.
      let limit = (size.codewords - size.data(isHigh: isHigh)) / size.blocks(isHigh: isHigh) / 2
      let free = (0..<(size.rows * size.columns)).filter { i in
        size.fixed(i % size.columns, i / size.columns) == nil && !size.isFormat(i % size.columns, i / size.columns)
      }
      for count in [limit, limit + 1, 3 * limit, free.count / 2] {
        var spoilt = modules
        for i in free.shuffled(using: &random).prefix(count) { spoilt.dark[i].toggle() }
        let text = RMQRDecoder.decode(spoilt, size, isHigh: isHigh)?.decoded.text
        if count == limit { #expect(text == fixture.text, "\(fixture.testDescription)") }
        // With two check codewords a block, chance finds a codeword now and then; with more it does not.
        if limit > 3 { #expect(text == nil || text == fixture.text, "\(fixture.testDescription)") }
      }
    }
  }

  @Test("large Aztec symbols are followed along their reference grid where they are bent")
  func bentAztec() throws {
    let fixtures = try MatrixFixture.load("matrices.txt").filter { $0.symbology == .aztec && $0.modules.columns > 60 }
    #expect(fixtures.count > 6)
    for fixture in fixtures {
      let flat = fixture.draw(scale: 4)
      let height = Double(flat.height)
      // Rows rise and fall by a module and a half.
      let bent = GrayImage(width: flat.width, height: flat.height) { pixels in
        flat.withView { view in
          for y in 0..<flat.height {
            for x in 0..<flat.width {
              let shift = 6 * Double.sine(Double(x) / height * 3)
              pixels[y * flat.width + x] = UInt8(view.sample([Double(x), Double(y) + shift]))
            }
          }
        }
      }
      #expect(try read(bent, .aztec).symbols.map(\.text) == [fixture.text], "\(fixture.testDescription)")
    }
  }

  @Test("a PDF417 symbol is read though a stroke covers its start or its stop", arguments: [0.02, 0.93])
  func stroke(_ at: Double) throws {
    let fixtures = try MatrixFixture.load("matrices.txt").filter {
      $0.symbology == .pdf417 && $0.text.hasPrefix("Level") && $0.modules.rows > 14
    }
    #expect(!fixtures.isEmpty)
    for fixture in fixtures {
      var picture = fixture.draw(scale: 3)
      let clean = picture
      let (width, height) = (picture.width, picture.height)
      // From the upper third to the middle, over one end of the rows.
      picture = GrayImage(width: width, height: height) { pixels in
        for y in 0..<height {
          for x in 0..<width {
            let left = Int(Double(width) * at)
            let covers = y > height / 3 && y < height / 2 && x >= left && x < left + width / 10
            pixels[y * width + x] = covers ? 20 : clean[x, y]
          }
        }
      }
      #expect(try read(picture, .pdf417).symbols.map(\.text) == [fixture.text], "\(fixture.testDescription)")
    }
  }

  @Test("MaxiCode: modes 2 to 6, with damage")
  func maxiCode() throws {
    var random = RandomSource(seed: 9)
    let fixtures = try MatrixFixture.load("matrices.txt").filter { $0.symbology == .maxiCode }
    #expect(fixtures.count == 9)
    for fixture in fixtures {
      var modules = fixture.modules
      #expect(MaxiCodeDecoder.decode(modules)?.decoded.text == fixture.text)
      for _ in 0..<6 { modules.dark[Int(random.next() % UInt64(modules.dark.count))].toggle() }
      let text = MaxiCodeDecoder.decode(modules)?.decoded.text
      #expect(text == nil || text == fixture.text)
    }
  }

  @Test("noise and stripes are not codes")
  func nothing() throws {
    var random = RandomSource(seed: 3)
    let noise = GrayImage(width: 320, height: 240) { pixels in
      for i in pixels.indices { pixels[i] = random.next() % 2 == 0 ? 30 : 220 }
    }
    let blocks = GrayImage(width: 320, height: 240) { pixels in
      let dark = (0..<(80 * 60)).map { _ in random.next() % 2 == 0 }
      for i in pixels.indices { pixels[i] = dark[i / 320 / 4 * 80 + i % 320 / 4] ? 30 : 220 }
    }
    for symbology in [Symbology.dataMatrix, .aztec, .pdf417, .microPDF417, .microQR, .rMQR, .maxiCode, .dotCode] {
      #expect(try read(noise, symbology).symbols.isEmpty)
      #expect(try read(blocks, symbology).symbols.isEmpty)
      #expect(try read(GrayImage(width: 320, height: 240, value: 200), symbology).symbols.isEmpty)
    }
  }
}
