import Testing

@testable import WaymarkFrames

/// Cameras of this computer, as addresses name them.
struct LocalCameraTests {
  @Test func everyPartMayBeMissing() throws {
    let usual = try #require(LocalCamera(""))
    #expect(usual.name == nil && usual.width == nil && usual.height == nil && usual.rate == nil)
    #expect(!usual.isMotionJPEG)
    let whole = try #require(LocalCamera("desk%20left%3F?width=1280&height=720&rate=30&format=MJPG"))
    #expect(whole.name == "desk left?")
    #expect((whole.width, whole.height, whole.rate) == (1280, 720, 30))
    #expect(whole.isMotionJPEG)
    #expect(try #require(LocalCamera("?rate=5")).rate == 5)
    #expect(try #require(LocalCamera("/base/soc/i2c0mux/i2c@1/imx219@10")).name == "/base/soc/i2c0mux/i2c@1/imx219@10")
    #expect(try #require(LocalCamera("B%C3%BCro")).name == "Büro")
  }

  @Test(arguments: [
    "//desk", "a%", "a%4", "a%zz", "a%+1", "%00", "%7F", "%FF", "?width", "?width=", "?width=0", "?width=-1",
    "?width=1e3",
    "?width=16385", "?rate=1001", "?width=1&width=1", "?format=MJPG&format=MJPG", "?format=YUYV", "?size=1x1",
    "?Width=1",
  ])
  func whatIsNoneIsRefused(_ text: String) { #expect(LocalCamera(text[...]) == nil) }
}
