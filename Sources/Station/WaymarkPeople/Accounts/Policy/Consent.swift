import WaymarkCrypto
package import WaymarkSystem

/// Something that people are asked to allow.
package struct Consent: Hashable, Sendable {
  /// One screen of it.
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

  /// Its name for programs.
  package var id: String
  /// Which of its texts; another version is asked about again.
  package var version: String
  /// True if nobody goes on without it.
  package var isMandatory: Bool
  /// Its screens, at least one.
  package var pages: [Page]

  package init(id: String, version: String, isMandatory: Bool = false, pages: [Page]) {
    self.id = id
    self.version = version
    self.isMandatory = isMandatory
    self.pages = pages
  }

  /// The screens as a person who reads `language` sees them, as the JSON text that `hash(in:)` is taken of: id, version, and of each page
  /// title, text and more, in that order, what is missing left out.
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

  /// SHA-256 over the UTF-8 of `shown(in:)`, in hexadecimal digits.
  package func hash(in language: String?) -> String {
    let bytes = (try? JSONLineEncoder.encode(shown(in: language))) ?? []
    return HashFunction.sha256.hash(bytes).map { $0.digits(2, radix: 16) }.joined()
  }
}

/// A person's choice.
package enum ConsentChoice: String, CaseIterable, Sendable {
  case allow
  /// No to what is needed; what was allowed is withdrawn.
  case deny
  /// "Not now" to what is not.
  case later
}

/// One choice of one person, as it is kept.
package struct ConsentRecord: Hashable, Sendable {
  package var consent: String
  package var version: String
  /// Of the text that was shown.
  package var hash: String
  /// In which language it was shown.
  package var language: String
  package var choice: ConsentChoice
  /// When: RFC 3339, UTC.
  package var time: String

  package init(
    consent: String, version: String, hash: String, language: String, choice: ConsentChoice, time: String
  ) {
    self.consent = consent
    self.version = version
    self.hash = hash
    self.language = language
    self.choice = choice
    self.time = time
  }
}
