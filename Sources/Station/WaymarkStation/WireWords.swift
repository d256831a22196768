import WaymarkDocuments
import WaymarkPeople
import WaymarkProtocol
import WaymarkService
import WaymarkText

// Conversions between the modules' enums and the enums of the protocol. Every switch is exhaustive, so that a new case does not
// compile until it is converted.

// MARK: Signatures

extension MediaFormat {
  init(_ format: SignatureFormat) {
    self =
      switch format {
      case .svg: .svg
      case .png: .png
      case .json: .json
      }
  }
}

// MARK: Documents and text

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
