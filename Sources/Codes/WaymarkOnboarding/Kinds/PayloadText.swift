/// The text of a payload, or why there is none.
enum PayloadText: Sendable, Hashable {
  /// Text in UTF-8, without byte order mark and surrounding white space.
  case text(String)
  /// Text in an older encoding, as the reader understood it: good for names and notes, not for structured payloads.
  case foreign(String)
  /// Text of a structured kind that is not UTF-8 or holds control characters.
  case damaged(PayloadKind, String)
  /// No text.
  case binary

  /// Looks at the bytes first, because a reader's guess at the encoding is a guess.
  init(_ code: ScannedCode, policy: OnboardingPolicy) {
    var bytes = code.bytes[...]
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
    let isControl = { (byte: UInt8) in byte < 0x20 && byte != 0x09 && byte != 0x0A && byte != 0x0D || byte == 0x7F }
    // C0 controls beyond tab and line ends do not occur in text; GS and its kin in element strings are for those
    // who read symbologies, not for onboarding.
    let hasControls = bytes.contains(where: isControl)
    if !hasControls, let text = String(validating: bytes, as: UTF8.self) {
      self = .text(Self.trimmed(text))
      return
    }
    // Its first bytes tell the kind that it claims, read as if every foreign byte were a letter.
    let visible = Self.trimmed(String(decoding: bytes.map { $0 < 0x80 ? $0 : 0x3F }, as: UTF8.self))
    let claimed = PayloadRecognizer.structuredKind(of: visible, policy: policy)
    if let claimed, hasControls || (claimed != .wifi && claimed != .vcard) {
      self = .damaged(claimed, hasControls ? "the text contains control characters" : "the text is not UTF-8")
    } else if !hasControls, let text = code.text, !text.isEmpty {
      self = .foreign(Self.trimmed(text))
    } else {
      self = .binary
    }
  }

  private static func trimmed(_ text: String) -> String {
    let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
    let bytes = text.utf8
    guard let first = bytes.firstIndex(where: { !isSpace($0) }), let last = bytes.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(text[first...last])
  }
}
