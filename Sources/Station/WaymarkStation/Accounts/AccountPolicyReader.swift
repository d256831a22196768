package import WaymarkConfiguration
import WaymarkOnboarding
import WaymarkPeople
import WaymarkSystem

/// Reads what a checked section `accounts` says, and what is wrong with that.
struct AccountPolicyReader {
  private let document: ConfigurationDocument
  private(set) var problems: [ConfigurationProblem] = []
  private var settings = AccountSettings()

  init(_ document: ConfigurationDocument) { self.document = document }

  private static var name: Regex<Substring> { #/[A-Za-z][A-Za-z0-9_\-]{0,63}/# }

  /// The settings; `nil` where there is no such section.
  mutating func read() -> AccountSettings? {
    guard let section = document.checked["accounts"] else { return nil }
    // The language of the texts comes before them, wherever it stands.
    if let node = section["language"], let tag = node.string {
      if tag.wholeMatch(of: #/[a-z]{2,3}/#) != nil {
        settings.language = tag
      } else {
        add(
          "\"\(tag)\" is not a language", "accounts.language", node,
          hint: "Write two or three letters, such as en or de.")
      }
    }
    readRules(section)
    for entry in section["words"]?.entries ?? [] {
      settings.policy.words[entry.key] = AccountPolicy.Words(
        title: localized(entry.node["title"]), text: localized(entry.node["text"]))
    }
    settings.policy.terms = localized(section["terms"])
    settings.policy.links = elements(section, "links").compactMap { link($0, "accounts.links") }
    settings.policy.fields = elements(section, "fields").compactMap { field($0, "accounts.fields") }
    settings.policy.consents = elements(section, "consents").compactMap { consent($0, "accounts.consents") }
    if let rules = section["passcode"] { readPasscode(rules) }
    check(section)
    return settings
  }

  private func elements(_ section: SourceNode, _ name: String) -> [SourceNode] { section[name]?.elements ?? [] }

  private mutating func readRules(_ section: SourceNode) {
    func set<Value>(_ value: Value?, _ path: WritableKeyPath<AccountPolicy, Value>) {
      if let value { settings.policy[keyPath: path] = value }
    }
    set(section["mode"]?.string.flatMap(AccountPolicy.Mode.init(rawValue:)), \.mode)
    settings.folder = section["folder"]?.string.map(document.resolved)
    set(words(section["modules"], "modules", AccountPolicy.Module.self).map(Set.init), \.modules)
    set(words(section["activation"], "activation", AccountPolicy.ActivationMethod.self), \.activation)
    set(words(section["shown"], "shown", AccountPolicy.Part.self).map(Set.init), \.shown)
    settings.logos = section["logos"]?.strings.map(document.resolved) ?? []
    settings.policy.presetHost = section["host"]?.string
    set(section["demo"]?.bool, \.allowsDemo)
    set(section["sync"]?.bool, \.syncs)
    set(section["answerWithin"]?.double, \.answerWithin)
    set(section["syncWithin"]?.double, \.syncWithin)
    set(section["leaveAfter"]?.double, \.leaveAfter)
    set(section["maximumUsers"]?.int, \.maximumUsers)
  }

  private mutating func readPasscode(_ section: SourceNode) {
    func set<Value>(_ value: Value?, _ path: WritableKeyPath<PasscodeRules, Value>) {
      if let value { settings.policy.passcode[keyPath: path] = value }
    }
    set(section["minimum"]?.int, \.minimum)
    set(section["maximum"]?.int, \.maximum)
    set(section["tries"]?.int, \.tries)
    set(section["numeric"]?.bool, \.isNumeric)
    set(section["digit"]?.bool, \.needsDigit)
    set(section["lower"]?.bool, \.needsLower)
    set(section["upper"]?.bool, \.needsUpper)
    set(section["symbol"]?.bool, \.needsSymbol)
    set(section["wait"]?.double, \.wait)
    set(section["longestWait"]?.double, \.longestWait)
  }

  // MARK: Values of several parts

  private mutating func add(_ message: String, _ key: String, _ node: SourceNode, hint: String) {
    problems.append(document.problem(message, key, node, hint: hint))
  }

  /// The words of a list, each once, in the order written.
  private mutating func words<Word: RawRepresentable & Hashable>(
    _ node: SourceNode?, _ name: String, _ type: Word.Type
  ) -> [Word]? where Word.RawValue == String {
    guard let node else { return nil }
    var found: [Word] = []
    for element in node.elements {
      guard let word = element.string.flatMap({ Word(rawValue: $0) }) else { continue }
      if found.contains(word) {
        add("\(word.rawValue) occurs twice", "accounts.\(name)", element, hint: "Keep one.")
      } else {
        found.append(word)
      }
    }
    return found
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

  // MARK: The whole

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
      "Add both, or set shared: false: without them, users cannot be told apart.")
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
  /// - Returns: no settings where there is no such section; and what is wrong with what it says.
  package static func read(
    _ document: ConfigurationDocument
  ) -> (settings: AccountSettings?, problems: [ConfigurationProblem]) {
    var reader = AccountPolicyReader(document)
    let settings = reader.read()
    return (settings, reader.problems.inOrder)
  }
}
