/// Why a code that was read is refused, in the order in which the checks are made.
public enum InvalidReason: String, Sendable, Hashable, Codable, CaseIterable {
  /// More bytes than the policy allows.
  case tooLarge
  /// Structured text that is not UTF-8, or that holds control characters.
  case badEncoding
  /// The policy does not allow this kind of payload.
  case kindNotAllowed
  /// The payload breaks the form of its kind.
  case malformed
  /// The policy demands a signature and there is none.
  case signatureRequired
  /// The token's algorithm is not one the policy allows; `none` never is.
  case algorithmNotAllowed
  /// No key of the policy is the one the token names, or fits its algorithm.
  case unknownKey
  /// The signature does not belong to this payload and key.
  case badSignature
  /// The token says that it is not valid yet (`nbf`, `iat`).
  case notYetValid
  /// The token's time is over (`exp`).
  case expired
  /// The token was issued by somebody else (`iss`).
  case wrongIssuer
  /// The token is meant for somebody else (`aud`).
  case wrongAudience
  /// A host that the payload wants to connect to is not allowed, or is not a valid host.
  case hostNotAllowed
  /// The code comes from recorded pictures, and only a camera may onboard this device.
  case sourceNotAllowed
  /// Two different codes are acceptable, and nobody knows which one is meant.
  case ambiguous
  /// The token was used before (`jti`).
  case replayed
}
