package import WaymarkConfiguration
import WaymarkPeople

extension AccountSettings {
  /// The keys of the section `accounts`.
  package static let keys: [ConfigurationKey] = whole + parts + passcode + times

  static let screens = ["welcome", "activation", "credentials", "passcode", "ready", "signIn", "sync"]

  private static let whole: [ConfigurationKey] = [
    key(
      "mode", .choice(words(AccountPolicy.Mode.self)),
      "whose device it is; `shared` needs `credentials` and `passcode`", "`single`"),
    key("folder", .text(4096), "where users are kept", "`accounts` in the state folder (`/var/lib/waymark`)"),
    key("language", .text(40), "the language of texts that name none, and that counts where one is missing", "`en`"),
    key("modules", .choices(words(AccountPolicy.Module.self)), "the steps", "`[welcome, passcode]`"),
    key("logos", .texts(4096), "pictures; the first above the others", mayBeEmpty: true),
    key("terms", .localized, "what must be agreed to first"),
    key("demo", .bool, "whether the device can be tried out", "`false`"),
    key(
      "activation", .choices(words(AccountPolicy.ActivationMethod.self)),
      "the ways, in the order in which they are offered"),
    key("host", .text(300), "the host of `preset`"),
    key(
      "shown", .choices(words(AccountPolicy.Part.self)), "what is shown of users before they have signed in",
      "`[initials, title]`"),
    key("sync", .bool, "whether signing in goes on to synchronizing", "`false`"),
  ]

  private static let parts: [ConfigurationKey] =
    screens.flatMap { screen in
      [
        key("words.\(screen).title", .localized, "the title of that screen, instead of the page's own"),
        key("words.\(screen).text", .localized, "its text"),
      ]
    } + [
      key(
        "links", .sections, "legal links; the page shows them as codes for a phone, and their texts", mayBeEmpty: true),
      key("links.title", .localized, "what a link is called"),
      key("links.url", .text(2000), "where it leads: an address with `https://`"),
      key("links.text", .localized, "the text itself, to be read on the device"),
      key("fields", .sections, "what credentials ask for", mayBeEmpty: true),
      key("fields.name", .text(64), "the name by which your program knows a field"),
      key("fields.label", .localized, "what people read beside it"),
      key("fields.kind", .choice(words(AccountPolicy.Field.Kind.self)), "what is written into it", "`text`"),
      key("consents", .sections, "what people are asked to allow", mayBeEmpty: true),
      key("consents.id", .text(64), "the name by which your program knows a consent"),
      key("consents.version", .text(100), "its version; another one is asked for again"),
      key("consents.mandatory", .bool, "whether nothing goes on without it", "`false`"),
      key("consents.pages", .sections, "its screens, where there are several", mayBeEmpty: true),
    ]
    + ["consents.pages", "consents"].flatMap { under in
      [
        key("\(under).title", .localized, "the title of a screen"), key("\(under).text", .localized, "its text"),
        key("\(under).more", .localized, "what is read on demand"),
      ]
    }

  private static let passcode: [ConfigurationKey] = [
    key("passcode.minimum", .int(4...64), "characters at least", "6"),
    key("passcode.maximum", .int(4...256), "characters at most", "64"),
    key("passcode.numeric", .bool, "whether it is of digits alone", "`false`"),
    key("passcode.digit", .bool, "whether it must have a digit", "`false`"),
    key("passcode.lower", .bool, "whether it must have a small letter", "`false`"),
    key("passcode.upper", .bool, "whether it must have a capital letter", "`false`"),
    key("passcode.symbol", .bool, "whether it must have another character", "`false`"),
    key("passcode.tries", .int(1...20), "wrong passcodes before one has to wait", "5"),
    key("passcode.wait", .double(1...3600), "seconds of the first wait", "30"),
    key("passcode.longestWait", .double(1...86_400), "seconds of the longest wait", "3600"),
  ]

  private static let times: [ConfigurationKey] = [
    key("answerWithin", .double(1...600), "seconds that your program has for an answer", "15"),
    key("syncWithin", .double(1...3600), "seconds that it has for the next word about its progress", "60"),
    key("leaveAfter", .double(10...86_400), "seconds without a request after which what is unfinished is left", "300"),
    key("maximumUsers", .int(1...1000), "users at most", "500"),
  ]

  private static func words<Word: RawRepresentable & CaseIterable>(_ type: Word.Type) -> [String]
  where Word.RawValue == String { Word.allCases.map(\.rawValue) }

  private static func key(
    _ name: String, _ kind: ConfigurationKind, _ meaning: String, _ otherwise: String? = nil, mayBeEmpty: Bool = false
  ) -> ConfigurationKey {
    ConfigurationKey(
      "accounts.\(name)", kind, meaning, otherwise: otherwise, change: .reload, mayBeEmpty: mayBeEmpty,
      hasVariable: false)
  }
}
