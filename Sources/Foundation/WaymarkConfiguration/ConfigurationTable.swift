import WaymarkSystem

/// A key of a configuration: a row of its table. The file also has the kinds of values (`ConfigurationKind`), and
/// `ConfigurationTable`, all keys of a file.
package struct ConfigurationKey: Hashable, Sendable {
  /// The time at which a running program applies a new value.
  package enum Change: Hashable, Sendable {
    /// When the program reads the file again.
    case reload
    /// At the next start of the program.
    case restart
    /// At another time, which the page of the documentation explains under this mark.
    case described(String)
  }

  /// The path of the key: `camera.rotation`. A part in capitals is a placeholder for names of the user's choice:
  /// `text.patterns.NAME.check`.
  package var path: String
  /// The kind of its value, with bounds.
  package let kind: ConfigurationKind
  /// The purpose, for the documentation's page.
  package let meaning: String
  /// The value if nothing is configured.
  package var defaultValue: ConfigurationValue?
  /// The description of a default that is not a constant, for the documentation's page.
  package var otherwise: String?
  package var change: Change
  /// True if the list may be empty, because the meaning of an empty list is clear.
  package let mayBeEmpty: Bool
  /// The remedy for a wrong value; `nil` for the general remedy of the kind.
  package let remedy: String?
  /// True if an environment variable can set the key.
  package var hasVariable: Bool

  package init(
    _ path: String, _ kind: ConfigurationKind, _ meaning: String, defaultValue: ConfigurationValue? = nil,
    otherwise: String? = nil, change: Change = .reload, mayBeEmpty: Bool = false, remedy: String? = nil
  ) {
    self.path = path
    self.kind = kind
    self.meaning = meaning
    self.defaultValue = defaultValue
    self.otherwise = otherwise
    self.change = change
    self.mayBeEmpty = mayBeEmpty
    self.remedy = remedy
    hasVariable = kind.isSimple
  }

  /// Returns the same key below `prefix`, in a profile that overrides this key.
  package func under(_ prefix: String) -> ConfigurationKey {
    var key = moved(to: "\(prefix).\(path)")
    (key.defaultValue, key.otherwise) = (nil, "as outside")
    return key
  }

  /// Returns the same key under another path of the file, without an environment variable.
  package func moved(to path: String) -> ConfigurationKey {
    var key = inFileOnly
    key.path = path
    return key
  }

  /// The same key without an environment variable.
  package var inFileOnly: ConfigurationKey {
    var key = self
    key.hasVariable = false
    return key
  }

  /// True if a running program applies a new value when it reads the file again.
  package var isReloadable: Bool { change == .reload }

  /// The environment variable that sets the key: `WAYMARK_CAMERA_ROTATION`.
  package var environmentName: String {
    // Clients read this variable, too.
    if path == "socket.path" { return "WAYMARK_SOCKET" }
    var name = "WAYMARK_"
    for character in path {
      if character == "." {
        name += "_"
      } else if character.isUppercase {
        name += "_" + String(character)
      } else {
        name += character.uppercased()
      }
    }
    return name
  }
}

// MARK: - Kinds and values

/// The kind of a value of a configuration, with its bounds.
package enum ConfigurationKind: Hashable, Sendable {
  case string
  /// A path or an address; in a file, a path is relative to the file's folder.
  case path
  /// A string of 1 to this many bytes.
  case text(Int)
  /// One of these words.
  case choice([String])
  case int(ClosedRange<Int>)
  case double(ClosedRange<Double>)
  case bool
  /// `true` or `false`, or the other words of YAML 1.1: `yes`, `no`, `on`, `off`.
  case flag
  /// A list of strings; a single string is treated as a list of one.
  case strings
  /// A list of paths, each optionally after `NAME=`; a single path is treated as a list of one.
  case paths
  /// A list of strings of 1 to this many bytes each.
  case texts(Int)
  /// A list of these words; a single word is treated as a list of one.
  case choices([String])
  /// One or two whole numbers within bounds.
  case ints(ClosedRange<Int>)
  /// A string, or a section with a string for each language.
  case localized
  /// A section, whose keys have rows of their own.
  case section
  /// A list of sections, whose keys have rows of their own.
  case sections
  /// A section whose keys are names of the user's choice; the table describes their values by the placeholder `NAME`.
  case named
  /// A string of 1 to this many bytes, or a section.
  case textOrSection(Int)
  /// A word or a list of words that the reader of the section checks.
  case words

  /// The name of the kind, for messages.
  package var description: String {
    switch self {
    case .string, .text: "a string"
    case .path: "a path"
    case .paths: "a list of paths"
    case .choice(let words): "one of " + words.joined(separator: ", ")
    case .int(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .double(let range): "a number from \(range.lowerBound) to \(range.upperBound)"
    case .bool, .flag: "true or false"
    case .strings, .texts: "a list of strings"
    case .choices(let words): "a list of " + words.joined(separator: ", ")
    case .ints(let range): "one or two whole numbers from \(range.lowerBound) to \(range.upperBound)"
    case .localized: "a string, or a section with a string for each language"
    case .section: "a section with keys"
    case .sections: "a list of sections"
    case .named: "a section with a name for each"
    case .textOrSection: "a string, or a section with keys"
    case .words: "a word, or a list of words"
    }
  }

  /// The remedy for a value of another kind.
  var remedy: String {
    switch self {
    case .strings, .paths, .texts, .choices: "Write [A, B]."
    case .sections: "Write - and its keys for each element."
    case .section, .named: "Write key: value."
    default: "Correct the value."
    }
  }

  /// True for a list, which may be empty only if the key allows it, because an empty list could mean all or nothing.
  var isList: Bool {
    switch self {
    case .strings, .paths, .texts, .choices, .sections: true
    default: false
    }
  }

  /// True if a flag or an environment variable can set a value of this kind.
  var isSimple: Bool {
    switch self {
    case .string, .path, .text, .choice, .int, .double, .bool, .flag, .strings, .paths: true
    default: false
    }
  }

  /// Returns the checked value of a flag or an environment variable; `nil` if it is invalid or the kind is not simple.
  /// Commas separate the elements of a list.
  func value(of text: String) -> ConfigurationValue? {
    switch self {
    case .string, .path: .string(text)
    case .text(let limit): Self.isText(text, limit) ? .string(text) : nil
    // The word as written, not as YAML interprets octal numbers, `off` and `on`.
    case .choice(let words): words.contains(text) ? .string(text) : nil
    case .int(let range): Int(text).flatMap { range.contains($0) ? .int($0) : nil }
    case .double(let range): Double(text).flatMap { range.contains($0) ? .double($0) : nil }
    case .bool, .flag: ["true": true, "false": false][text.lowercased()].map { .bool($0) }
    case .strings, .paths: text.contains { $0 != "," } ? .strings(text.split(separator: ",").map(String.init)) : nil
    default: nil
    }
  }

  /// Returns the value of a checked node; nil for sections, `ints`, `localized` and `words`.
  func value(of node: SourceNode) -> ConfigurationValue? {
    switch self {
    case .strings, .paths, .texts, .choices: .strings(node.strings)
    case .bool, .flag: node.bool.map { .bool($0) }
    default: node.string.flatMap { value(of: $0) }
    }
  }

  /// The greatest length of a path in a configuration file, in bytes: Linux's PATH_MAX.
  static let pathLimit = 4096

  /// Returns whether a text has 1 to `limit` bytes and no NUL.
  static func isText(_ text: String, _ limit: Int) -> Bool {
    !text.isEmpty && text.utf8.count <= limit && !text.utf8.contains(0)
  }
}

/// A checked value of the configuration.
package enum ConfigurationValue: Hashable, Sendable {
  /// A string, or the word of a choice.
  case string(String)
  case int(Int)
  case double(Double)
  case bool(Bool)
  case strings([String])

  /// The value as YAML text.
  package var text: String {
    switch self {
    case .string(let text): text
    case .int(let number): String(number)
    case .double(let number): number == number.rounded() && abs(number) < 1e15 ? String(Int(number)) : String(number)
    case .bool(let flag): String(flag)
    case .strings(let texts): "[" + texts.joined(separator: ", ") + "]"
    }
  }
}

// MARK: - Table

/// All keys of a configuration file. They determine how the file is read, checked and documented.
package struct ConfigurationTable: Sendable {
  /// The rows, in the order of the documentation's page.
  package let keys: [ConfigurationKey]
  /// The keys as a tree.
  let root: Level
  private let byPath: [String: ConfigurationKey]
  /// The path, split into parts, of sections that may override some of the keys: `profiles`, `NAME`.
  private let overlay: [Substring]
  /// The packages that read sections missing in this table, by the sections' names.
  package let elsewhere: [String: String]

  /// A section or a key, with its children.
  struct Level: Sendable {
    let name: String
    var key: ConfigurationKey?
    var children: [Level] = []

    /// Returns the child with a name, else the placeholder for names of the user's choice.
    func child(_ name: String) -> Level? {
      children.first { $0.name == name } ?? children.first { $0.isPlaceholder }
    }

    /// True if the level is a placeholder for any name.
    var isPlaceholder: Bool { name.allSatisfy { $0.isUppercase } }

    var names: [String] { children.map(\.name) }

    fileprivate mutating func add(_ key: ConfigurationKey, _ rest: ArraySlice<Substring>) {
      guard let name = rest.first else {
        self.key = key
        return
      }
      if let index = children.firstIndex(where: { $0.name == name }) {
        children[index].add(key, rest.dropFirst())
      } else {
        var child = Level(name: String(name))
        child.add(key, rest.dropFirst())
        children.append(child)
      }
    }
  }

  /// Creates a table of rows, in the order of the documentation's page.
  ///
  /// - Parameters:
  ///   - overlay: the path of sections that may override some of the keys, such as `profiles.NAME`.
  ///   - elsewhere: the packages that read sections missing in these rows, by the sections' names.
  package init(_ keys: [ConfigurationKey], overlay: String? = nil, elsewhere: [String: String] = [:]) {
    self.keys = keys
    self.elsewhere = elsewhere
    self.overlay = overlay?.split(separator: ".") ?? []
    var root = Level(name: "")
    for key in keys { root.add(key, key.path.split(separator: ".")[...]) }
    self.root = root
    byPath = Dictionary(keys.map { ($0.path, $0) }) { first, _ in first }
  }

  /// The names of the sections, and of keys outside of sections.
  package var sections: [String] { root.names }

  /// Returns the row of a path as written in the table, with placeholders.
  package func key(_ path: String) -> ConfigurationKey? { byPath[path] }

  /// Returns the row of a path as written in a file, with the user's names.
  package func key(at path: [String]) -> ConfigurationKey? {
    path.reduce(Level?.some(root)) { $0?.child($1) }?.key
  }

  /// Returns the key or section outside of the overlay that `path`, an unknown key in a section of the overlay, would override; nil
  /// without such a key.
  func fixed(_ path: String) -> (path: String, key: ConfigurationKey?)? {
    let parts = path.split(separator: ".", omittingEmptySubsequences: false)
    guard !overlay.isEmpty, parts.count > overlay.count,
      zip(parts, overlay).allSatisfy({ $1.allSatisfy(\.isUppercase) || $0 == $1 })
    else { return nil }
    let rest = parts[overlay.count...]
    guard let level = rest.reduce(Level?.some(root), { $0?.child(String($1)) }) else { return nil }
    return (rest.joined(separator: "."), level.key)
  }

  /// Returns the full path of the key most similar to `name`, an unknown key of the section at `path`. Prefers a key of this
  /// section to a key of another; nil without a similar key.
  func suggestion(for name: String, in level: Level, at path: String) -> String? {
    let full = path.isEmpty ? name : "\(path).\(name)"
    if let near = NearestWord.of(name, among: level.children.filter { !$0.isPlaceholder }.map(\.name)) {
      return path.isEmpty ? near : "\(path).\(near)"
    }
    return NearestWord.of(full, among: keys.map(\.path))
  }
}
