package import WaymarkSystem

extension CustomKind {
  /// The object as a payload of this kind; nil when it is not one.
  package func payload(of object: JSONValue) -> Payload? {
    guard case .json(let keys) = form, object.members != nil, keys.allSatisfy({ object.value(at: $0) != nil }) else {
      return nil
    }
    var fields: [PayloadField] = []
    collect(object, under: "", into: &fields)
    // Programs take one of two names that fit, and not always the one that is judged.
    for path in keys + [host].compactMap({ $0 }) where object.values(fitting: path).count > 1 {
      return .malformed(kind, "two members fit \"\(DisplayText.escaped(path, limit: 60))\"", fields: fields)
    }
    guard let host else { return Payload(kind, fields: fields, content: object) }
    guard let value = object.value(at: host) else {
      return .malformed(
        kind, "\"\(DisplayText.escaped(host, limit: 60))\", which holds the host, is missing", fields: fields)
    }
    guard let text = value.string, !text.isEmpty else {
      return .malformed(
        kind, "\"\(DisplayText.escaped(host, limit: 60))\", which holds the host, is not a string", fields: fields)
    }
    return Payload(kind, fields: fields, host: .init(name: host, hostOrAddress: text), content: object)
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
      var payload = Payload(kind, fields: fields, content: address.content)
      // A scheme of the app's own without an authority leads nowhere on the net.
      if !address.authority.isEmpty || pattern.host != nil || address.scheme == "https" || address.scheme == "http" {
        // Declaring a scheme of one's own vouches for it; plain http still is plain http.
        let scheme = address.scheme == "http" ? "http" : "https"
        payload.host = .init(name: "host", scheme: scheme, host: address.host, port: address.port)
      }
      return payload
    }
    guard items.count(where: { VisibleText.folded($0.name) == VisibleText.folded(host) }) < 2 else {
      return .malformed(
        kind, "two parameters fit \"\(DisplayText.escaped(host, limit: 60))\", which holds the host", fields: fields)
    }
    guard let text = fields[host], !text.isEmpty else {
      return .malformed(
        kind, "\"\(DisplayText.escaped(host, limit: 60))\", which holds the host, is missing", fields: fields)
    }
    // A host that the pattern names is declared and needs no place on the list.
    let content = pattern.host == nil ? address.content : .array(address.contentWithoutHost)
    return Payload(kind, fields: fields, host: .init(name: host, hostOrAddress: text), content: content)
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

extension JSONValue {
  /// Every value that a program could take for the one behind a path such as `server.address`: by a name with the dots in it or by
  /// the objects, with or without regard to case and to characters that are not seen.
  func values(fitting path: String) -> [JSONValue] {
    values(
      fitting: path.split(separator: ".", omittingEmptySubsequences: false).map { VisibleText.folded(String($0)) }[...])
  }

  private func values(fitting parts: ArraySlice<String>) -> [JSONValue] {
    guard let members else { return [] }
    return members.flatMap { member -> [JSONValue] in
      let name = VisibleText.folded(member.name).split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count >= name.count, zip(parts, name).allSatisfy({ $0 == $1 }) else { return [] }
      let rest = parts.dropFirst(name.count)
      return rest.isEmpty ? [member.value] : member.value.values(fitting: rest)
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
