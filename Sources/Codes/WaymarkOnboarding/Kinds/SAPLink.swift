import WaymarkSystem

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
