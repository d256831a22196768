package import WaymarkJSON

/// Android Enterprise provisioning: a JSON object of `android.app.extra.PROVISIONING_…` members.
package enum AndroidEnterprise {
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
    // The vendor's data for its own app: enrolment tokens, as a rule.
    ("PROVISIONING_ADMIN_EXTRAS_BUNDLE", "adminExtras", true),
  ]

  /// Returns whether an object has the marks of the kind.
  package static func isLikely(_ object: JSONValue) -> Bool {
    object.members?.contains { $0.name.hasPrefix(prefix) } ?? false
  }

  /// Takes the object apart.
  package static func payload(of object: JSONValue) -> Payload {
    var fields: [PayloadField] = []
    for member in object.members ?? [] {
      let key = member.name.hasPrefix(prefix) ? String(member.name.dropFirst(prefix.count)) : member.name
      let known = names.first { $0.key == key }
      fields.append(
        PayloadField(
          known?.field ?? key, member.value.scalarText ?? member.value.compactText,
          isSecret: known?.isSecret ?? PayloadField.looksSecret(key)))
    }
    let refuse = { (problem: String) in Payload.malformed(.androidEnterprise, problem, fields: fields) }
    for (key, _, _) in names where key != "PROVISIONING_ADMIN_EXTRAS_BUNDLE" {
      guard let value = object[prefix + key] else { continue }
      guard let text = value.scalarText, value != .null, !text.isEmpty else {
        return refuse("\"\(key)\" has an invalid value")
      }
    }
    if let component = fields["componentName"] {
      let halves = component.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      guard halves.count == 2, halves.allSatisfy({ !$0.isEmpty }) else {
        return refuse("the component name is not package/class")
      }
    } else if fields["packageName"] == nil {
      return refuse("the component name of the device policy app is missing")
    }
    guard let location = fields["downloadLocation"] else { return Payload(.androidEnterprise, fields: fields) }
    guard let address = WebAddress(location), address.scheme == "https" || address.scheme == "http" else {
      return refuse("the download location is not a web address")
    }
    return Payload(.androidEnterprise, fields: fields, endpoints: [.init(name: "downloadLocation", address)])
  }
}
