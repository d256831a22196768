import Foundation
import Testing
import WaymarkImage

@testable import WaymarkStation

extension CodeCounter {
  fileprivate mutating func look(frame: Int, _ codes: [ObservedCode]) {
    look(codes, width: 640, height: 480, frame: frame)
  }
}

/// Shelves whose codes are followed from frame to frame, all computed.
@Suite("Counting codes that are followed") struct FollowedCounterTests {
  private static func square(_ x: Double, _ y: Double, size: Double = 60) -> Quadrilateral {
    Quadrilateral(
      topLeft: Point2(x, y), topRight: Point2(x + size, y), bottomRight: Point2(x + size, y + size),
      bottomLeft: Point2(x, y + size))
  }

  private static func code(_ number: Int, _ text: String, _ quad: Quadrilateral, isMatrix: Bool = true)
    -> ObservedCode
  {
    ObservedCode(
      content: CodeContent(symbology: isMatrix ? "qr" : "ean13", text: text), quad: quad, number: number,
      isMatrix: isMatrix)
  }

  private static func amounts(_ counter: CodeCounter) -> [String: Int] {
    Dictionary(uniqueKeysWithValues: counter.result.map { ($0.content.text, $0.amount) })
  }

  /// A linear congruential generator (Numerical Recipes), so that a walk can be walked again.
  private struct Chance {
    var state: UInt32
    mutating func next() -> Double {
      state = state &* 1_664_525 &+ 1_013_904_223
      return Double(state) / 4_294_967_296
    }
  }

  /// Sixty codes of eight contents, walked along and back by a camera that turns and nods; codes are lost and found again, and now and then one
  /// slides along its bars and back.
  @Test(arguments: [1, 2, 3, 4, 5] as [UInt32]) func aWalkCountsEveryCopyOnce(seed: UInt32) {
    var chance = Chance(state: seed)
    var codes: [(text: String, x: Double, y: Double, looks: Int)] = []
    for row in 0..<3 {
      for column in 0..<20 {
        let text = "p\(Int(chance.next() * 8))"
        let x = Double(column) * 120 + chance.next() * 20
        codes.append((text, x, Double(row) * 140 + chance.next() * 20, 0))
      }
    }
    var counter = CodeCounter()
    var followed: [Int: Int] = [:]
    var (number, frame, sliding) = (0, 0, 0)
    var slid: Int?
    let way = stride(from: 0.0, through: 1900, by: 12).map { $0 } + stride(from: 1900.0, through: 0, by: -20).map { $0 }
    for at in way {
      let (angle, scale) = (0.05 * sin(at / 200), 1 + 0.1 * sin(at / 300))
      let (c, n) = (cos(angle) * scale, sin(angle) * scale)
      if sliding <= 0 {
        slid = chance.next() < 0.2 ? Int(chance.next() * Double(codes.count)) : nil
        sliding = 5
      } else {
        sliding -= 1
      }
      var seen: [ObservedCode] = []
      for index in codes.indices {
        let slide = index == slid && followed[index] != nil ? 70.0 : 0
        let corners = [(0.0, 0.0), (1, 0), (1, 1), (0, 1)].map { a, b -> Point2 in
          let (x, y) = (codes[index].x + slide + a * 60 - at - 320, codes[index].y + b * 60 - 240)
          return Point2(c * x - n * y + 320 + chance.next() * 2, n * x + c * y + 240 + chance.next() * 2)
        }
        let isOut = corners.contains { $0.x < 0 || $0.y < 0 || $0.x > 640 || $0.y > 480 }
        if isOut || chance.next() < 0.03 {
          if let lost = followed.removeValue(forKey: index) { counter.lost(lost) }
          continue
        }
        if followed[index] == nil {
          if chance.next() > 0.3 { continue }
          number += 1
          followed[index] = number
        }
        codes[index].looks += 1
        let quad = Quadrilateral(
          topLeft: corners[0], topRight: corners[1], bottomRight: corners[2], bottomLeft: corners[3])
        seen.append(Self.code(followed[index] ?? 0, codes[index].text, quad))
      }
      frame += 2
      counter.look(frame: frame, seen)
    }
    var truth: [String: Int] = [:]
    for code in codes where code.looks > 1 { truth[code.text, default: 0] += 1 }
    #expect(Self.amounts(counter) == truth)
    #expect(counter.stretches == 1)
    #expect(counter.views == way.count)
    #expect(!counter.isFull)
  }

  @Test("A code counts when two views have shown it, in the order in which codes began to count") func order() {
    var counter = CodeCounter()
    counter.look(frame: 1, [Self.code(1, "b", Self.square(100, 100))])
    #expect(counter.result.isEmpty && !counter.counts(1))
    counter.look(
      frame: 2, [Self.code(2, "a", Self.square(300, 100)), Self.code(1, "b", Self.square(100, 100))])
    #expect(counter.counts(1) && !counter.counts(2))
    counter.look(
      frame: 3, [Self.code(2, "a", Self.square(300, 100)), Self.code(1, "b", Self.square(100, 100))])
    #expect(counter.result.map(\.content.text) == ["b", "a"])
    #expect(counter.result.map(\.number) == [1, 2])
  }

  @Test("Copies of one content are two where one of them stays in view") func copies() {
    var counter = CodeCounter()
    // The camera moves by 30 pixels a frame, far more than a third of a code.
    for frame in 0..<20 {
      let at = Double(frame) * 30
      let codes = [(1, 100.0), (2, 300), (3, 500), (4, 700), (5, 900)].compactMap { number, x -> ObservedCode? in
        guard x - at >= 0, x - at <= 580 else { return nil }
        return Self.code(number, "x", Self.square(x - at, 200), isMatrix: false)
      }
      counter.look(frame: frame, codes)
    }
    #expect(Self.amounts(counter) == ["x": 5])
  }

  @Test("What is cut off by the edge, or is no quadrilateral, is not looked at") func edges() {
    var counter = CodeCounter()
    let broken = Quadrilateral(
      topLeft: Point2(.nan, 0), topRight: Point2(9, 0), bottomRight: Point2(9, 9), bottomLeft: Point2(0, 9))
    for frame in 1...4 {
      counter.look(
        frame: frame,
        [
          Self.code(1, "left", Self.square(-1, 100)), Self.code(2, "low", Self.square(100, 421)),
          Self.code(3, "point", Self.square(10, 10, size: 0.5)), Self.code(4, "broken", broken),
          Self.code(5, "whole", Self.square(580, 420)),
        ])
    }
    #expect(Self.amounts(counter) == ["whole": 1])
  }

  @Test("Where nothing connects two views, another stretch begins; two contents make them one again") func stretches() {
    var counter = CodeCounter()
    func look(_ frames: Range<Int>, _ codes: [(Int, String, Double)]) {
      for frame in frames {
        counter.look(frame: frame, codes.map { Self.code($0, $1, Self.square($2, 200)) })
      }
    }
    look(0..<3, [(1, "a", 100), (2, "b", 300)])
    counter.lost(1)
    counter.lost(2)
    look(100..<103, [(3, "c", 100), (4, "d", 300)])
    #expect(counter.stretches == 2)
    counter.lost(3)
    counter.lost(4)
    // The whole shelf, from farther away.
    look(200..<220, [(5, "a", 20), (6, "b", 220), (7, "c", 320), (8, "d", 520)])
    #expect(counter.stretches == 1)
    #expect(Self.amounts(counter) == ["a": 1, "b": 1, "c": 1, "d": 1])
  }

  /// As many codes as are followed at once, every one new in every view, all of one content or each of its own; the camera is lost each time.
  @Test("The worst that can be seen has bounds", arguments: [true, false]) func worst(isOneContent: Bool) {
    var counter = CodeCounter()
    var number = 0
    for frame in 0..<20 {
      for repeated in 0..<2 {
        var codes: [ObservedCode] = []
        for place in 0..<64 {
          let text = isOneContent ? "x" : "\(frame).\(place)"
          let quad = Self.square(Double(place % 8) * 78 + 1, Double(place / 8) * 58 + 1, size: 20)
          codes.append(Self.code(number + place, text, quad))
        }
        counter.look(frame: frame * 100 + repeated, codes)
      }
      for place in 0..<64 { counter.lost(number + place) }
      number += 64
    }
    #expect(counter.isFull)
    #expect(counter.result.count <= 500)
    #expect(counter.result.reduce(0) { $0 + $1.amount } <= 1024)
    // Those that were there first count still.
    #expect(counter.result.first?.amount ?? 0 >= 1)
  }

  @Test("A camera that counts its frames anew begins another stretch") func restarted() {
    var counter = CodeCounter()
    for frame in [500, 501, 1, 2] {
      counter.look(frame: frame, [Self.code(frame > 400 ? 1 : 2, "a", Self.square(frame > 400 ? 100 : 400, 100))])
    }
    #expect(counter.stretches == 2)
  }
}
