import Testing
import WaymarkImage

@testable import WaymarkBarcodes

@Suite struct ExplainedPlacesTests {
  private func search(_ view: ImageView, _ symbologies: Set<Symbology> = Symbology.common) -> PictureSearch {
    PictureSearch(
      view, symbologies: symbologies, regions: 8, reader: QRReader(budget: ReadingBudget(ReadingBudget.still)))
  }

  /// Two pictures beside each other.
  private func beside(_ left: GrayImage, _ right: GrayImage) -> GrayImage {
    let height = max(left.height, right.height)
    return GrayImage(width: left.width + right.width, height: height) { pixels in
      pixels.update(repeating: 255)
      for (picture, offset) in [(left, 0), (right, left.width)] {
        for y in 0..<picture.height {
          for x in 0..<picture.width { pixels[y * (left.width + right.width) + offset + x] = picture[x, y] }
        }
      }
    }
  }

  private func dataMatrix() throws -> GrayImage {
    try #require(MatrixFixture.load("matrices.txt").first { $0.symbology == .dataMatrix }).draw(scale: 5)
  }

  @Test func aPictureOfOneQRCodeCostsOneSearch() throws {
    try Fixture.load("qr-ascii").withView { view in
      var search = self.search(view)
      #expect(!search.isExplained)
      search.readModules()
      #expect(search.reading.symbols.map(\.text) == ["WAYMARK-1"])
      #expect(search.isExplained)
      #expect(search.searches == 1)
    }
  }

  @Test func aCodeBesideTheOneThatWasReadIsLeftToTheOthers() throws {
    let picture = try beside(Fixture.load("qr-ascii"), dataMatrix())
    picture.withView { view in
      var search = self.search(view)
      search.readModules()
      #expect(search.accepted.count == 1)
      #expect(!search.isExplained)
      search.readOwn(.still)
      #expect(Set(search.accepted.map(\.symbology)) == [.qr, .dataMatrix])
      #expect(search.isExplained)
    }
  }

  @Test func whatIsExplainedIsCoveredWithTheToneOfItsRim() throws {
    let picture = try Fixture.load("qr-ascii")
    var scanner = try BarcodeScanner()
    let symbol = try #require(picture.withView { scanner.scan($0) }.symbols.first)
    let places = ExplainedPlaces([symbol.corners])
    #expect(places.contains(symbol.corners.center))
    #expect(!places.contains([0, 0]))
    let covered = picture.withView { places.covered($0, factor: 1) }
    let dark = (0..<(covered.width * covered.height)).count { covered[$0 % covered.width, $0 / covered.width] < 128 }
    #expect(dark == 0)
  }

  @Test func barsThatALineOfCodesCoversAreNotReadAgain() {
    func code(_ left: Double, _ right: Double) -> Quadrilateral {
      Quadrilateral(topLeft: [left, 0], topRight: [right, 0], bottomRight: [right, 40], bottomLeft: [left, 40])
    }
    let bars = BarRegion(center: [100, 20], direction: [1, 0], length: 200, height: 40, coherence: 1, energy: 100)
    #expect(ExplainedPlaces([code(0, 200)]).contains(bars))
    #expect(ExplainedPlaces([code(0, 96), code(104, 200)]).contains(bars))
    // Two codes side by side of which one was read.
    #expect(!ExplainedPlaces([code(0, 110)]).contains(bars))
    #expect(!ExplainedPlaces([]).contains(bars))
  }
}
