/// The policy for access to a device: the steps, their texts, and the data they ask for.
package struct AccountPolicy: Hashable, Sendable {
  /// The users of a device: one, or several.
  package enum Mode: String, CaseIterable, Sendable {
    /// One person's.
    case single
    /// That of several people who take turns.
    case shared
  }

  /// The steps of onboarding, in their order; what is done once they are over is "ready".
  package enum Module: String, CaseIterable, Sendable {
    case welcome, activation, credentials, consents, passcode
  }

  /// The ways of activation.
  package enum ActivationMethod: String, CaseIterable, Sendable {
    /// A QR code before the scanner.
    case scan
    /// A link or a code that was sent, typed or scanned into the field.
    case code
    /// An e-mail address that the integrator's program looks up.
    case email
    /// Fields set by the configuration.
    case preset
  }

  /// A part of a user's record that may be shown before signing in.
  package enum Part: String, CaseIterable, Sendable { case initials, title, subtitle }

  /// A link to a legal text.
  package struct Link: Hashable, Sendable {
    package var title: LocalizedText
    package var url: String
    /// The text itself, where the device shows it.
    package var text: LocalizedText?

    package init(title: LocalizedText, url: String, text: LocalizedText? = nil) {
      self.title = title
      self.url = url
      self.text = text
    }
  }

  /// A field that a person fills in.
  package struct Field: Hashable, Sendable {
    /// The kind of its value; decides about the keyboard, and whether it is hidden.
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

  /// Title and text of a screen, where they are not the page's own.
  package struct Words: Hashable, Sendable {
    package var title: LocalizedText?
    package var text: LocalizedText?

    package init(title: LocalizedText? = nil, text: LocalizedText? = nil) {
      self.title = title
      self.text = text
    }
  }

  /// The users of the device: one, or several.
  package var mode = Mode.single
  /// The steps, in the order of `Module`.
  package var modules: Set<Module> = [.welcome, .passcode]
  /// Title and text of screens: `welcome`, `activation`, `credentials`, `passcode`, `ready`, `signIn`, `sync`.
  package var words: [String: Words] = [:]
  /// Links to legal texts on the first screen.
  package var links: [Link] = []
  /// The terms that must be agreed to before anything else, if there are any.
  package var terms: LocalizedText?
  /// True if the device can be tried out without an account.
  package var allowsDemo = false
  /// The ways of activation, in the order in which they are offered.
  package var activation: [ActivationMethod] = []
  /// The host of `ActivationMethod.preset`.
  package var presetHost: String?
  /// The fields that `Module.credentials` asks for.
  package var fields: [Field] = []
  /// The consents that people are asked for.
  package var consents: [Consent] = []
  /// The rules for passcodes.
  package var passcode = PasscodeRules()
  /// The parts of a user's record that are shown before they have signed in.
  package var shown: Set<Part> = [.initials, .title]
  /// True if signing in goes on to synchronizing.
  package var syncs = false
  /// Seconds that the integrator's program has for an answer.
  package var answerWithin = 15.0
  /// Seconds that it may go without progress while it synchronizes.
  package var syncWithin = 60.0
  /// Seconds without any request after which unfinished steps are left.
  package var leaveAfter = 300.0
  /// The most users on the device.
  package var maximumUsers = 500

  /// A device of one person, with welcome and passcode.
  package init() {}

  /// The steps in their order.
  package var steps: [Module] { Module.allCases.filter(modules.contains) }

  /// True if signing in asks for a passcode.
  package var asksPasscode: Bool { modules.contains(.passcode) }

  /// True if a forgotten passcode can be reset: the credentials prove who asks.
  package var canRecover: Bool { asksPasscode && modules.contains(.credentials) }
}
