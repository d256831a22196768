import WaymarkCrypto
package import WaymarkSystem

/// A consent that people are asked for.
///
/// This file also has the record of a choice, and `LocalizedText`, the type of all texts of consents and policies.
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

  /// Returns the JSON value that `hash(in:)` hashes: id, version, and `title`, `text` and `more` of each screen in a
  /// language, without missing ones.
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

/// The answer to a consent.
package enum ConsentChoice: String, CaseIterable, Codable, Sendable {
  case allow
  /// A mandatory consent is denied, or an allowed one withdrawn.
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

  /// - Parameter standard: the default language; if it has no text, the alphabetically first one is used.
  package init(_ texts: [String: String], standard: String) {
    self.texts = texts
    self.standard = texts[standard] == nil ? texts.keys.min() ?? standard : standard
  }

  /// Returns the text in a language, or in the default one.
  package func text(in language: String?) -> String {
    language.flatMap { texts[String($0.prefix { $0 != "-" })] } ?? texts[standard] ?? ""
  }
}
