import Testing
import WaymarkImage

@testable import WaymarkBarcodes

/// A busy frame may not take longer than a quiet one by much.
@Suite struct LiveBudgetTests {
  @Test func ordinaryFramesGetEveryLine() {
    let budget = LiveBudget(busyness: 0.041)
    for pass in [ScanPass.level, .stretch, .half, .inverted] { #expect(budget.thinning(pass) == 1) }
  }

  @Test func busierFramesGetFewerLinesAndThenNone() {
    let steps = [0.02, 0.05, 0.1, 0.2, 0.4, 0.8].map { LiveBudget(busyness: $0).thinning(.stretch) ?? 99 }
    #expect(steps == steps.sorted())
    #expect(steps.first == 1)
    #expect(steps.last == 99)
    // Looking at every second line and at a quarter of the pixels costs less.
    #expect(LiveBudget(busyness: 0.2).thinning(.level) ?? 99 < LiveBudget(busyness: 0.2).thinning(.stretch) ?? 99)
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
