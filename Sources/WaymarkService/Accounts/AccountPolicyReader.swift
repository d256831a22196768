import WaymarkAccounts
import WaymarkOnboarding
package import WaymarkSystem
import Yams

/// Reads the section `accounts`.
struct AccountPolicyReader {
  private let file: String
  private var reader: SectionReader
  private var settings = AccountSettings()

  init(file: String) {
    self.file = file
    reader = SectionReader(origin: file)
  }

  var problems: [ConfigurationProblem] { reader.problems }

  private static let keys = [
    "mode", "folder", "language", "modules", "words", "logos", "links", "terms", "demo", "activation", "host", "fields",
    "consents", "passcode", "shown", "sync", "answerWithin", "syncWithin", "leaveAfter", "maximumUsers",
  ]
  private static let screens = ["welcome", "activation", "credentials", "passcode", "ready", "signIn", "sync"]
  private static let passcodeKeys = [
    "minimum", "maximum", "numeric", "digit", "lower", "upper", "symbol", "tries", "wait", "longestWait",
  ]
  private static var name: Regex<Substring> { #/[A-Za-z][A-Za-z0-9_\-]{0,63}/# }

  /// The settings; `nil` where there is no such section.
  mutating func read(yaml: String) -> AccountSettings? {
    guard let root = try? Yams.compose(yaml: yaml), case .mapping(let mapping) = root, let section = mapping["accounts"]
    else { return nil }
    let found = reader.section(
      section, "accounts", known: Self.keys, lists: ["modules", "activation", "shown"])
    // The language of the texts comes before them, wherever it stands.
    for (name, node) in found where name == "language" {
      if let tag = reader.text(node, "accounts.language") {
        if Self.isLanguage(tag) { settings.language = tag } else { wrongLanguage(tag, "accounts.language", node) }
      }
    }
    for (name, node) in found { read(name, node, "accounts.\(name)") }
    check(section)
    return settings
  }

  private mutating func read(_ name: String, _ node: Node, _ key: String) {
    switch name {
    case "mode": if let mode = reader.words(node, key, AccountPolicy.Mode.self).first { settings.policy.mode = mode }
    case "folder": settings.folder = reader.text(node, key).map(path)
    case "modules": settings.policy.modules = Set(reader.words(node, key, AccountPolicy.Module.self))
    case "activation": settings.policy.activation = reader.words(node, key, AccountPolicy.ActivationMethod.self)
    case "shown": settings.policy.shown = Set(reader.words(node, key, AccountPolicy.Part.self))
    case "logos": settings.logos = reader.list(node, key).compactMap { reader.text($0, key).map(path) }
    case "host": settings.policy.presetHost = reader.text(node, key, limit: 300)
    case "terms": settings.policy.terms = localized(node, key)
    case "demo": if let flag = reader.flag(node, key) { settings.policy.allowsDemo = flag }
    case "sync": if let flag = reader.flag(node, key) { settings.policy.syncs = flag }
    case "answerWithin":
      if let seconds = reader.number(node, key, 1...600) { settings.policy.answerWithin = seconds }
    case "syncWithin": if let seconds = reader.number(node, key, 1...3600) { settings.policy.syncWithin = seconds }
    case "leaveAfter": if let seconds = reader.number(node, key, 10...86_400) { settings.policy.leaveAfter = seconds }
    case "maximumUsers":
      if let count = reader.number(node, key, 1...1000, whole: true) { settings.policy.maximumUsers = Int(count) }
    case "words":
      for (screen, node) in reader.section(node, key, known: Self.screens) {
        var words = AccountPolicy.Words()
        for (name, node) in reader.section(node, "\(key).\(screen)", known: ["title", "text"]) {
          let text = localized(node, "\(key).\(screen).\(name)")
          if name == "title" { words.title = text } else { words.text = text }
        }
        settings.policy.words[screen] = words
      }
    case "links": settings.policy.links = reader.list(node, key).compactMap { link($0, key) }
    case "fields": settings.policy.fields = reader.list(node, key).compactMap { field($0, key) }
    case "consents": settings.policy.consents = reader.list(node, key).compactMap { consent($0, key) }
    case "passcode": for (name, node) in reader.section(node, key, known: Self.passcodeKeys) { rule(name, node, key) }
    default: break
    }
  }

  private mutating func rule(_ name: String, _ node: Node, _ under: String) {
    let key = "\(under).\(name)"
    func whole(_ range: ClosedRange<Double>, _ set: (inout PasscodeRules, Int) -> Void) {
      if let number = reader.number(node, key, range, whole: true) { set(&settings.policy.passcode, Int(number)) }
    }
    func flag(_ set: (inout PasscodeRules, Bool) -> Void) {
      if let flag = reader.flag(node, key) { set(&settings.policy.passcode, flag) }
    }
    switch name {
    case "minimum": whole(4...64) { $0.minimum = $1 }
    case "maximum": whole(4...256) { $0.maximum = $1 }
    case "tries": whole(1...20) { $0.tries = $1 }
    case "numeric": flag { $0.isNumeric = $1 }
    case "digit": flag { $0.needsDigit = $1 }
    case "lower": flag { $0.needsLower = $1 }
    case "upper": flag { $0.needsUpper = $1 }
    case "symbol": flag { $0.needsSymbol = $1 }
    case "wait": if let seconds = reader.number(node, key, 1...3600) { settings.policy.passcode.wait = seconds }
    default:
      if let seconds = reader.number(node, key, 1...86_400) { settings.policy.passcode.longestWait = seconds }
    }
  }

  // MARK: Values of several parts

  private mutating func localized(_ node: Node, _ key: String) -> LocalizedText? {
    if node.scalar != nil {
      return reader.text(node, key).map { LocalizedText([settings.language: $0], standard: settings.language) }
    }
    var texts: [String: String] = [:]
    for (tag, node) in reader.section(node, key, known: nil) {
      guard Self.isLanguage(tag) else {
        wrongLanguage(tag, key, node)
        continue
      }
      if let text = reader.text(node, "\(key).\(tag)") { texts[tag] = text }
    }
    return texts.isEmpty ? nil : LocalizedText(texts, standard: settings.language)
  }

  private static func isLanguage(_ tag: String) -> Bool { tag.wholeMatch(of: #/[a-z]{2,3}/#) != nil }

  private mutating func wrongLanguage(_ tag: String, _ key: String, _ node: Node) {
    reader.add("\"\(tag)\" is not a language code", key, node, hint: "Write two or three letters, such as en or de.")
  }

  private mutating func link(_ node: Node, _ key: String) -> AccountPolicy.Link? {
    var title: LocalizedText?
    var url: String?
    for (name, node) in reader.section(node, key, known: ["title", "url"]) {
      if name == "title" {
        title = localized(node, key + ".title")
      } else {
        url = reader.text(node, key + ".url", limit: 2000)
      }
    }
    guard let title, let url else {
      reader.add("title and url are expected", key, node, hint: "Write - {title: …, url: https://…}.")
      return nil
    }
    guard url.hasPrefix("https://") else {
      reader.add("an address with https:// is expected", key + ".url", node, hint: "Correct the address.")
      return nil
    }
    return AccountPolicy.Link(title: title, url: url)
  }

  private mutating func field(_ node: Node, _ key: String) -> AccountPolicy.Field? {
    var name: String?
    var label: LocalizedText?
    var kind = AccountPolicy.Field.Kind.text
    for (key2, node) in reader.section(node, key, known: ["name", "label", "kind"]) {
      switch key2 {
      case "name": name = identifier(node, key + ".name")
      case "label": label = localized(node, key + ".label")
      default: kind = reader.words(node, key + ".kind", AccountPolicy.Field.Kind.self).first ?? kind
      }
    }
    guard let name, let label else {
      reader.add("name and label are expected", key, node, hint: "Write - {name: user, label: {en: User name}}.")
      return nil
    }
    return AccountPolicy.Field(name: name, label: label, kind: kind)
  }

  private mutating func identifier(_ node: Node, _ key: String) -> String? {
    guard let text = reader.text(node, key), text.wholeMatch(of: Self.name) != nil else {
      reader.add(
        "a word of letters, digits, _ and - is expected", key, node,
        hint: "The provider receives the field under this name.")
      return nil
    }
    return text
  }

  private mutating func consent(_ node: Node, _ key: String) -> Consent? {
    var id: String?
    var version: String?
    var isMandatory = false
    var pages: [Consent.Page] = []
    var page: [String: LocalizedText] = [:]
    for (name, node) in reader.section(
      node, key, known: ["id", "version", "mandatory", "pages", "title", "text", "more"])
    {
      switch name {
      case "id": id = identifier(node, key + ".id")
      case "version": version = reader.text(node, key + ".version", limit: 100)
      case "mandatory": isMandatory = reader.flag(node, key + ".mandatory") ?? true
      case "pages":
        for node in reader.list(node, key + ".pages") {
          var parts: [String: LocalizedText] = [:]
          for (name, node) in reader.section(node, key + ".pages", known: ["title", "text", "more"]) {
            parts[name] = localized(node, "\(key).pages.\(name)")
          }
          if let made = made(parts, key + ".pages", node) { pages.append(made) }
        }
      default: page[name] = localized(node, "\(key).\(name)")
      }
    }
    if !page.isEmpty {
      if !pages.isEmpty {
        reader.add("either text or pages is expected", key, node, hint: "Put the text into a page of its own.")
      } else if let made = made(page, key, node) {
        pages = [made]
      }
    }
    guard let id, let version, !pages.isEmpty else {
      reader.add(
        "id, version and text (or pages) are expected", key, node, hint: "Write - {id: usage, version: \"1\", text: …}."
      )
      return nil
    }
    return Consent(id: id, version: version, isMandatory: isMandatory, pages: pages)
  }

  private mutating func made(_ parts: [String: LocalizedText], _ key: String, _ node: Node) -> Consent.Page? {
    guard let text = parts["text"] else {
      reader.add("a string is expected", key, node, hint: "Write text: and what the user is asked to allow.")
      return nil
    }
    return Consent.Page(title: parts["title"], text: text, more: parts["more"])
  }

  /// Relative paths start where the file is.
  private func path(_ name: String) -> String {
    guard !name.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return name }
    return String(file[...slash]) + name
  }

  // MARK: The whole

  private mutating func check(_ node: Node) {
    let policy = settings.policy
    func wrong(_ isWrong: Bool, _ key: String, _ message: String, _ hint: String) {
      if isWrong { reader.add(message, "accounts.\(key)", node, hint: hint) }
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
  /// Reads the section out of a configuration file's text.
  ///
  /// Paths in it are relative to the file's folder. The text as a whole must be YAML, which is for others to check.
  ///
  /// - Returns: no settings where there is no such section; and everything that is wrong with it.
  package static func read(
    yaml: String, file: String
  ) -> (settings: AccountSettings?, problems: [ConfigurationProblem]) {
    var reader = AccountPolicyReader(file: file)
    let settings = reader.read(yaml: yaml)
    return (settings, reader.problems.sorted { ($0.line ?? 0) < ($1.line ?? 0) })
  }
}
