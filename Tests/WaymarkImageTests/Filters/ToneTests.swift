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
    #expect((0...9).map { histogram.level(behind: $0 - 1) } == [0, 10, 10, 20, 30, 30, 30, 200, 255, nil])
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

/// Other tones and sizes of a picture, and in which direction its brightness changes.
@Suite struct ToneTests {
  @Test func lightForDarkTwiceIsThePicture() {
    let picture = TestPictures.gray(33, 17)
    let inverted = ToneMapping.invert(picture.unsafeView)
    #expect(inverted.withView { $0[0, 0] } == 5)
    let again = ToneMapping.invert(inverted.unsafeView)
    for y in 0..<17 {
      for x in 0..<33 { #expect(again.unsafeView[x, y] == picture.unsafeView[x, y]) }
    }
  }

  @Test func equalizingSpreadsFaintTonesNoFurtherThanItsLimit() {
    let faint = GrayImage(width: 128, height: 128) { out in
      for i in out.indices {
        let stripe: Int = i / 4 % 2 * 20
        out[i] = UInt8(100 + stripe + i % 3)
      }
    }
    func range(_ image: GrayImage) -> Int {
      image.withView { view in
        let values = (0..<128).map { Int(view[$0, 64]) }
        return values.reduce(0, max) - values.reduce(255, min)
      }
    }
    let mild = range(ToneMapping.equalize(faint.unsafeView, limit: 3))
    let strong = range(ToneMapping.equalize(faint.unsafeView, limit: 40))
    #expect(mild > range(faint))
    #expect(strong > 2 * mild)
  }

  @Test func aPictureSmallerThanItsTilesStaysAsItIs() {
    let small = TestPictures.gray(12, 40)
    let same = ToneMapping.equalize(small.unsafeView)
    #expect((0..<40).allSatisfy { y in (0..<12).allSatisfy { same.unsafeView[$0, y] == small.unsafeView[$0, y] } })
  }

  @Test func aPixelBecomesFourAtAQuarterOfTheWay() {
    let pair = GrayImage(width: 2, height: 1) { out in (out[0], out[1]) = (0, 200) }
    let double = pair.unsafeView.doubled()
    #expect((double.width, double.height) == (4, 2))
    #expect((0..<4).map { Int(double.unsafeView[$0, 0]) } == [0, 50, 150, 200])
  }

  @Test func aFrameLiesAroundThePicture() {
    let framed = GrayImage(width: 2, height: 1, value: 7).framed(3, tone: 250)
    #expect((framed.width, framed.height) == (8, 7))
    let dark = (0..<56).filter { framed.unsafeView[$0 % 8, $0 / 8] == 7 }
    #expect(dark == [3 * 8 + 3, 3 * 8 + 4])
    #expect(framed.unsafeView[7, 6] == 250)
  }

  @Test func barsChangeAcrossThemselvesAlone() {
    let bars = GrayImage(width: 81, height: 81) { out in
      for i in out.indices { out[i] = (i % 81 / 4).isMultiple(of: 2) ? 40 : 220 }
    }
    let tensor = bars.withView { StructureTensor($0) }
    #expect((tensor.columns, tensor.rows) == (10, 10))
    #expect(tensor.yy.allSatisfy { $0 == 0 } && tensor.xy.allSatisfy { $0 == 0 })
    #expect(tensor.xx.allSatisfy { $0 > 0 })
    // Two edges of 180 levels in each of the four rows that count, over their 32 pixels.
    #expect(tensor.energy.allSatisfy { $0 == 4 * 2 * 180 * 180 / 32 })
  }
}
