import Testing
import WaymarkImage

/// Levels that part dark from light, and what follows from them.
@Suite struct BlockMeanTests {
  /// Dark bars of five pixels on paper, in light that falls off from left to right: the paper at the right is darker than the bars at the left.
  private static let width = 320
  private static let height = 80
  private static func isBar(_ x: Int) -> Bool { (x / 5).isMultiple(of: 2) }
  private static let bars = GrayImage(width: width, height: height) { out in
    for y in 0..<height {
      for x in 0..<width {
        let light = 240 - 190 * x / width
        out[y * width + x] = UInt8(isBar(x) ? light * 2 / 5 : light)
      }
    }
  }

  @Test func barsAreDarkInAnyLight() {
    Self.bars.withView { view in
      let levels = BlockMean(view)
      let black = levels.threshold(view)
      var wrong = 0
      for y in 0..<Self.height {
        for x in 0..<Self.width {
          if levels.isDark(view, x, y) != Self.isBar(x) { wrong += 1 }
          #expect((black.withView { $0[x, y] } == 0) == levels.isDark(view, x, y))
        }
      }
      #expect(wrong == 0)
    }
  }

  @Test func aRowGivesWhereItsRunsStart() {
    Self.bars.withView { view in
      var edges = [Int32](repeating: -1, count: view.width + 3)
      let count = BlockMean(view).edges(of: view, row: 20, into: &edges)
      // Light of no length, 64 runs of five pixels, and the end.
      #expect(count == 66)
      #expect(Array(edges[..<count]) == [0] + stride(from: Int32(0), through: 320, by: 5))
    }
  }

  /// Eight pixels are compared at once; the last ones of a row, and every level, one by one.
  @Test(arguments: [8, 9, 61, 64, 71])
  func rowsOfNoiseGiveEveryRun(_ width: Int) {
    var seed: UInt32 = 11
    let noise = GrayImage(width: width, height: 24) { pixels in
      for i in pixels.indices {
        seed = seed &* 1_664_525 &+ 1_013_904_223
        // Rows of little contrast about any level, and of all there is.
        pixels[i] = UInt8(
          truncatingIfNeeded: (i / width).isMultiple(of: 2) ? seed >> 24 : 20 * UInt32(i / width / 2) + seed >> 27)
      }
    }
    noise.withView { view in
      let levels = BlockMean(view)
      var edges = [Int32](repeating: -1, count: width + 3)
      for y in 0..<view.height {
        var expected: [Int32] = [0]
        var wasDark = false
        for x in 0..<width where levels.isDark(view, x, y) != wasDark {
          wasDark.toggle()
          expected.append(Int32(x))
        }
        let count = levels.edges(of: view, row: y, into: &edges)
        #expect(Array(edges[..<count]) == expected + [Int32(width)])
      }
    }
  }

  @Test func paperWithoutContrastIsLight() {
    let paper = GrayImage(width: 64, height: 64) { out in for i in out.indices { out[i] = UInt8(180 + i % 7) } }
    paper.withView { view in
      let levels = BlockMean(view)
      #expect((0..<64).allSatisfy { y in (0..<64).allSatisfy { !levels.isDark(view, $0, y) } })
    }
  }

  @Test func aLowerShareCountsLessAsDark() {
    Self.bars.withView { view in
      let (all, few) = (BlockMean(view), BlockMean(view).lowered(to: 0.2))
      func dark(_ levels: BlockMean) -> Int { (0..<Self.width).count { levels.isDark(view, $0, 40) } }
      #expect(dark(all) == 160)
      #expect(dark(few) == 0)
    }
  }

  @Test func stretchedEdgesKeepTheirPlaceBetweenPixels() {
    let slope = GrayImage(width: 64, height: 64) { out in for i in out.indices { out[i] = UInt8(4 * (i % 64)) } }
    slope.withView { view in
      let levels = BlockMean(view)
      let stretched = levels.stretch(view, gain: 4)
      let at = 32
      let wanted = min(max(0, (4 * at - Int(levels[at / 8, 4])) * 4 + 128), 255)
      #expect(stretched.withView { Int($0[at, 34]) } == wanted)
    }
  }

  @Test func aPictureSmallerThanABlockHasOneLevel() {
    let small = GrayImage(width: 5, height: 3) { out in for i in out.indices { out[i] = UInt8(10 * i) } }
    small.withView { view in
      let levels = BlockMean(view)
      #expect((levels.columns, levels.rows) == (1, 1))
      #expect(levels[0, 0] == 70)
      #expect(levels.isDark(view, 4, 0))
      #expect(!levels.isDark(view, 4, 2))
    }
  }
}
