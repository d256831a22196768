// The table of the built-in kinds, and the two kinds without a form of their own: `PlainText` and `BinaryData`.

extension PayloadKind {
  /// The built-in kinds. If several kinds of the same form recognise a payload, the first of these is its kind.
  static let definitions: [any BuiltInKind.Type] = [
    SAPOnboarding.self,
    SAPLink.self,
    JSONWebToken.self,
    OpaqueToken.self,
    AndroidEnterprise.self,
    WiFiNetwork.self,
    DPPBootstrapping.self,
    OTPAuth.self,
    GS1DigitalLink.self,
    VCard.self,
    WebLink.self,
    PlainText.self,
    BinaryData.self,
  ]

  /// Every built-in kind, in the order in which the documentation lists them.
  public static let builtIn: [Self] = definitions.map { $0.kind }

  /// The built-in kinds that cannot be the payload of a signed token.
  static let unsigned = Set(definitions.filter { !$0.form.isInTokens }.map { $0.kind })

  /// The definition of a built-in kind; nil for kinds that a policy declares.
  var definition: (any BuiltInKind.Type)? { Self.definitions.first { $0.kind == self } }
}

extension PayloadKind {
  /// A text of no other kind.
  public static let text = Self(rawValue: "text")
  /// Bytes that are not text.
  public static let binary = Self(rawValue: "binary")
}

/// A text of no other kind.
enum PlainText: BuiltInKind {
  static let kind = PayloadKind.text
  static var form: PayloadForm { .other }
  static func isSecret(_ payload: Payload) -> Bool { false }
}

/// Bytes that are not text.
enum BinaryData: BuiltInKind {
  static let kind = PayloadKind.binary
  static var form: PayloadForm { .other }
  static func isSecret(_ payload: Payload) -> Bool { false }
}
