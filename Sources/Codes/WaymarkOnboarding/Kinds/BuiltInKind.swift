import WaymarkSystem

/// A built-in kind of payload: defines how payloads are recognised and parsed, which fields observers may see, and which payloads
/// are secret. `PayloadForm` below has the ways in which payloads are recognised.
///
/// The function in `form` returns a `Payload` with the fields, the host to connect to, and the content whose addresses are judged.
protocol BuiltInKind: SendableMetatype {
  /// The identifier of the kind in policies and events.
  static var kind: PayloadKind { get }
  /// The way in which payloads of the kind are recognised and parsed.
  static var form: PayloadForm { get }
  /// The members that a JSON object of this kind must have; an object with half of them is called a near miss.
  static var required: [String] { get }
  /// True if payloads may be in an encoding other than UTF-8.
  static var allowsOtherEncodings: Bool { get }
  /// Returns whether observers may see the field with that name.
  static func shows(_ field: String) -> Bool
  /// Returns whether observers may see the field with this name if its value is a host or a plain web address
  /// (`WebAddress.isBarePlace`).
  static func showsPlace(in field: String, policy: OnboardingPolicy) -> Bool
  /// Returns whether observers may see the whole text of a payload, provided that they may see each of its fields. The text may
  /// contain parts that are not in any field.
  static func isHarmless(_ text: String, _ payload: Payload) -> Bool
  /// Returns whether a payload may hold a secret although `SecretContent` finds none in its text.
  static func isSecret(_ payload: Payload) -> Bool
}

extension BuiltInKind {
  static var required: [String] { [] }
  static var allowsOtherEncodings: Bool { false }
  static func shows(_ field: String) -> Bool { false }
  static func showsPlace(in field: String, policy: OnboardingPolicy) -> Bool { false }
  static func isHarmless(_ text: String, _ payload: Payload) -> Bool { false }
  static func isSecret(_ payload: Payload) -> Bool { true }
}

/// The ways in which payloads of a built-in kind are recognised and parsed.
enum PayloadForm {
  /// A JSON object, bare or signed, with the marks of the kind. `isMentioned` finds the marks in a text that is not JSON.
  case object(
    hasMarks: (JSONValue) -> Bool, isMentioned: (String) -> Bool, payload: (JSONValue) -> Payload)
  /// A text that begins with this prefix, in letters of either case. The prefix is written in capitals here.
  case prefix(String, payload: (String) -> Payload)
  /// A link with the marks of the kind, whose scheme the policy accepts.
  case appLink(hasMarks: (URLParts) -> Bool, payload: (URLParts) -> Payload)
  /// An http or https address. The function returns nil for an address of another kind.
  case webAddress((WebAddress) -> Payload?)
  /// The content of a signed token that is not of a more specific kind.
  case token
  /// Text or bytes that fit no other form.
  case other

  /// True if a signed token may contain a payload of this form.
  var isInTokens: Bool {
    switch self {
    case .object, .token: true
    case .prefix, .appLink, .webAddress, .other: false
    }
  }
}
