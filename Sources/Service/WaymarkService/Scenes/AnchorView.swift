import WaymarkFrames
import WaymarkServer

/// A camera in which anchors can be followed.
@ServiceActor
struct AnchorView {
  let name: String
  let lane: AnchorLane
  let capture: CaptureModule
  /// The module that reads codes in its frames; without it none are found.
  let scans: ScanModule?

  /// How the device in use maps directions to pixels.
  func choice(of settings: SceneSettings) -> CameraChoice {
    settings.choice(of: name).narrowed(to: capture.pipeline.status.device)
  }
}
