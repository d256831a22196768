/// A text in one or more languages.
package struct LocalizedText: Hashable, Sendable {
  /// The texts by language (the primary subtag of BCP 47: `en`, `de`).
  package var texts: [String: String]
  /// The language that counts where the wanted one is missing: that of the first text given.
  package var standard: String

  /// A text from its languages.
  ///
  /// - Parameter standard: must be one of the languages, else the first of them in the order of the alphabet counts.
  package init(_ texts: [String: String], standard: String) {
    self.texts = texts
    self.standard = texts[standard] == nil ? texts.keys.min() ?? standard : standard
  }

  /// The text in a language, or else in the standard one.
  package func text(in language: String?) -> String {
    language.flatMap { texts[String($0.prefix { $0 != "-" })] } ?? texts[standard] ?? ""
  }
}
