import Testing
import WaymarkImage

@testable import WaymarkBarcodes

@Suite("Where bars begin and end")
struct BarOutlineTests {
  private static let text = "4006381333931"

  /// An EAN-13 drawn upright at four pixels a module, its bars as high as 60 modules, on light ground.
  private static let fixture: (picture: GrayImage, bars: Quadrilateral)? = {
    guard let widths = RetailPattern.widths(.ean13, Array(text.utf8)) else { return nil }
    let dark = widths.enumerated().flatMap { Array(repeating: $0.offset.isMultiple(of: 2), count: $0.element) }
    let (module, margin, height) = (4, 80, 240)
    let (right, bottom) = (margin + 95 * module, margin + height)
    let picture = GrayImage(width: right + margin, height: bottom + margin) { pixels in
      for i in pixels.indices {
        let (x, y) = (i % (right + margin), i / (right + margin))
        let isInside = x >= margin && x < right && y >= margin && y < bottom
        pixels[i] = isInside && dark[(x - margin) / module] ? 30 : 225
      }
    }
    let (a, b, c) = (Double(margin) - 0.5, Double(right) - 0.5, Double(bottom) - 0.5)
    return (
      picture,
      Quadrilateral(topLeft: Point2(a, a), topRight: Point2(b, a), bottomRight: Point2(b, c), bottomLeft: Point2(a, c))
    )
  }()

  /// Renders the camera's picture of it under a map, twice as fine in between.
  private func seen(_ map: Homography) throws -> (frame: GrayImage, bars: Quadrilateral) {
    let (picture, bars) = try #require(Self.fixture)
    let back = try #require(map.inverse)
    let (right, bottom) = (Double(picture.width) - 1.001, Double(picture.height) - 1.001)
    let frame = GrayImage(width: 640, height: 480) { pixels in
      picture.withView { view in
        for i in pixels.indices {
          var sum = 0.0
          for k in 0..<16 {
            let p = Point2(Double(i % 640) + Double(k % 4) / 4 - 0.375, Double(i / 640) + Double(k / 4) / 4 - 0.375)
            let q = back.apply(p)
            sum += q.x > 0 && q.y > 0 && q.x < right && q.y < bottom ? Double(view.sample(q)) : 225
          }
          pixels[i] = UInt8((sum / 16).rounded())
        }
      }
    }
    return (frame, map.apply(bars))
  }

  @Test("thin bars have the outline of the whole code, not of a half", arguments: [1.25, 1.4, 1.6, 2.2])
  func thinBars(module: Double) throws {
    let scale = module / 4
    let (frame, bars) = try seen(Homography(SIMD3(scale, 0, 150.3), SIMD3(0, scale, 140.6), SIMD3(0, 0, 1)))
    var scanner = try BarcodeScanner(.live([.ean13]))
    var read = 0
    for _ in 0..<4 {
      for symbol in frame.withView({ scanner.scan($0).symbols }) {
        read += 1
        #expect(symbol.text == Self.text)
        #expect(symbol.corners.meanCornerDistance(to: bars) < 1.5)
      }
    }
    #expect(read > 0)
  }

  @Test("bars seen from aside have a slanted outline", arguments: [-18.0, 18.0])
  func seenFromAside(height: Double) throws {
    let (_, bars) = try #require(Self.fixture)
    let there = Quadrilateral(
      topLeft: Point2(150, 150), topRight: Point2(420, 150 + height), bottomRight: Point2(424, 300),
      bottomLeft: Point2(146, 310 + height))
    let (frame, _) = try seen(try #require(Homography(from: bars, to: there)))
    var scanner = try BarcodeScanner(.live([.ean13]))
    let symbols = (0..<4).flatMap { _ in frame.withView { scanner.scan($0).symbols } }
    #expect(!symbols.isEmpty)
    for symbol in symbols {
      #expect(symbol.corners.meanCornerDistance(to: there) < 4, "\(symbol.pass) \(symbol.corners)")
    }
  }

  @Test(
    "elements are those of the digits: drawn, they are read as such",
    arguments: (0...9).map { (Symbology.ean13, "\($0)901234123457") } + [
      (.upcA, "036000291452"), (.ean8, "96385074"), (.upcE, "01234565"), (.upcE, "04252614"),
    ])
  func drawnElements(symbology: Symbology, text: String) throws {
    // The last digit is the check digit of the others.
    let digits = text.compactMap(\.wholeNumberValue)
    var bytes = Array(text.utf8)
    if symbology == .ean13 {
      let sum = digits.dropLast().reversed().enumerated().reduce(0) {
        $0 + $1.element * ($1.offset.isMultiple(of: 2) ? 3 : 1)
      }
      bytes[12] = UInt8(48 + (10 - sum % 10) % 10)
    }
    let widths = try #require(RetailPattern.widths(symbology, bytes))
    let dark = widths.enumerated().flatMap { Array(repeating: $0.offset.isMultiple(of: 2), count: $0.element * 3) }
    let picture = GrayImage(width: dark.count + 120, height: 160) { pixels in
      for i in pixels.indices {
        let (x, y) = (i % (dark.count + 120) - 60, i / (dark.count + 120))
        pixels[i] = dark.indices.contains(x) && dark[x] && (30..<130).contains(y) ? 20 : 235
      }
    }
    let symbol = try #require(picture.read(ScanConfiguration(symbologies: [symbology])).symbols.first)
    #expect(symbol.bytes == bytes)
    #expect(
      abs(symbol.corners.topLeft.x - 59.5) < 1.5
        && abs(symbol.corners.bottomRight.x - (59.5 + Double(dark.count))) < 1.5)
  }

  @Test("elements follow from the digits")
  func elements() {
    #expect(RetailPattern.widths(.ean13, Array("5901234123457".utf8))?.reduce(0, +) == 95)
    #expect(RetailPattern.widths(.upcA, Array("036000291452".utf8))?.reduce(0, +) == 95)
    #expect(RetailPattern.widths(.ean8, Array("96385074".utf8))?.reduce(0, +) == 67)
    #expect(RetailPattern.widths(.upcE, Array("01234565".utf8))?.reduce(0, +) == 51)
    #expect(RetailPattern.widths(.ean13, Array("590123412345X".utf8)) == nil)
    #expect(RetailPattern.widths(.code128, Array("5901234123457".utf8)) == nil)
  }
}
