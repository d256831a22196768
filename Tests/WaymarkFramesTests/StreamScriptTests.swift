import Testing

@testable import WaymarkFrames

/// What ffmpeg is told of an address.
struct StreamScriptTests {
  @Test func noArgumentHoldsTheAddress() throws {
    for text in ["rtsp://me:secret@camera/stream", "http://me:secret@camera/", "https://me:secret@camera/"] {
      let plan = StreamScript(try #require(StreamAddress(text)), descriptor: 3, display: ":0")
      #expect(!plan.arguments.joined().contains("camera"))
      #expect(plan.arguments.contains("pipe:3"))
      let lines = try #require(plan.script).split(separator: "\n")
      #expect(lines.prefix(2) == ["ffconcat version 1.0", "file '\(text)'"])
      #expect(lines.dropFirst(2).allSatisfy { $0.hasPrefix("option ") })
    }
    let screen = StreamScript(try #require(StreamAddress("screen::1")), descriptor: 3, display: ":0")
    #expect(screen.script == nil && screen.arguments.contains(":1"))
    #expect(StreamScript(try #require(StreamAddress("screen:")), descriptor: 3, display: ":7").arguments.contains(":7"))
  }
}
