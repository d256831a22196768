import Testing
import WaymarkGeometry
import WaymarkImage
import WaymarkSymbologies

@testable import WaymarkBarcodes

@Suite("Grades of print")
struct PrintGradeTests {
  /// A symbol in black and white, each pixel of its fixture, which has two or three a module, so many times.
  private func draw(_ name: String, times: Int = 3) throws -> GrayImage {
    let code = try Fixture.load(name)
    // Bars are drawn twice as high as their fixtures.
    let high = 2 * code.height < code.width ? 2 : 1
    let (width, height) = (code.width * times, code.height * times * high)
    return GrayImage(width: width, height: height) { pixels in
      for y in 0..<height { for x in 0..<width { pixels[y * width + x] = code[x / times, y / times / high] } }
    }
  }

  private func toned(_ picture: GrayImage, _ tone: (Int, Int, UInt8) -> Double) -> GrayImage {
    GrayImage(width: picture.width, height: picture.height) { pixels in
      for y in 0..<picture.height {
        for x in 0..<picture.width {
          pixels[y * picture.width + x] = UInt8(min(max(tone(x, y, picture[x, y]), 0), 255).rounded())
        }
      }
    }
  }

  /// Light between 0 and 1 as a gray level, by the curve of sRGB.
  private func level(_ light: Double) -> Double {
    255 * (light <= 0.003_130_8 ? 12.92 * light : 1.055 * Double.power(light, 1 / 2.4) - 0.055)
  }

  /// The mean of light over a window of pixels along the rows and, unless told otherwise, the columns. A lens spreads light;
  /// the mean of gray levels, which follow another curve, would widen dark elements besides.
  private func blurred(_ picture: GrayImage, _ reach: Int, down: Bool = true) -> GrayImage {
    toned(picture) { x, y, _ in
      var (sum, count) = (0.0, 0.0)
      for v in (down ? max(0, y - reach) : y)...(down ? min(picture.height - 1, y + reach) : y) {
        for u in max(0, x - reach)...min(picture.width - 1, x + reach) {
          // Black and white are the same on every curve.
          sum += picture[u, v] == 255 ? 1 : 0
          count += 1
        }
      }
      return level(sum / count)
    }
  }

  private func grade(_ picture: GrayImage, _ symbology: Symbology) throws -> [PrintGrade.Parameter: Double] {
    // A UPC-A is an EAN-13 first.
    let wanted: Set<Symbology> = symbology == .upcA ? [.upcA, .ean13] : [symbology]
    var scanner = try BarcodeScanner(ScanConfiguration(symbologies: wanted))
    let symbol = try #require(picture.withView { scanner.scan($0) }.symbols.first)
    var grader = try SymbolGrader()
    let grade = try #require(picture.withView { grader.grade(symbol, in: $0) })
    #expect(grade.standard == (symbology.isMatrix ? "ISO/IEC 15415" : "ISO/IEC 15416"))
    #expect(grade.value <= (grade.parts.map(\.value).min() ?? 0) + 0.01)
    return Dictionary(uniqueKeysWithValues: grade.parts.map { ($0.parameter, $0.value) })
  }

  @Test(
    "a clean symbol has the best grade in everything",
    arguments: [
      ("ean13", Symbology.ean13), ("code128", .code128), ("code39", .code39), ("itf14", .itf), ("codabar", .codabar),
      ("code93", .code93), ("upca", .upcA), ("upce", .upcE), ("databar", .dataBar),
      ("databar-expanded", .dataBarExpanded),
      ("qr-ascii", .qr), ("qr-v7", .qr),
    ])
  func clean(_ name: String, _ symbology: Symbology) throws {
    for (parameter, value) in try grade(draw(name), symbology) {
      #expect(value == 4, "\(name) \(parameter)")
    }
  }

  @Test(
    "ink that spreads alike everywhere leaves distances between similar edges",
    arguments: [("ean13", Symbology.ean13), ("code128", .code128)])
  func gain(_ name: String, _ symbology: Symbology) throws {
    // A module is six pixels; bars are two wider, spaces two narrower.
    let clean = try draw(name)
    let picture = toned(clean) { x, y, level in
      (max(0, x - 1)...min(clean.width - 1, x + 1)).contains { clean[$0, y] == 0 } ? 0 : Double(level)
    }
    for (parameter, value) in try grade(picture, symbology) { #expect(value == 4, "\(parameter)") }
  }

  @Test(
    "a clean QR code in a mirror, light on dark, and both", arguments: [(true, false), (false, true), (true, true)])
  func turned(_ isMirrored: Bool, _ isInverted: Bool) throws {
    let clean = try draw("qr-v7")
    let picture = toned(clean) { x, y, _ in
      let level = clean[isMirrored ? clean.width - 1 - x : x, y]
      return Double(isInverted ? 255 - level : level)
    }
    for (parameter, value) in try grade(picture, .qr) { #expect(value == 4, "\(parameter)") }
  }

  @Test("half the contrast is symbol contrast alone", arguments: [("ean13", Symbology.ean13), ("qr-ascii", .qr)])
  func contrast(_ name: String, _ symbology: Symbology) throws {
    // Reflectance of 10 and 55 %, by the curve of sRGB.
    let grades = try grade(toned(draw(name)) { _, _, level in level < 128 ? 89 : 194 }, symbology)
    for (parameter, value) in grades {
      if parameter == .symbolContrast { #expect(value == 2) } else { #expect(value == 4, "\(parameter)") }
    }
  }

  @Test("blur lowers modulation, and leaves what does not depend on it")
  func blur() throws {
    // A module is eight pixels, the window eleven: of a single one 8/11 stay on their side, so that between neighbours 5/11 of
    // the contrast are left, which is a D.
    let grades = try grade(blurred(draw("ean13", times: 4), 5, down: false), .ean13)
    for (parameter, value) in grades { #expect(value == (parameter == .modulation ? 1 : 4), "\(parameter)") }
    // Window and module are nine pixels: the aperture about the middle of a single module has a quarter of its surroundings.
    let matrix = try grade(blurred(draw("qr-ascii"), 4), .qr)
    for (parameter, value) in matrix {
      let isLower = [.modulation, .reflectanceMargin].contains(parameter)
      #expect(isLower ? (1...3).contains(value) : value == 4, "\(parameter)")
    }
  }

  @Test("a streak in a space is a defect alone")
  func defects() throws {
    let clean = try draw("ean13")
    // A gray line from top to bottom in the middle of a space of two modules, still lighter than the threshold: it goes back by
    // more than 30 % of the contrast, which fails.
    let (middle, row) = (clean.width / 2, clean.height / 2)
    let wide = try #require(((middle / 2)..<middle).first { x in (x..<(x + 12)).allSatisfy { clean[$0, row] == 255 } })
    let streak = level(0.65)
    let grades = try grade(
      toned(clean) { x, _, level in x == wide + 5 || x == wide + 6 ? streak : Double(level) }, .ean13)
    for (parameter, value) in grades { #expect(value == (parameter == .defects ? 0 : 4), "\(parameter)") }
  }

  @Test("bars that are moved cost decodability alone")
  func decodability() throws {
    let clean = try draw("ean13")
    // Every third edge from light to dark comes two pixels early: a third of a module, of which half is the tolerance. What is
    // left of it is a third, a D.
    let row = clean.height / 2
    var count = 0
    var early: Set<Int> = []
    for x in 1..<(clean.width - 2) where clean[x - 1, row] == 255 && clean[x, row] == 0 {
      count += 1
      if count % 3 == 0 { early.formUnion([x - 2, x - 1]) }
    }
    let grades = try grade(toned(clean) { x, _, level in early.contains(x) ? 0 : Double(level) }, .ean13)
    for (parameter, value) in grades { #expect(value == (parameter == .decodability ? 1 : 4), "\(parameter)") }
  }

  @Test("a spoilt finder pattern, and a spoilt quiet zone, are fixed pattern damage", arguments: [0, 1])
  func fixedPatterns(_ what: Int) throws {
    let clean = try draw("qr-v7")
    // Nine pixels a module, four modules of light around: the middle of the first finder pattern, or a smear beside the code.
    let grades = try grade(
      toned(clean) { x, y, level in
        let (u, v) = (x / 9 - 4, y / 9 - 4)
        if what == 0 { return (2...3).contains(u) && (2...3).contains(v) ? 255 : Double(level) }
        return (-3...(-2)).contains(u) && v >= 0 && v < 45 ? 60 : Double(level)
      }, .qr)
    #expect(try #require(grades[.fixedPatternDamage]) < 4)
    for (parameter, value) in grades where parameter != .fixedPatternDamage { #expect(value == 4, "\(parameter)") }
  }

  @Test("damaged data cost unused error correction")
  func correction() throws {
    let clean = try draw("qr-v7")
    let grades = try grade(
      toned(clean) { x, y, level in
        let (u, v) = (x / 9 - 4, y / 9 - 4)
        return (26...33).contains(u) && (28...35).contains(v) ? 255 - Double(level) : Double(level)
      }, .qr)
    // Five of eighteen check codewords' worth of errors in the worse block: 44 % are unused, a C.
    for (parameter, value) in grades {
      #expect(value == (parameter == .unusedErrorCorrection ? 2 : 4), "\(parameter)")
    }
  }

  @Test("a stretched symbol is axially nonuniform alone")
  func geometry() throws {
    let clean = try draw("qr-v7")
    let (width, height) = (clean.width, clean.height)
    let stretched = GrayImage(width: width, height: height * 11 / 10) { pixels in
      for y in 0..<(height * 11 / 10) {
        for x in 0..<width { pixels[y * width + x] = clean[x, min(height - 1, y * 10 / 11)] }
      }
    }
    let axial = try grade(stretched, .qr)
    #expect(try #require(axial[.axialNonuniformity]) <= 2)
    for (parameter, value) in axial where parameter != .axialNonuniformity { #expect(value == 4, "\(parameter)") }
  }

  @Test("Data Matrix, Aztec, Micro QR and rMQR are graded by their own patterns")
  func others() throws {
    for symbology in [Symbology.dataMatrix, .aztec, .microQR, .rMQR] {
      let fixture = try #require(
        try MatrixFixture.load("matrices.txt").first {
          $0.symbology == symbology && $0.modules.rows > 13 && $0.text.count > 1
        })
      let picture = fixture.draw(scale: 6)
      let grades = try grade(picture, symbology)
      for (parameter, value) in grades { #expect(value == 4, "\(fixture.testDescription) \(parameter)") }
    }
  }

  @Test("letters, and what is not graded")
  func values() throws {
    #expect([3.5, 3.4, 2.5, 1.5, 0.5, 0.4].map { PrintGrade.Letter($0) } == [.a, .b, .b, .c, .d, .f])
    var grader = try SymbolGrader()
    let symbol = Symbol(
      symbology: .pdf417, text: "x", bytes: [120], charset: .ascii,
      corners: Quadrilateral(topLeft: [0, 0], topRight: [9, 0], bottomRight: [9, 9], bottomLeft: [0, 9]))
    #expect(GrayImage(width: 64, height: 64, value: 200).withView { grader.grade(symbol, in: $0) } == nil)
    var bars = symbol
    bars.symbology = .ean13
    #expect(GrayImage(width: 64, height: 64, value: 200).withView { grader.grade(bars, in: $0) } == nil)
  }
}
