package import WaymarkImage

/// Which intrinsics hold for frames of a size.
package struct CameraChoice: Hashable, Sendable {
  /// A calibration and the size of the frames it was made with; a width of 0 where that is not known, and then it holds
  /// for frames of any size.
  package struct Calibration: Hashable, Sendable {
    package var width: Int
    package var height: Int
    package var intrinsics: CameraIntrinsics
    /// A part of the name of the camera it was made with; any camera where missing.
    package var camera: String?

    package init(width: Int, height: Int, intrinsics: CameraIntrinsics, camera: String? = nil) {
      self.width = width
      self.height = height
      self.intrinsics = intrinsics
      self.camera = camera
    }
  }

  package var calibrations: [Calibration]
  /// Across the longer side of the frame, in radians, for cameras without a calibration.
  package var fieldOfView: Double?

  package init(calibrations: [Calibration] = [], fieldOfView: Double? = nil) {
    self.calibrations = calibrations
    self.fieldOfView = fieldOfView
  }

  /// Returns the calibrations of one camera: those made with it, before those made with any.
  package func narrowed(to device: String) -> CameraChoice {
    let named = calibrations.filter { $0.camera.map(device.contains) == true }
    return CameraChoice(calibrations: named + calibrations.filter { $0.camera == nil }, fieldOfView: fieldOfView)
  }

  /// The calibration for the very size, else the largest one of the same shape resized, else the field of view, else what was learned,
  /// else an assumption.
  ///
  /// - Parameter learned: the camera as a `LensLearner` knows it.
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

  /// True if a camera that was chosen is neither calibrated nor of a given field of view: what is learned holds in its place.
  package func isUnknown(_ camera: CameraIntrinsics) -> Bool { fieldOfView == nil && camera.source != .calibrated }
}
