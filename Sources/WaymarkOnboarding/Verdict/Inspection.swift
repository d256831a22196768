/// A code taken apart: what it is, and the token around it if it is signed.
package struct Inspection: Sendable {
  /// What it is and says. When the text is damaged the kind is what it claims to be.
  package var payload: Payload
  /// Why the text cannot be read as what it claims to be.
  package var encodingProblem: String?
  /// The token, when there is one that can be taken apart.
  package var token: CompactJWS?
  /// The token's claims.
  package var claims: TokenClaims?
  /// Whether this is a token of which nobody can tell what it carries.
  package var isOpaqueToken = false

  /// Takes a code apart.
  package init(_ code: ScannedCode, policy: OnboardingPolicy) {
    switch PayloadText(code, custom: policy.customKinds) {
    case .binary: payload = Payload(.binary)
    case .damaged(let kind, let problem):
      // What cannot be read cannot be searched for secrets either.
      payload = Payload(kind, isSecret: true)
      encodingProblem = problem
    case .foreign(let text):
      let recognized = PayloadRecognizer.recognize(text, policy: policy)
      payload = [.wifi, .vcard].contains(recognized.kind) ? recognized : Payload(.text)
    case .text(let text):
      if CompactJWS.isLikely(text) {
        payload = Payload(.jws, isSecret: true)
        openToken(text, policy: policy)
      } else {
        payload = PayloadRecognizer.recognize(text, policy: policy)
      }
    }
  }

  private mutating func openToken(_ text: String, policy: OnboardingPolicy) {
    do {
      let token = try CompactJWS(text)
      self.token = token
      guard let value = try? JSONParser.parse(token.payload), value.members != nil else { return }
      payload = PayloadRecognizer.json(value, policy: policy) ?? JSONWebToken.payload(of: value, policy: policy)
      // A token can be used by whoever holds its text.
      payload.isSecret = true
      claims = try TokenClaims(value)
    } catch let problem as CompactJWS.Problem {
      payload.problem = problem.text
      isOpaqueToken = true
    } catch let problem as TokenClaims.Problem {
      payload.problem = payload.problem ?? problem.text
    } catch {
      payload.problem = "this is no token"
    }
  }
}
