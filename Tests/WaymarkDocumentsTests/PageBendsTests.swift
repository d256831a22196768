import Testing
import WaymarkImage

@testable import WaymarkDocuments

/// Lines of text that are drawn bent by a known way.
struct PageBendsTests {
  private static let width = 700
  private static let height = 990
  private static let characterHeight = 10

  /// Lines of boxes for characters on paper, each lower by `shift` of its place, both in units of the page.
  private static func page(_ shift: (Point2) -> Double) -> GrayImage {
    var random = SplitMix(state: 7)
    var boxes: [(x: Int, y: Int, width: Int, height: Int)] = []
    for y in stride(from: 90, to: height - 80, by: 24) {
      var x = 60
      while x < width - 80 {
        for _ in 0..<Int.random(in: 2...8, using: &random) where x < width - 60 {
          let wide = Int.random(in: 4...8, using: &random)
          let u = (Double(x) + Double(wide) / 2) / Double(width)
          let down = shift(Point2(u, Double(y) / Double(height))) * Double(height)
          // One in eight reaches below the line.
          let below = Int.random(in: 0..<8, using: &random) == 0 ? 3 : 0
          boxes.append((x, y + Int(down.rounded()) - characterHeight, wide, characterHeight + below))
          x += wide + 3
        }
        x += 7
      }
    }
    return GrayImage(width: width, height: height) { out in
      out.update(repeating: 225)
      for box in boxes {
        for y in box.y..<(box.y + box.height) {
          for x in box.x..<(box.x + box.width) { out[y * width + x] = 40 }
        }
      }
    }
  }

  /// How far lines are off after the bends, in the root of the mean square, in pixels.
  private static func error(_ bends: LineBends, _ shift: (Point2) -> Double) -> Double {
    var (sum, count) = (0.0, 0.0)
    for line in 0..<12 {
      let v = 0.12 + 0.065 * Double(line)
      let row = LineBends.Row(bends, at: v)
      // A line may stand higher or lower as a whole: nothing shows where.
      let rests = (0..<40).map { k -> Double in
        let u = 0.12 + 0.019 * Double(k)
        return (row.shift(LineBends.taps(u)) - shift(Point2(u, v))) * Double(height)
      }
      let mean = rests.reduce(0, +) / Double(rests.count)
      for rest in rests { sum += (rest - mean) * (rest - mean) }
      count += Double(rests.count)
    }
    return (sum / count).squareRoot()
  }

  /// Ways in which paper is bent.
  enum Bend: CaseIterable, Sendable {
    case bowed, waved, creased

    /// How much lower a place of the page lies, both in units of the page.
    func shift(_ place: Point2) -> Double {
      let u = place.x
      switch self {
      case .bowed: return 0.12 * u * (1 - u)
      case .waved: return 0.012 * (0.5 + place.y) * Double.sine(6 * u)
      case .creased: return 0.06 * max(0, u - 0.5) - 0.02 * u
      }
    }
  }

  @Test("The field is that by which lines were bent", arguments: Bend.allCases)
  func findsTheBends(_ bend: Bend) throws {
    let shift = bend.shift
    let bends = try #require(LineBends(on: Self.page(shift), edges: [], hasBentSides: false))
    #expect(Self.error(bends, shift) < 0.5)
    #expect(LineBends(numbers: bends.numbers) == bends)
  }

  @Test func straightLinesStay() {
    #expect(LineBends(on: Self.page { _ in 0 }, edges: [], hasBentSides: true) == nil)
    // Print that is askew on a flat page.
    let isAskew: (Point2) -> Double = { 0.02 * $0.x }
    #expect(LineBends(on: Self.page(isAskew), edges: [], hasBentSides: false) == nil)
    #expect(LineBends(on: Self.page(isAskew), edges: [], hasBentSides: true) != nil)
  }

  @Test func whatIsNoTextBendsNothing() {
    var random = SplitMix(state: 3)
    let specks = GrayImage(width: Self.width, height: Self.height) { out in
      out.update(repeating: 225)
      for _ in 0..<1500 {
        let (x, y) = (Int.random(in: 0..<690, using: &random), Int.random(in: 0..<980, using: &random))
        let (w, h) = (Int.random(in: 2...9, using: &random), Int.random(in: 2...9, using: &random))
        for row in y..<(y + h) { for column in x..<(x + w) { out[row * Self.width + column] = 40 } }
      }
    }
    #expect(LineBends(on: specks, edges: [], hasBentSides: true) == nil)
    let blank = GrayImage(width: Self.width, height: Self.height, value: 225)
    #expect(LineBends(on: blank, edges: [], hasBentSides: true) == nil)
    #expect(LineBends(on: GrayImage(width: 1, height: 1, value: 0), edges: [], hasBentSides: true) == nil)
  }

  /// A page whose lines are straight is drawn as without `LineBends`; one with bent lines gets straight ones.
  @Test func drawsThePageStraight() throws {
    let outline = Quadrilateral(width: Double(Self.width), height: Double(Self.height))
    let flat = RGBImage(Self.page { _ in 0 })
    #expect(PageBends(outline: outline, in: flat) == nil)
    let bent = RGBImage(Self.page(Bend.bowed.shift))
    let bends = try #require(PageBends(outline: outline, in: bent))
    let kept = try #require(PageBends(numbers: bends.numbers))
    let drawn = try #require(PageRectifier().rectify(bent, outline: outline, bends: kept))
    // Between straight lines there are rows without ink.
    func bareRows(_ image: RGBImage) -> Int {
      (100..<(image.height - 100)).count { y in (60..<(image.width - 60)).allSatisfy { image[$0, y].red > 150 } }
    }
    #expect(bareRows(bent) == 0)
    #expect(bareRows(drawn) > bareRows(flat) * 2 / 3)
  }

  @Test func refusesNumbersThatNoPageHas() {
    let straight = [Double](repeating: 0, count: PageBends.numberLimit)
    #expect(PageBends(numbers: straight) != nil)
    #expect(PageBends(numbers: Array(straight.prefix(8))) != nil)
    for count in [0, 7, 9, straight.count - 1, straight.count + 1] {
      #expect(PageBends(numbers: [Double](repeating: 0, count: count)) == nil, "\(count)")
    }
    for wrong in [Double.nan, .infinity, 0.4, -0.4] {
      var numbers = straight
      numbers[60] = wrong
      #expect(PageBends(numbers: numbers) == nil, "\(wrong)")
    }
    // A page does not fold over itself.
    var folded = straight
    for row in 0..<11 { for column in 0..<15 { folded[8 + row * 15 + column] = row % 2 == 0 ? 0.29 : -0.29 } }
    #expect(PageBends(numbers: folded) == nil)
  }
}

struct SplineSurfaceTests {
  private let intervals = SplineSurface.Intervals(across: 5, down: 4)

  /// Cubic splines hold every cubic surface; nothing but the samples is weighed here.
  @Test func holdsACubicSurface() throws {
    func truth(_ p: Point2) -> Double {
      0.3 + p.x - 2 * p.y + p.x * p.x * p.y - 1.5 * p.x * p.x * p.x + p.y * p.y * p.y
    }
    let places = (0..<400).map { Point2(Double($0 % 20) / 19, Double($0 / 20) / 19) }
    let samples = SplineSurface.Samples(
      places: places, values: places.map(truth), weights: [Double](repeating: 1, count: 400), isFree: false)
    let surface = try #require(
      SplineSurface(intervals, fitting: [samples], bend: (across: 0, down: 0), size: 1e-12))
    for p in [Point2(0, 0), Point2(1, 1), Point2(0.31, 0.77), Point2(0.5, 0)] {
      #expect(abs(surface.value(at: p) - truth(p)) < 1e-6, "\(p)")
      let taps = SplineSurface.Taps(p.x, intervals: intervals.across)
      #expect(abs(SplineSurface.value(taps, of: surface.curve(down: p.y)) - truth(p)) < 1e-6, "\(p)")
    }
  }

  /// Curves that are known but for a constant each: their forms are found for any constants.
  @Test func leavesConstantsOpen() throws {
    let samples = (0..<9).map { k -> SplineSurface.Samples in
      let v = (Double(k) + 0.5) / 9
      let places = (0..<30).map { Point2(Double($0) / 29, v) }
      return .init(
        places: places, values: places.map { $0.x * $0.x * (1 + v) + 100 * Double(k) },
        weights: [Double](repeating: 1, count: 30), isFree: true)
    }
    let surface = try #require(
      SplineSurface(intervals, fitting: samples, bend: (across: 1e-9, down: 1e-9), size: 1e-9))
    for v in [0.1, 0.5, 0.9] {
      let rise = surface.value(at: Point2(0.8, v)) - surface.value(at: Point2(0.2, v))
      #expect(abs(rise - 0.6 * (1 + v)) < 1e-3, "\(v)")
    }
  }

  /// Where nothing was sampled, the surface continues straight.
  @Test func goesOnStraight() throws {
    let places = (0..<40).map { Point2(0.3 + 0.01 * Double($0), 0.5) }
    let samples = SplineSurface.Samples(
      places: places, values: places.map { 0.2 * $0.x }, weights: [Double](repeating: 1, count: 40), isFree: false)
    let surface = try #require(
      SplineSurface(intervals, fitting: [samples], bend: (across: 1, down: 1), size: 1e-6))
    for p in [Point2(0, 0.5), Point2(1, 0.5), Point2(0.1, 0.1)] {
      #expect(abs(surface.value(at: p) - 0.2 * p.x) < 0.01, "\(p)")
    }
    #expect(SplineSurface(intervals, fitting: [], bend: (across: 0, down: 0), size: 0) == nil)
    #expect(SplineSurface(intervals, coefficients: [1]) == nil)
  }
}
