import Testing
import WaymarkImage

@testable import WaymarkStation

/// A shelf of codes and a camera that moves along it, all computed.
struct CodeCounterTests {
  /// Codes hang at these places, in millimetres of the shelf; a linear code is 40 wide and 12 high.
  private struct Shelf {
    var codes: [(text: String, at: Point2)]

    func view(_ map: Homography, missing: (Int) -> Bool = { _ in false }) -> [ObservedCode] {
      codes.enumerated().compactMap { index, code in
        let quad = map.apply(
          Quadrilateral(
            topLeft: code.at, topRight: code.at + Point2(40, 0), bottomRight: code.at + Point2(40, 12),
            bottomLeft: code.at + Point2(0, 12)))
        let isInside = quad.corners.allSatisfy { $0.x >= 0 && $0.x < 640 && $0.y >= 0 && $0.y < 480 }
        guard isInside, !missing(index) else { return nil }
        return ObservedCode(content: CodeContent(symbology: "ean13", text: code.text), quad: quad)
      }
    }
  }

  /// Shelf to frame: 1 pixel a millimetre and more, turned and tilted a little as a hand does it.
  private func camera(at x: Double, _ y: Double, zoom: Double = 1.5, turn: Double = 0, tilt: Double = 0) -> Homography {
    let (c, s) = (1 - turn * turn / 2, turn)
    let move = Homography(SIMD3(1, 0, -x), SIMD3(0, 1, -y), SIMD3(0, 0, 1))
    let look = Homography(SIMD3(zoom * c, -zoom * s, 0), SIMD3(zoom * s, zoom * c, 0), SIMD3(tilt, tilt / 2, 1))
    return Homography(SIMD3(1, 0, 320), SIMD3(0, 1, 240), SIMD3(0, 0, 1)) * look * move
  }

  private func amounts(_ count: CodeCounter, by identity: CountReport.Identity = .place) -> [String: Int] {
    let report = CountReport(count, by: identity, inputs: [], isMoving: true)
    return Dictionary(uniqueKeysWithValues: report.codes.map { ($0.text, $0.amount) })
  }

  /// Products beside each other, each so often as it says.
  private func shelf(_ products: [(String, Int)], spacing: Double = 70, rows: Int = 1) -> (Shelf, [String: Int]) {
    var codes: [(String, Point2)] = []
    var wanted: [String: Int] = [:]
    for row in 0..<rows {
      var x = 0.0
      for (text, amount) in products {
        for _ in 0..<amount {
          codes.append((text, Point2(x, Double(row) * 110)))
          wanted[text, default: 0] += 1
          x += spacing
        }
      }
    }
    return (Shelf(codes: codes), wanted)
  }

  @Test func oneViewCountsWhatItShows() {
    let (shelf, wanted) = shelf([("a", 2), ("b", 3)])
    var count = CodeCounter(agreement: 1)
    count.look(shelf.view(camera(at: 160, 0, zoom: 1.2)), size: 640)
    #expect(amounts(count) == wanted)
    #expect(amounts(count, by: .content) == ["a": 1, "b": 1])
  }

  @Test(arguments: [6.0, 15, 30]) func alongAShelfEveryCodeCountsOnce(step: Double) {
    let (shelf, wanted) = shelf([("a", 3), ("b", 1), ("c", 6), ("d", 2), ("a", 2), ("e", 4)], rows: 2)
    var count = CodeCounter(agreement: 2)
    var x = -100.0
    var index = 0
    while x < 1400 {
      let sway = Double(index % 7 - 3)
      count.look(
        shelf.view(camera(at: x, 50 + sway * 2, zoom: 1.4 + sway * 0.01, turn: sway * 0.01, tilt: sway * 2e-5)),
        size: 640)
      x += step
      index += 1
    }
    #expect(amounts(count) == wanted)
    #expect(count.stretches == 1)
  }

  /// Readers miss a third of the codes of a frame, and read some frames not at all; two contents are in view from the start.
  @Test(arguments: 1...4) func missedCodesChangeNothing(seed: Int) {
    var random = Noise(seed: UInt64(seed))
    let (shelf, wanted) = shelf([("a", 2), ("b", 2), ("c", 3), ("d", 1), ("e", 2), ("b", 2)], rows: 2)
    var count = CodeCounter(agreement: 2)
    for index in 0..<90 {
      let blank = random.next() < 0.08
      let view = shelf.view(
        camera(at: Double(index) * 8 + 60, 50, turn: 0.03 * (random.next() - 0.5)),
        missing: { _ in random.next() < 0.35 })
      count.look(blank ? [] : view, size: 640)
    }
    #expect(amounts(count) == wanted)
  }

  @Test func backAndForthCountsNothingTwice() {
    let (shelf, wanted) = shelf([("a", 2), ("b", 1), ("c", 2), ("d", 1), ("e", 2), ("f", 1)])
    var count = CodeCounter(agreement: 2)
    for pass in 0..<4 {
      for index in 0..<60 {
        let way = pass.isMultiple(of: 2) ? index : 59 - index
        count.look(shelf.view(camera(at: Double(way) * 10, 0, turn: 0.02)), size: 640)
      }
    }
    #expect(amounts(count) == wanted)
  }

  /// The camera is turned away and finds back at another place of the shelf, closer and turned.
  @Test func twoStretchesBecomeOneWhereTheyMeet() {
    let (shelf, wanted) = shelf([
      ("a", 1), ("b", 1), ("c", 1), ("d", 1), ("e", 1), ("f", 1), ("g", 1), ("h", 1), ("i", 1),
    ])
    var count = CodeCounter(agreement: 2)
    func pan(_ from: Double, _ to: Double, zoom: Double) {
      for index in 0..<20 {
        let x = from + (to - from) * Double(index) / 19
        count.look(shelf.view(camera(at: x, 0, zoom: zoom)), size: 640)
      }
    }
    pan(60, 120, zoom: 1.6)
    for _ in 0..<40 { count.look([], size: 640) }
    pan(580, 520, zoom: 1.8)
    #expect(count.stretches == 2)
    pan(520, 120, zoom: 1.7)
    #expect(amounts(count) == wanted)
    #expect(count.stretches == 1)
  }

  @Test func aMisreadingDoesNotCount() {
    let (shelf, wanted) = shelf([("a", 1), ("b", 1), ("c", 1)])
    var count = CodeCounter(agreement: 2)
    for index in 0..<10 {
      var view = shelf.view(camera(at: 80 + Double(index), 0))
      if index == 4 { view[1].content.text = "wrong" }
      count.look(view, size: 640)
    }
    #expect(amounts(count) == wanted)
  }

  @Test func otherShelvesAreOtherPlaces() {
    let (shelf, _) = shelf([("a", 2), ("b", 1)])
    var count = CodeCounter(agreement: 1)
    for _ in 0..<3 {
      count.endStretch()
      count.look(shelf.view(camera(at: 100, 0)), size: 640)
    }
    #expect(amounts(count) == ["a": 6, "b": 3])
    #expect(amounts(count, by: .content) == ["a": 1, "b": 1])
  }

  @Test func hostileCornersAreLeftOut() {
    var count = CodeCounter(agreement: 1)
    let content = CodeContent(symbology: "qr", text: "x")
    let bad = [Point2(.nan, 0), Point2(.infinity, 1), Point2(1e308, -1e308), Point2(0, 0)]
    for corner in bad {
      let quad = Quadrilateral(topLeft: corner, topRight: corner, bottomRight: corner, bottomLeft: corner)
      count.look([ObservedCode(content: content, quad: quad)], size: 640)
    }
    #expect(count.result.isEmpty)
  }

  @Test func manyCopiesAreCountedInLittleTime() {
    let (shelf, wanted) = shelf([("a", 8), ("b", 8)], spacing: 45, rows: 4)
    var count = CodeCounter(agreement: 2)
    for index in 0..<40 { count.look(shelf.view(camera(at: 160 + Double(index) * 10, 160, zoom: 1)), size: 640) }
    #expect(amounts(count) == wanted)
  }
}

/// Numbers that are the same in every run.
private struct Noise {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

  mutating func next() -> Double {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Double(state >> 11) / Double(1 << 53)
  }
}
