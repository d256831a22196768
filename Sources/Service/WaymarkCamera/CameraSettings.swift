package import WaymarkFrames

/// The settings of a camera: its selection, the requested format and rate, and its controls.
package struct CameraSettings: Sendable, Equatable {
  package var selector: CameraSelector
  /// The formats that may be used, the preferred one first.
  package var formats: [PixelFormat]
  /// The requested width in pixels, as captured.
  package var width: Int
  /// The requested height in pixels, as captured.
  package var height: Int
  /// The requested frames per second.
  package var rate: Double
  /// The transform for cameras that are mounted sideways or face the user.
  package var transform: FrameTransform
  /// The values of controls, by name, which are set whenever the camera is opened.
  package var controls: [String: Int]
  /// True if libv4l2 may decode vendor-specific compressed formats in this process.
  package var allowsVendorFormats: Bool
  /// The number of buffers that are requested from the driver.
  package var buffers = 6

  /// Creates settings; by default any camera at 640×480 pixels and 30 frames per second. Motion JPEG is preferred, because USB
  /// cameras deliver it at full rate and previews pass it through.
  package init(
    selector: CameraSelector = .any, formats: [PixelFormat] = [.mjpeg, .yuyv, .nv12, .grey, .yuv420, .uyvy, .nv21],
    width: Int = 640, height: Int = 480, rate: Double = 30, transform: FrameTransform = .identity,
    controls: [String: Int] = [:], allowsVendorFormats: Bool = true
  ) {
    self.selector = selector
    self.formats = formats
    self.width = width
    self.height = height
    self.rate = rate
    self.transform = transform
    self.controls = controls
    self.allowsVendorFormats = allowsVendorFormats
  }
}

/// Selects one of the attached cameras.
package enum CameraSelector: Sendable, Hashable {
  /// The first camera that can be opened; another camera replaces it if it stays missing.
  case any
  /// The camera of a node or link such as `/dev/video2` or `/dev/waymark/…`. After it was opened, the same camera is
  /// selected even if its node changes.
  case path(String)
  /// The camera with this identity, or whose name contains this text in any case.
  case named(String)

  /// Parses a selector of the configuration or a command: `auto`, a path, an identity, or a part of a name.
  package init(_ text: String) {
    switch text {
    case "", "auto", "any": self = .any
    case _ where text.hasPrefix("/"): self = .path(text)
    default: self = .named(text)
    }
  }

  package var text: String {
    switch self {
    case .any: "auto"
    case .path(let path): path
    case .named(let name): name
    }
  }
}
