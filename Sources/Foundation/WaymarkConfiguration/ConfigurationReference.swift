/// Writes the keys as a table on a page of the documentation.
package enum ConfigurationReference {
  /// Returns a table in Markdown, with a row for each of `keys`. Keys of a section that differ only in one part of
  /// their paths share a row: `log.levels.{scan,text}`.
  ///
  /// - Parameters:
  ///   - prefix: the prefix to omit from the paths.
  ///   - marksChanges: true to mark the keys whose changes a running program does not apply.
  package static func markdown(
    _ keys: [ConfigurationKey], without prefix: String = "", marksChanges: Bool = false
  ) -> String {
    let hasDefaults = keys.contains { !standard($0).isEmpty }
    var lines = ["| key | value | meaning |", "|---|---|---|"]
    if hasDefaults { lines = ["| key | value | meaning | default |", "|---|---|---|---|"] }
    for group in groups(keys) {
      let key = group[0]
      let whole = path(group)
      let name = whole.hasPrefix(prefix) ? String(whole.dropFirst(prefix.count)) : whole
      let row = "| `\(name)`\(marksChanges ? mark(key.change) : "") | \(value(key.kind)) | \(key.meaning) |"
      lines.append(standard(key).isEmpty ? row : "\(row) \(standard(key)) |")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Replaces the text of a page between `<!-- NAME: … -->` and `<!-- end of NAME -->`; nil if the page lacks these lines.
  package static func page(_ page: String, replacing name: String, with text: String) -> String? {
    guard let begin = page.firstRange(of: "<!-- \(name): "), let end = page.firstRange(of: "<!-- end of \(name) -->"),
      let line = page[begin.upperBound...].firstIndex(of: "\n"), line < end.lowerBound
    else { return nil }
    return String(page[...line]) + text + String(page[end.lowerBound...])
  }

  /// Returns the keys of each row, in the order of the first key of each row.
  private static func groups(_ keys: [ConfigurationKey]) -> [[ConfigurationKey]] {
    keys.reduce(into: []) { groups, key in
      let index = groups.firstIndex { group in
        guard let place = difference(group[0], key) else { return false }
        return group.count == 1 || difference(group[0], group[1]) == place
      }
      if let index {
        groups[index].append(key)
      } else {
        groups.append([key])
      }
    }
  }

  /// Returns the index of the only part in which the paths of two keys of a section differ; nil if the keys differ in
  /// anything else.
  private static func difference(_ first: ConfigurationKey, _ second: ConfigurationKey) -> Int? {
    let (parts, others) = (first.path.split(separator: "."), second.path.split(separator: "."))
    let places = zip(parts, others).enumerated().filter { $1.0 != $1.1 }.map(\.offset)
    let isAlike =
      first.kind == second.kind && first.meaning == second.meaning && first.change == second.change
      && standard(first) == standard(second)
    return parts.count == others.count && places.count == 1 && places != [0] && isAlike ? places[0] : nil
  }

  /// Returns the path that a row shows for its keys.
  private static func path(_ group: [ConfigurationKey]) -> String {
    guard group.count > 1, let place = difference(group[0], group[1]) else { return group[0].path }
    var parts = group[0].path.split(separator: ".").map(String.init)
    parts[place] = "{" + group.map { $0.path.split(separator: ".")[place] }.joined(separator: ",") + "}"
    return parts.joined(separator: ".")
  }

  private static func standard(_ key: ConfigurationKey) -> String {
    key.defaultValue.map { "`\($0.text)`" } ?? key.otherwise ?? ""
  }

  private static func mark(_ change: ConfigurationKey.Change) -> String {
    switch change {
    case .reload: ""
    case .restart: "†"
    case .described(let mark): mark
    }
  }

  private static func value(_ kind: ConfigurationKind) -> String {
    switch kind {
    case .choice(let words): words.map { "`\($0)`" }.joined(separator: " ")
    case .choices(let words): "[" + words.map { "`\($0)`" }.joined(separator: " ") + "]"
    case .int(let range): "`\(range.lowerBound)..\(range.upperBound)`"
    case .ints(let range): "one or two `\(range.lowerBound)..\(range.upperBound)`"
    case .double(let range): "`\(range.lowerBound)..\(range.upperBound)`"
    case .bool, .flag: "bool"
    case .string: "string"
    case .path: "path"
    case .paths: "[path]"
    case .text(let limit): "string(\(limit))"
    case .strings, .texts: "[string]"
    case .localized: "text"
    case .section: "section"
    case .sections: "[section]"
    case .named: "{section}"
    case .textOrSection: "string or section"
    case .words: "word or [word]"
    }
  }
}
