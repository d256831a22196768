import WaymarkSystem

/// A parsed code: its kind, and its token if it is signed.
package struct Inspection: Sendable {
  /// The payload. When the text is damaged the kind is the one it claims to be.
  package private(set) var payload: Payload
  /// Why the text cannot be read as what it claims to be.
  private(set) var encodingProblem: String?
  /// The token, when there is one that can be taken apart.
  package private(set) var token: CompactJWS?
  /// The token's claims.
  package private(set) var claims: TokenClaims?
  /// True if this is a token of which nobody can tell what it carries.
  package private(set) var isOpaqueToken = false
  /// True if the text as a whole is known to hold no secret.
  package private(set) var isHarmless = false

  /// Takes a code apart.
  package init(_ code: ScannedCode, policy: OnboardingPolicy) {
    switch PayloadText(code, policy: policy) {
    case .binary: payload = Payload(.binary, content: .null)
    case .damaged(let kind, let problem):
      payload = Payload(kind, content: .null)
      encodingProblem = problem
    case .foreign(let text):
      let recognized = PayloadRecognizer.recognize(text, policy: policy)
      payload = [.wifi, .vcard].contains(recognized.kind) ? recognized : Payload(.text, content: .string(text))
    case .text(let text):
      if CompactJWS.isLikely(text) {
        payload = Payload(.jws, content: .null)
        openToken(text, policy: policy)
      } else {
        payload = PayloadRecognizer.recognize(text, policy: policy)
      }
      let knowledge = HarmlessContent(policy: policy)
      payload.fields = payload.fields.map { knowledge.marked($0, of: payload.kind) }
      isHarmless = token == nil && !isOpaqueToken && knowledge.isHarmless(text, payload)
    }
    // Characters that JSON and percent-encoding spell with escapes are as bad as bare ones.
    if encodingProblem == nil,
      payload.content.hasText(where: Self.hasControls)
        || payload.fields.contains(where: { Self.hasControls($0.name) || Self.hasControls($0.value) })
    {
      encodingProblem = "the text contains escaped control characters"
    }
  }

  /// C0 beyond tab and line ends, DEL, C1.
  private static func hasControls(_ text: String) -> Bool {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return false }
    return text.unicodeScalars.contains { scalar in
      scalar.properties.generalCategory == .control && scalar != "\t" && scalar != "\n" && scalar != "\r"
    }
  }

  /// A token's claims without issuer and audience where the policy lists them: names of parties, which are often addresses.
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

  private mutating func openToken(_ text: String, policy: OnboardingPolicy) {
    do throws(TokenError) {
      let token = try CompactJWS(text)
      self.token = token
      payload.content = .string(String(decoding: token.payload, as: UTF8.self))
      let value: JSONValue
      do {
        value = try JSONParser.parse(token.payload)
      } catch {
        // Only what begins like an object means to be claims; a token may carry anything else.
        guard token.payload.first(where: { ![0x20, 0x0A, 0x0D, 0x09].contains($0) }) == UInt8(ascii: "{") else {
          return
        }
        let text = String(decoding: token.payload, as: UTF8.self)
        let kind = PayloadRecognizer.jsonKind(of: text, custom: policy.customKinds) ?? .jwt
        payload = .malformed(kind, "the token's payload is not JSON: \(error.problem) (byte \(error.offset))")
        isOpaqueToken = true
        return
      }
      guard value.members != nil else { return }
      payload = PayloadRecognizer.json(value, policy: policy) ?? JSONWebToken.payload(of: value, policy: policy)
      claims = try TokenClaims(value)
      payload.content = Self.withoutKnownParties(payload.content, policy)
    } catch {
      // A token that was taken apart keeps what is wrong with its content.
      payload.problem = (error.code == .badClaims ? payload.problem : nil) ?? error.message
      if error.code == .badToken { isOpaqueToken = true }
    }
  }
}

extension JSONValue {
  /// Returns whether a name or a text anywhere in the value passes a test.
  fileprivate func hasText(where test: (String) -> Bool) -> Bool {
    switch self {
    case .string(let text): test(text)
    case .array(let elements): elements.contains { $0.hasText(where: test) }
    case .object(let members): members.contains { test($0.name) || $0.value.hasText(where: test) }
    case .number, .bool, .null: false
    }
  }
}
