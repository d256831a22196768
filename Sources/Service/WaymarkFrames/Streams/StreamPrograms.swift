import Glibc
import WaymarkSystem

/// The program that plays the addresses of a scheme, as Y4M or Motion JPEG: its path, and the Debian packages of the
/// program and its parts. The file also has its arguments (`StreamScript` for ffmpeg, `GStreamerPipeline`), the
/// connection to PipeWire (`PipeWireSocket`), and its access rights in the sandbox (`StreamConfinement`).
package enum StreamProgram: Sendable {
  case ffmpeg
  case gstreamer

  package init(_ scheme: StreamAddress.Scheme) { self = scheme.playsCameras ? .gstreamer : .ffmpeg }

  package var path: String {
    switch self {
    case .ffmpeg: "/usr/bin/ffmpeg"
    case .gstreamer: "/usr/bin/gst-launch-1.0"
    }
  }

  /// The environment variables that the program receives to find the screen and PipeWire.
  package static var environment: [String: String] {
    (["DISPLAY", "XAUTHORITY", "HOME"] + PipeWireSocket.variables).reduce(into: [:]) { known, key in
      known[key] = getenv(key).map { String(cString: $0) }
    }
  }

  /// The folder of GStreamer's plug-ins on Debian, or on other distributions.
  package static let pluginFolder: String = {
    #if arch(arm64)
      let debian = "/usr/lib/aarch64-linux-gnu/gstreamer-1.0"
    #else
      let debian = "/usr/lib/x86_64-linux-gnu/gstreamer-1.0"
    #endif
    return [debian, "/usr/lib64/gstreamer-1.0", "/usr/lib/gstreamer-1.0"].first { access($0, X_OK) == 0 } ?? debian
  }()

  /// Returns the Debian packages that an address requires and that are not installed.
  ///
  /// - Parameter isThere: returns whether the file at a path is readable.
  package static func missingPackages(
    for address: StreamAddress, isThere: (String) -> Bool = { access($0, R_OK) == 0 }
  ) -> [String] {
    let program = StreamProgram(address.scheme).path
    guard let camera = address.camera else { return isThere(program) ? [] : ["ffmpeg"] }
    let plugins = GStreamerPipeline.plugins(address.scheme, isMotionJPEG: camera.isMotionJPEG)
    return (isThere(program) ? [] : ["gstreamer1.0-tools"])
      + plugins.filter { !isThere("\(pluginFolder)/\($0.file)") }.map(\.package)
  }
}

// MARK: - ffmpeg

/// The arguments with which ffmpeg plays an address as Y4M. All users of a computer can read arguments, so an address with secrets
/// is in a script that ffmpeg reads from a descriptor.
package struct StreamScript: Equatable {
  package let arguments: [String]
  /// The script; nil if the address is in the arguments because it has no secrets.
  package let script: String?

  /// Creates the arguments for an address.
  ///
  /// - Parameters:
  ///   - descriptor: the descriptor from which ffmpeg reads the script.
  ///   - display: the X11 display for an address that names no display.
  package init(_ address: StreamAddress, descriptor: Int32, display: String) {
    let common = ["-nostdin", "-hide_banner", "-loglevel", "quiet"]
    // Frames are passed through as they arrive, without repeating or dropping any, and without sound.
    let output = [
      "-map", "0:v:0", "-an", "-fps_mode", "passthrough", "-pix_fmt", "yuv420p", "-f", "yuv4mpegpipe", "pipe:1",
    ]
    guard address.scheme != .screen else {
      let wanted = String(address.secret.dropFirst("screen:".count))
      let input = ["-f", "x11grab", "-framerate", "15", "-i", wanted.isEmpty ? display : wanted]
      (arguments, script) = (common + input + output, nil)
      return
    }
    // The server is not trusted: ffmpeg accepts only the protocols and formats of this list.
    let input = [
      "-protocol_whitelist", "pipe,rtsp,rtp,udp,tcp,tls,http,https", "-format_whitelist",
      "concat,rtsp,sdp,rtp,mpjpeg,mjpeg,jpeg_pipe", "-f", "concat", "-safe", "0", "-i", "pipe:\(descriptor)",
    ]
    // Sizes are in bytes and times in microseconds: one second of a stream is enough to detect its format.
    var options = ["probesize 500000", "analyzeduration 1000000", "fflags nobuffer"]
    switch address.scheme {
    case .rtsp: options += ["rtsp_transport tcp", "timeout 5000000"]
    case .https: options += ["rw_timeout 5000000", "tls_verify 1", "ca_file /etc/ssl/certs/ca-certificates.crt"]
    case .http: options += ["rw_timeout 5000000"]
    case .screen, .libcamera, .pipewire: break
    }
    arguments = common + input + output
    script =
      (["ffconcat version 1.0", "file '\(address.secret)'"] + options.map { "option \($0)" })
      .joined(separator: "\n") + "\n"
  }
}

// MARK: - GStreamer

/// The arguments with which GStreamer plays a camera of this computer, as Y4M or as the Motion JPEG that the camera sends.
package struct GStreamerPipeline: Equatable {
  /// A plug-in of GStreamer and its Debian package.
  struct Plugin {
    let file: String
    let package: String
  }

  package let arguments: [String]
  /// The environment variables that make GStreamer load only the plug-ins in the arguments, and neither read nor write a registry
  /// of plug-ins.
  package let environment = [
    "GST_REGISTRY_1_0": "/dev/null", "GST_REGISTRY_UPDATE": "no", "GST_REGISTRY_FORK": "no",
    "GST_PLUGIN_SYSTEM_PATH_1_0": "",
  ]

  /// Creates the arguments for a camera.
  ///
  /// - Parameters:
  ///   - folder: the folder of GStreamer's plug-ins.
  ///   - connection: the descriptor of a connection to PipeWire, for the scheme `pipewire`.
  package init(_ camera: LocalCamera, scheme: StreamAddress.Scheme, folder: String, connection: Int32) {
    let files = Self.plugins(scheme, isMotionJPEG: camera.isMotionJPEG).map { "\(folder)/\($0.file)" }
    let source: [String]
    switch scheme {
    case .pipewire:
      source =
        ["pipewiresrc", "fd=\(connection)", "client-name=waymark"]
        + (camera.name.map { ["target-object=\(Self.quoted($0))"] } ?? [])
    default: source = ["libcamerasrc"] + (camera.name.map { ["camera-name=\(Self.quoted($0))"] } ?? [])
    }
    var form = camera.isMotionJPEG ? "image/jpeg" : "video/x-raw"
    if let width = camera.width { form += ",width=\(width)" }
    if let height = camera.height { form += ",height=\(height)" }
    if let rate = camera.rate { form += ",framerate=\(rate)/1" }
    arguments =
      [
        "--quiet", "--no-fault", "--gst-disable-registry-update", "--gst-disable-registry-fork",
        "--gst-plugin-load=\(files.joined(separator: ","))",
      ] + source + ["!", form, "!"]
      + (camera.isMotionJPEG ? [] : ["videoconvert", "!", "video/x-raw,format=I420", "!", "y4menc", "!"])
      // Frames are written as they arrive, without waiting for their time stamps.
      + ["fdsink", "sync=false"]
  }

  /// Returns the plug-ins that a pipeline requires.
  ///
  /// - Parameter isMotionJPEG: true if the camera's Motion JPEG is passed through.
  static func plugins(_ scheme: StreamAddress.Scheme, isMotionJPEG: Bool) -> [Plugin] {
    let conversion = [
      Plugin(file: "libgstvideoconvertscale.so", package: "gstreamer1.0-plugins-base"),
      Plugin(file: "libgsty4menc.so", package: "gstreamer1.0-plugins-good"),
    ]
    let source =
      scheme == .pipewire
      ? Plugin(file: "libgstpipewire.so", package: "gstreamer1.0-pipewire")
      : Plugin(file: "libgstlibcamera.so", package: "gstreamer1.0-libcamera")
    return [Plugin(file: "libgstcoreelements.so", package: "libgstreamer1.0-0")] + (isMotionJPEG ? [] : conversion)
      + [source]
  }

  /// Returns a quoted value for a description of a pipeline.
  private static func quoted(_ text: String) -> String {
    text.reduce(into: "\"") { result, character in
      if character == "\"" || character == "\\" { result.append("\\") }
      result.append(character)
    } + "\""
  }
}

// MARK: - PipeWire

/// The socket of the PipeWire daemon: the socket of the user's session, or else the system's.
package enum PipeWireSocket {
  /// The environment variables from which the path of the socket is built.
  package static let variables = ["XDG_RUNTIME_DIR", "PIPEWIRE_RUNTIME_DIR", "PIPEWIRE_REMOTE"]

  /// Returns the possible paths of the socket, the path of the session first, as in PipeWire's own clients (pipewire(1), section
  /// "Environment variables").
  package static func paths(_ environment: [String: String]) -> [String] {
    func value(_ key: String) -> String? { environment[key].flatMap { $0.isEmpty ? nil : $0 } }
    let name = value("PIPEWIRE_REMOTE") ?? "pipewire-0"
    guard !name.hasPrefix("/") else { return [name] }
    let folders = [value("PIPEWIRE_RUNTIME_DIR") ?? value("XDG_RUNTIME_DIR"), "/run/pipewire"].compactMap { $0 }
    return folders.map { "\($0)/\(name)" }
  }

  /// Connects to the first socket that accepts a connection, and returns the descriptor; nil if all sockets refuse.
  package static func connect(_ environment: [String: String]) -> Int32? {
    for case let address? in paths(environment).map({ SocketFile.address($0) }) {
      let connection = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      guard connection >= 0 else { return nil }
      if SocketFile.connect(connection, to: address) { return connection }
      close(connection)
    }
    return nil
  }
}

// MARK: - Confinement

/// The access rights of the program that plays an address in its sandbox, in addition to its own files and the connection to which
/// it writes.
package struct StreamConfinement: Equatable {
  /// The paths that the program can read, with all files below them.
  package let readable: [String]
  /// The patterns of the device files that the program can read and write.
  package let devices: [String]
  /// The families of the sockets that the program can open.
  package let families: [Int32]
  /// True if the program can create memory that it shares with the process at the other end of an inherited connection.
  package let sharesMemory: Bool

  package init(_ scheme: StreamAddress.Scheme) {
    // Libraries, their data, and the time zone.
    let common = ["/usr/lib", "/usr/share", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/localtime"]
    switch scheme {
    case .rtsp, .http, .https:
      // The resolution of host names, and certificates.
      readable =
        common + [
          "/etc/resolv.conf", "/run/systemd/resolve", "/etc/hosts", "/etc/host.conf", "/etc/nsswitch.conf",
          "/etc/gai.conf", "/etc/ssl",
        ]
      (devices, families, sharesMemory) = ([], [AF_UNIX, AF_INET, AF_INET6], false)
    case .screen: (readable, devices, families, sharesMemory) = (common, [], [AF_UNIX], false)
    case .pipewire:
      // The program uses only the inherited connection.
      (readable, devices, families, sharesMemory) = (common + ["/etc/pipewire"], [], [], true)
    case .libcamera:
      // libcamera finds cameras in sysfs and udev's database, and netlink notifies it when a camera is plugged in.
      readable = common + ["/etc/libcamera", "/sys", "/run/udev"]
      devices = ["/dev/media*", "/dev/video*", "/dev/v4l-subdev*", "/dev/dma_heap/*", "/dev/udmabuf"]
      (families, sharesMemory) = ([AF_NETLINK], true)
    }
  }
}
