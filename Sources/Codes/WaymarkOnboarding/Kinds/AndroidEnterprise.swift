import WaymarkSystem

extension PayloadKind {
  /// Android Enterprise provisioning JSON.
  public static let androidEnterprise = Self(rawValue: "androidEnterprise")
}

/// Android Enterprise provisioning: a JSON object of `android.app.extra.PROVISIONING_…` members.
enum AndroidEnterprise: BuiltInKind {
  static let kind = PayloadKind.androidEnterprise
  static var form: PayloadForm { .object(hasMarks: hasMarks, isMentioned: isMentioned, payload: payload) }

  /// Returns whether an object has a member whose name begins with `android.app.extra.`.
  static func hasMarks(_ object: JSONValue) -> Bool {
    object.members?.contains { $0.name.hasPrefix(prefix) } ?? false
  }

  /// Returns whether a text that is not JSON contains a quoted name that begins with `android.app.extra.`.
  static func isMentioned(in text: String) -> Bool { text.utf8.firstRange(of: Array("\"\(prefix)".utf8)) != nil }

  static func shows(_ field: String) -> Bool {
    switch field.lowercased() {
    case "componentname", "packagename", "signaturechecksum", "packagechecksum", "wifissid", "wifisecuritytype",
      "wifihidden", "provisioning_locale", "provisioning_time_zone", "provisioning_local_time",
      "provisioning_skip_encryption", "provisioning_leave_all_system_apps_enabled":
      true
    default: false
    }
  }

  static func showsPlace(in field: String, policy: OnboardingPolicy) -> Bool {
    field.lowercased() == "downloadlocation"
  }

  static func isHarmless(_ text: String, _ payload: Payload) -> Bool { payload.hasFieldsForAll }

  private static let prefix = "android.app.extra."
  private static let names: [(key: String, field: String, isSecret: Bool)] = [
    ("PROVISIONING_DEVICE_ADMIN_COMPONENT_NAME", "componentName", false),
    ("PROVISIONING_DEVICE_ADMIN_PACKAGE_NAME", "packageName", false),
    ("PROVISIONING_DEVICE_ADMIN_PACKAGE_DOWNLOAD_LOCATION", "downloadLocation", false),
    ("PROVISIONING_DEVICE_ADMIN_SIGNATURE_CHECKSUM", "signatureChecksum", false),
    ("PROVISIONING_DEVICE_ADMIN_PACKAGE_CHECKSUM", "packageChecksum", false),
    ("PROVISIONING_WIFI_SSID", "wifiSSID", false),
    ("PROVISIONING_WIFI_SECURITY_TYPE", "wifiSecurityType", false),
    ("PROVISIONING_WIFI_HIDDEN", "wifiHidden", false),
    ("PROVISIONING_WIFI_PASSWORD", "wifiPassword", true),
    ("PROVISIONING_WIFI_PROXY_HOST", "wifiProxyHost", false),
    ("PROVISIONING_WIFI_PROXY_PORT", "wifiProxyPort", false),
    ("PROVISIONING_WIFI_PAC_URL", "wifiPACAddress", false),
    // The vendor's data for its own app, usually enrolment tokens.
    (extras, "adminExtras", true),
  ]
  private static let extras = "PROVISIONING_ADMIN_EXTRAS_BUNDLE"

  /// Parses an object. Android reads members by their exact names. An object is refused if the name of a member only resembles a
  /// known name: a person could be shown this member while the device follows the member with the exact name.
  static func payload(of object: JSONValue) -> Payload {
    var fields: [PayloadField] = []
    var texts: [String: String] = [:]
    var taken: Set<String> = []
    var isDouble = false
    for member in object.members ?? [] {
      let isPrefixed = member.name.hasPrefix(prefix)
      let key = isPrefixed ? String(member.name.dropFirst(prefix.count)) : member.name
      let known = isPrefixed ? names.first { $0.key == key } : nil
      let text = member.value.scalarText ?? member.value.compactText
      var folded = VisibleText.folded(key)
      if folded.hasPrefix(prefix) { folded.removeFirst(prefix.count) }
      let meant = names.first { $0.key.lowercased() == folded || $0.field.lowercased() == folded }
      if !taken.insert(meant?.field ?? folded).inserted || meant != nil && known == nil { isDouble = true }
      if let known { texts[known.field] = text }
      fields.append(
        PayloadField(known?.field ?? key, text, isSecret: known?.isSecret ?? PayloadField.looksSecret(key)))
    }
    let refuse = { (problem: String) in Payload.malformed(.androidEnterprise, problem, fields: fields) }
    guard !isDouble else { return refuse("two members are meant for one thing, or one is named like another") }
    for (key, _, _) in names where key != extras {
      guard let value = object[prefix + key] else { continue }
      guard let text = value.scalarText, value != .null, !text.isEmpty else {
        return refuse("\"\(key)\" has an invalid value")
      }
    }
    if let component = texts["componentName"] {
      let halves = component.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      guard halves.count == 2, halves.allSatisfy({ !$0.isEmpty }) else {
        return refuse("the component name is not package/class")
      }
    } else if texts["packageName"] == nil {
      return refuse("the component name of the device policy app is missing")
    }
    if let script = texts["wifiPACAddress"], WebAddress(script)?.isWeb != true {
      return refuse("the address of the proxy's script is not a web address")
    }
    var payload = Payload(.androidEnterprise, fields: fields, content: object)
    if let proxy = texts["wifiProxyHost"] {
      payload.furtherHosts.append(.init(name: "wifiProxyHost", scheme: "", authority: proxy))
    }
    guard let location = texts["downloadLocation"] else { return payload }
    guard let address = WebAddress(location), address.isWeb else {
      return refuse("the download location is not a web address")
    }
    payload.host = .init(name: "downloadLocation", address)
    return payload
  }
}
