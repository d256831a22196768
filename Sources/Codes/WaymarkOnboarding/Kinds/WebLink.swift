import WaymarkSystem

extension PayloadKind {
  /// An http or https address.
  public static let url = Self(rawValue: "url")
}

/// A plain web address.
enum WebLink: BuiltInKind {
  static let kind = PayloadKind.url
  static var form: PayloadForm { .webAddress(payload) }

  static func shows(_ field: String) -> Bool {
    ["scheme", "host", "port"].contains(field.lowercased())
  }

  static func isHarmless(_ text: String, _ payload: Payload) -> Bool {
    guard let parts = URLParts(text), !parts.authority.contains("@") else { return false }
    return (parts.path.isEmpty || parts.path == "/") && parts.query == nil && parts.fragment == nil
  }

  static func isSecret(_ payload: Payload) -> Bool { payload.fields.contains(where: \.isSecret) }

  static func payload(of address: WebAddress) -> Payload {
    var fields = [PayloadField("scheme", address.scheme)]
    if case .success(let host) = address.host { fields.append(PayloadField("host", host.ascii)) }
    if let port = address.port { fields.append(PayloadField("port", String(port))) }
    if !address.path.isEmpty, address.path != "/" { fields.append(PayloadField("path", address.path)) }
    if let items = address.queryItems {
      fields += items.map { PayloadField(vendor: $0.name, $0.value) }
    } else if let query = address.query {
      // The query cannot be split into decoded items, so any part of it may be secret.
      fields.append(PayloadField("query", query, isSecret: true))
    }
    return Payload(.url, fields: fields, host: .init(name: "host", address), content: address.content)
  }
}
