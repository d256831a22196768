import WaymarkAnchors
import WaymarkBarcodes
package import WaymarkFrames
import WaymarkImage
import WaymarkOnboarding
package import WaymarkProtocol
import WaymarkScenes

// Conversions of the values of other modules to the enumerations of the protocol. Every switch is exhaustive, so that a new
// case does not compile until the schema has it.

// MARK: Scans

extension RefusalReason {
  init(_ reason: InvalidReason) {
    self =
      switch reason {
      case .tooLarge: .tooLarge
      case .badEncoding: .badEncoding
      case .kindNotAllowed: .kindNotAllowed
      case .malformed: .malformed
      case .signatureRequired: .signatureRequired
      case .algorithmNotAllowed: .algorithmNotAllowed
      case .unknownKey: .unknownKey
      case .badSignature: .badSignature
      case .notYetValid: .notYetValid
      case .expired: .expired
      case .wrongIssuer: .wrongIssuer
      case .wrongAudience: .wrongAudience
      case .hostNotAllowed: .hostNotAllowed
      case .sourceNotAllowed: .sourceNotAllowed
      case .ambiguous: .ambiguous
      case .replayed: .replayed
      }
  }
}

extension ScanAdvice {
  init(_ advice: UnreadCode.Advice) {
    self =
      switch advice {
      case .tooSmall: .tooSmall
      case .tooClose: .tooClose
      case .blurred: .blurred
      case .cutOff: .cutOff
      case .tooDark: .tooDark
      case .tooBright: .tooBright
      }
  }
}

extension CancelReason {
  /// Creates the reason for which a scan was cancelled; nil if it ended with a code.
  init?(_ ending: ScanEnding) {
    switch ending {
    case .confirmed, .once: return nil
    case .cancelled: self = .cancelled
    case .replaced: self = .replaced
    case .disconnected: self = .disconnected
    case .timedOut: self = .timedOut
    case .stopping: self = .stopping
    }
  }
}

// MARK: Cameras and pictures

extension CameraState {
  init(_ state: SourceStatus.State) {
    self =
      switch state {
      case .closed: .closed
      case .opened: .opened
      case .streaming: .streaming
      case .stalled: .stalled
      case .lost: .lost
      case .back: .back
      }
  }
}

extension IntrinsicsSource {
  init(_ source: CameraIntrinsics.Source) {
    self =
      switch source {
      case .calibrated: .calibrated
      case .estimated: .estimated
      case .assumed: .assumed
      }
  }
}

extension MediaFormat {
  init(_ format: PictureFormat) {
    self =
      switch format {
      case .jpeg: .jpeg
      case .png: .png
      case .webp: .webp
      case .bmp: .bmp
      case .gif: .gif
      case .pnm: .pnm
      }
  }
}

extension ScanSource {
  package init(_ origin: FrameOrigin) {
    self =
      switch origin {
      case .camera: .camera
      case .stream: .stream
      case .folder: .folder
      }
  }
}

extension FrameReference {
  package init(_ frame: Frame) {
    self.init(
      sequence: Int(frame.sequence), captured: frame.captured, width: frame.width, height: frame.height,
      source: ScanSource(frame.origin))
  }
}

// MARK: Anchors and scenes

extension TrackingMethod {
  init(_ method: AnchorPlacement.Method) {
    self =
      switch method {
      case .fullTracking: .fullTracking
      case .lastKnownPose: .lastKnownPose
      case .notTracking: .notTracking
      }
  }
}

extension AnnotatedCopies {
  init(_ copies: AnnotationCopies) {
    self =
      switch copies {
      case .nearest: .nearest
      case .each: .each
      }
  }
}

extension ActionType {
  init(_ type: CardActionType) {
    self =
      switch type {
      case .link: .link
      case .video: .video
      case .phone: .phone
      case .custom: .custom
      }
  }
}

extension PrimaryAction {
  init(_ action: CoachingAction) {
    self =
      switch action {
      case .beginScan: .beginScan
      case .returnToScan: .returnToScan
      }
  }
}
