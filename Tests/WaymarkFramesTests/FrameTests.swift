import Testing
import WaymarkFrames
import WaymarkImage

struct FramePoolTests {
  @Test func givesBackMemoryThatNobodyHolds() {
    var pool = FramePool(limit: 3)
    for _ in 0..<100 { _ = pool.take(capacity: 64) }
    #expect(pool.allocations == 1)
    let held = (0..<3).map { _ in pool.take(capacity: 64) }
    #expect(Set(held.map(ObjectIdentifier.init)).count == 3)
    #expect(pool.allocations == 3)
  }

  @Test func goesOnBeyondItsLimit() {
    var pool = FramePool(limit: 2)
    let held = (0..<5).map { _ in pool.take(capacity: 8) }
    #expect(Set(held.map(ObjectIdentifier.init)).count == 5)
  }

  @Test func growsWithThePicture() {
    var pool = FramePool()
    _ = pool.take(capacity: 10)
    #expect(pool.take(capacity: 1000).capacity == 1000)
  }
}

struct FramePacerTests {
  @Test(arguments: [(30.0, 10.0, 100), (30.0, 30.0, 300), (30.0, 7.0, 70), (30.0, 60.0, 300), (25.0, 20.0, 200)])
  func holdsTheRateOnAverage(rate: Double, wanted: Double, expected: Int) {
    var pacer = FramePacer()
    var taken = 0
    for frame in 0..<Int(10 * rate) {
      // A camera's frames are never quite on time.
      let jitter = [0, 0.001, -0.001, 0.002][frame % 4]
      if pacer.takes(100 + Double(frame) / rate + jitter, rate: wanted) { taken += 1 }
    }
    #expect(abs(taken - expected) <= max(2, expected / 20))
  }

  @Test func takesAllWithoutALimitAndStartsAnewWithAnotherClock() {
    var pacer = FramePacer()
    let frames: [(Double, Double?)] = [(1000, 1), (1000.1, 1), (1000.2, nil), (1000.3, 1), (5, 1)]
    #expect(frames.map { pacer.takes($0.0, rate: $0.1) } == [true, false, true, true, true])
  }
}

struct LumaConverterTests {
  /// Pixel (x, y) of a 5×3 picture has the value 10·y + x.
  private func bytes(_ format: PixelFormat, bytesPerLine: Int = 0) -> ([UInt8], PixelLayout) {
    let layout = PixelLayout(format: format, width: 5, height: 3, bytesPerLine: bytesPerLine)
    var bytes = [UInt8](repeating: 200, count: layout.frameBytes ?? 0)
    for y in 0..<3 {
      for x in 0..<5 {
        let step = format == .yuyv || format == .uyvy ? 2 : 1
        bytes[y * layout.bytesPerLine + step * x + (format == .uyvy ? 1 : 0)] = UInt8(10 * y + x)
      }
    }
    return (bytes, layout)
  }

  private func pixels(_ image: GrayImage) -> [[UInt8]] {
    (0..<image.height).map { y in (0..<image.width).map { image[$0, y] } }
  }

  @Test(arguments: [PixelFormat.yuyv, .uyvy, .nv12, .nv21, .yuv420, .grey], [0, 16])
  func takesTheLumaOfEveryForm(format: PixelFormat, bytesPerLine: Int) throws {
    var converter = try LumaConverter()
    let (data, layout) = bytes(format, bytesPerLine: bytesPerLine)
    let outcome = data.withUnsafeBytes { converter.convert($0, layout: layout) }
    guard case .image(let image) = outcome else {
      Issue.record("no image")
      return
    }
    #expect(pixels(image) == (0..<3).map { y in (0..<5).map { UInt8(10 * y + $0) } })
    let short = data.withUnsafeBytes { raw in
      converter.convert(UnsafeRawBufferPointer(rebasing: raw[..<(layout.minimumLumaBytes - 1)]), layout: layout)
    }
    guard case .damaged = short else {
      Issue.record("a short frame was taken for whole")
      return
    }
  }

  @Test(
    arguments: [
      (FrameTransform(rotation: .quarter), [[20, 10, 0], [21, 11, 1], [22, 12, 2], [23, 13, 3], [24, 14, 4]]),
      (FrameTransform(rotation: .half), [[24, 23, 22, 21, 20], [14, 13, 12, 11, 10], [4, 3, 2, 1, 0]]),
      (
        FrameTransform(rotation: .threeQuarters),
        [[4, 14, 24], [3, 13, 23], [2, 12, 22], [1, 11, 21], [0, 10, 20]]
      ),
      (FrameTransform(mirror: true), [[4, 3, 2, 1, 0], [14, 13, 12, 11, 10], [24, 23, 22, 21, 20]]),
      (
        FrameTransform(rotation: .quarter, mirror: true),
        [[0, 10, 20], [1, 11, 21], [2, 12, 22], [3, 13, 23], [4, 14, 24]]
      ),
    ] as [(FrameTransform, [[UInt8]])])
  func turnsPicturesUpright(transform: FrameTransform, expected: [[UInt8]]) throws {
    var converter = try LumaConverter(transform: transform)
    let (data, layout) = bytes(.grey)
    guard case .image(let image) = data.withUnsafeBytes({ converter.convert($0, layout: layout) }) else {
      Issue.record("no image")
      return
    }
    #expect(pixels(image) == expected)
  }

  @Test func decodesScalesAndRefusesJPEG() throws {
    let gray = GrayImage(width: 64, height: 48) { out in for i in out.indices { out[i] = UInt8(i % 64 * 3) } }
    let file = try JPEGEncoder.encode(gray, quality: 95)
    let layout = PixelLayout(format: .mjpeg, width: 64, height: 48)
    var converter = try LumaConverter(sufficientWidth: 16)
    guard case .image(let small) = file.withUnsafeBytes({ converter.convert($0, layout: layout) }) else {
      Issue.record("no image")
      return
    }
    #expect((small.width, small.height) == (16, 12))
    #expect(abs(Int(small[8, 6]) - 100) < 6)
    for cut in [0, 2, 20, file.count / 2, file.count - 30] {
      let outcome = file.withUnsafeBytes { raw in
        converter.convert(UnsafeRawBufferPointer(rebasing: raw[..<cut]), layout: layout)
      }
      guard case .damaged = outcome else {
        Issue.record("a frame of \(cut) bytes was taken for whole")
        continue
      }
    }
    // Larger than agreed: memory for it was never planned.
    let tiny = PixelLayout(format: .mjpeg, width: 8, height: 8)
    guard case .damaged = file.withUnsafeBytes({ converter.convert($0, layout: tiny) }) else {
      Issue.record("a picture of another size was taken")
      return
    }
  }

  @Test func allocatesNothingInTheSteadyState() throws {
    var converter = try LumaConverter(transform: FrameTransform(rotation: .quarter))
    let (data, layout) = bytes(.yuyv)
    for _ in 0..<100 { _ = data.withUnsafeBytes { converter.convert($0, layout: layout) } }
    #expect(converter.allocations == 1)
  }
}
