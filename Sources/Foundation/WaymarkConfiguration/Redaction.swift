import WaymarkSystem

/// Takes secrets out of texts that leave the device, such as a bug report. It would rather take too much.
package enum Redaction {
  /// The placeholder for text that was taken out.
  package static let mark = "[redacted]"

  /// A text without what looks like a secret: keys and certificates in PEM, signed tokens, the credentials of addresses,
  /// payloads of Wi-Fi and one-time-password codes, values of names that sound like secrets, and long runs of characters
  /// such as only keys have.
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

  /// Returns whether a name sounds like that of a secret.
  package static func isSecret(name: String) -> Bool { name.lowercased().firstMatch(of: secretName) != nil }

  /// A problem of the configuration without the values that it quotes.
  package static func problem(_ problem: ConfigurationProblem) -> String {
    text(problem.description.replacing(#/"[^"]*"/#, with: "\"…\""))
  }

  // Made again each time: a regular expression cannot be shared between threads, and reports are rare.
  private static var secretName: Regex<Substring> {
    #/secret|token|passw|passphrase|passcode|kennwort|pwd|apikey|api_key|credential|cookie|private|shared_?key|access_?key|bearer|session_?id|saml|assertion|authorization/#
  }
  private static var secretValue: Regex<(Substring, Substring, Substring, Substring)> {
    #/([\w.\-]*(?:secret|token|passw|passphrase|passcode|kennwort|pwd|apikey|api_key|credential|cookie|private|shared_?key|access_?key|bearer|session_?id|saml|assertion|authorization)[\w.\-]*)(["']?\s*[=:]\s*["']?)((?:Basic|Bearer)\s+[^\s"'&,;}]+|[^\s"'&,;}]+)/#
      .ignoresCase()
  }
}
