import WaymarkCrypto
package import WaymarkSystem

/// The policy for access to a device: the steps, their texts, and the data that they ask for. Consents (`Consent`, `ConsentRecord`)
/// and texts in several languages (`LocalizedText`) are below.
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
    /// Using `presetHost`, the host in the configuration.
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

  /// A field of the credentials that a person types in.
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

  /// The title and text of a screen, in place of the default title and text.
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
  /// The parts of a user's record that are shown before the user has signed in.
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

/// A consent that people are asked for.
package struct Consent: Hashable, Sendable {
  /// A screen of a consent.
  package struct Page: Hashable, Sendable {
    package var title: LocalizedText?
    package var text: LocalizedText
    /// The text behind "Learn more".
    package var more: LocalizedText?

    package init(title: LocalizedText? = nil, text: LocalizedText, more: LocalizedText? = nil) {
      self.title = title
      self.text = text
      self.more = more
    }
  }

  package var id: String
  /// The version of the texts; users are asked again for a new version.
  package var version: String
  /// True if users cannot sign in without it.
  package var isMandatory: Bool
  /// The screens, at least one.
  package var pages: [Page]

  package init(id: String, version: String, isMandatory: Bool = false, pages: [Page]) {
    self.id = id
    self.version = version
    self.isMandatory = isMandatory
    self.pages = pages
  }

  /// Returns the JSON value that `hash(in:)` hashes: id, version, and `title`, `text` and `more` of each screen in a language,
  /// leaving out missing texts.
  package func shown(in language: String?) -> JSONValue {
    func page(_ page: Page) -> JSONValue {
      var members: [JSONValue.Member] = []
      if let title = page.title { members.append(.init("title", .string(title.text(in: language)))) }
      members.append(.init("text", .string(page.text.text(in: language))))
      if let more = page.more { members.append(.init("more", .string(more.text(in: language)))) }
      return .object(members)
    }
    return .object([
      .init("id", .string(id)), .init("version", .string(version)), .init("pages", .array(pages.map(page))),
    ])
  }

  /// Returns the SHA-256 of the UTF-8 of `shown(in:)` in hexadecimal digits.
  package func hash(in language: String?) -> String {
    let bytes = (try? JSONLineEncoder.encode(shown(in: language))) ?? []
    return HashFunction.sha256.hash(bytes).map { $0.digits(2, radix: 16) }.joined()
  }
}

/// The choice of a person about a consent.
package enum ConsentChoice: String, CaseIterable, Codable, Sendable {
  case allow
  /// A mandatory consent is denied, or an allowed consent withdrawn.
  case deny
  /// An optional consent is postponed.
  case later
}

/// The stored record of a choice.
package struct ConsentRecord: Hashable, Codable, Sendable {
  package var consent: String
  package var version: String
  /// The hash of the shown text.
  package var hash: String
  /// The language of the shown text.
  package var language: String
  package var choice: ConsentChoice
  /// The time of the choice: RFC 3339, UTC.
  package var time: String
}

/// A text in one or more languages.
package struct LocalizedText: Hashable, Sendable {
  /// The texts by language (primary subtags of BCP 47).
  package var texts: [String: String]
  /// The default language, for languages without a text.
  package var standard: String

  /// - Parameter standard: the default language. If it has no text, the alphabetically first language is used.
  package init(_ texts: [String: String], standard: String) {
    self.texts = texts
    self.standard = texts[standard] == nil ? texts.keys.min() ?? standard : standard
  }

  /// Returns the text in a language, or in the default language.
  package func text(in language: String?) -> String {
    language.flatMap { texts[String($0.prefix { $0 != "-" })] } ?? texts[standard] ?? ""
  }
}
