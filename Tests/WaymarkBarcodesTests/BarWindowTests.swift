import Testing
import WaymarkImage

@testable import WaymarkBarcodes

@Suite struct BarWindowTests {
  private func region(_ x: Double, _ y: Double, _ direction: Point2 = [1, 0], length: Double = 120) -> BarRegion {
    BarRegion(center: [x, y], direction: direction, length: length, height: 60, coherence: 1, energy: 100)
  }

  private func windows(_ regions: [BarRegion]) -> [BarWindow] {
    GrayImage(width: 2000, height: 1500, value: 255).withView { BarWindow.windows(around: regions, in: $0) }
  }

  @Test func aPictureWithoutBarsHasNoWindow() {
    #expect(windows([]).isEmpty)
  }

  @Test func windowsThatOverlapAreOne() throws {
    #expect(windows([region(400, 400), region(1500, 1000)]).count == 2)
    let joined = windows([region(400, 400), region(500, 400), region(450, 420)])
    #expect(joined.count == 1)
    let bounds = try #require(joined.first?.bounds)
    #expect(bounds.contains([340, 370]) && bounds.contains([560, 430]))
    #expect(windows([region(-500, 400)]).isEmpty)
  }

  @Test func linesRunAcrossTheBars() {
    #expect(windows([region(400, 400)]).map(\.ways) == [.rows])
    #expect(windows([region(400, 400, [0, 1])]).map(\.ways) == [.columns])
    #expect(windows([region(400, 400, [0.7071, 0.7071])]).map(\.ways) == [.both])
    #expect(windows([region(400, 400), region(420, 400, [0, 1])]).map(\.ways) == [.both])
  }

  @Test func aCutBeginsOnTheGridOfTheWholePicture() {
    let image = GrayImage(width: 2000, height: 1500) { pixels in
      for i in pixels.indices { pixels[i] = UInt8(truncatingIfNeeded: i % 2000 + i / 2000 * 7) }
    }
    image.withView { view in
      for window in BarWindow.windows(around: [region(700, 600), region(1990, 1490)], in: view) {
        let (part, corner) = window.cut(from: view)
        let (x, y) = (Int(corner.x), Int(corner.y))
        #expect(x % 48 == 0 && y % 48 == 0)
        #expect(x + part.width <= 2000 && y + part.height <= 1500)
        #expect(part[3, 5] == view[x + 3, y + 5])
      }
    }
  }

  @Test func aPictureWithoutBarsCostsThePassesNothing() throws {
    var zbar = try ZBarScanner(symbologies: [.ean13])
    GrayImage(width: 1000, height: 800, value: 200).withView { view in
      var search = PictureSearch(
        view, symbologies: [.ean13], regions: 8, reader: QRReader(budget: ReadingBudget(ReadingBudget.still)))
      for pass in ScanPass.ladder { search.readWindows(pass, with: &zbar) }
      #expect(search.searches == 0)
    }
  }
}
