import WaymarkSystem

// The kinds of signed tokens: with claims (`JSONWebToken`), and with other content (`OpaqueToken`).

extension PayloadKind {
  /// A signed token whose payload is a JSON object of claims (RFC 7519).
  public static let jwt = Self(rawValue: "jwt")
  /// A signed token whose payload is not an object of claims (RFC 7515).
  public static let jws = Self(rawValue: "jws")
}

/// A token whose claims are of no more specific kind (RFC 7519).
enum JSONWebToken: BuiltInKind {
  static let kind = PayloadKind.jwt
  static var form: PayloadForm { .token }

  static func shows(_ field: String) -> Bool {
    ["iss", "aud", "exp", "nbf", "iat"].contains(field.lowercased())
  }

  static func showsPlace(in field: String, policy: OnboardingPolicy) -> Bool { field == policy.hostClaim }

  static func payload(of claims: JSONValue, policy: OnboardingPolicy) -> Payload {
    // If a declared kind keeps a claim secret, the claim is also secret in a token that lacks another member of the kind.
    let secrets = policy.customKinds.flatMap(\.secrets)
    let fields = (claims.members ?? []).map { member in
      let name = member.name
      return PayloadField(
        name, member.value.scalarText ?? member.value.compactText,
        isSecret: PayloadField.looksSecret(name) || secrets.contains { $0 == name || $0.hasPrefix(name + ".") })
    }
    guard let name = policy.hostClaim else { return Payload(.jwt, fields: fields, content: claims) }
    let shown = DisplayText.escaped(name, limit: 60)
    guard claims.values(fitting: name).count < 2 else {
      return .malformed(.jwt, "two claims could be \"\(shown)\", which holds the host", fields: fields)
    }
    let value = claims.value(at: name)
    if let problem = Payload.problem(of: value) {
      return .malformed(
        .jwt, "the claim \"\(shown)\", which holds the host, \(problem)", fields: fields, field: name)
    }
    return Payload(.jwt, fields: fields, host: .init(name: name, hostOrAddress: value?.string ?? ""), content: claims)
  }
}

/// A token whose payload is not an object of claims (RFC 7515), or that cannot be parsed.
enum OpaqueToken: BuiltInKind {
  static let kind = PayloadKind.jws
  static var form: PayloadForm { .token }
}
