import Testing

@testable import WaymarkImage

@Suite struct RegionTests {
  /// Labels by repeated passes over all pixels, the least label of the neighbours each time.
  private static func reference(_ mask: [Bool], _ w: Int, _ h: Int, eight: Bool) -> [Int] {
    var labels = mask.indices.map { mask[$0] ? $0 : -1 }
    var hasChanged = true
    while hasChanged {
      hasChanged = false
      for i in labels.indices where labels[i] >= 0 {
        for dy in -1...1 {
          for dx in -1...1 where eight || dx == 0 || dy == 0 {
            let (x, y) = (i % w + dx, i / w + dy)
            guard x >= 0, y >= 0, x < w, y < h, labels[y * w + x] >= 0, labels[y * w + x] < labels[i] else { continue }
            labels[i] = labels[y * w + x]
            hasChanged = true
          }
        }
      }
    }
    let names = Array(Set(labels.filter { $0 >= 0 })).sorted()
    return labels.map { label in names.firstIndex(of: label) ?? -1 }
  }

  private static let masks: [(w: Int, h: Int, mask: [Bool])] = {
    var random = RandomSource(seed: 11)
    var masks: [(Int, Int, [Bool])] = [
      (1, 1, [true]), (1, 1, [false]), (0, 0, []), (5, 1, [true, false, true, true, false]),
    ]
    for share in [0.2, 0.45, 0.55, 0.9, 1] {
      for (w, h) in [(12, 9), (1, 14), (31, 20)] {
        masks.append((w, h, (0..<(w * h)).map { _ in random.unit() < share }))
      }
    }
    return masks
  }()

  @Test func labelsAreThoseOfTheConnectedAreas() {
    var components = ComponentLabels()
    for (w, h, mask) in Self.masks {
      for eight in [false, true] {
        components.label(width: w, height: h, isEightConnected: eight) { mask[$0] }
        var labels = [Int](repeating: -1, count: w * h)
        for run in components.runs {
          #expect(run.from < run.to)
          for x in run.from..<run.to { labels[Int(run.y) * w + Int(x)] = Int(run.component) }
        }
        let expected = Self.reference(mask, w, h, eight: eight)
        #expect(labels == expected)
        #expect(components.count == (expected.max() ?? -1) + 1)
      }
    }
  }

  @Test func aFloodReachesItsConnectedAreaAndNothingElse() {
    for (w, h, mask) in Self.masks {
      for eight in [false, true] {
        let labels = Self.reference(mask, w, h, eight: eight)
        var flood = FloodFill(width: w, height: h)
        for start in mask.indices where mask[start] {
          var visited: [Int] = []
          let isNew = flood.begin(x: start % w, y: start / w)
          let outcome = flood.run(eight ? .square(1) : .four) { _, to in
            mask[to.index]
          } visit: {
            #expect($0.index == $0.y * w + $0.x)
            visited.append($0.index)
            return .spread
          }
          #expect(outcome == .filled)
          #expect(visited.sorted() == (isNew ? labels.indices.filter { labels[$0] == labels[start] } : []))
        }
        #expect(flood.isReached == mask)
      }
    }
  }

  @Test func aFloodEndsAtItsLimit() {
    var flood = FloodFill(width: 9, height: 9)
    flood.begin(x: 4, y: 4)
    var count = 0
    #expect(
      flood.run { _, _ in
        true
      } visit: { _ in
        count += 1
        return count < 5 ? .spread : .end
      } == .ended)
    #expect(count == 5)
    // What waited is forgotten.
    flood.begin(x: 0, y: 0)
    count = 0
    #expect(
      flood.run { _, _ in
        false
      } visit: { _ in
        count += 1
        return .spread
      } == .filled)
    #expect(count == 1)
  }

  @Test(arguments: [FloodFill.Neighbours.four, .square(1), .square(2)])
  func aFloodThatComesToTheBorderLeaves(_ neighbours: FloodFill.Neighbours) {
    var inner = FloodFill(width: 9, height: 9)
    inner.begin(x: 4, y: 4)
    #expect(
      inner.run(neighbours, endsAtBorder: true, enters: { _, to in abs(to.x - 4) < 2 && abs(to.y - 4) < 2 }) == .filled)
    var whole = FloodFill(width: 9, height: 9)
    whole.begin(x: 4, y: 4)
    #expect(whole.run(neighbours, endsAtBorder: true, enters: { _, _ in true }) == .left)
  }

  @Test func gapsAreCrossedByAWiderReach() {
    let mask = [true, false, true, false, false, true]
    for (reach, expected) in [(1, 1), (2, 2), (3, 3)] {
      var flood = FloodFill(width: 6, height: 1)
      flood.begin(x: 0, y: 0)
      flood.run(.square(reach)) { _, to in mask[to.index] }
      #expect(flood.isReached.count { $0 } == expected)
    }
  }

  @Test func aPlaceThatHaltsTheFloodIsReachedButNotPassed() {
    var flood = FloodFill(width: 5, height: 1)
    flood.begin(x: 0, y: 0)
    flood.run { _, _ in
      true
    } visit: {
      $0.x == 2 ? .halt : .spread
    }
    #expect(flood.isReached == [true, true, true, false, false])
  }
}
