import Testing
import WaymarkImage

@testable import WaymarkFrames

struct JPEGStreamTests {
  private let file: [UInt8]

  init() throws {
    file = try JPEGEncoder.encode(
      GrayImage(width: 32, height: 32) { out in for i in out.indices { out[i] = UInt8(i & 255) } })
  }

  private func next(_ bytes: [UInt8]) -> MJPEGFramer.Item {
    var framer = MJPEGFramer()
    return bytes.withUnsafeBytes { framer.next(in: $0) }
  }

  /// Returns the pictures of a stream that comes in pieces, and how much of it was walked over after each piece.
  private func pictures(_ stream: [UInt8], piece: Int, walked: (Int, Int) -> Void = { _, _ in }) -> [[UInt8]] {
    var framer = MJPEGFramer()
    var (buffer, found): ([UInt8], [[UInt8]]) = ([], [])
    for start in stride(from: 0, to: stream.count, by: piece) {
      buffer += stream[start..<min(start + piece, stream.count)]
      loop: while true {
        switch buffer.withUnsafeBytes({ framer.next(in: $0) }) {
        case .picture(let range):
          found.append(Array(buffer[range]))
          buffer.removeSubrange(..<range.upperBound)
        case .damaged(let end): buffer.removeSubrange(..<end)
        case .more(let unused):
          buffer.removeSubrange(..<unused)
          break loop
        }
      }
      if let progress = framer.progress { walked(progress.position, buffer.count) }
    }
    return found
  }

  @Test func findsTheSameInPiecesOfAnySize() {
    let parts: [[UInt8]] = [
      Array("--x\r\n\r\n".utf8), file, [0xFF, 0xFF], Array(file.prefix(file.count - 9)), file, [0, 1], file,
    ]
    let stream = parts.flatMap { $0 }
    let whole = pictures(stream, piece: stream.count)
    #expect(whole.count == 3)
    for piece in [1, 2, 3, 7, 64, 501] { #expect(pictures(stream, piece: piece) == whole, "\(piece)") }
  }

  @Test func walksOverFillBytesOnce() {
    // However many there are, each piece is begun where the one before ended.
    let stream = file.prefix(2) + [UInt8](repeating: 0xFF, count: 1 << 20) + file.dropFirst(2)
    var slack = 0
    let found = pictures(Array(stream), piece: 4096) { walked, count in
      if count < 1 << 20 { slack = max(slack, count - walked) }
    }
    #expect(found.count == 1 && found[0].count == stream.count)
    #expect(slack <= 2)
  }

  @Test func findsTheEndOfAPictureBeforeStaleBytes() {
    #expect(file.withUnsafeBytes { JPEGStructure.pictureEnd($0) } == file.count)
    #expect((file + file.suffix(50)).withUnsafeBytes { JPEGStructure.pictureEnd($0) } == file.count)
    #expect(file.dropLast(1).withUnsafeBytes { JPEGStructure.pictureEnd($0) } == nil)
  }

  @Test func cutsAStreamIntoPictures() {
    let boundary = Array("--frame\r\nContent-Type: image/jpeg\r\n\r\n".utf8)
    #expect(next(file + file) == .picture(0..<file.count))
    #expect(next(boundary + file + boundary) == .picture(boundary.count..<boundary.count + file.count))
    #expect(next(boundary) == .more(unused: boundary.count - 2))
    #expect(next(boundary + file.dropLast(5)) == .more(unused: boundary.count))
    // Every beginning needs more, none is taken for a picture.
    for count in 0..<file.count {
      guard case .more = next(Array(file.prefix(count))) else {
        Issue.record("\(count) bytes were taken for a picture")
        return
      }
    }
  }

  @Test func passesOverAPictureThatIsCutOffByTheNext() {
    let cut = file.count - 40
    guard case .damaged(let end) = next(Array(file.prefix(cut)) + file) else {
      Issue.record("not seen")
      return
    }
    #expect(
      next(Array((Array(file.prefix(cut)) + file).dropFirst(end))) == .picture(cut - end..<cut - end + file.count))
  }

  /// For any bytes, each step advances or needs more, and pictures lie within them.
  @Test func endsOnRandomBytes() {
    var generator = SplitMix(state: 88)
    var (pictures, damaged) = (0, 0)
    for _ in 0..<2000 {
      var bytes = file + file
      for _ in 0..<8 {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      var used = 0
      walk: while used < bytes.count {
        let rest = bytes.count - used
        switch next(Array(bytes[used...])) {
        case .picture(let range):
          #expect(range.lowerBound >= 0 && range.count >= 4 && range.upperBound <= rest)
          #expect(bytes[used + range.lowerBound..<used + range.upperBound].starts(with: [0xFF, 0xD8]))
          pictures += 1
          used += range.upperBound
        case .damaged(let end):
          #expect(end > 0 && end <= rest)
          guard end > 0 else { return }
          damaged += 1
          used += end
        case .more(let unused):
          #expect((0...rest).contains(unused))
          break walk
        }
      }
    }
    #expect(pictures > 1000 && damaged > 100)
  }

  @Test func writesTheOrientationForViewers() throws {
    let turned = file.withUnsafeBytes { MJPEGToJPEG.complete($0, orientation: .turn90) }
    let decoded = try PictureDecoder().gray(turned)
    #expect(decoded.orientation == .turn90)
    #expect(file.withUnsafeBytes { MJPEGToJPEG.complete($0, orientation: .upright) } == file)
  }

  @Test func addsTheTablesThatCamerasLeaveOut() throws {
    var bare: [UInt8] = []
    _ = file.withUnsafeBytes { raw in
      JPEGStructure.walk(raw) { marker, range in
        if marker != 0xC4 { bare += raw[range] }
        return true
      }
    }
    #expect(bare.count < file.count)
    let whole = bare.withUnsafeBytes { MJPEGToJPEG.complete($0, orientation: .upright) }
    var tables = 0
    _ = whole.withUnsafeBytes { raw in
      JPEGStructure.walk(raw) { marker, _ in
        if marker == 0xC4 { tables += 1 }
        return true
      }
    }
    #expect(tables == 1)
    let (first, second) = (try PictureDecoder().gray(whole).image, try PictureDecoder().gray(file).image)
    #expect((0..<32).allSatisfy { y in (0..<32).allSatisfy { first[$0, y] == second[$0, y] } })
  }

  @Test func readsTheFirstLineOfY4M() throws {
    let header = try #require(Y4MHeader(line: Array("YUV4MPEG2 W640 H479 F30000:1001 Ip A1:1 C420jpeg".utf8)))
    #expect((header.width, header.height, header.frameBytes.tight) == (640, 479, 640 * 479 + 2 * 320 * 240))
    #expect(abs((header.rate ?? 0) - 29.97) < 0.001)
    #expect(Y4MHeader(line: Array("YUV4MPEG2 W640 H480 C420p10".utf8)) == nil)
    #expect(Y4MHeader(line: Array("YUV4MPEG2 W0 H480".utf8)) == nil)
    #expect(Y4MHeader(line: Array("YUV4MPEG2 W99999999999999999999 H480".utf8)) == nil)
  }
}

struct FramePoolTests {
  @Test func givesBackUnusedMemory() {
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
    let luma = data.withUnsafeBytes { converter.convert($0, layout: layout) }
    #expect(luma.outcome == .clean)
    #expect(pixels(try #require(luma.image)) == (0..<3).map { y in (0..<5).map { UInt8(10 * y + $0) } })
    let short = data.withUnsafeBytes { raw in
      converter.convert(UnsafeRawBufferPointer(rebasing: raw[..<(layout.minimumLumaBytes - 1)]), layout: layout)
    }
    #expect(short.outcome == .damaged && short.image == nil, "a short frame was taken for whole")
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
    let luma = data.withUnsafeBytes { converter.convert($0, layout: layout) }
    #expect(luma.outcome == .clean)
    #expect(pixels(try #require(luma.image)) == expected)
  }

  @Test func decodesAndRefusesJPEG() throws {
    let gray = GrayImage(width: 64, height: 48) { out in for i in out.indices { out[i] = UInt8(i % 64 * 3) } }
    let file = try JPEGEncoder.encode(gray, quality: 95)
    let layout = PixelLayout(format: .mjpeg, width: 64, height: 48)
    var converter = try LumaConverter()
    let luma = file.withUnsafeBytes { converter.convert($0, layout: layout) }
    #expect(luma.outcome == .clean)
    let image = try #require(luma.image)
    #expect((image.width, image.height) == (64, 48))
    #expect(abs(Int(image[33, 24]) - 99) < 6)
    for cut in [0, 2, 20, file.count / 2, file.count - 30] {
      let luma = file.withUnsafeBytes { raw in
        converter.convert(UnsafeRawBufferPointer(rebasing: raw[..<cut]), layout: layout)
      }
      #expect(luma.outcome == .damaged && luma.image == nil, "a frame of \(cut) bytes was taken for whole")
    }
    // Larger than agreed: memory for it was never planned.
    let tiny = PixelLayout(format: .mjpeg, width: 8, height: 8)
    let other = file.withUnsafeBytes { converter.convert($0, layout: tiny) }
    #expect(other.outcome == .damaged && other.image == nil, "a picture of another size was taken")
  }

  @Test func allocatesNothingInTheSteadyState() throws {
    var converter = try LumaConverter(transform: FrameTransform(rotation: .quarter))
    let (data, layout) = bytes(.yuyv)
    for _ in 0..<100 { _ = data.withUnsafeBytes { converter.convert($0, layout: layout) } }
    #expect(converter.allocations == 1)
  }
}
