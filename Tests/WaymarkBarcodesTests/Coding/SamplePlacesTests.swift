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
