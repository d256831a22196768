import Glibc
import Testing

@testable import WaymarkFrames

/// Addresses of cameras.
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

  @Test func schemesAreDistinguishedFromPaths() {
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

/// ffmpeg's arguments for an address.
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

/// The rights of the programs that play addresses.
struct StreamConfinementTests {
  @Test func whoHasTheNetworkHasNoDevices() {
    for scheme in StreamAddress.Scheme.allCases {
      let rights = StreamConfinement(scheme)
      let hasNetwork = rights.families.contains(AF_INET) || rights.families.contains(AF_INET6)
      #expect(hasNetwork == [.rtsp, .http, .https].contains(scheme))
      #expect(rights.devices.isEmpty == (scheme != .libcamera))
      #expect(rights.sharesMemory == scheme.playsCameras)
      // Neither homes, nor what is kept of a device, nor sockets of others.
      for path in rights.readable {
        #expect(!["/", "/etc", "/run", "/home", "/root", "/var", "/proc", "/dev", "/tmp"].contains(path))
      }
    }
    // The connection is handed over: no way leads to the other services of a session.
    #expect(StreamConfinement(.pipewire).families.isEmpty)
    #expect(StreamConfinement(.libcamera).families == [AF_NETLINK])
  }
}

/// Where PipeWire listens.
struct PipeWireSocketTests {
  @Test func theSessionComesBeforeTheSystem() {
    #expect(PipeWireSocket.paths([:]) == ["/run/pipewire/pipewire-0"])
    #expect(PipeWireSocket.paths(["XDG_RUNTIME_DIR": "/run/user/7"])[0] == "/run/user/7/pipewire-0")
    let both = ["XDG_RUNTIME_DIR": "/run/user/7", "PIPEWIRE_RUNTIME_DIR": "/p", "PIPEWIRE_REMOTE": "other"]
    #expect(PipeWireSocket.paths(both) == ["/p/other", "/run/pipewire/other"])
    #expect(PipeWireSocket.paths(["PIPEWIRE_REMOTE": "/a/socket", "XDG_RUNTIME_DIR": "/x"]) == ["/a/socket"])
    #expect(PipeWireSocket.paths(["PIPEWIRE_RUNTIME_DIR": "", "XDG_RUNTIME_DIR": "/x"])[0] == "/x/pipewire-0")
  }
}

/// GStreamer's arguments for a camera.
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
