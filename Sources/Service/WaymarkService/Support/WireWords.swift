import WaymarkAnchors
import WaymarkBarcodes
import WaymarkFrames
import WaymarkImage
import WaymarkOnboarding
import WaymarkProtocol
import WaymarkScenes

// Words of the parts as the wire spells them. Every switch is exhaustive: a new word does not compile until the schema has it.

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

extension ScanEnding {
  init(_ ending: ScanMachine.Ending) {
    self =
      switch ending {
      case .confirmed: .confirmed
      case .once: .once
      case .cancelled: .cancelled
      case .replaced: .replaced
      case .disconnected: .disconnected
      case .timedOut: .timedOut
      case .stopping: .stopping
      }
  }
}

extension CancelReason {
  /// The reason of an ending; nil if the scan ended with a code.
  init?(_ ending: ScanMachine.Ending) {
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
