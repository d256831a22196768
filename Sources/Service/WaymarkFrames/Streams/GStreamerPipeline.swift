/// How GStreamer is told to play a camera of this computer, as Y4M or as the Motion JPEG that it sends.
package struct GStreamerPipeline: Equatable {
  /// A plug-in of GStreamer, and the Debian package that brings it.
  struct Plugin {
    let file: String
    let package: String
  }

  package let arguments: [String]
  /// Instead of those that it would look for: no registry of plug-ins is read or written, and none is loaded but those of the arguments.
  package let environment = [
    "GST_REGISTRY_1_0": "/dev/null", "GST_REGISTRY_UPDATE": "no", "GST_REGISTRY_FORK": "no",
    "GST_PLUGIN_SYSTEM_PATH_1_0": "",
  ]

  /// - Parameters:
  ///   - scheme: that of a camera of this computer.
  ///   - folder: where the plug-ins lie.
  ///   - connection: the descriptor that is connected with PipeWire.
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
      // As it comes: none waited for.
      + ["fdsink", "sync=false"]
  }

  /// The plug-ins that a pipeline takes.
  ///
  /// - Parameter isMotionJPEG: whether pictures pass as they come.
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

  /// A value in the language of pipelines, whatever is in it.
  private static func quoted(_ text: String) -> String {
    text.reduce(into: "\"") { result, character in
      if character == "\"" || character == "\\" { result.append("\\") }
      result.append(character)
    } + "\""
  }
}
