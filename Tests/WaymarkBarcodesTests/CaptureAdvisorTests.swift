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
    var scanner = try BarcodeScanner(ScanConfiguration(symbologies: symbologies))
    let reading = image.withView { scanner.scan($0) }
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
    var told = 0
    for fixture in fixtures {
      let code = fixture.draw(scale: 6)
      let found = try advice(cut(code, edge, share: 0.4, white: 255), [.dataMatrix])
      #expect(found.isEmpty || found.first == .cutOff, "\(fixture.testDescription)")
      told += found.isEmpty ? 0 : 1
      // The quiet zone alone may be outside.
      var scanner = try BarcodeScanner(ScanConfiguration(symbologies: [.dataMatrix]))
      let whole = cut(code, edge, share: 0.02, white: 255).withView { scanner.scan($0) }
      #expect(whole.symbols.map(\.text) == [fixture.text] && whole.unread.isEmpty, "\(fixture.testDescription)")
    }
    #expect(fixtures.count == 5)
    // From the left and from below the corner of the L is missing, and the modules beside its strokes hide some of them.
    #expect(told >= (edge == .right || edge == .top ? 5 : 3), "\(told)")
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
}
