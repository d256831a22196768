import WaymarkSystem

// The kinds of SAP mobile onboarding: as JSON (`SAPOnboarding`), and as a link (`SAPLink`).

extension PayloadKind {
  /// SAP mobile onboarding: a JSON object with `appID`, `host`, `auth`; bare or as the payload of a JWS.
  public static let sapOnboarding = Self(rawValue: "sapOnboarding")
}

/// SAP mobile onboarding: `{"appID":…,"host":…,"protocol":"https","auth":[{"type":"oauth2","config":…}]}`.
enum SAPOnboarding: BuiltInKind {
  static let kind = PayloadKind.sapOnboarding
  static var form: PayloadForm { .object(hasMarks: hasMarks, isMentioned: isMentioned, payload: payload) }
  static let required = ["appID", "host"]

  /// Returns whether an object has `appID`, or has both `host` and `auth`. An object with members of Android's provisioning is not
  /// of this kind.
  private static func hasMarks(_ object: JSONValue) -> Bool {
    !AndroidEnterprise.hasMarks(object) && (object["appID"] != nil || object["host"] != nil && object["auth"] != nil)
  }

  private static func isMentioned(in text: String) -> Bool {
    !AndroidEnterprise.isMentioned(in: text)
      && (text.mentions("appID") || text.mentions("host") && text.mentions("auth"))
  }

  static func shows(_ field: String) -> Bool {
    ["appid", "protocol", "port", "auth.type", "clientid", "granttype"].contains(field.lowercased())
  }

  static func showsPlace(in field: String, policy: OnboardingPolicy) -> Bool {
    let field = field.lowercased()
    return ["host", "redirecturl"].contains(field) || field.hasSuffix("endpoint")
  }

  static func isHarmless(_ text: String, _ payload: Payload) -> Bool { payload.hasFieldsForAll }

  static func payload(of object: JSONValue) -> Payload {
    var fields: [PayloadField] = []
    for name in ["appID", "host", "protocol", "port"] {
      if let text = object[name]?.scalarText { fields.append(PayloadField(name, text)) }
    }
    let problem = authentication(object["auth"], into: &fields)
    for member in object.members ?? [] where !["appID", "host", "protocol", "port", "auth"].contains(member.name) {
      // The registered claims of a token are judged, not listed as fields.
      if ["iss", "aud", "exp", "nbf", "iat", "jti"].contains(member.name) { continue }
      guard let text = member.value.scalarText else { continue }
      fields.append(PayloadField(vendor: member.name, text))
    }
    let refuse = { (problem: String) in Payload.malformed(.sapOnboarding, problem, fields: fields) }
    // Some libraries treat "host" and "Host" as one name.
    let names = (object.members ?? []).map { VisibleText.folded($0.name) }
    guard Set(names).count == names.count else { return refuse("a name occurs twice, in different spellings") }
    for name in required {
      guard let problem = Payload.problem(of: object[name]) else { continue }
      return .malformed(.sapOnboarding, "\"\(name)\" \(problem)", fields: fields, field: name)
    }
    let host = object["host"]?.string ?? ""
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
    payload.rules = .sap
    return payload
  }

  /// Adds the fields of `auth`, an array of methods, each with a `config` that is an object or an array of objects.
  ///
  /// - Returns: the problem with `auth`, or `nil`.
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

  /// Adds the fields of a configuration; returns the problem with the configuration, or nil.
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
      fields.append(PayloadField(vendor: key, text))
      if key.lowercased().hasSuffix("endpoint"), WebAddress(text)?.isWeb != true {
        return "\"\(DisplayText.escaped(key, limit: 60))\" is not a web address"
      }
    case .number, .bool, .null:
      if let text = value.scalarText {
        fields.append(PayloadField(vendor: key, text))
      }
    }
    return nil
  }
}

// MARK: - Links

extension Payload.AddressRules {
  /// The rules of SAP's kinds. The redirect addresses of a sign-in are not judged, because the device does not
  /// connect to them; hosts without a scheme are judged.
  static let sap = Self(
    skippedNames: [
      "redirecturl", "redirecturi", "redirect_url", "redirect_uri", "redirecturls", "redirecturis", "redirect_uris",
    ], readsBareHosts: true)
}

extension PayloadKind {
  /// `com.sap.mdkclient://?AppId=…`, or the same parameters with the scheme of another app.
  public static let sapLink = Self(rawValue: "sapLink")
}

/// SAP mobile onboarding as a link: `com.sap.mdkclient://?AppId=…&ServerUrl=…`, or the same with the scheme of
/// another app.
enum SAPLink: BuiltInKind {
  static let kind = PayloadKind.sapLink
  static var form: PayloadForm { .appLink(hasMarks: hasMarks, payload: payload) }

  static func shows(_ field: String) -> Bool {
    ["scheme", "appid", "clientid"].contains(field.lowercased())
  }

  static func showsPlace(in field: String, policy: OnboardingPolicy) -> Bool {
    ["authorizationendpointurl", "tokenurl", "redirecturl", "serverurl"].contains(field.lowercased())
  }

  static func isHarmless(_ text: String, _ payload: Payload) -> Bool {
    guard let parts = URLParts(text) else { return false }
    return parts.authority.isEmpty && parts.path.isEmpty && parts.fragment == nil
  }

  /// Returns whether a URL has SAP's own scheme, or the parameters of the kind.
  static func hasMarks(_ parts: URLParts) -> Bool {
    if parts.scheme == "com.sap.mdkclient" { return true }
    if WebAddress.isWeb(parts.scheme) { return false }
    let names = Set((PercentCoding.items(parts.query ?? "") ?? []).map { $0.name.lowercased() })
    return names.contains("appid") && (names.contains("serverurl") || names.contains("authorizationendpointurl"))
  }

  static func payload(of parts: URLParts) -> Payload {
    var fields = [PayloadField("scheme", parts.scheme)]
    guard let items = PercentCoding.items(parts.query ?? "") else {
      return .malformed(.sapLink, "the parameters are not percent-encoded UTF-8", fields: fields)
    }
    var values: [String: String] = [:]
    for item in items {
      let key = item.name.lowercased()
      fields.append(PayloadField(vendor: item.name, item.value))
      // Of two parameters with the same name, some programs read the first and others the last.
      guard values.updateValue(item.value, forKey: key) == nil else {
        return .malformed(.sapLink, "\"\(DisplayText.escaped(item.name, limit: 60))\" occurs twice", fields: fields)
      }
    }
    guard let app = values["appid"], !app.isEmpty else {
      return .malformed(
        .sapLink, "\"AppId\" is \(values["appid"] == nil ? "missing" : "empty")", fields: fields, field: "AppId")
    }
    var host: Payload.Endpoint?
    for (name, key) in [
      ("ServerUrl", "serverurl"), ("AuthorizationEndpointUrl", "authorizationendpointurl"), ("TokenUrl", "tokenurl"),
    ] {
      guard let text = values[key], !text.isEmpty else { continue }
      guard let address = WebAddress(text), address.isWeb else {
        return .malformed(.sapLink, "\"\(name)\" is not a web address", fields: fields, field: name)
      }
      host = host ?? .init(name: name, address)
    }
    guard let host else { return .malformed(.sapLink, "the link contains no address to connect to", fields: fields) }
    let content = JSONValue.array([
      .object(items.map { .init($0.name, .string($0.value)) }), .string("\(parts.scheme)://\(parts.authority)"),
      .string(parts.path), .string(parts.fragment ?? ""),
    ])
    var payload = Payload(.sapLink, fields: fields, host: host, content: content)
    payload.rules = .sap
    return payload
  }
}
