import WaymarkAccounts
import WaymarkAnchors
import WaymarkBarcodes
import WaymarkDocuments
import WaymarkFrames
import WaymarkGeometry
import WaymarkImage
import WaymarkOnboarding
import WaymarkPipeline
import WaymarkProtocol
import WaymarkScenes
import WaymarkText

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

  init(_ format: SignatureFormat) {
    self =
      switch format {
      case .svg: .svg
      case .png: .png
      case .json: .json
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

// MARK: Documents and text

extension DocumentPhase {
  init(_ phase: PageCapture.Phase) {
    self =
      switch phase {
      case .searching: .searching
      case .found: .found
      case .holding: .holding
      case .waiting: .waiting
      }
  }
}

extension DocumentAdvice {
  init(_ advice: PageCapture.Advice) {
    self =
      switch advice {
      case .showWholePage: .showWholePage
      case .moveCloser: .moveCloser
      case .moreLight: .moreLight
      case .holdStraight: .holdStraight
      case .blurred: .blurred
      case .glare: .glare
      case .nextPage: .nextPage
      case .alreadyCaptured: .alreadyCaptured
      }
  }
}

extension PaperFormat {
  init(_ format: PageFormat) {
    self =
      switch format {
      case .a4: .a4
      case .a5: .a5
      case .letter: .letter
      case .id1: .id1
      case .receipt: .receipt
      }
  }
}

extension CheckDigit {
  init(_ check: TextCheck) {
    self =
      switch check {
      case .luhn: .luhn
      case .mod97: .mod97
      case .mod11: .mod11
      case .mod37: .mod37
      case .gtin: .gtin
      case .vin: .vin
      case .iban: .iban
      }
  }
}

extension TextPattern.Kind {
  init(_ kind: TextKind) {
    self =
      switch kind {
      case .date: .date
      case .number: .number
      case .mrz: .mrz
      }
  }
}

// MARK: Accounts

extension AccountPolicy.ActivationMethod {
  init(_ way: ActivationWay) {
    self =
      switch way {
      case .scan: .scan
      case .code: .code
      case .email: .email
      case .preset: .preset
      }
  }
}

extension ActivationWay {
  init(_ method: AccountPolicy.ActivationMethod) {
    self =
      switch method {
      case .scan: .scan
      case .code: .code
      case .email: .email
      case .preset: .preset
      }
  }
}

extension ConsentChoice {
  init(_ answer: ConsentAnswer) {
    self =
      switch answer {
      case .allow: .allow
      case .deny: .deny
      case .later: .later
      }
  }
}

extension ProviderTask {
  init(_ kind: ProviderRequest.Kind) {
    self =
      switch kind {
      case .activate: .activate
      case .lookup: .lookup
      case .verify: .verify
      case .recover: .recover
      case .sync: .sync
      }
  }
}

extension AccountWork {
  init(_ working: AccountFlow.Working) {
    self =
      switch working {
      case .provider: .provider
      case .passcode: .passcode
      case .storing: .storing
      }
  }
}

extension AccountMode {
  init(_ mode: AccountPolicy.Mode) {
    self =
      switch mode {
      case .single: .single
      case .shared: .shared
      }
  }
}

extension AccountStep {
  init(_ module: AccountPolicy.Module) {
    self =
      switch module {
      case .welcome: .welcome
      case .activation: .activation
      case .credentials: .credentials
      case .consents: .consents
      case .passcode: .passcode
      }
  }
}

extension PersonPart {
  init(_ part: AccountPolicy.Part) {
    self =
      switch part {
      case .initials: .initials
      case .title: .title
      case .subtitle: .subtitle
      }
  }
}

extension AccountFault {
  init(_ code: AccountProblem.Code) {
    self =
      switch code {
      case .noProvider: .noProvider
      case .providerGone: .providerGone
      case .providerSilent: .providerSilent
      case .offline: .offline
      case .refused: .refused
      case .wrongPasscode: .wrongPasscode
      case .mismatch: .mismatch
      case .consentNeeded: .consentNeeded
      case .notStored: .notStored
      case .failed: .failed
      case .removed: .removed
      }
  }
}
