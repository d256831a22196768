/// Typed reads over origins: the first that has a key decides, so that a flag comes before the environment, that before the file, and that
/// before the table's default.
///
/// The table fixes each key's kind, and ``ConfigurationValues`` lets nothing else in: asking for another kind gives nil.
package struct ConfigurationReader: Sendable {
  private let layers: [[String: ConfigurationValue]]
  private let table: ConfigurationTable
  /// Values that go before all layers; nil: the key is not set.
  private var kept: [String: ConfigurationValue?] = [:]

  /// A reader.
  /// - Parameter layers: values by the paths of their keys, the most important origin first.
  package init(layers: [[String: ConfigurationValue]], table: ConfigurationTable) {
    self.layers = layers
    self.table = table
  }

  /// The value of a key.
  package subscript(_ key: String) -> ConfigurationValue? {
    if let value = kept[key] { return value ?? table.key(key)?.defaultValue }
    for layer in layers { if let value = layer[key] { return value } }
    return table.key(key)?.defaultValue
  }

  /// The text of a key.
  package func string(forKey key: String) -> String? {
    if case .string(let text) = self[key] { text } else { nil }
  }

  /// The whole number of a key.
  package func int(forKey key: String) -> Int? {
    if case .int(let number) = self[key] { number } else { nil }
  }

  /// The number of a key.
  package func double(forKey key: String) -> Double? {
    if case .double(let number) = self[key] { number } else { nil }
  }

  /// The choice of a key.
  package func bool(forKey key: String) -> Bool? {
    if case .bool(let choice) = self[key] { choice } else { nil }
  }

  /// The list of a key.
  package func stringArray(forKey key: String) -> [String]? {
    if case .strings(let texts) = self[key] { texts } else { nil }
  }

  /// The same values, but for those keys the ones of another reader.
  package func keeping(_ keys: [String], of other: ConfigurationReader) -> ConfigurationReader {
    var result = self
    for key in keys { result.kept[key] = .some(other[key]) }
    return result
  }
}
