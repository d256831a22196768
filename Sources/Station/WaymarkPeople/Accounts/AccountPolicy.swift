/// The policy for access to a device: the steps, their texts, and the data they ask for.
package struct AccountPolicy: Hashable, Sendable {
  package enum Mode: String, CaseIterable, Sendable {
    /// The device has one user.
    case single
    /// The device has several users, one at a time.
    case shared
  }

  /// The steps of onboarding, in their order.
  package enum Module: String, CaseIterable, Sendable {
    case welcome, activation, credentials, consents, passcode
  }

  /// How a user is activated on the device.
  package enum ActivationMethod: String, CaseIterable, Sendable {
    /// Scanning a QR code.
    case scan
    /// Typing a link or a code.
    case code
    /// Typing an e-mail address that the provider looks up.
    case email
    /// The host of the configuration.
    case preset
  }

  /// A part of a user's record that may be shown before signing in.
  package enum Part: String, CaseIterable, Sendable { case initials, title, subtitle }

  /// A link to a legal text.
  package struct Link: Hashable, Sendable {
    package var title: LocalizedText
    package var url: String
    /// The text itself, to be read on the device.
    package var text: LocalizedText?

    package init(title: LocalizedText, url: String, text: LocalizedText? = nil) {
      self.title = title
      self.url = url
      self.text = text
    }
  }

  /// A field of the credentials.
  package struct Field: Hashable, Sendable {
    /// The kind of the value, which determines the keyboard and whether the value is hidden.
    package enum Kind: String, CaseIterable, Sendable { case text, email, number, password }

    package var name: String
    package var label: LocalizedText
    package var kind: Kind

    package init(name: String, label: LocalizedText, kind: Kind = .text) {
      self.name = name
      self.label = label
      self.kind = kind
    }
  }

  /// The title and text of a screen, in place of the default ones.
  package struct Words: Hashable, Sendable {
    package var title: LocalizedText?
    package var text: LocalizedText?

    package init(title: LocalizedText? = nil, text: LocalizedText? = nil) {
      self.title = title
      self.text = text
    }
  }

  package var mode = Mode.single
  package var modules: Set<Module> = [.welcome, .passcode]
  /// The texts of the screens `welcome`, `activation`, `credentials`, `passcode`, `ready`, `signIn` and `sync`.
  package var words: [String: Words] = [:]
  /// Links to legal texts on the first screen.
  package var links: [Link] = []
  /// The terms to which a person must agree on the first screen.
  package var terms: LocalizedText?
  /// True if the device offers a demo without an account.
  package var allowsDemo = false
  /// The ways of activation, in the order in which they are offered.
  package var activation: [ActivationMethod] = []
  /// The host of `ActivationMethod.preset`.
  package var presetHost: String?
  /// The fields that `Module.credentials` asks for.
  package var fields: [Field] = []
  package var consents: [Consent] = []
  package var passcode = PasscodeRules()
  /// The parts of a user's record that are shown before they have signed in.
  package var shown: Set<Part> = [.initials, .title]
  /// True if signing in ends with synchronizing.
  package var syncs = false
  /// The time in seconds in which the provider must answer.
  package var answerWithin = 15.0
  /// The longest time in seconds between two progress reports of the provider while it synchronizes.
  package var syncWithin = 60.0
  /// The time in seconds without a request after which an unfinished step is left.
  package var leaveAfter = 300.0
  package var maximumUsers = 500

  package init() {}

  /// The steps that the policy contains, in their order.
  package var steps: [Module] { Module.allCases.filter(modules.contains) }

  /// True if signing in asks for a passcode.
  package var asksPasscode: Bool { modules.contains(.passcode) }

  /// True if a forgotten passcode can be reset by the credentials.
  package var canRecover: Bool { asksPasscode && modules.contains(.credentials) }
}
