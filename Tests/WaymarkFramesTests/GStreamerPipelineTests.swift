import Testing

@testable import WaymarkFrames

/// What GStreamer is told of a camera.
struct GStreamerPipelineTests {
  private func words(_ text: String) throws -> [String] {
    let address = try #require(StreamAddress(text))
    return GStreamerPipeline(try #require(address.camera), scheme: address.scheme, folder: "/plugins", connection: 3)
      .arguments
  }

  @Test func pipeWireIsReachedThroughItsConnection() throws {
    #expect(
      try words("pipewire:desk") == [
        "--quiet", "--no-fault", "--gst-disable-registry-update", "--gst-disable-registry-fork",
        "--gst-plugin-load=/plugins/libgstcoreelements.so,/plugins/libgstvideoconvertscale.so,"
          + "/plugins/libgsty4menc.so,/plugins/libgstpipewire.so",
        "pipewiresrc", "fd=3", "client-name=waymark", "target-object=\"desk\"", "!", "video/x-raw", "!", "videoconvert",
        "!", "video/x-raw,format=I420", "!", "y4menc", "!", "fdsink", "sync=false",
      ])
    #expect(try !words("pipewire:").contains { $0.hasPrefix("target-object") })
  }

  @Test func libcameraIsAskedForASize() throws {
    let words = try words("libcamera:imx219?width=1280&height=720&rate=30")
    let source = try #require(words.firstIndex(of: "libcamerasrc"))
    #expect(
      words[source...].prefix(4) == [
        "libcamerasrc", "camera-name=\"imx219\"", "!", "video/x-raw,width=1280,height=720,framerate=30/1",
      ])
    #expect(words.contains { $0.hasSuffix("/plugins/libgstlibcamera.so") })
  }

  @Test func motionJPEGPassesAsItComes() throws {
    let words = try words("libcamera:?format=MJPG&width=640")
    #expect(words.suffix(5) == ["!", "image/jpeg,width=640", "!", "fdsink", "sync=false"])
    #expect(words.contains("--gst-plugin-load=/plugins/libgstcoreelements.so,/plugins/libgstlibcamera.so"))
  }

  /// A name may be anything; in the language of pipelines it stays one value.
  @Test func aNameIsOneValue() throws {
    #expect(try words(#"pipewire:a%20!%20fakesink%22\"#).contains(#"target-object="a ! fakesink\"\\""#))
  }
}
