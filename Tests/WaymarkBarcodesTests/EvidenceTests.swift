import Testing
import WaymarkImage

@testable import WaymarkBarcodes

@Suite struct EvidenceTests {
  private func symbol(_ symbology: Symbology, _ text: String, lines: Int, pass: ScanPass = .stretch) -> Symbol {
    Symbol(
      symbology: symbology, text: text, bytes: Array(text.utf8), charset: .ascii,
      corners: .init(topLeft: [0, 0], topRight: [50, 0], bottomRight: [50, 20], bottomLeft: [0, 20]), quality: lines,
      pass: pass)
  }

  @Test func oneLineIsNoRead() {
    var evidence = Evidence()
    evidence.add(symbol(.ean13, "4006381333931", lines: 1))
    #expect(evidence.accepted.isEmpty)
    evidence.add(symbol(.ean13, "4006381333931", lines: 2, pass: .half))
    #expect(evidence.accepted.count == 1, "another pass agrees")
  }

  @Test func aRivalMakesBothDoubtful() {
    var evidence = Evidence()
    evidence.add(symbol(.ean13, "4006381333931", lines: 6))
    evidence.add(symbol(.ean13, "9006381333936", lines: 5))
    #expect(evidence.accepted.isEmpty)
    evidence.add(symbol(.ean13, "4006381333931", lines: 20, pass: .half))
    #expect(evidence.accepted.map(\.text) == ["4006381333931"])
  }

  @Test func checkDigitsAndLengthsCount() {
    var evidence = Evidence()
    evidence.add(symbol(.ean13, "4006381333930", lines: 50))
    evidence.add(symbol(.itf, "1234", lines: 50))
    evidence.add(symbol(.codabar, "A1B", lines: 50))
    evidence.add(symbol(.code39, "T", lines: 5))
    #expect(evidence.accepted.isEmpty)
  }

  @Test func aShortCodeInsideALongOneIsAnAccident() {
    var evidence = Evidence()
    evidence.add(symbol(.upcE, "00870340", lines: 12))
    evidence.add(symbol(.upcA, "625034201058", lines: 6))
    #expect(evidence.accepted.map(\.symbology) == [.upcA])
  }
}

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
    let symbol = try #require(picture.read().symbols.first)
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

/// A busy frame may not take longer than a quiet one by much.
@Suite struct LiveBudgetTests {
  private let passes: [ScanPass] = [.level, .stretch, .half, .inverted]

  @Test func ordinaryFramesGetEveryPass() {
    let budget = LiveBudget(busyness: 0.041)
    #expect(budget.thinning(.level, within: LiveBudget.everyOther) == 1)
    for pass in passes { #expect(budget.thinning(pass, within: LiveBudget.everyFrame) != nil) }
  }

  @Test func busierFramesGetFewerLinesAndThenNone() {
    func lines(_ pass: ScanPass, _ busyness: Double) -> Int {
      LiveBudget(busyness: busyness).thinning(pass, within: LiveBudget.everyFrame) ?? 99
    }
    let steps = [0.0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8].map { lines(.stretch, $0) }
    #expect(steps == steps.sorted())
    #expect(steps.first == 1)
    #expect(steps.last == 99)
    // Looking at every second line and at a quarter of the pixels costs less.
    #expect(lines(.level, 0.1) < lines(.stretch, 0.1))
  }

  @Test(arguments: [LiveBudget.everyFrame, LiveBudget.everyOther])
  func noFrameMayCostMoreThanItsShare(most: Double) {
    for busyness in stride(from: 0.0, through: 0.5, by: 0.01) {
      let budget = LiveBudget(busyness: busyness)
      for pass in passes {
        if let lines = budget.thinning(pass, within: most) {
          #expect(budget.cost(pass) / Double(lines) <= most + 1e-9)
        } else {
          #expect(budget.cost(pass) / 4 > most)
        }
      }
    }
  }

  @Test func busynessCountsEdges() {
    let stripes = GrayImage(width: 160, height: 80) { pixels in
      for y in 0..<80 { for x in 0..<160 { pixels[y * 160 + x] = (x / 4).isMultiple(of: 2) ? 20 : 220 } }
    }
    let share = stripes.withView { BlockMean($0).busyness(of: $0) }
    #expect(abs(share - 0.25) < 0.02)
    let empty = GrayImage(width: 160, height: 80, value: 200)
    #expect(empty.withView { BlockMean($0).busyness(of: $0) } < 0.02)
  }
}
