import WaymarkSystem

/// Removes secrets from texts that leave the device, such as a bug report. In doubt, it removes text.
/// `RedactedConfiguration` below is a configuration file without secrets.
package enum Redaction {
  /// The placeholder for removed text.
  package static let mark = "[redacted]"

  /// Returns a text without everything that looks like a secret: keys and certificates in PEM, signed tokens, the credentials of
  /// addresses, payloads of Wi-Fi and one-time-password codes, values whose names sound like secrets, and long runs of characters
  /// that are typical of keys.
  package static func text(_ text: String) -> String {
    var text = text
    text.replace(#/-----BEGIN [A-Z0-9 ]+-----[\s\S]*?(?:-----END [A-Z0-9 ]+-----|$)/#, with: mark)
    text.replace(#/eyJ[A-Za-z0-9_\-]{5,}(?:\.[A-Za-z0-9_\-]*)*/#, with: mark)
    text.replace(#/:\/\/[^\/@\s"']+@/#) { _ in "://\(mark)@" }
    text.replace(#/(WIFI|otpauth-migration|otpauth|DPP):[^\n]*/#.ignoresCase()) { "\($0.output.1):\(mark)" }
    text.replace(#/\b(Basic|Bearer)\s+[A-Za-z0-9+\/=._~\-]+/#.ignoresCase()) { "\($0.output.1) \(mark)" }
    text.replace(secretValue) { "\($0.output.1)\($0.output.2)\(mark)" }
    text.replace(#/[A-Za-z0-9+_=\-]{40,}/#, with: mark)
    return text
  }

  /// Returns whether a name suggests a secret.
  package static func isSecret(name: String) -> Bool { name.lowercased().firstMatch(of: secretName) != nil }

  /// Returns a problem of the configuration without the values that it quotes.
  package static func problem(_ problem: ConfigurationProblem) -> String {
    text(problem.description.replacing(#/"[^"]*"/#, with: "\"…\""))
  }

  /// Returns the value of a key in YAML's flow style. The placeholder replaces the value of an unknown key, and a value of the
  /// wrong kind.
  package static func value(_ node: SourceNode, at path: [String], in table: ConfigurationTable) -> String {
    guard case .list(let items) = node.value else { return shown(node, path, table) }
    return "[\(items.map { shown($0, path, table) }.joined(separator: ", "))]"
  }

  private static func shown(_ node: SourceNode, _ path: [String], _ table: ConfigurationTable) -> String {
    guard let text = node.isNull ? "" : node.string else { return mark }
    let isKnown: Bool
    switch table.key(at: path)?.kind {
    case .string, .path, .strings, .paths: isKnown = true
    // This section may contain personal data.
    case _ where path.count > 1 && path[0] == "accounts": isKnown = false
    case .choice(let words), .choices(let words): isKnown = words.contains(text)
    case .bool, .flag: isKnown = node.bool != nil || ["yes", "no", "on", "off"].contains(text.lowercased())
    case .int, .double: isKnown = Double(text) != nil
    default: isKnown = false
    }
    guard isKnown || text.isEmpty else { return mark }
    return word(Self.text(text))
  }

  /// Returns a word of YAML, in quotation marks where it needs them.
  fileprivate static func word(_ text: String) -> String {
    if text.wholeMatch(of: #/[A-Za-z0-9_\/.\[\]][A-Za-z0-9_\/.\-\[\]]*/#) != nil { return text }
    return "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n"))\""
  }

  // Computed, because `Regex` is not Sendable; reports are rare.
  private static var secretName: Regex<Substring> {
    #/secret|token|passw|passphrase|passcode|kennwort|pwd|apikey|api_key|credential|cookie|private|shared_?key|access_?key|bearer|session_?id|saml|assertion|authorization/#
  }
  private static var secretValue: Regex<(Substring, Substring, Substring, Substring)> {
    #/([\w.\-]*(?:secret|token|passw|passphrase|passcode|kennwort|pwd|apikey|api_key|credential|cookie|private|shared_?key|access_?key|bearer|session_?id|saml|assertion|authorization)[\w.\-]*)(["']?\s*[=:]\s*["']?)((?:Basic|Bearer)\s+[^\s"'&,;}]+|[^\s"'&,;}]+)/#
      .ignoresCase()
  }
}

// MARK: - Configuration files

/// A configuration file for bug reports: known keys with their values, unknown keys without values, because these may be secret,
/// and no comments.
package struct RedactedConfiguration: Sendable {
  /// The file's keys, as YAML.
  package private(set) var lines: [String] = []

  private let table: ConfigurationTable

  /// Creates the redacted form of a file with the known keys of `table`; empty if the file is not YAML.
  package init(_ document: ConfigurationDocument?, table: ConfigurationTable) {
    self.table = table
    if let root = document?.root, !root.isNull { write(root, path: [], depth: 0) }
  }

  private mutating func write(_ node: SourceNode, path: [String], depth: Int) {
    guard case .map(let entries) = node.value else {
      if path.isEmpty { lines.append(Redaction.mark) }
      return
    }
    for entry in entries {
      let place = path + [entry.key]
      let head = String(repeating: "  ", count: depth) + Redaction.word(Redaction.text(entry.key)) + ":"
      switch entry.node.value {
      case .map:
        lines.append(head)
        write(entry.node, path: place, depth: depth + 1)
      default: lines.append("\(head) \(Redaction.value(entry.node, at: place, in: table))")
      }
    }
  }
}
