import Testing

@testable import WaymarkFrames

/// What has to be installed for an address.
struct StreamProgramTests {
  private func missing(_ text: String, without parts: [String]) throws -> [String] {
    let address = try #require(StreamAddress(text))
    return StreamProgram.missingPackages(for: address) { path in !parts.contains { path.hasSuffix($0) } }
  }

  @Test func whatIsMissingIsNamed() throws {
    for text in ["rtsp://camera/", "screen:", "pipewire:", "libcamera:"] {
      #expect(try missing(text, without: []).isEmpty)
    }
    #expect(try missing("rtsp://camera/", without: ["/ffmpeg"]) == ["ffmpeg"])
    #expect(try missing("rtsp://camera/", without: ["/gst-launch-1.0"]).isEmpty)
    #expect(try missing("pipewire:", without: ["/ffmpeg", "/libgstlibcamera.so"]).isEmpty)
    #expect(
      try missing("pipewire:", without: ["/gst-launch-1.0", "/libgsty4menc.so", "/libgstpipewire.so"])
        == ["gstreamer1.0-tools", "gstreamer1.0-plugins-good", "gstreamer1.0-pipewire"])
    #expect(try missing("libcamera:", without: ["/libgstlibcamera.so"]) == ["gstreamer1.0-libcamera"])
    // Pictures that pass as they come take no conversion.
    #expect(try missing("libcamera:?format=MJPG", without: ["/libgsty4menc.so"]).isEmpty)
  }
}
