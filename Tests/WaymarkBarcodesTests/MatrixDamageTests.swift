import Testing
import WaymarkImage

@testable import WaymarkBarcodes

/// Symbols that are spoilt, uneven, bent, tiny, or without a border.
@Suite("Matrix codes in a bad way")
struct MatrixDamageTests {
  private func texts(_ image: GrayImage, _ symbology: Symbology) throws -> [String] {
    try image.read(ScanConfiguration(symbologies: [symbology])).symbols.map(\.text)
  }

  private func fixtures(_ symbology: Symbology) throws -> [MatrixFixture] {
    try MatrixFixture.load("matrices.txt").filter { $0.symbology == symbology }
  }

  @Test("Every label of a rack is read, though its holders have longer corners than the labels")
  func rack() throws {
    let labels = try fixtures(.dataMatrix).filter { $0.modules.columns == $0.modules.rows && $0.modules.columns <= 16 }
    let (columns, rows, cell) = (6, 5, 180)
    var wanted: [String] = []
    var pictures: [GrayImage] = []
    for i in 0..<(columns * rows) {
      let label = labels[i % labels.count]
      wanted.append(label.text)
      pictures.append(label.draw(scale: 3))
    }
    let image = GrayImage(width: columns * cell, height: rows * cell) { pixels in
      for y in 0..<(rows * cell) {
        for x in 0..<(columns * cell) {
          // Three frames, one in the other, and the label in their middle.
          let (u, v) = (x % cell, y % cell)
          let depth = min(u, v, cell - 1 - u, cell - 1 - v)
          var tone: UInt8 = (depth / 8).isMultiple(of: 2) ? 225 : 60
          if depth >= 40 { tone = 235 }
          let label = pictures[y / cell * columns + x / cell]
          let (left, top) = (u - (cell - label.width) / 2, v - (cell - label.height) / 2)
          if left >= 0, top >= 0, left < label.width, top < label.height { tone = label[left, top] }
          pixels[y * columns * cell + x] = tone
        }
      }
    }
    #expect(try texts(image, .dataMatrix).sorted() == wanted.sorted())
  }

  @Test("MicroPDF417 in every shape: as many wrong codewords as can be corrected, and never a wrong read beyond")
  func microPDF417() throws {
    var random = RandomSource(seed: 21)
    var shapes: Set<MicroPDF417Shape> = []
    for fixture in try fixtures(.microPDF417) {
      let shape = try #require(
        MicroPDF417Shape.all.first { $0.width == fixture.modules.columns && $0.rows == fixture.modules.rows })
      shapes.insert(shape)
      let places = (0..<shape.columns).map(shape.start(of:))
      // Two check codewords are kept for detection.
      let limit = (shape.checks - 2) / 2
      let worst = fixture.withWrongCodewords(limit, places: places, using: &random)
      if let worst {
        #expect(try texts(worst.draw(scale: 2), .microPDF417) == [fixture.text], "\(fixture.testDescription)")
      }
      for count in [limit + 1, shape.checks] {
        guard let beyond = fixture.withWrongCodewords(count, places: places, using: &random) else { continue }
        let found = try texts(beyond.draw(scale: 2), .microPDF417)
        #expect(found.isEmpty || found == [fixture.text], "\(fixture.testDescription)")
      }
    }
    #expect(shapes.count == 34)
  }

  @Test("PDF417 at every level: as many wrong codewords as can be corrected, and never a wrong read beyond")
  func pdf417() throws {
    var random = RandomSource(seed: 22)
    var levels: Set<Int> = []
    for fixture in try fixtures(.pdf417) {
      guard let level = Int(fixture.text.dropFirst(6).prefix(1)), fixture.text.hasPrefix("Level") else { continue }
      let columns = (fixture.modules.columns - 69) / 17
      let places = (0..<columns).map { 34 + 17 * $0 }
      let checks = 2 << level
      let limit = max(0, checks - 2) / 2
      guard limit > 0, let worst = fixture.withWrongCodewords(limit, places: places, using: &random) else { continue }
      levels.insert(level)
      #expect(try texts(worst.draw(scale: 2), .pdf417) == [fixture.text], "\(fixture.testDescription)")
      guard let beyond = fixture.withWrongCodewords(checks / 2 + 1, places: places, using: &random) else { continue }
      let found = try texts(beyond.draw(scale: 2), .pdf417)
      #expect(found.isEmpty || found == [fixture.text], "\(fixture.testDescription)")
    }
    #expect(levels.count >= 6)
  }

  @Test("Micro QR in every version and level: as many wrong modules as can be corrected, and never a wrong read beyond")
  func microQR() throws {
    // Codewords that can be corrected, by symbol number (ISO/IEC 18004 table 9).
    let limits = [0, 1, 2, 2, 4, 3, 5, 7]
    var random = RandomSource(seed: 23)
    var kinds: Set<Int> = []
    for fixture in try fixtures(.microQR) {
      let modules = fixture.modules
      let (format, errors) = MicroQRDecoder.format(modules)
      #expect(errors == 0)
      kinds.insert(format >> 2)
      let free = modules.dark.indices.filter { $0 % modules.columns > 8 || $0 / modules.columns > 8 }
        .filter { $0 % modules.columns > 0 && $0 / modules.columns > 0 }
      let limit = limits[format >> 2]
      for count in [limit, limit + 1, 2 * limit + 2, free.count / 2] {
        var spoilt = modules
        for i in free.shuffled(using: &random).prefix(count) { spoilt.dark[i].toggle() }
        let text = MicroQRDecoder.decode(spoilt)?.decoded.text
        if count == limit { #expect(text == fixture.text, "\(fixture.testDescription)") }
        #expect(text == nil || text == fixture.text, "\(fixture.testDescription)")
      }
    }
    #expect(kinds.count >= 6)
  }

  @Test("Aztec symbols with more and more wrong modules are read right or not at all")
  func aztec() throws {
    var random = RandomSource(seed: 24)
    for fixture in try fixtures(.aztec) where fixture.modules.columns > 11 && fixture.modules.columns < 80 {
      let modules = fixture.modules
      let middle = modules.columns / 2
      // Bull's eye, mode message and orientation stay.
      let free = modules.dark.indices.filter {
        max(abs($0 % modules.columns - middle), abs($0 / modules.columns - middle)) > 8
      }
      for share in [0.01, 0.1, 0.3] {
        var spoilt = fixture
        for i in free.shuffled(using: &random).prefix(Int(share * Double(free.count))) {
          spoilt.modules.dark[i].toggle()
        }
        let texts = try texts(spoilt.draw(scale: 3), .aztec)
        #expect(texts.isEmpty || texts == [fixture.text], "\(share) of \(fixture.testDescription)")
        if share < 0.02 { #expect(texts == [fixture.text], "\(fixture.testDescription)") }
      }
    }
  }

  @Test("MaxiCode is read where the distance of its rows is rounded to whole pixels")
  func maxiCodeInWholePixels() throws {
    #expect(try texts(Fixture.load("maxicode-rounded"), .maxiCode) == ["RdN0CENcxPIQRrFDcZoO61AymZ3RFXE4"])
  }

  @Test("MaxiCode is read where most of it is padding, which looks the same after a shift")
  func paddedMaxiCode() throws {
    #expect(try texts(Fixture.load("maxicode-padded"), .maxiCode) == ["7eJnWsnrOJiPTwZi2r406P PQiX4"])
  }

  @Test("MaxiCode is read turned, tilted, mixed in its character sets, and with its rings beside the middle")
  func maxiCode() throws {
    let fixtures = try fixtures(.maxiCode)
    var read = 0
    for fixture in fixtures {
      let flat = fixture.drawRound(module: 8)
      #expect(try texts(flat, .maxiCode) == [fixture.text])
      for (module, beside) in [(8, 0.6), (5, 0.6), (7, 0.7), (13.3, 0.5)] {
        let picture = fixture.drawRound(module: module, beside: beside)
        #expect(try texts(picture, .maxiCode) == [fixture.text], "\(module) \(beside)")
      }
      let tilted = flat.seen(
        as: Quadrilateral(topLeft: [120, 40], topRight: [420, 110], bottomRight: [380, 400], bottomLeft: [60, 330]),
        width: 480, height: 440)
      let found = try texts(tilted, .maxiCode)
      #expect(found.isEmpty || found == [fixture.text])
      if !found.isEmpty { read += 1 }
    }
    #expect(2 * read > fixtures.count)
  }

  @Test("MicroPDF417 is read turned and tilted")
  func turned() throws {
    var (read, all) = (0, 0)
    for fixture in try fixtures(.microPDF417) where fixture.modules.columns < 90 && fixture.modules.rows < 30 {
      let flat = fixture.draw(scale: 4)
      let (w, h) = (Double(flat.width), Double(flat.height))
      for angle in [0.6, 2.5] {
        let (c, s) = (Double.cosine(angle), Double.sine(angle))
        let side = w + h
        func place(_ x: Double, _ y: Double) -> Point2 {
          let (u, v) = ((x - w / 2) * (1 + 0.1 * y / h), y - h / 2)
          return Point2(side / 2 + c * u - s * v, side / 2 + s * u + c * v)
        }
        let picture = flat.seen(
          as: Quadrilateral(
            topLeft: place(0, 0), topRight: place(w, 0), bottomRight: place(w, h), bottomLeft: place(0, h)),
          width: Int(side), height: Int(side))
        let found = try texts(picture, .microPDF417)
        all += 1
        if found == [fixture.text] { read += 1 }
        #expect(found.isEmpty || found == [fixture.text], "\(fixture.testDescription)")
      }
    }
    #expect(Double(read) >= 0.9 * Double(all), "\(read) of \(all)")
  }

  @Test("columns and rows of uneven width")
  func uneven() throws {
    for fixture in try fixtures(.dataMatrix).filter({ [16, 18, 24].contains($0.modules.columns) }).prefix(4) {
      let picture = fixture.draw(scale: 6).warped({ $0 + 0.08 * $0 * (1 - $0) * 4 * 0.5 }, { $0 })
      #expect(try texts(picture, .dataMatrix) == [fixture.text], "\(fixture.testDescription)")
    }
  }

  /// The sizes of Data Matrix symbols with one region.
  private func plainDataMatrix() throws -> ArraySlice<MatrixFixture> {
    try fixtures(.dataMatrix).filter { (18...26).contains($0.modules.columns) && $0.modules.rows > 16 }.prefix(5)
  }

  @Test("on a cylinder, upright or lying, its middle beside that of the code", arguments: [false, true])
  func cylinder(_ isLying: Bool) throws {
    for fixture in try plainDataMatrix() {
      let flat = fixture.draw(scale: 6)
      let size = flat.width
      let radius = 0.55 * Double(size)
      let picture = GrayImage(width: size, height: flat.height) { pixels in
        flat.withView { view in
          for y in 0..<flat.height {
            for x in 0..<size {
              let (a, b) = isLying ? (Double(y), Double(x)) : (Double(x), Double(y))
              let sine = (a - Double(size) / 2) / radius + 0.1
              let rise = 0.08 * radius * (max(0, 1 - sine * sine).squareRoot() - 0.9)
              let angle = abs(sine) < 0.99 ? Double.arcTangent(sine / (1 - sine * sine).squareRoot()) : 9
              let (u, v) = (Double(size) / 2 + radius * (angle - 0.1), b + rise)
              pixels[y * size + x] = angle > 8 ? 235 : UInt8(view.sample(isLying ? [v, u] : [u, v]))
            }
          }
        }
      }
      #expect(try texts(picture, .dataMatrix) == [fixture.text], "\(fixture.testDescription)")
    }
  }

  @Test("columns half as wide at one side as at the other, and rows that differ too")
  func stretched() throws {
    for fixture in try plainDataMatrix() {
      let picture = fixture.draw(scale: 6).warped({ $0 + 0.3 * $0 * (1 - $0) }, { $0 - 0.2 * $0 * (1 - $0) })
      #expect(try texts(picture, .dataMatrix) == [fixture.text], "\(fixture.testDescription)")
    }
  }

  @Test("a blot lies on the alternating side", arguments: [UInt8(20), 235])
  func blot(_ tone: UInt8) throws {
    var read = 0
    for fixture in try plainDataMatrix() {
      let (scale, clean) = (6, fixture.draw(scale: 6))
      let picture = GrayImage(width: clean.width, height: clean.height) { pixels in
        for y in 0..<clean.height {
          for x in 0..<clean.width {
            let off = Point2(Double(x), Double(y)) - Point2(Double(clean.width) * 0.6, 4.3 * Double(scale))
            pixels[y * clean.width + x] = off.length < 1.2 * Double(scale) ? tone : clean[x, y]
          }
        }
      }
      let found = try texts(picture, .dataMatrix)
      #expect(found.isEmpty || found == [fixture.text], "\(fixture.testDescription)")
      read += found.count
    }
    #expect(read >= 4)
  }

  @Test("a side of the L is notched")
  func notched() throws {
    for fixture in try fixtures(.dataMatrix).filter({ (16...26).contains($0.modules.columns) }).prefix(5) {
      let scale = 6
      let clean = fixture.draw(scale: scale)
      let picture = GrayImage(width: clean.width, height: clean.height) { pixels in
        for y in 0..<clean.height {
          for x in 0..<clean.width {
            // A third of the way up a piece of the left stroke is half a module off.
            let isOff = abs(y - clean.height * 2 / 5) < 2 * scale && x < 6 * scale
            pixels[y * clean.width + x] = clean[isOff ? max(0, x - scale / 2) : x, y]
          }
        }
      }
      #expect(try texts(picture, .dataMatrix) == [fixture.text], "\(fixture.testDescription)")
    }
  }

  @Test("PDF417 with modules of a pixel, some of them two")
  func aliased() throws {
    for fixture in try fixtures(.pdf417).filter({ $0.text.hasPrefix("Level") }) {
      let fine = fixture.draw(scale: 1)
      let factor = 1.06
      let picture = GrayImage(width: Int(Double(fine.width) * factor), height: fine.height) { pixels in
        let width = Int(Double(fine.width) * factor)
        for y in 0..<fine.height { for x in 0..<width { pixels[y * width + x] = fine[Int(Double(x) / factor), y] } }
      }
      let found = try texts(picture, .pdf417)
      #expect(found.isEmpty || found == [fixture.text])
      // There must be something to correct with.
      if let level = Int(fixture.text.dropFirst(6).prefix(1)), level > 3 {
        #expect(found == [fixture.text], "\(fixture.testDescription)")
      }
    }
  }

  @Test("codes that fill their picture to the rim", arguments: [Symbology.rMQR, .microQR, .dataMatrix, .microPDF417])
  func rimless(_ symbology: Symbology) throws {
    for fixture in try fixtures(symbology).filter({ $0.modules.columns > 12 }).prefix(4) {
      for isInverted in symbology == .microPDF417 ? [false] : [false, true] {
        let whole = fixture.draw(scale: 2, isInverted: isInverted)
        let picture = GrayImage(width: whole.width - 16, height: whole.height - 16) { pixels in
          for y in 0..<(whole.height - 16) {
            for x in 0..<(whole.width - 16) { pixels[y * (whole.width - 16) + x] = whole[x + 8, y + 8] }
          }
        }
        #expect(try texts(picture, symbology) == [fixture.text], "\(isInverted) \(fixture.testDescription)")
      }
    }
  }
}
