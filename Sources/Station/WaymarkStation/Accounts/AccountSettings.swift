package import WaymarkConfiguration
import WaymarkOnboarding
package import WaymarkPeople
import WaymarkSystem

/// The section `accounts` of the configuration, checked. `AccountPolicyReader` below reads and checks it.
package struct AccountSettings: Configurable {
  /// The configured policy.
  package var policy = AccountPolicy()
  /// The folder of the users; nil for the default.
  package var folder: String?
  /// Paths of pictures for the first screens; the first is shown above the others.
  package var logos: [String] = []
  /// The language of texts without a language.
  package var language = "en"

  package init() {}

  /// Creates settings with a policy and otherwise the defaults.
  package init(policy: AccountPolicy) { self.policy = policy }

  package static let settings = section("accounts", whole + parts + passcode + times)

  static let screens = ["welcome", "activation", "credentials", "passcode", "ready", "signIn", "sync"]

  private static let whole: [Setting<Self>] = [
    Setting(
      "mode", "for one person or several; `shared` needs `credentials` and `passcode`", into: \.policy.mode),
    Setting(
      "folder", .text(4096), "folder of users", into: \.folder,
      otherwise: "`accounts` in the state folder (`/var/lib/waymark`)"),
    Setting(
      "language", .text(40), "language of texts without one, and in place of missing ones",
      into: \.language),
    Setting("modules", "steps", into: \.policy.modules),
    Setting("logos", .texts(4096), "pictures, the first above the others", into: \.logos, mayBeEmpty: true),
    Setting("terms", .localized, "terms to accept first"),
    Setting("demo", .bool, "offers a demo", into: \.policy.allowsDemo),
    Setting("activation", "ways, in the order offered", into: \.policy.activation),
    Setting("host", .text(300), "host of `preset`", into: \.policy.presetHost),
    Setting("shown", "shown of users before they sign in", into: \.policy.shown),
    Setting("sync", .bool, "synchronizes after signing in", into: \.policy.syncs),
  ]

  private static let parts: [Setting<Self>] =
    screens.flatMap { screen in
      [
        Setting("words.\(screen).title", .localized, "title of the screen, instead of the page's own"),
        Setting("words.\(screen).text", .localized, "its text"),
      ]
    } + [
      Setting(
        "links", .sections, "legal links, shown as codes for a phone, and their texts", mayBeEmpty: true),
      Setting("links.title", .localized, "its title"),
      Setting("links.url", .text(2000), "address with `https://`"),
      Setting("links.text", .localized, "text to read on the device"),
      Setting("fields", .sections, "fields of credentials", mayBeEmpty: true),
      Setting("fields.name", .text(64), "its name in your program"),
      Setting("fields.label", .localized, "its label"),
      Setting("fields.kind", AccountPolicy.Field.Kind.kind, "its content", otherwise: "`text`"),
      Setting("consents", .sections, "requested consents", mayBeEmpty: true),
      Setting("consents.id", .text(64), "its name in your program"),
      Setting("consents.version", .text(100), "new version is asked for again"),
      Setting("consents.mandatory", .bool, "required to continue", otherwise: "`false`"),
      Setting("consents.pages", .sections, "its screens, if several", mayBeEmpty: true),
    ]
    + ["consents.pages", "consents"].flatMap { under in
      [
        Setting("\(under).title", .localized, "title of the screen"),
        Setting("\(under).text", .localized, "its text"),
        Setting("\(under).more", .localized, "further text on demand"),
      ]
    }

  private static let passcode: [Setting<Self>] = [
    Setting("passcode.minimum", .int(4...64), "characters at least", into: \.policy.passcode.minimum),
    Setting("passcode.maximum", .int(4...256), "characters at most", into: \.policy.passcode.maximum),
    Setting("passcode.numeric", .bool, "digits only", into: \.policy.passcode.isNumeric),
    Setting(
      "passcode.digit", .bool, "requires one; `symbol` is any other character", into: \.policy.passcode.needsDigit),
    Setting(
      "passcode.lower", .bool, "requires one; `symbol` is any other character", into: \.policy.passcode.needsLower),
    Setting(
      "passcode.upper", .bool, "requires one; `symbol` is any other character", into: \.policy.passcode.needsUpper),
    Setting(
      "passcode.symbol", .bool, "requires one; `symbol` is any other character", into: \.policy.passcode.needsSymbol),
    Setting("passcode.tries", .int(1...20), "wrong passcodes before a wait", into: \.policy.passcode.tries),
    Setting("passcode.wait", .double(1...3600), "seconds of the first wait", into: \.policy.passcode.wait),
    Setting(
      "passcode.longestWait", .double(1...86_400), "seconds of the longest wait", into: \.policy.passcode.longestWait),
  ]

  private static let times: [Setting<Self>] = [
    Setting(
      "answerWithin", .double(1...600), "seconds for your program's answer", into: \.policy.answerWithin),
    Setting(
      "syncWithin", .double(1...3600), "seconds between its reports of progress",
      into: \.policy.syncWithin),
    Setting(
      "leaveAfter", .double(10...86_400), "seconds without a request until an unfinished step is left",
      into: \.policy.leaveAfter),
    Setting("maximumUsers", .int(1...1000), "users at most", into: \.policy.maximumUsers),
  ]
}

extension AccountPolicy.Mode: SettingWord {}
extension AccountPolicy.Module: SettingWord {}
extension AccountPolicy.ActivationMethod: SettingWord {}
extension AccountPolicy.Part: SettingWord {}
extension AccountPolicy.Field.Kind: SettingWord {}

/// Reads the checked section `accounts` of a configuration, and finds its problems.
struct AccountPolicyReader {
  private let document: ConfigurationDocument
  private(set) var problems: [ConfigurationProblem] = []
  private var settings = AccountSettings()

  init(_ document: ConfigurationDocument) { self.document = document }

  private static var name: Regex<Substring> { #/[A-Za-z][A-Za-z0-9_\-]{0,63}/# }

  /// Reads the settings; nil without the section.
  mutating func read() -> AccountSettings? {
    guard let section = document.checked["accounts"] else { return nil }
    settings.read(document)
    settings.folder = settings.folder.map { document.resolved($0, in: section["folder"]) }
    settings.logos = settings.logos.map { document.resolved($0, in: section["logos"]) }
    if let node = section["language"], settings.language.wholeMatch(of: #/[a-z]{2,3}/#) == nil {
      add(
        "\"\(settings.language)\" is not a language", "accounts.language", node,
        hint: "Write two or three letters, such as en or de.")
      settings.language = AccountSettings().language
    }
    for name in ["modules", "activation", "shown"] {
      var seen = Set<String>()
      for node in elements(section, name) where !seen.insert(node.string ?? "").inserted {
        add("\(node.string ?? "") occurs twice", "accounts.\(name)", node, hint: "Keep one.")
      }
    }
    for entry in section["words"]?.entries ?? [] {
      settings.policy.words[entry.key] = AccountPolicy.Words(
        title: localized(entry.node["title"]), text: localized(entry.node["text"]))
    }
    settings.policy.terms = localized(section["terms"])
    settings.policy.links = elements(section, "links").compactMap { link($0, "accounts.links") }
    settings.policy.fields = elements(section, "fields").compactMap { field($0, "accounts.fields") }
    settings.policy.consents = elements(section, "consents").compactMap { consent($0, "accounts.consents") }
    check(section)
    return settings
  }

  private func elements(_ section: SourceNode, _ name: String) -> [SourceNode] { section[name]?.elements ?? [] }

  // MARK: Values of several parts

  private mutating func add(_ message: String, _ key: String, _ node: SourceNode, hint: String) {
    problems.append(document.problem(message, key, node, hint: hint))
  }

  private func localized(_ node: SourceNode?) -> LocalizedText? {
    guard let node else { return nil }
    if let text = node.string { return LocalizedText([settings.language: text], standard: settings.language) }
    let texts = node.entries.reduce(into: [String: String]()) { $0[$1.key] = $1.node.string }
    return texts.isEmpty ? nil : LocalizedText(texts, standard: settings.language)
  }

  private mutating func link(_ node: SourceNode, _ key: String) -> AccountPolicy.Link? {
    guard let title = localized(node["title"]), let url = node["url"], let address = url.string else {
      add("title and url are expected", key, node, hint: "Write - {title: …, url: https://…}.")
      return nil
    }
    guard address.hasPrefix("https://") else {
      add("an address with https:// is expected", key + ".url", url, hint: "Correct the address.")
      return nil
    }
    return AccountPolicy.Link(title: title, url: address, text: localized(node["text"]))
  }

  private mutating func field(_ node: SourceNode, _ key: String) -> AccountPolicy.Field? {
    let name = node["name"].flatMap { identifier($0, key + ".name") }
    guard let name, let label = localized(node["label"]) else {
      add("name and label are expected", key, node, hint: "Write - {name: user, label: {en: User name}}.")
      return nil
    }
    return AccountPolicy.Field(
      name: name, label: label, kind: node["kind"]?.string.flatMap(AccountPolicy.Field.Kind.init(rawValue:)) ?? .text)
  }

  private mutating func identifier(_ node: SourceNode, _ key: String) -> String? {
    guard let text = node.string, text.wholeMatch(of: Self.name) != nil else {
      add("a word of letters, digits, _ and - is expected", key, node, hint: "Programs know it by this name.")
      return nil
    }
    return text
  }

  private mutating func consent(_ node: SourceNode, _ key: String) -> Consent? {
    let id = node["id"].flatMap { identifier($0, key + ".id") }
    var pages = elements(node, "pages").compactMap { page($0, key + ".pages") }
    if ["title", "text", "more"].contains(where: { node[$0] != nil }) {
      if !pages.isEmpty {
        add("either text or pages is expected", key, node, hint: "Put the text into a page of its own.")
      } else if let made = page(node, key) {
        pages = [made]
      }
    }
    guard let id, let version = node["version"]?.string, !pages.isEmpty else {
      add(
        "id, version and text (or pages) are expected", key, node, hint: "Write - {id: usage, version: \"1\", text: …}."
      )
      return nil
    }
    return Consent(id: id, version: version, isMandatory: node["mandatory"]?.bool ?? false, pages: pages)
  }

  private mutating func page(_ node: SourceNode, _ key: String) -> Consent.Page? {
    guard let text = localized(node["text"]) else {
      add("a string is expected", key, node, hint: "Write text: and what people are asked to allow.")
      return nil
    }
    return Consent.Page(title: localized(node["title"]), text: text, more: localized(node["more"]))
  }

  // MARK: Checks of the whole section

  private mutating func check(_ node: SourceNode) {
    let policy = settings.policy
    func wrong(_ isWrong: Bool, _ key: String, _ message: String, _ hint: String) {
      if isWrong { add(message, "accounts.\(key)", node, hint: hint) }
    }
    let has = policy.modules.contains
    wrong(policy.modules.isEmpty, "modules", "no step is named", "Name at least one, such as passcode.")
    wrong(
      has(.activation) && policy.activation.isEmpty, "activation", "there is no way of activation",
      "Name some of scan, code, email, preset, or leave activation out of modules.")
    wrong(
      policy.activation.contains(.preset) && policy.presetHost == nil, "host", "preset needs a host",
      "Write host: and where the device is to connect to.")
    wrong(
      policy.presetHost.map { !HostName.isAuthority($0) } ?? false, "host", "it is not a host name",
      "Write a host, or host:port, without scheme and path.")
    wrong(
      has(.credentials) && policy.fields.count < 2, "fields", "credentials need at least two fields",
      "Write fields: with a name and a label for each.")
    wrong(
      Set(policy.fields.map(\.name)).count < policy.fields.count || policy.fields.count > 10, "fields",
      "a name occurs twice, or there are more than ten", "Use a distinct name for each field.")
    wrong(
      has(.consents) && policy.consents.isEmpty, "consents", "no consent is listed",
      "Write consents:, or leave consents out of modules.")
    wrong(
      Set(policy.consents.map(\.id)).count < policy.consents.count || policy.consents.count > 50, "consents",
      "an id occurs twice, or there are more than fifty", "Use a distinct id for each consent.")
    wrong(
      policy.mode == .shared && !(has(.passcode) && has(.credentials)), "modules",
      "a shared device needs credentials and passcode",
      "Add both, or set mode: single: without them, users cannot be distinguished.")
    wrong(
      policy.terms != nil && !has(.welcome), "terms", "terms are shown on the welcome screen, which is not in modules",
      "Add welcome to modules.")
    wrong(
      policy.passcode.maximum < policy.passcode.minimum, "passcode.maximum", "it is less than passcode.minimum",
      "Correct one of them.")
    wrong(
      policy.passcode.longestWait < policy.passcode.wait, "passcode.longestWait", "it is less than passcode.wait",
      "Correct one of them.")
  }
}

extension AccountSettings {
  /// Reads the section out of a checked configuration file. Paths in it are relative to the file's folder.
  ///
  /// - Returns: the settings, or nil without the section, and the problems of the section.
  package static func read(
    _ document: ConfigurationDocument
  ) -> (settings: AccountSettings?, problems: [ConfigurationProblem]) {
    var reader = AccountPolicyReader(document)
    let settings = reader.read()
    return (settings, reader.problems.inOrder)
  }
}
