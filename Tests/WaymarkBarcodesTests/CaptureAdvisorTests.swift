import Testing
import WaymarkImage

@testable import WaymarkBarcodes

/// The advice about codes that cannot be read.
struct CaptureAdvisorTests {
  /// Where a code leaves the picture.
  enum Edge: CaseIterable { case left, right, top, bottom }

  /// A code on a ground of 640 by 480 pixels, in full white or nearly, of which a share lies beyond an edge.
  private func cut(_ code: GrayImage, _ edge: Edge, share: Double, white: UInt8) -> GrayImage {
    let (width, height) = (640, 480)
    let (w, h) = (code.width, code.height)
    var (x, y) = ((width - w) / 2, (height - h) / 2)
    switch edge {
    case .left: x = -Int(share * Double(w))
    case .right: x = width - w + Int(share * Double(w))
    case .top: y = -Int(share * Double(h))
    case .bottom: y = height - h + Int(share * Double(h))
    }
    return GrayImage(width: width, height: height) { pixels in
      for row in 0..<height {
        for column in 0..<width {
          let (u, v) = (column - x, row - y)
          let dark = (0..<w).contains(u) && (0..<h).contains(v) && code[u, v] < 128
          pixels[row * width + column] = dark ? 10 : white
        }
      }
    }
  }

  private func advice(_ image: GrayImage, _ symbologies: Set<Symbology>) throws -> [UnreadCode.Advice?] {
    let reading = try image.read(ScanConfiguration(symbologies: symbologies))
    #expect(reading.symbols.isEmpty)
    return reading.unread.map(\.advice)
  }

  @Test(
    "A QR code that leaves the picture is cut off, on whatever ground", arguments: Edge.allCases, [UInt8(255), 225])
  func cutOff(_ edge: Edge, white: UInt8) throws {
    let code = try Fixture.load("qr-v7")
    for share in [0.35, 0.45] {
      let advice = try advice(cut(code, edge, share: share, white: white), [.qr])
      #expect(advice.first == .cutOff, "\(share)")
    }
  }

  @Test("So are the other matrix codes of which enough is seen")
  func otherSymbologies() throws {
    let all = try MatrixFixture.load("matrices.txt")
    // How many modules it has at least, and how much of it is missing.
    let wanted: [(Symbology, [Edge], columns: Int, rows: Int, share: Double)] = [
      (.microQR, [.right, .bottom], 15, 15, 0.4), (.rMQR, [.right, .bottom], 43, 13, 0.3),
      (.pdf417, [.left, .right], 60, 6, 0.4),
    ]
    for (symbology, edges, columns, rows, share) in wanted {
      let fixture = try #require(
        all.first { $0.symbology == symbology && $0.modules.columns >= columns && $0.modules.rows >= rows })
      let code = fixture.draw(scale: symbology == .pdf417 ? 3 : 6)
      for edge in edges {
        let advice = try advice(cut(code, edge, share: share, white: 255), [.qr, symbology])
        #expect(advice.first == .cutOff, "\(symbology) \(edge)")
      }
    }
  }

  @Test(
    "So is a Data Matrix at each border, by the side between the two that leave the picture", arguments: Edge.allCases)
  func dataMatrix(_ edge: Edge) throws {
    let fixtures = try MatrixFixture.load("matrices.txt").filter {
      $0.symbology == .dataMatrix && (18...26).contains($0.modules.columns) && $0.modules.rows == $0.modules.columns
    }.prefix(5)
    var reported = 0
    for fixture in fixtures {
      let code = fixture.draw(scale: 6)
      let found = try advice(cut(code, edge, share: 0.4, white: 255), [.dataMatrix])
      #expect(found.isEmpty || found.first == .cutOff, "\(fixture.testDescription)")
      reported += found.isEmpty ? 0 : 1
      // The quiet zone alone may be outside.
      let whole = try cut(code, edge, share: 0.02, white: 255).read(ScanConfiguration(symbologies: [.dataMatrix]))
      #expect(whole.symbols.map(\.text) == [fixture.text] && whole.unread.isEmpty, "\(fixture.testDescription)")
    }
    #expect(fixtures.count == 5)
    // From the left and from below the corner of the L is missing, and the modules beside its strokes hide some of them.
    #expect(reported >= (edge == .right || edge == .top ? 5 : 3), "\(reported)")
  }

  @Test("Stripes and chequers that run up to the border are not a Data Matrix that is cut off", arguments: [3, 6, 11])
  func patternsAtTheBorder(step: Int) throws {
    func picture(_ isDark: (Int, Int) -> Bool) -> GrayImage {
      GrayImage(width: 640, height: 480) { pixels in
        for i in pixels.indices { pixels[i] = isDark(i % 640, i / 640) ? 20 : 235 }
      }
    }
    let hanging = picture { x, y in y < 150 && x / step % 2 == 0 }
    let lying = picture { x, y in x > 400 && y / step % 2 == 0 }
    let chequers = picture { x, y in x < 300 && y > 200 && (x / step + y / step) % 2 == 0 }
    for each in [hanging, lying, chequers] { #expect(try advice(each, [.dataMatrix]).isEmpty) }
  }

  @Test("A code with its quiet zone in the picture is not cut off: glare is told as such")
  func glare() throws {
    let code = try Fixture.load("qr-v7")
    let (w, h) = (code.width, code.height)
    let glaring = GrayImage(width: 640, height: 480) { pixels in
      for y in 0..<480 {
        for x in 0..<640 {
          let (u, v) = (x - (640 - w) / 2, y - (480 - h) / 2)
          // All but a band with two finder patterns is burnt out.
          let isSeen = (0..<(w * 4 / 10)).contains(u) && (0..<h).contains(v)
          pixels[y * 640 + x] = isSeen && code[u, v] < 128 ? 10 : 255
        }
      }
    }
    #expect(try advice(glaring, [.qr]).first == .tooBright)
  }

  @Test("A clean drawing that cannot be decoded is neither too bright nor too dark", arguments: [1, 2, 3])
  func drawing(seed: UInt64) throws {
    let code = try Fixture.load("qr-v7")
    var random = SplitMix(state: seed)
    let side = code.width / 3 - 8
    // Every third module between the finder patterns is wrong.
    let wrong = (0..<(side * side)).map { _ in random.next() % 3 == 0 }
    let spoilt = GrayImage(width: code.width, height: code.height) { pixels in
      for y in 0..<code.height {
        for x in 0..<code.width {
          let (u, v) = (x / 3 - 4, y / 3 - 4)
          let isData = (9..<(side - 9)).contains(u) && (9..<(side - 9)).contains(v)
          let isWrong = isData && wrong[v * side + u]
          pixels[y * code.width + x] = isWrong ? 255 - code[x, y] : code[x, y]
        }
      }
    }
    #expect(try advice(spoilt, [.qr]) == [nil])
    // In a drawing of any two tones, a part without modules has no glare.
    for (dark, light) in [(0, 255), (40, 255), (0, 50)] as [(UInt8, UInt8)] {
      let blank = GrayImage(width: code.width, height: code.height) { pixels in
        for y in 0..<code.height {
          for x in 0..<code.width {
            let (u, v) = (x / 3 - 4, y / 3 - 4)
            let isBlank = (9..<(side - 9)).contains(u) && (9..<(side - 9)).contains(v)
            pixels[y * code.width + x] = isBlank || code[x, y] >= 128 ? light : dark
          }
        }
      }
      for advice in try advice(blank, [.qr]) { #expect(advice != .tooBright && advice != .tooDark, "\(dark) \(light)") }
    }
  }

  @Test("One finder pattern, and bars in a wide white field, are drawings as well")
  func drawnParts() throws {
    let code = try Fixture.load("qr-v7")
    let pattern = GrayImage(width: 400, height: 400) { pixels in
      for y in 0..<400 {
        for x in 0..<400 {
          let (u, v) = (x - 150, y - 150)
          pixels[y * 400 + x] = (0..<60).contains(u) && (0..<60).contains(v) && code[u, v] < 128 ? 0 : 255
        }
      }
    }
    for advice in try advice(pattern, [.qr]) { #expect(advice != .tooBright) }
    let bars = GrayImage(width: 600, height: 200) { pixels in
      for y in 0..<200 {
        for x in 0..<600 { pixels[y * 600 + x] = (0..<240).contains(x - 180) && x % 6 == 0 ? 0 : 255 }
      }
    }
    bars.withView { view in
      let corners = Quadrilateral(corners: [[180, 20], [420, 20], [420, 180], [180, 180]])
      #expect(CaptureAdvisor.advice(forBars: corners, in: view) == nil)
    }
    // With a camera's noise in the bars the white is glare.
    var random = SeededBytes(seed: 3)
    let burnt = GrayImage(width: 600, height: 200) { pixels in
      for i in pixels.indices { pixels[i] = bars[i % 600, i / 600] == 255 ? 255 : 80 + random.next() / 4 }
    }
    burnt.withView { view in
      let corners = Quadrilateral(corners: [[180, 20], [420, 20], [420, 180], [180, 180]])
      #expect(CaptureAdvisor.advice(forBars: corners, in: view) == .tooBright)
    }
  }
}

/// The advice about a QR code that cannot be read, and the silence about other things.
@Suite struct FinderTraceTests {
  /// A part of a fixture on a gray table.
  private func part(_ name: String, columns: Range<Int>, rows: Range<Int>) throws -> GrayImage {
    let code = try Fixture.load(name)
    return GrayImage(width: 240, height: 200) { pixels in
      pixels.update(repeating: 150)
      for y in rows {
        for x in columns { pixels[(y - rows.lowerBound + 40) * 240 + x - columns.lowerBound + 50] = code[x, y] }
      }
    }
  }

  @Test func onePatternIsEnough() throws {
    // The margin of four modules, the pattern and four columns of data.
    let reading = try part("qr-ascii", columns: 0..<45, rows: 0..<45).read()
    #expect(reading.symbols.isEmpty)
    #expect(reading.unread.map(\.kind) == [.qr])
    let corners = try #require(reading.unread.first?.corners)
    #expect(corners.center.distance(to: [72, 62]) < 4)
  }

  @Test func saysThatACodeIsCutOff() throws {
    let code = try Fixture.load("qr-ascii")
    let corner = code.withView { GrayImage(copying: $0.cropped(x: 0, y: 0, width: 46, height: 46)) }
    let reading = try corner.read()
    #expect(reading.unread.map(\.kind) == [.qr])
    #expect(reading.unread.first?.advice == .cutOff)
  }

  @Test func likenessGivesPolarityAndShape() throws {
    let code = try Fixture.load("qr-ascii")
    // Three pixels a module, a margin of four modules: the middle of the first pattern.
    let center = Point2(7.5 * 3 - 0.5, 7.5 * 3 - 0.5)
    let upright = code.withView { FinderShape.likeness($0, center, [3, 0], [0, 3]) }
    #expect(upright.correlation > 0.99)
    #expect(upright.contrast > 250)
    let inverted = ToneMapping.invert(code.unsafeView).withView { FinderShape.likeness($0, center, [3, 0], [0, 3]) }
    #expect(inverted.correlation < -0.99)
    let beside = code.withView { FinderShape.likeness($0, center + Point2(21, 21), [3, 0], [0, 3]) }
    #expect(beside.correlation < 0.6)
    #expect(code.withView { FinderShape.likeness($0, [-40, -40], [3, 0], [0, 3]) }.correlation == 0)
  }

  @Test func patternsOfOtherThingsAreNoCode() throws {
    let rings = GrayImage(width: 300, height: 220) { pixels in
      for y in 0..<220 {
        for x in 0..<300 {
          // Circles like those of a target, and a chessboard beside them.
          let dx = Double(x - 80)
          let dy = Double(y - 100)
          let radius = (dx * dx + dy * dy).squareRoot()
          let ring = Int((radius + 7) / 14)
          let dark = x < 160 ? radius < 70 && ring.isMultiple(of: 2) : (x / 10 + y / 10).isMultiple(of: 2)
          pixels[y * 300 + x] = dark ? 30 : 220
        }
      }
    }
    #expect(try rings.read().unread.isEmpty)
    var random = SeededBytes(seed: 5)
    let noise = GrayImage(width: 320, height: 240) { pixels in for i in pixels.indices { pixels[i] = random.next() } }
    #expect(try noise.read().unread.isEmpty)
  }

  @Test func cornersOfAPatternAreItsOuterOnes() throws {
    let code = try Fixture.load("qr-ascii")
    let levels = code.withView { BlockMean($0) }
    let search = code.withView { FinderSearch($0, levels: levels) }
    let pattern = try #require(search.found[0].min { $0.center.length < $1.center.length })
    let corners = code.withView {
      FinderRing(
        around: pattern.center, moduleX: pattern.moduleX, moduleY: pattern.moduleY, in: $0, levels: levels, dark: true)?
        .corners(towards: [1, 0], [0, 1])
    }
    let expected: [Point2] = [[11.5, 11.5], [32.5, 11.5], [32.5, 32.5], [11.5, 32.5]]
    let seen = try #require(corners)
    for (a, b) in zip(seen, expected) { #expect(a.distance(to: b) < 0.8) }
  }
}

/// Bytes that are the same in every run.
struct SeededBytes {
  private var state: UInt32
  init(seed: UInt32) { state = seed }
  mutating func next() -> UInt8 {
    state = state &* 1_664_525 &+ 1_013_904_223
    return UInt8(state >> 24)
  }
}
