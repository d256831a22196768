/// Settings, whose members are set by the keys of a table. `Setting` below connects a key with a member, and `SettingValue` and
/// `SettingWords` are the types of such members.
package protocol Configurable: Sendable {
  /// Creates the settings with their defaults.
  init()
  /// The settings, in the order of the documentation's page.
  static var settings: [Setting<Self>] { get }
}

extension Configurable {
  /// The keys, in the order of the documentation's page.
  package static var keys: [ConfigurationKey] { settings.map(\.key) }

  /// Creates the settings from the values of several origins.
  package init(_ values: ConfigurationReader) {
    self.init()
    read(values)
  }

  /// Creates the settings from a section of a checked document.
  ///
  /// - Parameter prefix: the path of the section in the table.
  package init(_ node: SourceNode, of document: ConfigurationDocument, under prefix: String) {
    self.init()
    read(node, of: document, under: prefix)
  }

  /// Prefixes the paths of settings with the name of their section.
  ///
  /// - Parameter change: replaces the `change` of each key.
  package static func section(
    _ name: String, changing change: ConfigurationKey.Change? = nil, _ settings: [Setting<Self>]
  ) -> [Setting<Self>] {
    settings.map { setting in
      var setting = setting
      setting.key.path = "\(name).\(setting.key.path)"
      setting.key.change = change ?? setting.key.change
      return setting
    }
  }

  /// Sets the members whose keys have a value. All other members keep their values.
  package mutating func read(_ values: ConfigurationReader) {
    for setting in Self.settings {
      if let value = values[setting.key.path] { setting.assign(value, &self) }
    }
  }

  /// Sets the members whose keys change only with a restart back to their values in `running`.
  ///
  /// - Returns: the keys whose values differed.
  @discardableResult
  package mutating func keep(_ running: Self) -> [ConfigurationKey] {
    Self.settings.filter { $0.key.change == .restart && $0.keep(running, &self) }.map(\.key)
  }

  /// Sets the members whose keys have a value in a checked document.
  package mutating func read(_ document: ConfigurationDocument) { read(document.checked, of: document, under: "") }

  /// Sets the members whose keys have a value in a section of a checked document.
  ///
  /// - Parameter prefix: the path of the section in the table.
  package mutating func read(_ node: SourceNode, of document: ConfigurationDocument, under prefix: String) {
    let prefix = prefix.isEmpty ? "" : prefix + "."
    for setting in Self.settings where setting.key.path.hasPrefix(prefix) {
      let path = setting.key.path.dropFirst(prefix.count)
      if let node = node.at(String(path)), let value = document.value(of: setting.key.kind, at: node) {
        setting.assign(value, &self)
      }
    }
  }
}

/// A key of a configuration, and the member of `Root` that it sets. The default is the member of `Root()`.
package struct Setting<Root: Configurable>: Sendable {
  /// The row of the table.
  package fileprivate(set) var key: ConfigurationKey
  /// Sets the member to a checked value.
  fileprivate let assign: @Sendable (ConfigurationValue, inout Root) -> Void
  /// Copies the member from the first root to the second; returns true if they differed.
  fileprivate let keep: @Sendable (Root, inout Root) -> Bool

  /// Creates a key that sets a member to a converted value.
  ///
  /// - Parameters:
  ///   - otherwise: the description of a default that is not a constant, for the page of the documentation.
  ///   - read: converts a value; nil leaves the member as it is.
  ///   - written: converts the default back, for the page of the documentation.
  package init<Value: SettingValue, Member: Equatable & Sendable>(
    _ path: String, _ kind: ConfigurationKind, _ meaning: String,
    into member: any WritableKeyPath<Root, Member> & Sendable, otherwise: String? = nil,
    change: ConfigurationKey.Change = .reload, mayBeEmpty: Bool = false, remedy: String? = nil,
    from read: @escaping @Sendable (Value) -> Member?, to written: (Member) -> Value? = { _ in nil }
  ) {
    key = ConfigurationKey(
      path, kind, meaning,
      defaultValue: otherwise == nil ? written(Root()[keyPath: member])?.configurationValue : nil,
      otherwise: otherwise, change: change, mayBeEmpty: mayBeEmpty, remedy: remedy)
    assign = { value, root in
      if let value = Value(configured: value).flatMap(read) { root[keyPath: member] = value }
    }
    keep = { old, new in
      guard new[keyPath: member] != old[keyPath: member] else { return false }
      new[keyPath: member] = old[keyPath: member]
      return true
    }
  }

  /// Creates a key that sets a member to its value.
  package init<Value: SettingValue>(
    _ path: String, _ kind: ConfigurationKind, _ meaning: String,
    into member: any WritableKeyPath<Root, Value> & Sendable, otherwise: String? = nil,
    change: ConfigurationKey.Change = .reload, mayBeEmpty: Bool = false, remedy: String? = nil
  ) {
    self.init(
      path, kind, meaning, into: member, otherwise: otherwise, change: change, mayBeEmpty: mayBeEmpty, remedy: remedy,
      from: { (value: Value) in value }, to: { $0 })
  }

  /// Creates a key that sets a member to one or several words of an enumeration.
  package init<Value: SettingWords>(
    _ path: String, _ meaning: String, into member: any WritableKeyPath<Root, Value> & Sendable,
    otherwise: String? = nil, change: ConfigurationKey.Change = .reload, mayBeEmpty: Bool = false,
    remedy: String? = nil
  ) {
    self.init(
      path, Value.kind, meaning, into: member, otherwise: otherwise, change: change, mayBeEmpty: mayBeEmpty,
      remedy: remedy)
  }

  /// Creates a key that sets no member, because other code reads it.
  package init(
    _ path: String, _ kind: ConfigurationKind, _ meaning: String, otherwise: String? = nil,
    change: ConfigurationKey.Change = .reload, mayBeEmpty: Bool = false, remedy: String? = nil
  ) {
    key = ConfigurationKey(
      path, kind, meaning, otherwise: otherwise, change: change, mayBeEmpty: mayBeEmpty, remedy: remedy)
    assign = { _, _ in }
    keep = { _, _ in false }
  }

}

// MARK: - Types of members

/// A type that a value of the configuration converts to.
package protocol SettingValue: Equatable, Sendable {
  init?(configured value: ConfigurationValue)
  /// The value as the page of the documentation shows it; `nil` if it is empty.
  var configurationValue: ConfigurationValue? { get }
}

/// Words of an enumeration: one word, an optional word, or several.
package protocol SettingWords: SettingValue {
  /// The kind with the words.
  static var kind: ConfigurationKind { get }
}

/// An enumeration whose cases are the words of a key.
package protocol SettingWord: SettingWords, CaseIterable, RawRepresentable<String> {}

extension SettingWord {
  package static var kind: ConfigurationKind { .choice(allCases.map(\.rawValue)) }

  package init?(configured value: ConfigurationValue) {
    guard case .string(let word) = value else { return nil }
    self.init(rawValue: word)
  }

  package var configurationValue: ConfigurationValue? { .string(rawValue) }
}

extension SettingValue {
  package init?(configured value: ConfigurationValue) {
    let content: any Sendable =
      switch value {
      case .bool(let flag): flag
      case .int(let number): number
      case .double(let number): number
      case .string(let text): text
      case .strings(let texts): texts
      }
    guard let value = content as? Self else { return nil }
    self = value
  }
}

extension Bool: SettingValue {
  package var configurationValue: ConfigurationValue? { .bool(self) }
}

extension Int: SettingValue {
  package var configurationValue: ConfigurationValue? { .int(self) }
}

extension Double: SettingValue {
  package var configurationValue: ConfigurationValue? { .double(self) }
}

extension String: SettingValue {
  package var configurationValue: ConfigurationValue? { isEmpty ? nil : .string(self) }
}

extension Optional: SettingValue where Wrapped: SettingValue {
  package init?(configured value: ConfigurationValue) {
    guard let wrapped = Wrapped(configured: value) else { return nil }
    self = .some(wrapped)
  }

  package var configurationValue: ConfigurationValue? { flatMap(\.configurationValue) }
}

extension Optional: SettingWords where Wrapped: SettingWords {
  package static var kind: ConfigurationKind { Wrapped.kind }
}

extension Array: SettingValue where Element: SettingValue {
  package init?(configured value: ConfigurationValue) {
    guard case .strings(let texts) = value else { return nil }
    self = texts.compactMap { Element(configured: .string($0)) }
  }

  package var configurationValue: ConfigurationValue? {
    let texts = compactMap { $0.configurationValue?.text }
    return texts.isEmpty ? nil : .strings(texts)
  }
}

extension Array: SettingWords where Element: SettingWord {
  package static var kind: ConfigurationKind { .choices(Element.allCases.map(\.rawValue)) }
}

extension Set: SettingValue where Element: SettingWord {
  package init?(configured value: ConfigurationValue) {
    guard let words = [Element](configured: value) else { return nil }
    self.init(words)
  }

  /// The words in the order of the enumeration.
  package var configurationValue: ConfigurationValue? { Element.allCases.filter(contains).configurationValue }
}

extension Set: SettingWords where Element: SettingWord {
  package static var kind: ConfigurationKind { [Element].kind }
}
