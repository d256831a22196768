package import WaymarkFrames

/// The settings of a camera.
package struct CameraSettings: Sendable, Equatable {
  /// Which camera.
  package var selector: CameraSelector
  /// The forms of pictures that may be used, best first.
  package var formats: [PixelFormat]
  /// The width wanted, in pixels, as captured.
  package var width: Int
  /// The height wanted, in pixels, as captured.
  package var height: Int
  /// Frames a second wanted.
  package var rate: Double
  /// For cameras that are mounted sideways or face the user.
  package var transform: FrameTransform
  /// The width that is enough for the lanes; compressed pictures are decoded no larger than needed. nil: in full.
  package var sufficientWidth: Int?
  /// Values of controls, set whenever the camera is opened.
  package var controls: [String: Int]
  /// True if libv4l2 may decode, in this process, what a camera compresses in a way of its own.
  package var allowsVendorFormats: Bool
  /// How many buffers the driver gets.
  package var buffers: Int
  /// After how many frame times without a frame the camera counts as stalled.
  var stallFrames: Int

  /// Any camera at 640×480 and 30 frames a second, Motion JPEG first: it is what every USB camera delivers at full rate,
  /// and what a preview passes through.
  package init(
    selector: CameraSelector = .any, formats: [PixelFormat] = [.mjpeg, .yuyv, .nv12, .grey, .yuv420, .uyvy, .nv21],
    width: Int = 640, height: Int = 480, rate: Double = 30, transform: FrameTransform = .identity,
    sufficientWidth: Int? = nil, controls: [String: Int] = [:], allowsVendorFormats: Bool = true,
    buffers: Int = 6, stallFrames: Int = 15
  ) {
    self.selector = selector
    self.formats = formats
    self.width = width
    self.height = height
    self.rate = rate
    self.transform = transform
    self.sufficientWidth = sufficientWidth
    self.controls = controls
    self.allowsVendorFormats = allowsVendorFormats
    self.buffers = buffers
    self.stallFrames = stallFrames
  }
}

/// Which camera is meant.
package enum CameraSelector: Sendable, Hashable {
  /// The first one; when it stays away, another.
  case any
  /// The one behind this node or link, `/dev/video2`, `/dev/waymark/…`; once it was opened, that very camera wherever
  /// its node moves.
  case path(String)
  /// The one with this identity, or whose name contains this.
  case named(String)

  /// A selector as configurations and commands write it: `auto`, a path, an identity, a part of a name.
  package init(_ text: String) {
    switch text {
    case "", "auto", "any": self = .any
    case _ where text.hasPrefix("/"): self = .path(text)
    default: self = .named(text)
    }
  }

  /// The same as text.
  package var text: String {
    switch self {
    case .any: "auto"
    case .path(let path): path
    case .named(let name): name
    }
  }
}
