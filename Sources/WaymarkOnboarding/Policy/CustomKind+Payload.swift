package import WaymarkJSON

extension CustomKind {
  /// The object as a payload of this kind; nil when it is not one.
  package func payload(of object: JSONValue) -> Payload? {
    guard case .json(let keys) = form, object.members != nil, keys.allSatisfy({ object.value(at: $0) != nil }) else {
      return nil
    }
    var fields: [PayloadField] = []
    collect(object, under: "", into: &fields)
    guard let host else { return Payload(kind, fields: fields) }
    guard let value = object.value(at: host) else {
      return .malformed(
        kind, "\"\(DisplayText.escaped(host, limit: 60))\", which holds the host, is missing", fields: fields)
    }
    guard let text = value.string, !text.isEmpty else {
      return .malformed(
        kind, "\"\(DisplayText.escaped(host, limit: 60))\", which holds the host, is not a string", fields: fields)
    }
    return Payload(kind, fields: fields, endpoints: [.init(name: host, hostOrAddress: text)])
  }

  /// The address as a payload of this kind; nil when it is not one.
  package func payload(of address: WebAddress) -> Payload? {
    guard case .url(let pattern) = form, pattern.matches(address) else { return nil }
    guard let items = address.queryItems else {
      return .malformed(kind, "the parameters are not percent-encoded UTF-8")
    }
    var fields: [PayloadField] = []
    for item in items {
      if fields[item.name] != nil { return .malformed(kind, "a parameter occurs twice", fields: fields) }
      fields.append(PayloadField(item.name, item.value, isSecret: isSecret(item.name)))
    }
    guard let host else {
      // A scheme of the app's own without an authority leads nowhere on the net.
      if case .failure = address.host, pattern.host == nil, address.scheme != "https", address.scheme != "http" {
        return Payload(kind, fields: fields)
      }
      // Declaring a scheme of one's own vouches for it; plain http still is plain http.
      let scheme = address.scheme == "http" ? "http" : "https"
      let endpoint = Payload.Endpoint(name: "host", scheme: scheme, host: address.host, port: address.port)
      return Payload(kind, fields: fields, endpoints: [endpoint])
    }
    guard let text = fields[host], !text.isEmpty else {
      return .malformed(
        kind, "\"\(DisplayText.escaped(host, limit: 60))\", which holds the host, is missing", fields: fields)
    }
    return Payload(kind, fields: fields, endpoints: [.init(name: host, hostOrAddress: text)])
  }

  private func isSecret(_ key: String) -> Bool {
    secrets.contains(key) || PayloadField.looksSecret(key.split(separator: ".").last.map(String.init) ?? key)
  }

  /// Leaves by their paths; a secret object hides all that is in it.
  private func collect(_ value: JSONValue, under path: String, into fields: inout [PayloadField]) {
    if !path.isEmpty, isSecret(path), value.scalarText == nil {
      fields.append(PayloadField(path, value.compactText, isSecret: true))
    } else if let members = value.members {
      for member in members {
        collect(member.value, under: path.isEmpty ? member.name : "\(path).\(member.name)", into: &fields)
      }
    } else {
      fields.append(PayloadField(path, value.scalarText ?? value.compactText, isSecret: isSecret(path)))
    }
  }
}

extension Payload.Endpoint {
  /// A place that is written either as an address or as a bare host, which means https.
  package init(name: String, hostOrAddress text: String) {
    if let address = WebAddress(text) {
      self.init(name: name, address)
    } else {
      let (host, port) = WebAddress.split(text)
      self.init(name: name, scheme: "https", host: host, port: port)
    }
  }
}
