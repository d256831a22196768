import Synchronization
import Testing
import WaymarkImage
import WaymarkText

@testable import WaymarkService
@testable import WaymarkStation

/// The cost of a frame of text.
@Suite struct TextProcessorTests {
  /// Rows of blobs as high as letters.
  private static func lines(_ count: Int) -> GrayImage {
    let height = 40 * count + 20
    return GrayImage(width: 640, height: height) { out in
      for place in 0..<(640 * height) { out[place] = 230 }
      for line in 0..<count {
        for letter in 0..<36 where letter % 7 != 6 {
          for y in 0..<16 {
            for x in 0..<10 where (x * 3 + y * 5 + letter) % 7 > 1 {
              out[(20 + 40 * line + y) * 640 + 20 + 16 * letter + x] = 30
            }
          }
        }
      }
    }
  }

  @Test func aSlowEngineCostsAFrameAndASecondLineAtMost() throws {
    let clock = Mutex(100.0)
    func time() -> Double { clock.withLock { $0 } }
    let seeker = TextProcessor(
      { _, _, _, _ in
        clock.withLock { $0 += 0.4 }
        return [ReadSymbol("7", confidence: 0.99)]
      }, clock: { time() })
    let image = Self.lines(12)
    let reading = image.withView { seeker.look($0, at: 1, TextTask(generation: 1)) }
    #expect(reading.failure == nil)
    #expect(time() - 100 <= TextProcessor.frameLimit + 2 * 0.4 + 0.001)
    #expect(reading.lines >= 1 && reading.skipped >= 1)
    // The next frame has its own time.
    let before = time()
    let next = image.withView { seeker.look($0, at: 2, TextTask(generation: 1)) }
    #expect(next.lines >= 1 && time() > before)
  }

  /// The caller bounds the cost of a picture: lines left over are counted.
  @Test func whatIsLeftOverIsCounted() throws {
    let image = Self.lines(10)
    let all = try image.withView { try TextReader { _, _, _ in [ReadSymbol("x", confidence: 0.9)] }.readAsFar($0) }
    #expect(all.lines.count >= 8)
    for most in [0, 1, 5] {
      var asked = 0
      var reader = TextReader { _, _, _ in
        asked += 1
        return [ReadSymbol("x", confidence: 0.9)]
      }
      reader.styles = [LinePicture.Style.live[0]]
      reader.continues = { asked < most }
      let (lines, skipped) = try image.withView { try reader.readAsFar($0) }
      #expect(lines.count == most && asked == most)
      #expect(lines.count + skipped == all.lines.count + all.skipped)
    }
  }

  @Test func linesBeyondTheMostAreCounted() throws {
    let all = Self.lines(16).withView { LineFinder().search($0) }
    #expect(all.outlines.count == 40 && all.leftOut >= 1)
    let (lines, skipped) = try Self.lines(16).withView {
      try TextReader { _, _, _ in [ReadSymbol("x", confidence: 0.9)] }.readAsFar($0)
    }
    #expect(lines.count == 40 && skipped == all.leftOut)
  }

  @Test func noFurtherDrawingOfALineIsReadWhenTheTimeIsUp() throws {
    var asked = 0
    var reader = TextReader { _, _, _ in
      asked += 1
      return [ReadSymbol("x", confidence: 0.9)]
    }
    reader.continues = { asked < 1 }
    let (lines, skipped) = try Self.lines(10).withView { try reader.readAsFar($0) }
    #expect(asked == 1 && lines.count == 1 && skipped >= 7)
  }

  @Test func aQuickOneReadsEverything() throws {
    let seeker = TextProcessor({ _, _, _, _ in [ReadSymbol("7", confidence: 0.99)] }, clock: { 5 })
    let reading = Self.lines(2).withView { seeker.look($0, at: 1, TextTask(generation: 1)) }
    #expect(reading.skipped == 0 && reading.lines >= 2)
  }
}
