package import WaymarkFrames
import WaymarkSystem

/// All that is known of a camera that is plugged in, for `waymark cameras` and `camera.list`.
package struct AttachedCamera: Sendable, Equatable, Codable {
  /// By what it is known again: serial or bus path.
  package var identity: String
  /// Its name.
  package var name: String
  /// Its node now; may be another one after it was plugged in again.
  package var path: String
  /// The kernel's driver.
  package var driver: String
  /// Where it is plugged in, as the driver names it.
  package var bus: String
  /// The formats that it offers.
  package var formats: [Format]
  /// The controls that can be adjusted.
  package var controls: [SourceControl]
  /// Why it cannot be used, if it cannot.
  package var problem: Fault?

  /// A kind of picture.
  package struct Format: Sendable, Equatable, Codable {
    /// The four characters of the format: `MJPG`, `YUYV`, …
    package var format: String
    /// The driver's words for it.
    package var description: String
    /// True if frames of it can be read here.
    package var usable: Bool
    /// True if libv4l2 makes it of another one.
    package var emulated: Bool
    /// Sizes and rates.
    package var sizes: [Size]
  }

  /// A size, or a range of sizes, in pixels.
  package struct Size: Sendable, Equatable, Codable {
    /// Width; the largest of a range.
    package var width: Int
    /// Height; the largest of a range.
    package var height: Int
    /// The smallest width of a range.
    package var minimumWidth: Int?
    /// The smallest height of a range.
    package var minimumHeight: Int?
    /// Frames a second.
    package var rates: [Double]
  }

  /// An error in words.
  package struct Fault: Sendable, Equatable, Codable {
    /// A stable camelCase word.
    package var code: String
    /// The fault, and the thing it happened to.
    package var message: String
    /// The remedy.
    package var hint: String
  }
}

extension AttachedCamera.Format {
  /// An offer as it is shown.
  init(_ offer: VideoFormat) {
    self.init(
      format: PixelFormat.text(ofFourCC: offer.fourCC), description: offer.name, usable: offer.format != nil,
      emulated: offer.isEmulated, sizes: offer.sizes.map(AttachedCamera.Size.init))
  }
}

extension AttachedCamera.Size {
  /// An offer as it is shown.
  init(_ size: VideoFormat.FrameSize) {
    let isRange = size.width.count > 1 || size.height.count > 1
    self.init(
      width: size.width.upperBound, height: size.height.upperBound,
      minimumWidth: isRange ? size.width.lowerBound : nil, minimumHeight: isRange ? size.height.lowerBound : nil,
      rates: size.rates)
  }
}
