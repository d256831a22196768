import WaymarkJSON
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
    case .binary: payload = Payload(.binary)
    case .damaged(let kind, let problem):
      payload = Payload(kind)
      encodingProblem = problem
    case .foreign(let text):
      let recognized = PayloadRecognizer.recognize(text, policy: policy)
      payload = [.wifi, .vcard].contains(recognized.kind) ? recognized : Payload(.text)
    case .text(let text):
      if CompactJWS.isLikely(text) {
        payload = Payload(.jws)
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
      payload.fields.contains(where: { Self.hasControls($0.name) || Self.hasControls($0.value) })
    {
      encodingProblem = "the text contains escaped control characters"
    }
  }

  /// C0 beyond tab and line ends, DEL, C1.
  private static func hasControls(_ text: String) -> Bool {
    text.unicodeScalars.contains { scalar in
      scalar.properties.generalCategory == .control && scalar != "\t" && scalar != "\n" && scalar != "\r"
    }
  }

  private mutating func openToken(_ text: String, policy: OnboardingPolicy) {
    do throws(TokenError) {
      let token = try CompactJWS(text)
      self.token = token
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
    } catch {
      // A token that was taken apart keeps what is wrong with its content.
      payload.problem = (error.code == .badClaims ? payload.problem : nil) ?? error.message
      if error.code == .badToken { isOpaqueToken = true }
    }
  }
}
