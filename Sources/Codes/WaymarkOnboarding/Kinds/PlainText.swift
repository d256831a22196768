extension PayloadKind {
  /// Any other text.
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
