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

  /// Whatever the bytes are, each step goes on or asks for more, and nothing that is taken for a picture lies outside of them.
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
    #expect((header.width, header.height, header.chromaBytes) == (640, 479, 2 * 320 * 240))
    #expect(abs((header.rate ?? 0) - 29.97) < 0.001)
    #expect(Y4MHeader(line: Array("YUV4MPEG2 W640 H480 C420p10".utf8)) == nil)
    #expect(Y4MHeader(line: Array("YUV4MPEG2 W0 H480".utf8)) == nil)
    #expect(Y4MHeader(line: Array("YUV4MPEG2 W99999999999999999999 H480".utf8)) == nil)
  }
}
