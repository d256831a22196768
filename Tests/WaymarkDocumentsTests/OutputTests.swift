import Testing
import WaymarkImage

@testable import WaymarkDocuments

struct OutputTests {
  /// A zlib stream (RFC 1950) ends with the Adler-32 checksum of the bytes that were compressed.
  @Test func compressesBlackAndWhiteAsBits() throws {
    let image = GrayImage(width: 11, height: 3) { out in
      for i in out.indices { out[i] = i % 3 == 0 ? 127 : 128 }
    }
    let coded = try image.flateBits()
    #expect(coded.count > 6 && coded[0] == 0x78 && (Int(coded[0]) << 8 | Int(coded[1])) % 31 == 0)
    var (a, b) = (1, 0)
    for byte in [0b0110_1101, 0b1010_0000, 0b1011_0110, 0b1100_0000, 0b1101_1011, 0b0110_0000] {
      a = (a + byte) % 65521
      b = (b + a) % 65521
    }
    #expect(coded.suffix(4).reduce(0) { $0 << 8 | Int($1) } == b << 16 | a)
    let page = try CodedPage(.bilevel(image), size: .init(format: .a4, width: 11, height: 3))
    #expect(page == CodedPage(coding: .bilevel, width: 11, height: 3, bytes: coded))
  }

  @Test func writesAnIndexThatFindsEveryObject() throws {
    var writer = PDFWriter(.init(title: "Lieferschein (3) <\u{1F600}>", producer: "test", created: 1_700_000_000))
    var file = writer.begin()
    let gray = GrayImage(width: 210, height: 297, value: 255)
    for page in [FilteredPage.bilevel(gray), .gray(gray), .colour(RGBImage(gray))] {
      file += try writer.add(page, size: .init(format: .a4, width: 210, height: 297))
    }
    file += writer.end()
    let text = String(decoding: file.map { $0 < 128 ? $0 : 63 }, as: UTF8.self)
    #expect(text.hasPrefix("%PDF-1.7\n") && text.hasSuffix("%%EOF\n"))
    #expect(text.contains("/Count 3") && text.contains("/MediaBox [0 0 595.28 841.89]"))
    #expect(text.contains("(D:20231114221320Z)") && text.contains("2023-11-14T22:13:20Z"))
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let table = try #require(lines.lastIndex(of: "xref"))
    let count = try #require(Int(lines[table + 1].split(separator: " ")[1]))
    for number in 1..<count {
      let start = try #require(Int(lines[table + 2 + number].prefix(10)))
      #expect(String(decoding: file[start...].prefix(12), as: UTF8.self).hasPrefix("\(number) 0 obj\n"))
    }
    let position = try #require(Int(lines[lines.count - 3]))
    #expect(String(decoding: file[position...].prefix(5), as: UTF8.self) == "xref\n")
  }

  /// Two words on the first page, one on the third: one font for all of them, each word as UTF-16 at its place.
  @Test func writesWordsThatAreNotDrawn() throws {
    func word(_ text: String, _ left: Double, _ top: Double, _ right: Double, _ bottom: Double) -> PageWord {
      PageWord(
        text,
        outline: Quadrilateral(
          topLeft: Point2(left, top), topRight: Point2(right, top), bottomRight: Point2(right, bottom),
          bottomLeft: Point2(left, bottom)))
    }
    var writer = PDFWriter(.init(title: "words", producer: "test", created: 0))
    let page = FilteredPage.bilevel(GrayImage(width: 210, height: 297, value: 255))
    let size = PDFWriter.PaperSize(format: .a4, width: 210, height: 297)
    var file = writer.begin()
    file += try writer.add(
      page, size: size, words: [word("Ä)", 0.1, 0.2, 0.3, 0.25), word("\u{1F600}", 0.4, 0, 0.5, 0.1)])
    file += try writer.add(page, size: size)
    file += try writer.add(page, size: size, words: [word("x", 0, 0, 0, 0), word("ends", 0.5, 0.5, 1, 0.6)])
    file += writer.end()
    let text = String(decoding: file.map { $0 < 128 ? $0 : 63 }, as: UTF8.self)
    // A fifth of the page for two characters of half the size each: 119.06 points; 0.05 high; 0.75 + a fifth of that from below.
    #expect(text.contains("119.06 0.00 0.00 42.09 59.53 639.84 Tm <00C40029> Tj\n"))
    #expect(text.contains("Tm <D83DDE00> Tj\n") && text.contains("Tm <0065006E00640073> Tj\n"))
    #expect(text.split(separator: "BT 3 Tr /T 1 Tf\n").count == 3)
    #expect(text.split(separator: "/Subtype /Type0").count == 2)
    #expect(text.split(separator: "/Font <<").count == 3)
    #expect(text.contains("<2000> <20FF> <2000>"))
    // A word of no size is left out.
    #expect(!text.contains("<0078> Tj"))
  }

  @Test func reportsFormatsThroughPerspective() {
    // An A4 sheet seen by a camera of 0.9 times the width as focal length, tilted both ways.
    let focal = 900.0
    for (tiltX, tiltY) in [(0.0, 0.0), (0.5, 0.3), (-0.4, 0.5), (0.6, -0.2)] {
      let rotation = Matrix3.rotation(Point3(tiltX, tiltY, 0.2))
      func seen(_ x: Double, _ y: Double) -> Point2 {
        let p = rotation * Point3(x, y, 0) + Point3(0, 0, 600)
        return Point2(p.x / p.z * focal + 499.5, p.y / p.z * focal + 499.5)
      }
      let outline = Quadrilateral(
        topLeft: seen(-105, -148.5), topRight: seen(105, -148.5), bottomRight: seen(105, 148.5),
        bottomLeft: seen(-105, 148.5))
      let shape = PageShape(outline: outline, width: 1000, height: 1000)
      #expect(shape.format == .a4, "\(tiltX) \(tiltY) \(shape.aspect)")
    }
    #expect(PageFormat.nearest(ratio: 279.4 / 215.9) == .letter)
    #expect(PageFormat.nearest(ratio: 85.6 / 53.98) == .id1)
    #expect(PageFormat.nearest(ratio: 3) == .receipt)
    #expect(PageFormat.nearest(ratio: 1.1) == nil)
  }

  @Test func rectifiesWhereTheCornersAre() throws {
    let picture = Drawing.photograph(Drawing.slanted)
    let page = try #require(PageRectifier().rectify(picture, outline: Drawing.slanted))
    // Paper at all four rims, no ground.
    for (x, y) in [(2, 2), (page.width - 3, 2), (page.width - 3, page.height - 3), (2, page.height - 3)] {
      #expect(page[x, y].red > 220)
    }
    let flipped = Quadrilateral(
      topLeft: Drawing.slanted.topRight, topRight: Drawing.slanted.topLeft, bottomRight: Drawing.slanted.bottomLeft,
      bottomLeft: Drawing.slanted.bottomRight)
    #expect(PageRectifier().rectify(picture, outline: flipped) == nil)
  }

  @Test func straightensBentSides() throws {
    // A page whose long sides swing to the right by a twentieth of its width.
    let outline = Quadrilateral(width: 400, height: 600)
    let swing = { (y: Double) in 20 * 4 * (y / 600) * (1 - y / 600) }
    let picture = RGBImage(width: 520, height: 700) { out in
      for y in 0..<700 {
        for x in 0..<520 {
          let (px, py) = (Double(x) - 50 - swing(Double(y) - 50), Double(y) - 50)
          let isPage = px >= 0 && px < 400 && py >= 0 && py < 600
          let isBar = isPage && abs(px - 200) < 4
          for c in 0..<3 { out[3 * (y * 520 + x) + c] = isBar ? 30 : isPage ? 230 : 80 }
        }
      }
    }
    let moved = Quadrilateral(
      topLeft: outline.topLeft + 50, topRight: outline.topRight + 50, bottomRight: outline.bottomRight + 50,
      bottomLeft: outline.bottomLeft + 50)
    let found = try #require(PageDetector().detect(picture))
    #expect(Drawing.error(found.outline, moved) < 0.012)
    let page = try #require(PageRectifier().rectify(picture, page: found))
    for share in [0.1, 0.3, 0.5, 0.7, 0.9] {
      let y = Int(share * Double(page.height))
      let dark = (0..<page.width).filter { page[$0, y].red < 100 && $0 > page.width / 4 && $0 < page.width * 3 / 4 }
      let middle = Double(dark.reduce(0, +)) / Double(max(1, dark.count))
      #expect(abs(middle / Double(page.width) - 0.5) < 0.015, "\(share)")
    }
  }

  @Test func takesShadowsAway() throws {
    let (width, height) = (400, 560)
    let page = RGBImage(width: width, height: height) { out in
      for y in 0..<height {
        for x in 0..<width {
          // Warm light that falls to half; every 20th row a line of text, dashed.
          let light = 1 - 0.5 * Double(x) / Double(width)
          let isInk = y % 20 < 4 && x % 9 < 5 && x > 30 && x < width - 30
          let level = isInk ? 50.0 : 230
          for (c, share) in [1.0, 0.9, 0.7].enumerated() {
            out[3 * (y * width + x) + c] = UInt8(level * light * share)
          }
        }
      }
    }
    guard case .colour(let clean) = PageFilter.colour.apply(page),
      case .gray(let gray) = PageFilter.grayscale.apply(page),
      case .bilevel(let black) = PageFilter.blackAndWhite.apply(page)
    else {
      Issue.record("a filter gave another kind of picture")
      return
    }
    for y in stride(from: 12, to: height, by: 40) {
      for x in stride(from: 5, to: width, by: 30) {
        let (r, g, b) = clean[x, y]
        #expect(min(r, g, b) > 240, "\(x) \(y)")
        #expect(gray[x, y] > 240)
        #expect(black[x, y] == 255)
      }
    }
    #expect(black[37, 42] == 0 && black[361, 42] == 0)
    guard case .colour(let photo) = PageFilter.photo.apply(page) else {
      Issue.record("a photograph is no longer in colours")
      return
    }
    for y in 0..<height { for x in 0..<width where photo[x, y] != page[x, y] { Issue.record("\(x) \(y)") } }
  }
}
