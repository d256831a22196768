import Testing

@testable import WaymarkImage

/// The pixels of each level, and the levels at which so many lie.
@Suite("Histograms") struct GrayHistogramTests {
  private let histogram = GrayHistogram([10, 10, 20, 30, 30, 30, 200, 255] as [UInt8])

  @Test func countsPixelsOfAPart() {
    let image = GrayImage(width: 4, height: 3) { target in
      for i in 0..<12 { target[i] = UInt8(i) }
    }
    let part = image.withView { GrayHistogram($0.cropped(x: 1, y: 1, width: 2, height: 2)) }
    #expect(part.total == 4)
    #expect([5, 6, 9, 10].allSatisfy { part.counts[$0] == 1 } && part.counts[7] == 0)
  }

  @Test("Levels behind darker pixels, before lighter ones, and with so many as dark") func levels() {
    #expect((0...8).map { histogram.level(behind: $0) } == [10, 10, 20, 30, 30, 30, 200, 255, nil])
    #expect((0...8).map { histogram.level(before: $0) } == [255, 200, 30, 30, 30, 20, 10, 10, nil])
    #expect((0...9).map { histogram.level(reaching: $0) } == [0, 10, 10, 20, 30, 30, 30, 200, 255, nil])
  }

  @Test func clearsAndAdds() {
    var histogram = histogram
    histogram.clear()
    #expect(histogram.total == 0 && histogram.level(behind: 0) == nil)
    histogram.add(7)
    #expect(histogram.total == 1 && histogram.level(behind: 0) == 7)
  }

  /// Variance between the classes by its definition, for every threshold.
  @Test func thresholdSeparatesBest() {
    let pixels: [UInt8] = [3, 5, 5, 9, 40, 41, 44, 120, 121, 250]
    func variance(_ threshold: UInt8) -> Double {
      let (low, high) = (
        pixels.filter { $0 <= threshold }.map(Double.init), pixels.filter { $0 > threshold }.map(Double.init)
      )
      guard !low.isEmpty, !high.isEmpty else { return 0 }
      let (a, b) = (low.reduce(0, +) / Double(low.count), high.reduce(0, +) / Double(high.count))
      return Double(low.count * high.count) * (a - b) * (a - b)
    }
    let found = GrayHistogram(pixels).otsuThreshold
    #expect(variance(found) == (0...254).map { variance($0) }.max())
    #expect(found == 44)
  }
}
