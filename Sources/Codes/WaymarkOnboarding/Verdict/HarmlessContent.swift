import WaymarkSystem

/// The part of a payload that observers may see: only fields known to be no secret.
///
/// A list of what sounds like a secret is never complete; a list of what is none can only be too short. Names are those
/// of the fields that the kinds have, in lower case.
package struct HarmlessContent: Sendable {
  private let policy: OnboardingPolicy

  package init(policy: OnboardingPolicy) { self.policy = policy }

  /// Fields that say what a thing is, where it is or how it is spoken to.
  private static let plain: [PayloadKind: Set<String>] = [
    .sapOnboarding: ["appid", "protocol", "port", "auth.type", "clientid", "granttype"],
    .sapLink: ["scheme", "appid", "clientid"],
    .jwt: ["iss", "aud", "exp", "nbf", "iat"],
    .androidEnterprise: [
      "componentname", "packagename", "signaturechecksum", "packagechecksum", "wifissid", "wifisecuritytype",
      "wifihidden",
      "provisioning_locale", "provisioning_time_zone", "provisioning_local_time", "provisioning_skip_encryption",
      "provisioning_leave_all_system_apps_enabled",
    ],
    .wifi: ["ssid", "security", "hidden", "eapmethod", "phase2", "transitiondisable", "publickey"],
    .dpp: ["channels", "mac", "publickey", "version", "host"],
    .otpauth: ["type", "issuer", "algorithm", "digits", "period"],
    .gs1DigitalLink: ["domain"],
    .vcard: ["version", "name", "structuredname", "organization", "title", "role", "phone", "email", "address"],
    .url: ["scheme", "host", "port"],
  ]

  /// Fields that hold an address, harmless when it leads to a host and carries nothing else that could be a secret.
  private static let addresses: [PayloadKind: Set<String>] = [
    .sapOnboarding: ["host", "redirecturl", "endsessionendpoint"],
    .sapLink: ["authorizationendpointurl", "tokenurl", "redirecturl", "serverurl"],
    .androidEnterprise: ["downloadlocation"],
    .vcard: ["url"],
  ]

  /// The field, marked when observers may see it.
  package func marked(_ field: PayloadField, of kind: PayloadKind) -> PayloadField {
    var field = field
    field.isHarmless = !field.isSecret && isHarmless(field.name, field.value, of: kind)
    return field
  }

  private func isHarmless(_ name: String, _ value: String, of kind: PayloadKind) -> Bool {
    if let custom = policy.customKinds.first(where: { $0.kind == kind }) {
      return custom.shown.contains(name) || custom.host == name && Self.isPlace(value)
    }
    let lower = name.lowercased()
    if Self.plain[kind]?.contains(lower) ?? false { return true }
    if Self.addresses[kind]?.contains(lower) ?? false { return Self.isPlace(value) }
    switch kind {
    case .sapOnboarding: return lower.hasSuffix("endpoint") && Self.isPlace(value)
    case .jwt: return policy.hostClaim == name && Self.isPlace(value)
    case .gs1DigitalLink: return GS1DigitalLink.isPublic(name)
    default: return false
    }
  }

  /// A host, or an address without user, query or fragment. A path of plain words says where; anything longer or with
  /// digits in it may be a key.
  private static func isPlace(_ text: String) -> Bool {
    guard let parts = URLParts(text) else {
      if case .success = WebAddress.split(text).0 { return true }
      return false
    }
    guard parts.scheme == "https" || parts.scheme == "http", let address = WebAddress(text),
      case .success = address.host,
      parts.query == nil, parts.fragment == nil
    else { return false }
    return parts.path.utf8.split(separator: UInt8(ascii: "/")).allSatisfy { segment in
      let digits = segment.count { (0x30...0x39).contains($0) }
      return segment.count <= 24 && digits <= 2
        && segment.allSatisfy {
          $0 == 0x2D || $0 == 0x2E || $0 == 0x5F || Character(Unicode.Scalar($0)).isASCIIWordLetter
        }
    }
  }

  /// Returns whether observers may see a text as it is: nothing is in it but what its harmless fields say.
  package func isHarmless(_ text: String, _ payload: Payload) -> Bool {
    guard payload.problem == nil, !payload.fields.isEmpty, payload.fields.allSatisfy(\.isHarmless) else { return false }
    switch payload.kind {
    case .url:
      guard let parts = bareAddress(text) else { return false }
      return (parts.path.isEmpty || parts.path == "/") && parts.query == nil
    case .gs1DigitalLink:
      guard let parts = bareAddress(text), let address = WebAddress(text), let segments = address.segments else {
        return false
      }
      // Nothing may stand between the domain and the first key.
      return segments.first.map(GS1DigitalLink.isPublic) ?? false && parts.fragment == nil
    case .sapLink:
      guard let parts = URLParts(text) else { return false }
      return parts.authority.isEmpty && parts.path.isEmpty && parts.fragment == nil
    case .wifi, .dpp: return true
    case .sapOnboarding, .androidEnterprise:
      guard let value = try? JSONParser.parse(text) else { return false }
      // The fields leave out what the kind does not know; every leaf must be one of them.
      var leaves = 0
      return Self.count(value, into: &leaves) && leaves == payload.fields.count
    default: return false
    }
  }

  /// The parts of an address without user name and fragment.
  private func bareAddress(_ text: String) -> URLParts? {
    guard let parts = URLParts(text), parts.fragment == nil, !parts.authority.contains("@") else { return nil }
    return parts
  }

  /// Counts the scalars of a value; false when a container is empty, for then nothing stands for it.
  private static func count(_ value: JSONValue, into leaves: inout Int) -> Bool {
    if let members = value.members { return members.allSatisfy { count($0.value, into: &leaves) } }
    if let elements = value.array { return elements.allSatisfy { count($0, into: &leaves) } }
    leaves += 1
    return true
  }
}

extension Character {
  fileprivate var isASCIIWordLetter: Bool { isASCII && (isLetter || isNumber) }
}
