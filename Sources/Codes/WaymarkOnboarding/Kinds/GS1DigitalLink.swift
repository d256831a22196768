import WaymarkSystem

extension PayloadKind {
  /// A web address that carries GS1 application identifiers.
  public static let gs1DigitalLink = Self(rawValue: "gs1DigitalLink")
}

/// GS1 Digital Link, uncompressed: a web address whose path identifies a product by application identifiers
/// (GS1 Digital Link Standard: URI Syntax 1.4, section 4).
package enum GS1DigitalLink: BuiltInKind {
  static let kind = PayloadKind.gs1DigitalLink
  static var form: PayloadForm { .webAddress(payload) }

  static func shows(_ field: String) -> Bool { field.lowercased() == "domain" || isPublic(field) }

  static func isHarmless(_ text: String, _ payload: Payload) -> Bool {
    guard let address = WebAddress(text), !address.authority.contains("@"), address.fragment == nil else {
      return false
    }
    // Segments before the first application identifier could be a secret.
    return address.segments?.first.map(isPublic) ?? false
  }

  static func isSecret(_ payload: Payload) -> Bool { payload.fields.contains(where: \.isSecret) }

  /// The application identifiers that are primary keys. `lengths` are the allowed lengths of the value in bytes; `digits` is true
  /// if the value consists of digits, and `check` if its last digit is a check digit.
  private static let primary: [String: (lengths: ClosedRange<Int>, digits: Bool, check: Bool)] = [
    "00": (18...18, true, true), "01": (8...14, true, true), "253": (13...30, false, false),
    "255": (13...25, true, false), "401": (1...30, false, false), "402": (17...17, true, true),
    "414": (13...13, true, true), "415": (13...13, true, true), "417": (13...13, true, true),
    "8003": (14...30, false, false), "8004": (1...30, false, false), "8006": (18...18, true, false),
    "8010": (1...30, false, false), "8013": (1...25, false, false), "8017": (18...18, true, true),
    "8018": (18...18, true, true),
  ]
  /// The application identifiers of key qualifiers, which may follow a primary key in the path.
  private static let qualifiers: Set<String> = [
    "10", "21", "22", "235", "254", "7040", "8011", "8019", "8020",
  ]

  /// Returns whether a name is a GS1 application identifier of a public property. Identifiers for a company's own use (91 to 99,
  /// General Specifications 3.9) and addresses (8200) are not public.
  package static func isPublic(_ name: String) -> Bool {
    guard (2...4).contains(name.utf8.count), name.utf8.allSatisfy(\.isASCIIDigit) else { return false }
    return !name.hasPrefix("9") && name != "8200"
  }

  /// Parses an address; returns nil unless its path ends with a primary key, a plausible value, and any number of key
  /// qualifiers with their values.
  package static func payload(of address: WebAddress) -> Payload? {
    guard let segments = address.segments,
      let start = segments.lastIndex(where: { primary[$0] != nil }), start + 1 < segments.count
    else { return nil }
    let (key, value) = (segments[start], segments[start + 1])
    guard let rule = primary[key], isPlausible(value, key: key, rule) else { return nil }
    var fields = [PayloadField("domain", domain(address)), PayloadField(key, value)]
    var position = start + 2
    while position + 1 < segments.count {
      guard qualifiers.contains(segments[position]) else { return nil }
      fields.append(PayloadField(segments[position], segments[position + 1]))
      position += 2
    }
    guard position == segments.count else { return nil }
    fields += (address.queryItems ?? []).map { PayloadField(vendor: $0.name, $0.value) }
    let problem = rule.check && !hasCheckDigit(value) ? "the check digit of (\(key)) is wrong" : nil
    return Payload(
      .gs1DigitalLink, fields: fields, problem: problem, host: .init(name: "domain", address),
      content: address.content)
  }

  private static func domain(_ address: WebAddress) -> String {
    if case .success(let host) = address.host { host.ascii } else { "" }
  }

  private static func isPlausible(
    _ value: String, key: String, _ rule: (lengths: ClosedRange<Int>, digits: Bool, check: Bool)
  ) -> Bool {
    let bytes = value.utf8
    guard rule.lengths.contains(bytes.count) else { return false }
    if key == "01", ![8, 12, 13, 14].contains(bytes.count) { return false }
    return rule.digits
      ? bytes.allSatisfy { $0.isASCIIDigit } : bytes.allSatisfy { (0x21...0x7E).contains($0) }
  }

  /// Returns whether the last digit is the check digit of the preceding digits, which are weighted 3 and 1 alternately from the
  /// right (GS1 General Specifications, 7.9).
  private static func hasCheckDigit(_ digits: String) -> Bool {
    var sum = 0
    for (index, byte) in digits.utf8.reversed().enumerated() { sum += Int(byte - 0x30) * (index % 2 == 0 ? 1 : 3) }
    return sum % 10 == 0
  }
}
