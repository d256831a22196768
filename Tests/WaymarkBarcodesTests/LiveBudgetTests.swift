import Testing
import WaymarkImage

@testable import WaymarkBarcodes

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
