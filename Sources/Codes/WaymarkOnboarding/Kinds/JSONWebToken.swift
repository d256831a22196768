package import WaymarkSystem

/// A token of claims without a more specific kind (RFC 7519).
package enum JSONWebToken {
  /// Takes the claims apart.
  package static func payload(of claims: JSONValue, policy: OnboardingPolicy) -> Payload {
    var fields: [PayloadField] = []
    for member in claims.members ?? [] {
      fields.append(
        PayloadField(
          member.name, member.value.scalarText ?? member.value.compactText,
          isSecret: PayloadField.looksSecret(member.name)))
    }
    guard let name = policy.hostClaim else { return Payload(.jwt, fields: fields, content: claims) }
    let shown = DisplayText.escaped(name, limit: 60)
    guard claims.values(fitting: name).count < 2 else {
      return .malformed(.jwt, "two claims could be \"\(shown)\", which holds the host", fields: fields)
    }
    guard let text = claims.value(at: name)?.string, !text.isEmpty else {
      return .malformed(
        .jwt, "the claim \"\(shown)\", which holds the host, is missing or not a string", fields: fields)
    }
    return Payload(.jwt, fields: fields, host: .init(name: name, hostOrAddress: text), content: claims)
  }
}
