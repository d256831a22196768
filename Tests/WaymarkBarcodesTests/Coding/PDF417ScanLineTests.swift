import Testing
import WaymarkImage

@testable import WaymarkBarcodes

/// Edges along lines.
@Suite struct PDF417ScanLineTests {
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
        let row = PDF417ScanLine(view, from: [0, Double(y)], to: [96, Double(y)], window: 12)
        // So little beside that the pixels are the same, and no row.
        let slanted = PDF417ScanLine(view, from: [0, Double(y) + 1e-9], to: [96, Double(y) + 1e-9], window: 12)
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
        let edges = PDF417ScanLine(view, from: from, to: to, window: 12).edges
        #expect(edges == edges.sorted())
        #expect(edges.allSatisfy { $0 >= 0 && $0 <= from.distance(to: to) })
      }
    }
  }

  @Test func aLineEndsWithTheEdgeThatIsRefused() {
    picture.withView { view in
      for (from, to) in [(Point2(0, 4), Point2(96, 4)), ([3, 1], [90, 7])] {
        let whole = PDF417ScanLine(view, from: from, to: to, window: 12).edges
        for count in [1, 4, whole.count] {
          var told: [Double] = []
          let line = PDF417ScanLine(view, from: from, to: to, window: 12) { edge in
            told.append(edge)
            return told.count < count
          }
          #expect(line.edges == Array(whole.prefix(count)))
          #expect(told == line.edges)
        }
      }
    }
  }
}
