import Foundation
import Testing
import WaymarkImage

@testable import WaymarkBarcodes

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
    var scanner = try BarcodeScanner(.still)
    let reading = try Self.rack().withView { scanner.scan($0) }
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
    var scanner = try BarcodeScanner(ScanConfiguration(symbologies: [.dataMatrix]))
    let reading = picture.withView { scanner.scan($0) }
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
      let corners = DataMatrixCorner.find(in: Contours(view, levels: BlockMean(view)), shortest: 13)
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
