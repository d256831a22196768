package import WaymarkSystem

/// Why a text is not a token, or its claims cannot be taken.
package typealias TokenError = Problem<TokenErrorCode>

/// The codes of `TokenError`.
package enum TokenErrorCode: String, ProblemCode {
  /// The text is not a signed token in compact form.
  case badToken
  /// A registered claim has the wrong type or range.
  case badClaims
}

extension Problem where Kind == TokenErrorCode {
  static func token(_ message: String) -> TokenError {
    TokenError(.badToken, message, hint: "Sign a JWT as compact JWS, without extensions.")
  }

  static func claims(_ message: String) -> TokenError {
    TokenError(.badClaims, message, hint: "Write the registered claims as RFC 7519 has them.")
  }
}
