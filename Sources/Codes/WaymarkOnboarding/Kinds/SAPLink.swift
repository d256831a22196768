import WaymarkSystem

/// SAP's onboarding as a link: `com.sap.mdkclient://?AppId=…&ServerUrl=…`, the scheme being the app's own.
package enum SAPLink {
  /// Returns whether a URL has the marks of the kind, complete or not, and a scheme that the policy accepts.
  package static func isLikely(_ parts: URLParts, policy: OnboardingPolicy) -> Bool {
    policy.acceptsLinks(of: parts.scheme) && hasMarks(parts)
  }

  /// Returns whether a URL has SAP's own scheme, or the parameters that only this kind has.
  static func hasMarks(_ parts: URLParts) -> Bool {
    if parts.scheme == "com.sap.mdkclient" { return true }
    if parts.scheme == "https" || parts.scheme == "http" { return false }
    let names = Set((PercentCoding.items(parts.query ?? "") ?? []).map { $0.name.lowercased() })
    return names.contains("appid") && (names.contains("serverurl") || names.contains("authorizationendpointurl"))
  }

  /// Takes the link apart.
  package static func payload(of parts: URLParts) -> Payload {
    var fields = [PayloadField("scheme", parts.scheme)]
    guard let items = PercentCoding.items(parts.query ?? "") else {
      return .malformed(.sapLink, "the parameters are not percent-encoded UTF-8", fields: fields)
    }
    var values: [String: String] = [:]
    for item in items {
      let key = item.name.lowercased()
      fields.append(PayloadField(item.name, item.value, isSecret: PayloadField.looksSecret(key)))
      // Which of two counts would differ from program to program.
      guard values.updateValue(item.value, forKey: key) == nil else {
        return .malformed(.sapLink, "\"\(DisplayText.escaped(item.name, limit: 60))\" occurs twice", fields: fields)
      }
    }
    guard let app = values["appid"], !app.isEmpty else {
      return .malformed(.sapLink, "\"AppId\" is missing", fields: fields)
    }
    var host: Payload.Endpoint?
    for (name, key) in [
      ("ServerUrl", "serverurl"), ("AuthorizationEndpointUrl", "authorizationendpointurl"), ("TokenUrl", "tokenurl"),
    ] {
      guard let text = values[key], !text.isEmpty else { continue }
      guard let address = WebAddress(text), address.scheme == "https" || address.scheme == "http" else {
        return .malformed(.sapLink, "\"\(name)\" is not a web address", fields: fields)
      }
      host = host ?? .init(name: name, address)
    }
    guard let host else { return .malformed(.sapLink, "the link contains no address to connect to", fields: fields) }
    let content = JSONValue.array([
      .object(items.map { .init($0.name, .string($0.value)) }), .string("\(parts.scheme)://\(parts.authority)"),
      .string(parts.path), .string(parts.fragment ?? ""),
    ])
    var payload = Payload(.sapLink, fields: fields, host: host, content: content)
    payload.rules = .init(skipsRedirects: true, readsBareHosts: true)
    return payload
  }
}
