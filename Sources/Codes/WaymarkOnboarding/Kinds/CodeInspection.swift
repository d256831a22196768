import WaymarkSystem

/// A code as the reader found it in a picture, with the properties that determine the verdict. The file turns it into a parsed
/// code: `Inspection` is the result, `PayloadText` its text, `PayloadRecognizer` finds its kind.
public struct ScannedCode: Sendable, Hashable {
  /// The payload as the code stores it.
  public var bytes: [UInt8]
  /// The text that the reader decoded; used where the bytes are not UTF-8.
  public var text: String?
  /// True if the code is of a symbology that onboarding accepts.
  public var isAcceptedSymbology: Bool
  /// The centre in pixels of the picture.
  public var center: SIMD2<Double>
  /// True if parts of a structured append are not in the picture; such a code is not judged.
  public var isIncomplete: Bool
  /// The missing parts, counted from 1, as far as they are known.
  public var missing: [Int]

  /// Creates a code; it is incomplete if parts of its structured append are missing.
  public init(
    bytes: [UInt8], text: String? = nil, isAcceptedSymbology: Bool = true, center: SIMD2<Double> = .zero,
    isIncomplete: Bool = false, missing: [Int] = []
  ) {
    self.bytes = bytes
    self.text = text
    self.isAcceptedSymbology = isAcceptedSymbology
    self.center = center
    self.isIncomplete = isIncomplete || !missing.isEmpty
    self.missing = missing
  }

  /// Creates a QR code with a text in UTF-8.
  public init(_ text: String) { self.init(bytes: Array(text.utf8), text: text) }
}

extension ScannedCode: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The size of the payload, but not its bytes, which may be a secret.
  public var description: String { "a code of \(bytes.count) bytes" }
  /// As `description`.
  public var debugDescription: String { description }
  /// The size of the payload alone.
  public var customMirror: Mirror { Mirror(self, children: ["size": bytes.count], displayStyle: .struct) }
}

// MARK: - Parsing

/// A parsed code: its kind, and its token if it is signed.
package struct Inspection: Sendable {
  /// The payload; for a damaged text (`PayloadText.damaged`) only its kind, with a content of `null`.
  package private(set) var payload: Payload
  /// The fault in the encoding of the text, such as control characters, or `nil`.
  private(set) var encodingProblem: String?
  /// The parsed token; nil for an unsigned code, and for a token that cannot be parsed.
  private(set) var token: CompactJWS?
  /// The token's claims; nil without a token, for a payload that is not an object, and for invalid claims.
  private(set) var claims: TokenClaims?
  /// True for a token that cannot be parsed, or whose payload is broken JSON.
  private(set) var isOpaqueToken = false
  /// True if the text as a whole is known to hold no secret.
  package private(set) var isHarmless = false

  /// Recognizes the kind of a code and parses it, or parses it as a token; the signature is not verified.
  package init(_ code: ScannedCode, policy: OnboardingPolicy) {
    let recognizer = PayloadRecognizer(policy: policy)
    switch PayloadText(code, recognizer) {
    case .binary: payload = Payload(.binary, content: .null)
    case .damaged(let kind, let problem):
      payload = Payload(kind, content: .null)
      encodingProblem = problem
    case .foreign(let text):
      let recognized = recognizer.payload(of: text)
      payload =
        recognized.kind.definition?.allowsOtherEncodings == true
        ? recognized : Payload(.text, content: .string(text))
    case .text(let text):
      if CompactJWS.isLikely(text) {
        payload = Payload(.jws, content: .null)
        openToken(text, recognizer)
      } else {
        payload = recognizer.payload(of: text)
      }
      markHarmless(text, policy)
    }
    // Control characters may be spelled with the escapes of JSON or percent-encoding.
    if encodingProblem == nil,
      payload.content.hasText(where: Self.hasControls)
        || payload.fields.contains(where: { Self.hasControls($0.name) || Self.hasControls($0.value) })
    {
      encodingProblem = "the text contains escaped control characters"
    }
  }

  /// Returns whether a code with this text holds a secret, judging by the code's kind or the structure of the text.
  package func holdsSecret(_ text: String) -> Bool {
    if isHarmless { return false }
    if token != nil || isOpaqueToken || SecretContent.isIn(text) { return true }
    return payload.kind.definition?.isSecret(payload) ?? true
  }

  /// Returns whether a text contains control characters (C0, DEL, C1) other than tabs and line ends.
  private static func hasControls(_ text: String) -> Bool {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return false }
    return text.unicodeScalars.contains { scalar in
      scalar.properties.generalCategory == .control && scalar != "\t" && scalar != "\n" && scalar != "\r"
    }
  }

  /// Sets `isHarmless` of each field that observers may see, and of the whole text if it contains only such fields. A field is shown
  /// only if its kind lists it, because no list of the names of secrets is complete.
  private mutating func markHarmless(_ text: String, _ policy: OnboardingPolicy) {
    let custom = policy.customKinds.first { $0.kind == payload.kind }
    let definition = payload.kind.definition
    for index in payload.fields.indices {
      let field = payload.fields[index]
      let isShown = custom?.shown.contains(field.name) ?? definition?.shows(field.name) ?? false
      let isPlace =
        custom.map { $0.host == field.name } ?? definition?.showsPlace(in: field.name, policy: policy) ?? false
      payload.fields[index].isHarmless =
        !field.isSecret && (isShown || isPlace && WebAddress.isBarePlace(field.value))
    }
    isHarmless =
      token == nil && !isOpaqueToken && payload.problem == nil && !payload.fields.isEmpty
      && payload.fields.allSatisfy(\.isHarmless) && definition?.isHarmless(text, payload) ?? false
  }

  /// Returns a token's claims without the issuers and audiences that the policy lists. These are often addresses, but the device
  /// does not connect to them, so their hosts are not judged.
  private static func withoutKnownParties(_ claims: JSONValue, _ policy: OnboardingPolicy) -> JSONValue {
    guard let members = claims.members else { return claims }
    return .object(
      members.compactMap { member in
        let names = member.name == "iss" ? policy.issuers : member.name == "aud" ? policy.audiences : nil
        guard let names else { return member }
        let isKnown = { (value: JSONValue) in value.string.map(names.contains) ?? false }
        if let several = member.value.array { return .init(member.name, .array(several.filter { !isKnown($0) })) }
        return isKnown(member.value) ? nil : member
      })
  }

  private mutating func openToken(_ text: String, _ recognizer: PayloadRecognizer) {
    do throws(TokenError) {
      let token = try CompactJWS(text)
      self.token = token
      let content = String(decoding: token.payload, as: UTF8.self)
      payload.content = .string(content)
      let value: JSONValue
      do {
        value = try JSONParser.parse(token.payload)
      } catch {
        // A token may carry content other than a JSON object.
        guard token.payload.first(where: { ![0x20, 0x0A, 0x0D, 0x09].contains($0) }) == UInt8(ascii: "{") else {
          return
        }
        payload = .malformed(
          recognizer.objectKind(ofBroken: content) ?? .jwt,
          "the token's payload is not JSON: \(error.problem) (byte \(error.offset))")
        isOpaqueToken = true
        return
      }
      guard value.members != nil else { return }
      if let known = recognizer.payload(of: value) {
        payload = known
      } else {
        payload = JSONWebToken.payload(of: value, policy: recognizer.policy)
        payload.nearMiss = recognizer.nearMiss(value)
      }
      claims = try TokenClaims(value)
      payload.content = Self.withoutKnownParties(payload.content, recognizer.policy)
    } catch {
      // A problem of the payload takes precedence over a problem of the claims.
      payload.problem = (error.code == .badClaims ? payload.problem : nil) ?? error.message
      if error.code == .badToken { isOpaqueToken = true }
    }
  }
}

extension JSONValue {
  /// Returns whether a member name or a string in the value, at any depth, passes a test.
  fileprivate func hasText(where test: (String) -> Bool) -> Bool {
    switch self {
    case .string(let text): test(text)
    case .array(let elements): elements.contains { $0.hasText(where: test) }
    case .object(let members): members.contains { test($0.name) || $0.value.hasText(where: test) }
    case .number, .bool, .null: false
    }
  }
}

// MARK: - Recognizing the kind

/// Recognizes the kind of a payload and parses it. `CodeJudgement` checks later whether the policy accepts the kind.
private struct PayloadRecognizer {
  let policy: OnboardingPolicy

  /// Recognizes and parses an unsigned text. A text without the marks of a kind gets the kind `text`.
  func payload(of text: String) -> Payload {
    if text.utf8.first == UInt8(ascii: "{") {
      do {
        let object = try JSONParser.parse(text)
        if let payload = payload(of: object) { return payload }
        var payload = Payload(.text, content: object)
        payload.nearMiss = nearMiss(object)
        return payload
      } catch {
        guard let kind = objectKind(ofBroken: text) else { return Payload(.text, content: .string(text)) }
        return .malformed(kind, "this is not JSON: \(error.problem) (byte \(error.offset))")
      }
    }
    if let (_, payload) = announced(text) { return payload(text) }
    guard let parts = URLParts(text), let address = WebAddress(text) else {
      return Payload(.text, content: .string(text))
    }
    let link = appLink(parts)
    if let link, policy.acceptsLinks(of: parts.scheme) { return link.payload(parts) }
    for kind in policy.customKinds {
      if let payload = kind.payload(of: address) { return payload }
    }
    let nearMiss = policy.customKinds.lazy.compactMap { $0.nearMiss(address) }.first
    if address.isWeb {
      for definition in PayloadKind.definitions {
        guard case .webAddress(let payload) = definition.form, var payload = payload(address) else { continue }
        payload.nearMiss = nearMiss
        return payload
      }
    }
    var payload = Payload(.text, content: .string(text))
    payload.nearMiss = nearMiss
    if link != nil { payload.remark = "links of the scheme \"\(parts.scheme)\" are not accepted" }
    return payload
  }

  /// Parses a JSON object as the first kind whose marks it has, the integrator's kinds first; returns nil without the marks of a
  /// kind.
  func payload(of object: JSONValue) -> Payload? {
    for kind in policy.customKinds {
      if let payload = kind.payload(of: object) { return payload }
    }
    for definition in PayloadKind.definitions {
      if case .object(let hasMarks, _, let payload) = definition.form, hasMarks(object) { return payload(object) }
    }
    return nil
  }

  /// Returns, in words, the keys that an object lacks to be of one of the integrator's kinds, or of an accepted built-in kind; nil if
  /// the object resembles none of them.
  func nearMiss(_ object: JSONValue) -> String? {
    policy.customKinds.lazy.compactMap { $0.nearMiss(object) }.first
      ?? PayloadKind.definitions.lazy.filter { policy.acceptedKinds.contains($0.kind) }
      .compactMap { $0.kind.nearMiss(object, keys: $0.required) }.first
  }

  /// Returns the kind of JSON object whose keys occur in a text that is not valid JSON; nil without such keys.
  func objectKind(ofBroken text: String) -> PayloadKind? {
    for kind in policy.customKinds {
      if case .json(let keys) = kind.form, keys.allSatisfy(text.mentions) { return kind.kind }
    }
    return PayloadKind.definitions.first {
      if case .object(_, let isMentioned, _) = $0.form { isMentioned(text) } else { false }
    }?.kind
  }

  /// Returns the structured kind whose marks occur in a text that is not UTF-8 or contains control characters; nil without such
  /// marks.
  func claimedKind(of text: String) -> PayloadKind? {
    if text.utf8.first == UInt8(ascii: "{") { return objectKind(ofBroken: text) }
    if CompactJWS.isLikely(text) { return .jws }
    if let (kind, _) = announced(text) { return kind }
    guard let parts = URLParts(text) else { return nil }
    if policy.acceptsLinks(of: parts.scheme), let link = appLink(parts) { return link.kind }
    return WebAddress.isWeb(parts.scheme) ? .url : nil
  }

  /// Returns the kind whose prefix begins a text, in letters of either case, and the function that parses the text; nil without
  /// such a prefix.
  private func announced(_ text: String) -> (kind: PayloadKind, payload: (String) -> Payload)? {
    for definition in PayloadKind.definitions {
      guard case .prefix(let prefix, let payload) = definition.form else { continue }
      let start = text.utf8.prefix(prefix.utf8.count).map { $0 >= 0x61 && $0 <= 0x7A ? $0 - 0x20 : $0 }
      if start.elementsEqual(prefix.utf8) {
        return (definition.kind, payload)
      }
    }
    return nil
  }

  /// Returns the kind of app link whose marks a URL has, and the function that parses the URL; nil without such marks.
  private func appLink(_ parts: URLParts) -> (kind: PayloadKind, payload: (URLParts) -> Payload)? {
    for definition in PayloadKind.definitions {
      if case .appLink(let hasMarks, let payload) = definition.form, hasMarks(parts) {
        return (definition.kind, payload)
      }
    }
    return nil
  }
}

extension String {
  /// Returns whether the text contains a key in quotes.
  func mentions(_ key: String) -> Bool { utf8.firstRange(of: Array("\"\(key)\"".utf8)) != nil }
}

/// The text of a payload by its encoding.
private enum PayloadText {
  /// Text in UTF-8, without byte order mark and surrounding white space.
  case text(String)
  /// Text in another encoding, as the code reader decoded it.
  case foreign(String)
  /// Text of a structured kind that is not UTF-8 or holds control characters.
  case damaged(PayloadKind, String)
  /// Bytes that are not text.
  case binary

  /// Decodes the bytes as UTF-8; if that fails, uses the text that the code reader decoded with a guessed encoding.
  init(_ code: ScannedCode, _ recognizer: PayloadRecognizer) {
    var bytes = code.bytes[...]
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
    // Text contains no C0 control characters other than tabs and line ends. GS1 element strings do, but onboarding does not read them.
    let hasControls = bytes.contains { $0 < 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D || $0 == 0x7F }
    if !hasControls, let text = String(validating: bytes, as: UTF8.self) {
      self = .text(Self.trimmed(text))
      return
    }
    // Other bytes are replaced by `?`, since the marks of the built-in kinds are ASCII.
    let visible = Self.trimmed(String(decoding: bytes.map { $0 < 0x80 ? $0 : 0x3F }, as: UTF8.self))
    let claimed = recognizer.claimedKind(of: visible)
    if let claimed, hasControls || claimed.definition?.allowsOtherEncodings != true {
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
