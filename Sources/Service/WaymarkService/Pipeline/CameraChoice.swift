package import WaymarkImage

/// Chooses the intrinsics for frames of a given size, from the calibrations, the field of view, and what was learned.
package struct CameraChoice: Hashable, Sendable {
  /// A calibration with the size of the frames from which it was made, in pixels. If the width is 0, the size is unknown and the
  /// calibration applies to frames of any size.
  package struct Calibration: Hashable, Sendable {
    package var width: Int
    package var height: Int
    package var intrinsics: CameraIntrinsics
    /// A part of the name of the camera for which it was made; nil for any camera.
    package var camera: String?
  }

  package var calibrations: [Calibration] = []
  /// The angle of view across the longer side of the frame, in radians, for cameras without a calibration.
  package var fieldOfView: Double?

  /// Returns the choice for one camera: first the calibrations for its name, then the calibrations for any camera.
  package func narrowed(to device: String) -> CameraChoice {
    let named = calibrations.filter { $0.camera.map(device.contains) == true }
    return CameraChoice(calibrations: named + calibrations.filter { $0.camera == nil }, fieldOfView: fieldOfView)
  }

  /// Returns the intrinsics for frames of a size: the first available of a calibration of the same size; the largest calibration of
  /// the same aspect ratio, scaled; a calibration of unknown size; the field of view; the learned intrinsics; an assumed field of
  /// view.
  ///
  /// - Parameter learned: the intrinsics that a `LensLearner` has estimated; nil if it has none.
  package func intrinsics(width: Int, height: Int, learned: @autoclosure () -> CameraIntrinsics? = nil)
    -> CameraIntrinsics
  {
    if let exact = calibrations.first(where: { $0.width == width && $0.height == height }) { return exact.intrinsics }
    let alike = calibrations.lazy.filter { $0.width > 0 && $0.width * height == $0.height * width }.max {
      $0.width < $1.width
    }
    if let alike {
      return alike.intrinsics.scaled(from: (alike.width, alike.height), to: (width, height))
    }
    if let any = calibrations.first(where: { $0.width == 0 }) { return any.intrinsics }
    if let fieldOfView { return CameraIntrinsics(assumedFor: width, height, fieldOfView: fieldOfView) }
    return learned() ?? CameraIntrinsics(assumedFor: width, height)
  }

  /// Returns whether a camera has neither a calibration nor a field of view, so that it uses the learned intrinsics.
  package func isUnknown(_ camera: CameraIntrinsics) -> Bool { fieldOfView == nil && camera.source != .calibrated }
}
