package import WaymarkSystem

/// Recognizes the kind of a payload and parses it. It accepts nothing.
package enum PayloadRecognizer {
  /// Recognizes an unsigned text. Declared kinds come first: whoever declares one means it.
  package static func recognize(_ text: String, policy: OnboardingPolicy) -> Payload {
    if text.utf8.first == UInt8(ascii: "{") {
      do {
        let object = try JSONParser.parse(text)
        return json(object, policy: policy) ?? Payload(.text, content: object)
      } catch {
        guard let kind = jsonKind(of: text, custom: policy.customKinds) else {
          return Payload(.text, content: .string(text))
        }
        return .malformed(kind, "this is not JSON: \(error.problem) (byte \(error.offset))")
      }
    }
    if let payload = prefixed(text) { return payload }
    guard let parts = URLParts(text) else { return Payload(.text, content: .string(text)) }
    return url(text, parts, policy: policy)
  }

  /// Recognizes a JSON object; nil when it is nothing in particular.
  package static func json(_ object: JSONValue, policy: OnboardingPolicy) -> Payload? {
    for kind in policy.customKinds {
      if let payload = kind.payload(of: object) { return payload }
    }
    if AndroidEnterprise.isLikely(object) { return AndroidEnterprise.payload(of: object) }
    if SAPOnboarding.isLikely(object) { return SAPOnboarding.payload(of: object) }
    return nil
  }

  /// Kinds that a fixed beginning announces.
  private static func prefixed(_ text: String) -> Payload? {
    switch announcedKind(of: text) {
    case .wifi: WiFiNetwork.payload(of: text)
    case .dpp: DPPBootstrapping.payload(of: text)
    case .vcard: VCard.payload(of: text)
    case .otpauth: OTPAuth.payload(of: text)
    default: nil
    }
  }

  private static func url(_ text: String, _ parts: URLParts, policy: OnboardingPolicy) -> Payload {
    if SAPLink.isLikely(parts, policy: policy) { return SAPLink.payload(of: parts) }
    guard let address = WebAddress(text) else { return Payload(.text, content: .string(text)) }
    for kind in policy.customKinds {
      if let payload = kind.payload(of: address) { return payload }
    }
    guard address.scheme == "https" || address.scheme == "http" else {
      var payload = Payload(.text, content: .string(text))
      if SAPLink.hasMarks(parts) { payload.remark = "links of the scheme \"\(parts.scheme)\" are not accepted" }
      return payload
    }
    return GS1DigitalLink.payload(of: address) ?? WebLink.payload(of: address)
  }

  /// The structured kind that a text claims to be, for texts that cannot be taken apart.
  static func structuredKind(of text: String, policy: OnboardingPolicy) -> PayloadKind? {
    if text.utf8.first == UInt8(ascii: "{") { return jsonKind(of: text, custom: policy.customKinds) }
    if CompactJWS.isLikely(text) { return .jws }
    if let kind = announcedKind(of: text) { return kind }
    guard let parts = URLParts(text) else { return nil }
    if SAPLink.isLikely(parts, policy: policy) { return .sapLink }
    return parts.scheme == "https" || parts.scheme == "http" ? .url : nil
  }

  /// The kind of JSON that a broken text would have been.
  static func jsonKind(of text: String, custom: [CustomKind]) -> PayloadKind? {
    let mentions = { (key: String) in text.utf8.firstRange(of: Array("\"\(key)\"".utf8)) != nil }
    for kind in custom {
      if case .json(let keys) = kind.form, keys.allSatisfy({ mentions($0) }) { return kind.kind }
    }
    if text.utf8.firstRange(of: Array("\"android.app.extra.".utf8)) != nil { return .androidEnterprise }
    return mentions("appID") || mentions("host") && mentions("auth") ? .sapOnboarding : nil
  }

  private static func announcedKind(of text: String) -> PayloadKind? {
    let start = text.utf8.prefix(12).map { $0 >= 0x61 && $0 <= 0x7A ? $0 - 0x20 : $0 }
    let announced: [(String, PayloadKind)] = [
      ("WIFI:", .wifi), ("DPP:", .dpp), ("BEGIN:VCARD", .vcard), ("OTPAUTH://", .otpauth),
    ]
    return announced.first { start.starts(with: $0.0.utf8) }?.1
  }
}
