import Glibc

/// The program that plays the addresses of a scheme as Y4M: where it lies, and of which Debian packages it and its parts come.
package enum StreamProgram: Sendable {
  case ffmpeg
  case gstreamer

  /// The program for a scheme.
  package init(_ scheme: StreamAddress.Scheme) { self = scheme.playsCameras ? .gstreamer : .ffmpeg }

  /// The path of the program.
  package var path: String {
    switch self {
    case .ffmpeg: "/usr/bin/ffmpeg"
    case .gstreamer: "/usr/bin/gst-launch-1.0"
    }
  }

  /// The variables of this process's environment that it is handed: where the screen and PipeWire are.
  package static var environment: [String: String] {
    (["DISPLAY", "XAUTHORITY", "HOME"] + PipeWireSocket.variables).reduce(into: [:]) { known, key in
      known[key] = getenv(key).map { String(cString: $0) }
    }
  }

  /// The folder of GStreamer's plug-ins, as Debian has it, and as others do.
  package static let pluginFolder: String = {
    #if arch(arm64)
      let debian = "/usr/lib/aarch64-linux-gnu/gstreamer-1.0"
    #else
      let debian = "/usr/lib/x86_64-linux-gnu/gstreamer-1.0"
    #endif
    return [debian, "/usr/lib64/gstreamer-1.0", "/usr/lib/gstreamer-1.0"].first { access($0, X_OK) == 0 } ?? debian
  }()

  /// The Debian packages that an address takes and that are not there.
  ///
  /// - Parameter isThere: whether a file is.
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
