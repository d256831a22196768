import WaymarkSystem

/// A plain web address.
package enum WebLink {
  /// Takes the address apart.
  package static func payload(of address: WebAddress) -> Payload {
    var fields = [PayloadField("scheme", address.scheme)]
    if case .success(let host) = address.host { fields.append(PayloadField("host", host.ascii)) }
    if let port = address.port { fields.append(PayloadField("port", String(port))) }
    if !address.path.isEmpty, address.path != "/" { fields.append(PayloadField("path", address.path)) }
    guard let items = address.queryItems else {
      // Undecoded, nobody can tell what is secret in it.
      if let query = address.query { fields.append(PayloadField("query", query, isSecret: true)) }
      return Payload(.url, fields: fields, host: .init(name: "host", address), content: address.content)
    }
    for item in items {
      fields.append(PayloadField(item.name, item.value, isSecret: PayloadField.looksSecret(item.name)))
    }
    return Payload(.url, fields: fields, host: .init(name: "host", address), content: address.content)
  }
}
