import Testing
import WaymarkImage

@testable import WaymarkDocuments

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

  /// Curves that are known but for a constant each: their forms are found, whatever the constants.
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

  /// Where nothing was sampled, the surface goes on straight.
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
