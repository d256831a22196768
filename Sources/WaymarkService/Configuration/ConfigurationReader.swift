/// A checked value of the configuration.
package enum ConfigurationValue: Hashable, Sendable {
  /// A text, or one of some words.
  case string(String)
  /// A whole number within its bounds.
  case int(Int)
  /// A number within its bounds.
  case double(Double)
  /// `true` or `false`.
  case bool(Bool)
  /// A list of texts.
  case strings([String])
}

/// Typed reads over origins: the first that has a key decides, so that a flag comes before the environment, and that before the file.
///
/// The schema fixes each key's type, and ``ConfigurationValues`` lets nothing else in: asking for another type gives nil.
package struct ConfigurationReader: Sendable {
  private let layers: [[String: ConfigurationValue]]

  /// A reader.
  /// - Parameter layers: values by the paths of their keys, the most important origin first.
  package init(layers: [[String: ConfigurationValue]]) { self.layers = layers }

  private func value(_ key: String) -> ConfigurationValue? {
    for layer in layers { if let value = layer[key] { return value } }
    return nil
  }

  /// The text of a key.
  package func string(forKey key: String) -> String? {
    if case .string(let text) = value(key) { text } else { nil }
  }

  /// The whole number of a key.
  package func int(forKey key: String) -> Int? {
    if case .int(let number) = value(key) { number } else { nil }
  }

  /// The number of a key.
  package func double(forKey key: String) -> Double? {
    if case .double(let number) = value(key) { number } else { nil }
  }

  /// The choice of a key.
  package func bool(forKey key: String) -> Bool? {
    if case .bool(let choice) = value(key) { choice } else { nil }
  }

  /// The list of a key.
  func stringArray(forKey key: String) -> [String]? {
    if case .strings(let texts) = value(key) { texts } else { nil }
  }
}
