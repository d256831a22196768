/// Rows of a table as they stand on a page of the documentation.
package enum ConfigurationReference {
  /// A table in Markdown, with a row for each of `keys`.
  ///
  /// - Parameters:
  ///   - prefix: left out of the paths.
  ///   - changes: the heading of a column that tells when a new value is taken over; nil: there is no such column.
  package static func markdown(_ keys: [ConfigurationKey], without prefix: String = "", changes: String?) -> String {
    let last = changes.map { " \($0) |" } ?? ""
    var lines = ["| key | value | meaning | default |\(last)", "|---|---|---|---|" + (changes == nil ? "" : "---|")]
    for key in keys {
      let path = key.path.hasPrefix(prefix) ? String(key.path.dropFirst(prefix.count)) : key.path
      var row = "| `\(path)` | \(value(key.kind)) | \(key.meaning) | \(defaultText(key)) |"
      if changes != nil { row += " \(change(key.change)) |" }
      lines.append(row)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Replaces what stands on a page between `<!-- NAME: … -->` and `<!-- end of NAME -->`; nil where it has no such lines.
  package static func page(_ page: String, replacing name: String, with text: String) -> String? {
    guard let begin = page.firstRange(of: "<!-- \(name): "), let end = page.firstRange(of: "<!-- end of \(name) -->"),
      let line = page[begin.upperBound...].firstIndex(of: "\n"), line < end.lowerBound
    else { return nil }
    return String(page[...line]) + text + String(page[end.lowerBound...])
  }

  private static func change(_ change: ConfigurationKey.Change) -> String {
    switch change {
    case .reload: "yes"
    case .restart: "restart"
    case .told(let words): words
    }
  }

  private static func defaultText(_ key: ConfigurationKey) -> String {
    key.defaultValue.map { "`\($0.text)`" } ?? key.otherwise ?? ""
  }

  private static func number(_ value: Double) -> String { ConfigurationValue.double(value).text }

  private static func value(_ kind: ConfigurationKind) -> String {
    switch kind {
    case .choice(let words): words.map { "`\($0)`" }.joined(separator: " ")
    case .choices(let words): "list of " + words.map { "`\($0)`" }.joined(separator: " ")
    case .int(let range): "whole number \(range.lowerBound) to \(range.upperBound)"
    case .ints(let range): "one or two whole numbers \(range.lowerBound) to \(range.upperBound)"
    case .double(let range): "number \(number(range.lowerBound)) to \(number(range.upperBound))"
    case .bool, .flag: "`true` `false`"
    case .string: "string"
    case .text(let limit): "string, at most \(limit) bytes"
    case .strings: "list of strings"
    case .texts: "list of strings"
    case .localized: "string, or one by language"
    case .section: "section"
    case .sections: "list of sections"
    case .named: "section by name"
    case .textOrSection: "string, or section"
    case .words: "word, or list of words"
    }
  }
}
