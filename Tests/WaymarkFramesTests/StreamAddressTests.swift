import Testing

@testable import WaymarkFrames

/// Addresses of cameras, and what a program is told of them.
struct StreamAddressTests {
  @Test(arguments: [
    ("rtsp://camera/stream", "rtsp://camera/stream", false),
    ("rtsp://me:secret@camera:554/live?token=secret#secret", "rtsp://camera:554/live", true),
    ("RTSP://me@[fe80::1]:8554", "rtsp://[fe80::1]:8554", true), ("http://camera/?key=secret", "http://camera/", false),
    ("https://a:b@c@camera/secret-free", "https://camera/secret-free", true), ("screen:", "screen:", false),
    ("screen::1.0", "screen::1.0", false), ("libcamera:", "libcamera:", false),
    ("PipeWire:desk?width=640", "pipewire:desk", false),
    (#"libcamera:\_SB_.PCI0-1.0:0825"#, #"libcamera:\_SB_.PCI0-1.0:0825"#, false),
  ])
  func whatIsShownHoldsNoSecret(_ text: String, _ display: String, _ hasCredentials: Bool) throws {
    let address = try #require(StreamAddress(text))
    #expect(address.display == display)
    #expect(address.hasCredentials == hasCredentials)
    #expect(address.secret == text)
    var dumped = ""
    dump(address, to: &dumped)
    for shown in ["\(address)", String(reflecting: address), dumped] { #expect(!shown.contains("secret@")) }
    #expect(!dumped.contains("token"))
  }

  @Test func credentialsAreAddedAsTheyAre() throws {
    let address = try #require(StreamAddress("rtsp://camera:554/live?a=b"))
    #expect(address.signedIn("me:p@ss:w/ö '").secret == "rtsp://me:p%40ss%3Aw%2F%C3%B6%20%27@camera:554/live?a=b")
    #expect(address.signedIn("me").secret == "rtsp://me@camera:554/live?a=b")
    #expect("\(address.signedIn("me:secret"))" == "rtsp://camera:554/live")
    #expect(StreamAddress(address.signedIn("me:a\nb").secret) != nil)
  }

  @Test(arguments: [
    "", "camera", "/dev/video0", "rtsp:", "rtsp://", "rtsp://me@", "rtsp:///stream", "ftp://camera/x",
    "file:///etc/passwd",
    "concat:a|b", "rtsp://camera/a b", "rtsp://camera/\n", "rtsp://camera/'", "rtsp://camera/\"", "rtsp://camera/\\",
    "rtsp://kamera/ü", "pipewire://desk", "pipewire:a b", "pipewire:%0A", "libcamera:?width=0", "screen:1", "screen:a",
    "screen://x", "screen::1;x",
    "rtsp://" + String(repeating: "a", count: 2048),
  ])
  func whatIsNoneIsRefused(_ text: String) { #expect(StreamAddress(text) == nil) }

  @Test func schemesAreToldFromPaths() {
    #expect(StreamAddress.scheme(of: "pipewire://x") == "pipewire")
    #expect(StreamAddress.scheme(of: "screen:") == "screen")
    #expect(StreamAddress.scheme(of: "LibCamera:x") == "libcamera")
    for path in ["-", "frames", "/a/b:c", "a:b", "C:/x", "./rtsp:x", "a b://c"] {
      #expect(StreamAddress.scheme(of: path) == nil, "\(path)")
    }
  }

  @Test func onlyCamerasOfThisComputerNameOne() throws {
    #expect(try #require(StreamAddress("rtsp://camera/stream?width=640")).camera == nil)
    #expect(try #require(StreamAddress("screen:")).camera == nil)
    #expect(try #require(StreamAddress("pipewire:desk")).camera?.name == "desk")
    let address = try #require(StreamAddress("libcamera:imx219"))
    #expect(address.signedIn("me:secret").secret == "libcamera:imx219")
  }
}
