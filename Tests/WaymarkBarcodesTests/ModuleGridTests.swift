import Testing
import WaymarkImage

@testable import WaymarkBarcodes

/// Drawings of few pixels a module.
@Suite struct ModuleGridTests {
  /// The edges of elements of one to four modules, each before the first pixel whose centre is behind it.
  private func edges(_ module: Double, _ random: inout RandomSource) -> (modules: [Int], pixels: [Int]) {
    var modules = [0]
    for _ in 0..<60 { modules.append(modules[modules.count - 1] + 1 + Int(random.next() % 4)) }
    let begin = 20 + Double(random.next() % 100) / 100
    return (modules, modules.map { Int((begin + Double($0) * module - 0.5).rounded(.up)) })
  }

  @Test(arguments: [1.5, 1.7, 2.3, 2.7, 3.1]) func findsTheModules(_ module: Double) throws {
    var random = RandomSource(seed: 5)
    for _ in 0..<20 {
      let (modules, pixels) = edges(module, &random)
      let grid = try #require(ModuleGrid(pixels[...]))
      #expect(abs(grid.module - module) < 0.01)
      let borders = try #require(grid.borders(of: pixels[...]))
      #expect(
        zip(borders, borders.dropFirst()).map { Int((($1 - $0) / grid.module).rounded()) }
          == zip(modules, modules.dropFirst()).map { $1 - $0 })
    }
  }

  @Test func findsNoneInOtherLines() {
    var random = RandomSource(seed: 6)
    for _ in 0..<50 {
      var pixels = [10]
      for _ in 0..<150 { pixels.append(pixels[pixels.count - 1] + 1 + Int(random.next() % 6)) }
      #expect(ModuleGrid(pixels[...]) == nil)
    }
  }

  /// The picture with another number of pixels, each of which has the tone of the nearest one.
  private func coarse(_ image: GrayImage, _ factor: Double) -> GrayImage {
    let (width, height) = (Int(Double(image.width) * factor), Int(Double(image.height) * factor))
    return GrayImage(width: width, height: height) { pixels in
      for y in 0..<height {
        for x in 0..<width {
          let (u, v) = (Int((Double(x) + 0.5) / factor), Int((Double(y) + 0.5) / factor))
          pixels[y * width + x] = image[min(u, image.width - 1), min(v, image.height - 1)]
        }
      }
    }
  }

  /// The pictures have two pixels a module.
  @Test(arguments: ["ean13", "ean8", "upca", "code128", "code39", "code93", "codabar", "itf", "databar-expanded"])
  func readsBars(_ name: String) throws {
    let image = try Fixture.load(name)
    let whole = try image.read().symbols.map(\.text)
    for module in [1.5, 1.9, 2.3] {
      #expect(try coarse(image, module / 2).read().symbols.map(\.text) == whole, "\(module)")
    }
  }

  @Test(arguments: [Symbology.rMQR, .dataMatrix, .microQR, .aztec]) func readsMatrices(_ symbology: Symbology) throws {
    let fixtures = try MatrixFixture.load("matrices.txt").filter {
      $0.symbology == symbology && $0.modules.columns < 80
    }
    for fixture in fixtures.prefix(6) {
      let picture = fixture.draw(scale: 8)
      for module in [1.5, 1.9, 2.1, 2.3] {
        let symbols = try coarse(picture, module / 8).read(ScanConfiguration(symbologies: [symbology])).symbols
        #expect(symbols.map(\.text) == [fixture.text], "\(fixture.testDescription) \(module)")
      }
    }
  }

  /// Pixels that several modules share have tones between dark and light: 1.6 and 1.75 pixels a module.
  @Test(arguments: [(8, 5), (7, 4)]) func readsRMQRWithTones(scale: Int, factor: Int) throws {
    for fixture in try MatrixFixture.load("matrices.txt")
    where fixture.symbology == .rMQR && fixture.modules.columns < 80 {
      let picture = fixture.draw(scale: scale).withView { $0.shrunk(by: factor) }
      let symbols = try picture.read(ScanConfiguration(symbologies: [.rMQR])).symbols
      #expect(symbols.map(\.text) == [fixture.text], "\(fixture.testDescription)")
    }
  }

  @Test func leavesPhotographsAsTheyAre() throws {
    let image = try Fixture.load("ean13")
    let region = BarRegion(
      center: Point2(Double(image.width) - 1, Double(image.height) - 1) / 2, direction: [1, 0],
      length: Double(image.width) - 60, height: 60, coherence: 1, energy: 100)
    let drawn = coarse(image, 0.75)
    let part = region.scaled(by: 0.75)
    #expect(drawn.withView { BarStrip(part).drawOnGrid($0) } != nil)
    let soft = drawn.withView { view in
      GrayImage(width: view.width, height: view.height) { pixels in
        for i in pixels.indices {
          let (x, y) = (i % view.width, i / view.width)
          pixels[i] = UInt8((Int(view[x, y]) + Int(view[max(0, x - 1), y])) / 2)
        }
      }
    }
    #expect(soft.withView { BarStrip(part).drawOnGrid($0) } == nil)
  }
}
