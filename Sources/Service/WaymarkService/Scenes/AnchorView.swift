import WaymarkFrames
import WaymarkServer

/// A camera in which anchors can be followed.
@ServiceActor
struct AnchorView {
  let name: String
  let lane: AnchorLane
  let capture: CaptureModule
  /// The module that reads the codes in the camera's frames; nil if no codes are found as anchors.
  let scans: ScanModule?

  /// Returns the calibrations and the field of view of the device in use.
  func choice(of settings: SceneSettings) -> CameraChoice {
    settings.choice(of: name).narrowed(to: capture.pipeline.status.device)
  }
}
