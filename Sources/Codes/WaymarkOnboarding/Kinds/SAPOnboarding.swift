package import WaymarkSystem

/// SAP mobile onboarding: `{"appID":…,"host":…,"protocol":"https","auth":[{"type":"oauth2","config":…}]}`.
package enum SAPOnboarding {
  /// Returns whether an object has the marks of the kind, complete or not.
  package static func isLikely(_ object: JSONValue) -> Bool {
    object["appID"] != nil || object["host"] != nil && object["auth"] != nil
  }

  /// Takes the object apart.
  package static func payload(of object: JSONValue) -> Payload {
    var fields: [PayloadField] = []
    for name in ["appID", "host", "protocol", "port"] {
      if let text = object[name]?.scalarText { fields.append(PayloadField(name, text)) }
    }
    let problem = authentication(object["auth"], into: &fields)
    for member in object.members ?? [] where !["appID", "host", "protocol", "port", "auth"].contains(member.name) {
      // A token's claims are judged, not shown.
      if ["iss", "aud", "exp", "nbf", "iat", "jti"].contains(member.name) { continue }
      guard let text = member.value.scalarText else { continue }
      fields.append(PayloadField(member.name, text, isSecret: PayloadField.looksSecret(member.name)))
    }
    let refuse = { (problem: String) in Payload.malformed(.sapOnboarding, problem, fields: fields) }
    // Some libraries do not tell "host" from "Host", and take the one we did not judge.
    let names = (object.members ?? []).map { VisibleText.folded($0.name) }
    guard Set(names).count == names.count else { return refuse("a name occurs twice, in different spellings") }
    guard let app = object["appID"]?.string, !app.isEmpty else { return refuse("\"appID\" is missing or not a string") }
    guard let host = object["host"]?.string, !host.isEmpty else { return refuse("\"host\" is missing or not a string") }
    let scheme: String
    switch object["protocol"] {
    case nil, .null: scheme = "https"
    case .string(let text) where ["https", "http"].contains(text.lowercased()): scheme = text.lowercased()
    default: return refuse("\"protocol\" is neither https nor http")
    }
    var port: UInt16?
    switch object["port"] {
    case nil, .null: break
    case .number(let text), .string(let text):
      guard let number = Port.parse(text) else { return refuse("\"port\" is not a number from 1 to 65535") }
      port = number
    default: return refuse("\"port\" is not a number from 1 to 65535")
    }
    if let problem { return refuse(problem) }
    let (name, written) = WebAddress.split(host)
    if let port, let written, port != written { return refuse("\"host\" and \"port\" name different ports") }
    var payload = Payload(
      .sapOnboarding, fields: fields,
      host: .init(name: "host", scheme: scheme, host: name, port: port ?? written), content: object)
    payload.rules = .init(skipsRedirects: true, readsBareHosts: true)
    return payload
  }

  /// `auth`: an array of methods, each with a `config` that is an object or an array of objects. Returns what is wrong with it.
  private static func authentication(_ value: JSONValue?, into fields: inout [PayloadField]) -> String? {
    let methods: [JSONValue]
    switch value {
    case nil, .null: return nil
    case .array(let several): methods = several
    case .object: methods = [value ?? .null]
    default: return "\"auth\" is not a list of methods"
    }
    for method in methods {
      guard let type = method["type"]?.string else { return "a method in \"auth\" has no type" }
      fields.append(PayloadField("auth.type", type))
      guard let config = method["config"], config != .null else { continue }
      guard config.array?.allSatisfy({ $0.members != nil }) ?? (config.members != nil) else {
        return "\"config\" in \"auth\" is neither an object nor a list of objects"
      }
      if let problem = collect(config, key: "config", into: &fields) { return problem }
    }
    return nil
  }

  /// Adds what a configuration says to the fields. Returns what is wrong with it.
  private static func collect(_ value: JSONValue, key: String, into fields: inout [PayloadField]) -> String? {
    switch value {
    case .object(let members):
      for member in members {
        if let problem = collect(member.value, key: member.name, into: &fields) { return problem }
      }
    case .array(let elements):
      for element in elements {
        if let problem = collect(element, key: key, into: &fields) { return problem }
      }
    case .string(let text):
      fields.append(PayloadField(key, text, isSecret: PayloadField.looksSecret(key)))
      let address = WebAddress(text)
      if key.lowercased().hasSuffix("endpoint"), address?.scheme != "https", address?.scheme != "http" {
        return "\"\(DisplayText.escaped(key, limit: 60))\" is not a web address"
      }
    case .number, .bool, .null:
      if let text = value.scalarText {
        fields.append(PayloadField(key, text, isSecret: PayloadField.looksSecret(key)))
      }
    }
    return nil
  }
}
