import WaymarkSystem

/// Wi-Fi access: `WIFI:T:WPA;S:name;P:secret;H:true;;` (WPA3 specification, section 7.1, and the older custom).
package enum WiFiNetwork {
  private static let names: [String: (field: String, isSecret: Bool)] = [
    "S": ("ssid", false), "T": ("security", false), "P": ("password", true), "H": ("hidden", false),
    "E": ("eapMethod", false), "A": ("anonymousIdentity", false), "PH2": ("phase2", false),
    "R": ("transitionDisable", false), "K": ("publicKey", false),
  ]

  /// Takes the text apart.
  package static func payload(of text: String) -> Payload {
    guard let pairs = SemicolonFields.parse(text.dropFirst(5)) else {
      return .malformed(.wifi, "the fields are not letter:value; each")
    }
    let type = pairs.first { $0.name == "T" }?.value ?? ""
    let isEnterprise = type.uppercased().contains("EAP")
    var fields: [PayloadField] = []
    var problem: String?
    for (name, value) in pairs {
      // With a passphrase I names it (WPA3), with EAP it names the person.
      let known = name == "I" ? (isEnterprise ? "identity" : "passwordIdentifier", false) : names[name]
      let field = known?.0 ?? name
      if fields[field] != nil { problem = problem ?? "\"\(name)\" occurs twice" }
      fields.append(PayloadField(field, value, isSecret: known?.1 ?? false))
    }
    guard let network = fields["ssid"], !network.isEmpty else {
      return .malformed(.wifi, "the network's name is missing", fields: fields)
    }
    let isOpen = ["", "NOPASS"].contains(type.uppercased())
    if !isOpen, !isEnterprise, fields["password"]?.isEmpty ?? true, fields["publicKey"] == nil {
      problem = problem ?? "the network is protected, and its password is missing"
    }
    return Payload(.wifi, fields: fields, problem: problem, content: .array(pairs.map { .string($0.value) }))
  }
}
