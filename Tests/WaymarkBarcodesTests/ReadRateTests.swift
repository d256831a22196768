import Foundation
import Glibc
import Testing
import WaymarkImage

@testable import WaymarkBarcodes

/// A short form of the read rate: rendered codes, each spoilt in ways that the passes are for. What was reached may not be
/// lost, and nothing may be read wrong.
@Suite struct ReadRateTests {
  private struct Spoilt: Sendable {
    var name: String
    var make: @Sendable (GrayImage) -> GrayImage
  }

  private static func sampled(_ image: GrayImage, width: Int, height: Int, _ map: (Point2) -> Point2) -> GrayImage {
    GrayImage(width: width, height: height) { pixels in
      for y in 0..<height {
        for x in 0..<width {
          pixels[y * width + x] = UInt8(image.unsafeView.sample(map(Point2(Double(x), Double(y)))))
        }
      }
    }
  }

  private static func toned(_ image: GrayImage, _ body: (Int, Int, Int) -> Int) -> GrayImage {
    GrayImage(width: image.width, height: image.height) { pixels in
      for y in 0..<image.height {
        for x in 0..<image.width {
          pixels[y * image.width + x] = UInt8(min(max(0, body(x, y, Int(image[x, y]))), 255))
        }
      }
    }
  }

  /// Seen from aside, at a distance of 1.6 times its size.
  static func tilted(_ image: GrayImage, degrees: Double) -> GrayImage {
    let (w, h) = (Double(image.width), Double(image.height))
    let (s, c, f) = (sin(degrees * .pi / 180), cos(degrees * .pi / 180), 1.6 * max(w, h))
    func seen(_ x: Double, _ y: Double) -> Point2 {
      let z = f + (x - w / 2) * s
      return Point2(f * (x - w / 2) * c / z + w / 2, f * (y - h / 2) / z + h / 2)
    }
    let source = Quadrilateral(topLeft: [0, 0], topRight: [w, 0], bottomRight: [w, h], bottomLeft: [0, h])
    let target = Quadrilateral(
      topLeft: seen(0, 0), topRight: seen(w, 0), bottomRight: seen(w, h), bottomLeft: seen(0, h))
    guard let map = Homography(from: target, to: source) else { return image }
    return sampled(image, width: image.width, height: image.height) { map.apply($0) }
  }

  private static let spoilt: [Spoilt] = [
    Spoilt(name: "plain") { $0 },
    Spoilt(name: "turned 30") { ImageRotation(degrees: 30, of: $0).apply($0) },
    Spoilt(name: "tilted 30") { tilted($0, degrees: 30) },
    Spoilt(name: "faint") { toned($0) { x, _, v in 110 + x / 8 + (v - 128) / 10 } },
    Spoilt(name: "blurred") { image in
      // A mean of 3×3 pixels, as wide as a module.
      toned(image) { x, y, _ in
        var sum = 0
        for yy in max(0, y - 1)...min(image.height - 1, y + 1) {
          for xx in (x - 1)...(x + 1) { sum += Int(image[min(max(0, xx), image.width - 1), yy]) }
        }
        return sum / (3 * (min(image.height - 1, y + 1) - max(0, y - 1) + 1))
      }
    },
    Spoilt(name: "noisy") { image in
      var random = SeededBytes(seed: 9)
      return toned(image) { _, _, v in 60 + v / 2 + Int(random.next()) / 4 - 32 }
    },
    Spoilt(name: "light on dark") { toned($0) { _, _, v in 230 - v * 4 / 5 } },
    Spoilt(name: "half in shadow") { image in toned(image) { x, _, v in x > image.width / 2 ? v / 4 + 6 : v } },
  ]

  @Test(arguments: [
    ("qr-ascii", "WAYMARK-1", 6), ("ean13", "4006381333931", 6), ("code128", "Waymark 128", 6),
    ("upca", "036000291452", 6), ("code39", "WAYMARK-39", 6), ("itf", "12345678", 5),
    ("databar", "0109501101530010", 5),
  ])
  func reads(name: String, text: String, least: Int) throws {
    let code = try Fixture.load(name)
    var scanner = try BarcodeScanner()
    var missed: [String] = []
    for spoilt in Self.spoilt {
      let texts = spoilt.make(code).withView { scanner.scan($0) }.symbols.map(\.text)
      if texts.isEmpty { missed.append(spoilt.name) } else { #expect(texts == [text], "\(name), \(spoilt.name)") }
    }
    #expect(Self.spoilt.count - missed.count >= least, "\(name) is not read \(missed.joined(separator: ", "))")
  }

  @Test(arguments: [30.0, 45])
  func readsStronglyTiltedQRCodes(degrees: Double) throws {
    let code = try Fixture.load("qr-v7")
    let large = code.unsafeView.doubled()
    let reading = try Self.tilted(large, degrees: degrees).read()
    #expect(reading.symbols.map(\.symbology) == [.qr])
  }
}

/// Pictures of many symbols, beside shadows, on holders and under gloss.
@Suite struct RackTests {
  /// The texts of `Racks/labels.jpg`, which `Benchmarks/codes/racks.py` rendered.
  private static let labels = [
    "case-93100", "case-69201", "case-46602", "case-34503", "case-88804", "case-01805", "case-22806", "case-90807",
    "case-46808", "case-24809", "case-62410", "case-17211",
  ]

  private static func rack() throws -> GrayImage {
    let file = Fixture.folder.deletingLastPathComponent().appendingPathComponent("Racks/labels.jpg")
    return try PictureDecoder().gray([UInt8](Data(contentsOf: file))).image
  }

  @Test func readsEveryLabelOfARack() throws {
    let reading = try Self.rack().read(.still)
    #expect(reading.symbols.map(\.text).sorted() == Self.labels.sorted())
    #expect(reading.symbols.allSatisfy { $0.symbology == .dataMatrix })
    #expect(!reading.limited)
  }

  /// Sixty symbols in one picture, each read at its place.
  @Test func readsSixtySymbols() throws {
    let fixtures = try MatrixFixture.load("matrices.txt").filter {
      $0.symbology == .dataMatrix && $0.modules.columns == $0.modules.rows && (12...20).contains($0.modules.rows)
    }
    try #require(!fixtures.isEmpty)
    let (side, columns, rows) = (110, 10, 6)
    let drawings = fixtures.map { $0.draw(scale: 4) }
    let picture = GrayImage(width: side * columns, height: side * rows) { pixels in
      for y in 0..<(side * rows) {
        for x in 0..<(side * columns) {
          let drawing = drawings[(y / side * columns + x / side) % drawings.count]
          let (u, v) = (x % side - 4, y % side - 4)
          let isInside = u >= 0 && v >= 0 && u < drawing.width && v < drawing.height
          pixels[y * side * columns + x] = isInside ? drawing[u, v] : 90
        }
      }
    }
    let reading = try picture.read(ScanConfiguration(symbologies: [.dataMatrix]))
    #expect(reading.symbols.count == columns * rows)
    for symbol in reading.symbols {
      let cell = Int(symbol.corners.center.y) / side * columns + Int(symbol.corners.center.x) / side
      #expect(symbol.text == fixtures[cell % fixtures.count].text)
    }
  }

  /// A square that hangs on a line across the picture keeps its four corners in one of the polygons of their border.
  @Test func aSmallThingAtALongLineKeepsItsCorners() {
    let (width, height) = (2000, 200)
    let picture = GrayImage(width: width, height: height) { pixels in
      for y in 0..<height {
        for x in 0..<width {
          let isLine = (20..<26).contains(y) && (10..<1990).contains(x)
          let isSquare = (26..<66).contains(y) && (900..<904).contains(x)
          let isFoot = (62..<66).contains(y) && (900..<940).contains(x)
          pixels[y * width + x] = isLine || isSquare || isFoot ? 10 : 240
        }
      }
    }
    picture.withView { view in
      let corners = DataMatrixCorner.find(in: Contours(view, levels: BlockMean(view)))
      #expect(corners.contains { $0.corner.distance(to: [899.5, 65.5]) < 2 })
    }
  }

  /// A picture that is all borders ends before its last row, and says so.
  @Test func bordersEverywhereAreNotAllFollowed() {
    let side = 1000
    let picture = GrayImage(width: side, height: side) { pixels in
      for y in 0..<side { for x in 0..<side { pixels[y * side + x] = (x / 2 + y / 2).isMultiple(of: 2) ? 0 : 255 } }
    }
    picture.withView { view in
      let contours = Contours(view, levels: BlockMean(view), budget: 100_000)
      #expect(contours.isLimited)
      #expect(contours.polygons.reduce(0) { $0 + $1.points.count } <= 120_000)
      #expect(!Contours(view, levels: BlockMean(view), budget: 10_000_000).isLimited)
    }
  }
}
