import Testing
import WaymarkImage

@testable import WaymarkBarcodes

@Suite struct BarStripTests {
  private func isRuled(_ image: GrayImage) -> Bool { BarStrip.isRuled(strip(image)) }

  private func strip(_ image: GrayImage) -> GrayImage {
    let region = BarRegion(
      center: Point2(Double(image.width) - 1, Double(image.height) - 1) / 2, direction: [1, 0],
      length: Double(image.width), height: Double(image.height), coherence: 1, energy: 100)
    return image.withView { BarStrip(region).draw($0) }
  }

  /// An image with noise of so many gray levels to either side.
  private static func noisy(_ image: GrayImage, within levels: Int) -> GrayImage {
    var noise = SplitMix(state: 7)
    return image.withView { view in
      GrayImage(width: view.width, height: view.height) { pixels in
        for i in pixels.indices {
          let level = Int(view[i % view.width, i / view.width]) + Int(noise.next() % UInt64(2 * levels + 1)) - levels
          pixels[i] = UInt8(min(max(level, 0), 255))
        }
      }
    }
  }

  /// The shortest codes of each kind among them.
  @Test(arguments: [
    "ean13", "ean8", "upca", "upce", "code128", "code39", "code39-short", "code93", "codabar", "itf", "itf14",
    "databar", "databar-expanded", "standard2of5", "telepen",
  ])
  func codesAreRuled(_ name: String) throws {
    #expect(isRuled(try Fixture.load(name)))
  }

  @Test func fencesAndWallsAreNot() {
    let fence = GrayImage(width: 600, height: 300) { pixels in
      for i in pixels.indices { pixels[i] = i % 600 % 75 < 20 ? 40 : 200 }
    }
    #expect(!isRuled(fence))
    let wall = GrayImage(width: 600, height: 300) { pixels in
      for i in pixels.indices { pixels[i] = UInt8(120 + i % 600 / 12 + i % 3) }
    }
    #expect(!isRuled(wall))
  }

  /// Noise adds turns and takes none away.
  @Test func aCodeInNoiseIsRuled() throws {
    let noisy = Self.noisy(try Fixture.load("ean13"), within: 60)
    #expect(isRuled(noisy))
  }

  /// Cells of the search for bars are half as high, so that the place must not decide.
  @Test(arguments: ["code128", "ean13", "code39", "code93", "codabar", "itf"])
  func lowBarsAreReadAnywhereOnAPage(_ name: String) throws {
    let code = try Fixture.load(name)
    let (width, height) = (code.width + 260, 500)
    var random = SplitMix(state: 12)
    for _ in 0..<10 {
      let (left, top) = (Int(random.next() % 260), 40 + Int(random.next() % 400))
      let page = GrayImage(width: width, height: height) { pixels in
        pixels.update(repeating: 255)
        for y in top..<(top + 18) {
          for x in 0..<code.width { pixels[y * width + left + x] = code[x, code.height / 2] }
        }
      }
      #expect(try page.read().symbols.count == 1, "\(left), \(top)")
    }
  }

  // MARK: Bars go on, letters do not

  /// Strokes at other places at each of `heights` heights; each height leans by `slant` pixels a row.
  private func strokes(heights: Int, slant: Double = 0) -> GrayImage {
    let (width, height) = (400, 180)
    var random = SplitMix(state: 3)
    let rows = (0..<heights).map { _ -> [Bool] in
      var isDark = false
      return (0..<200).map { _ in
        if random.next() % 5 < 2 { isDark.toggle() }
        return isDark
      }
    }
    return GrayImage(width: width, height: height) { pixels in
      for y in 0..<height {
        for x in 0..<width {
          let at = (Int(Double(x) + slant * Double(y) + 100) / 3) % 200
          pixels[y * width + x] = rows[y * heights / height][at] ? 40 : 210
        }
      }
    }
  }

  @Test(arguments: [0, 0.05, -0.1])
  func barsGoOnFromBandToBand(_ slant: Double) {
    #expect(BarStrip.isContinuous(strip(strokes(heights: 1, slant: slant))))
  }

  /// Noise of a standard deviation as large as half of the contrast is averaged in a band.
  @Test func barsInNoiseGoOn() {
    let noisy = Self.noisy(strokes(heights: 1), within: 120)
    #expect(BarStrip.isContinuous(strip(noisy)))
  }

  @Test func whatChangesWithTheHeightDoesNot() {
    #expect(!BarStrip.isContinuous(strip(strokes(heights: 9))))
    let plain = GrayImage(width: 400, height: 180) { pixels in for i in pixels.indices { pixels[i] = 128 } }
    #expect(!BarStrip.isContinuous(strip(plain)))
  }
}

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
