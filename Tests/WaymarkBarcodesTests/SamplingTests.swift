import Testing
import WaymarkImage

@testable import WaymarkBarcodes

/// Comparisons at many places at once give the same as comparisons place by place.
@Suite struct SamplePlacesTests {
  private func picture(width: Int, height: Int) -> GrayImage {
    var random = SplitMix(state: 5)
    return GrayImage(width: width, height: height) { pixels in
      for i in 0..<(width * height) { pixels[i] = UInt8(truncatingIfNeeded: random.next()) }
    }
  }

  @Test("a place shows the same through a map whether it is looked at alone or among others")
  func sampling() throws {
    var random = SplitMix(state: 7)
    var places = SamplePlaces()
    // More than one block of places, some of them outside the picture and at its rim.
    for _ in 0..<300 {
      places.append([Double(random.next() % 1200) / 10 - 10, Double(random.next() % 1000) / 10 - 10])
    }
    places.append([0, 0])
    let maps = [
      Homography.identity, Homography([0.9, 0.2, 3], [-0.1, 1.1, 2], [0.001, 0.002, 1]),
      // The horizon crosses the picture.
      Homography([1, 0, 0], [0, 1, 0], [0.02, 0, -1]), Homography([0, 0, 0], [0, 0, 0], [0, 0, 0]),
    ]
    for image in [picture(width: 97, height: 61), picture(width: 2, height: 2), picture(width: 1, height: 9)] {
      for map in maps {
        image.withView { view in
          var indices: [Int] = []
          view.sample(map, at: places) { i, value in
            indices.append(i)
            // Products and sums are rounded in another order.
            let alone = view.sample(map.apply(Point2(places.xs[i], places.ys[i])))
            #expect(abs(value - alone) < 1e-6, "\(map) \(places.xs[i]) \(places.ys[i])")
          }
          #expect(indices == Array(0..<places.count))
        }
      }
    }
  }

  @Test("six digits are as far from the nearest of a set as each of them is")
  func nearest() {
    var random = SplitMix(state: 11)
    let length = RetailModel.Patterns.length
    for model in RetailModel.all {
      for (digits, patterns) in [(model.left, model.leftPatterns), (model.right, model.rightPatterns)] {
        let line = (0..<(6 * length)).map { _ in Float(random.next() % 2001) / 1000 - 1 }
        var expected: Float = 0.5
        for place in 0..<6 {
          expected +=
            digits.map { digit in
              (0..<length).reduce(Float(0)) { sum, k in
                let off = line[place * length + k] - digit[k]
                return sum + off * off
              }
            }.min() ?? 0
        }
        #expect(abs(patterns.nearest(line, 0.5, below: .infinity) - expected) < 1e-3)
        // It may end early, but never below its bound where the whole lies above it.
        #expect(patterns.nearest(line, 0.5, below: expected / 2) > expected / 2)
      }
    }
  }

  @Test("the best code and the next best one are those of all")
  func best() throws {
    var random = SplitMix(state: 13)
    for _ in 0..<20 {
      let digits = (0..<13).map { _ in Int(random.next() % 10) }
      var costs = RetailCosts.none
      for place in 0..<6 {
        costs.left[place] = (0..<20).map { _ in Float(10 + random.next() % 100) }
        costs.right[place] = (0..<10).map { _ in Float(10 + random.next() % 100) }
      }
      // Of each place one digit of the code is near, so that the best codes differ from it in a place or two.
      let parity = RetailPattern.evenPlaces[digits[0]]
      for place in 0..<6 {
        costs.left[place][digits[place + 1] + (parity[place] ? 10 : 0)] = Float(random.next() % 100) / 100
        costs.right[place][digits[place + 7]] = Float(random.next() % 100) / 100
      }
      func cost(_ code: [UInt8]) -> Float {
        let parity = RetailPattern.evenPlaces[Int(code[0])]
        var sum: Float = 0
        for place in 0..<6 {
          let column = Int(code[place + 1]) + (parity[place] ? 10 : 0)
          sum += costs.left[place][column]
          sum += costs.right[place][Int(code[place + 7])]
        }
        return sum
      }
      func isRight(_ code: [UInt8]) -> Bool {
        var sum = 0
        for (i, digit) in code.enumerated() { sum += Int(digit) * (i.isMultiple(of: 2) ? 1 : 3) }
        return sum.isMultiple(of: 10)
      }
      let (first, second) = try #require(costs.best())
      #expect(isRight(first.digits) && isRight(second.digits) && first.digits != second.digits)
      #expect(abs(cost(first.digits) - first.cost) < 1e-3 && abs(cost(second.digits) - second.cost) < 1e-3)
      // No change of two digits of either makes a better one.
      for i in 0..<13 {
        for j in 0..<i {
          for a in UInt8(0)..<10 {
            for b in UInt8(0)..<10 {
              var other = first.digits
              (other[i], other[j]) = (a, b)
              guard isRight(other), other != first.digits else { continue }
              #expect(cost(other) >= second.cost - 1e-3)
            }
          }
        }
      }
    }
  }
}

/// Edges along lines.
@Suite struct ScanLineTests {
  /// Bars of one to four pixels with soft edges, other ones in each row.
  private let picture = GrayImage(width: 97, height: 9) { pixels in
    var seed: UInt32 = 7
    for y in 0..<9 {
      var level = 255.0
      for x in 0..<97 {
        seed = seed &* 1_664_525 &+ 1_013_904_223
        if seed >> 30 == 0 { level = 255 - level }
        pixels[y * 97 + x] = UInt8(0.75 * level + 0.25 * Double(seed >> 24))
      }
    }
  }

  @Test func rowsHaveTheEdgesOfAnyOtherLine() {
    picture.withView { view in
      for y in 0..<9 {
        let row = ScanLine(view, from: [0, Double(y)], to: [96, Double(y)], window: 12)
        // So little beside that the pixels are the same, and no row.
        let slanted = ScanLine(view, from: [0, Double(y) + 1e-9], to: [96, Double(y) + 1e-9], window: 12)
        #expect(row.edges.count > 10)
        #expect(row.edges.count == slanted.edges.count)
        for (a, b) in zip(row.edges, slanted.edges) { #expect(abs(a - b) < 1e-6) }
      }
    }
  }

  @Test func rowsMayLeaveThePicture() {
    picture.withView { view in
      for (from, to) in [
        (Point2(0, -1), Point2(96, -1)), ([0, 9], [96, 9]), ([0, 4], [140, 4]), ([0, 4], [96, 5]),
      ] {
        let edges = ScanLine(view, from: from, to: to, window: 12).edges
        #expect(edges == edges.sorted())
        #expect(edges.allSatisfy { $0 >= 0 && $0 <= from.distance(to: to) })
      }
    }
  }

  @Test func aLineEndsWithTheEdgeThatIsRefused() {
    picture.withView { view in
      for (from, to) in [(Point2(0, 4), Point2(96, 4)), ([3, 1], [90, 7])] {
        let whole = ScanLine(view, from: from, to: to, window: 12).edges
        for count in [1, 4, whole.count] {
          var reported: [Double] = []
          let line = ScanLine(view, from: from, to: to, window: 12) { edge in
            reported.append(edge)
            return reported.count < count
          }
          #expect(line.edges == Array(whole.prefix(count)))
          #expect(reported == line.edges)
        }
      }
    }
  }
}

/// Borders between dark and light.
@Suite struct ContoursTests {
  /// Dark rectangles on light, by their first and last pixels; where two of them lie over each other it is light.
  private func picture(_ rectangles: [(x: ClosedRange<Int>, y: ClosedRange<Int>)]) -> GrayImage {
    GrayImage(width: 67, height: 45) { pixels in
      for y in 0..<45 {
        for x in 0..<67 {
          let count = rectangles.count { $0.x.contains(x) && $0.y.contains(y) }
          pixels[y * 67 + x] = count % 2 == 1 ? 30 : 220
        }
      }
    }
  }

  private func polygons(_ image: GrayImage) -> [Contours.Polygon] {
    image.withView { Contours($0, levels: BlockMean($0), isFine: false).polygons }
  }

  /// The cracks of a border go round it once, wherever it lies: at the rim of the picture, or beside a multiple of eight pixels.
  @Test(arguments: [0, 1, 7, 8, 9, 15, 31])
  func aRectangleIsFollowedOnce(_ left: Int) throws {
    let found = polygons(picture([(left...(left + 35), 0...20)]))
    #expect(found.count == 1)
    let border = try #require(found.first)
    #expect(border.points.count == 2 * (36 + 21))
    let (low, high) = (
      border.points.reduce(Point2(99, 99), pointwiseMin), border.points.reduce(Point2(-99, -99), pointwiseMax)
    )
    #expect(low == [Double(left) - 0.5, -0.5])
    #expect(high == [Double(left) + 35.5, 20.5])
    #expect(border.corners.count == 4)
  }

  @Test func aRingHasTwoBorders() {
    #expect(polygons(picture([(10...50, 8...40), (18...40, 16...30)])).count == 2)
  }

  @Test func theLastColumnAndRowBelongToThePicture() {
    let found = polygons(picture([(30...66, 20...44)]))
    #expect(found.map(\.points.count) == [2 * (37 + 25)])
  }
}
