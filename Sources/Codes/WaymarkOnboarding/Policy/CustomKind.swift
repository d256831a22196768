public import WaymarkSystem

/// A kind of payload that an integrator declares.
public struct CustomKind: Sendable, Hashable {
  /// The form by which payloads of the kind are recognised.
  public enum Form: Sendable, Hashable {
    /// A JSON object that has all these keys; a key may be a path such as `server.address`.
    case json(requiredKeys: [String])
    /// A URL that fits this pattern.
    case url(URLPattern)
  }

  /// The identifier of the kind in policies and events.
  public let kind: PayloadKind
  /// The form by which payloads are recognised.
  public let form: Form
  /// The key of the JSON object, or the query item of the URL, whose value is the host to connect to. Nil to use the URL's own
  /// host, or for a JSON object without a host.
  public let host: String?
  /// The keys whose values are secret.
  public let secrets: Set<String>
  /// The keys whose values observers may see, in addition to the host's.
  public let shown: Set<String>

  /// Declares a kind.
  ///
  /// - Throws: `badPolicy` for a built-in kind, and for a JSON form without a key.
  public init(
    _ kind: PayloadKind, form: Form, host: String? = nil, secrets: Set<String> = [],
    shown: Set<String> = []
  ) throws(OnboardingError) {
    let name = DisplayText.escaped(kind.rawValue, limit: 40)
    if PayloadKind.builtIn.contains(kind) {
      throw OnboardingError(
        .badPolicy, "The kind \"\(name)\" is built in and cannot be declared again.", hint: "Choose another name.")
    }
    if case .json(let keys) = form, keys.isEmpty || keys.contains("") {
      throw OnboardingError(
        .badPolicy, "The kind \"\(name)\" requires no key, so every JSON object would match.",
        hint: "List the keys that identify it under \"json\".")
    }
    self.kind = kind
    self.form = form
    self.host = host
    self.secrets = secrets
    self.shown = shown
  }

  /// A URL pattern: a scheme, a host that may start with `*.`, and a path in which `*` matches any text.
  public struct URLPattern: Sendable, Hashable {
    package let scheme: String
    package let host: HostPattern?
    package let path: [String]
    /// The pattern as written.
    private let text: String

    /// Reads a pattern such as `https://*.example.com/enrol/*` or `acme-setup://*`.
    ///
    /// - Throws: `badPolicy` for a text of another form, a scheme that is never accepted, or an ambiguous path.
    public init(_ text: String) throws(OnboardingError) {
      guard let parts = URLParts(text), parts.query == nil, parts.fragment == nil else {
        throw OnboardingError(
          .badPolicy, "\"\(DisplayText.escaped(text, limit: 80))\" is not a URL pattern.",
          hint: "Write scheme://host/path, for example https://*.example.com/enrol/*, without ? and #.")
      }
      self.text = text
      scheme = parts.scheme
      guard WebAddress.isWeb(scheme) || !LinkScheme.isDangerous(scheme) else {
        throw OnboardingError(
          .badPolicy, "Links of the scheme \"\(scheme)\" are never accepted.",
          hint: "Write https, or the scheme that your app has registered.")
      }
      host = parts.authority.isEmpty || parts.authority == "*" ? nil : try HostPattern(parts.authority)
      // A pattern without a path matches every path.
      let pieces = (parts.path.isEmpty ? "*" : parts.path).split(separator: "*", omittingEmptySubsequences: false)
      path = pieces.compactMap { PercentCoding.decode($0.utf8) }
      let plain = PercentCoding.decode(parts.path.utf8)
      guard path.count == pieces.count, parts.path.isEmpty || URLPath.resolved(parts.path) == plain else {
        throw OnboardingError(
          .badPolicy, "The path of \"\(DisplayText.escaped(text, limit: 80))\" can be read in more than one way.",
          hint: "Write it without . and .. and with plain characters.")
      }
    }

    /// Returns whether an address fits the pattern.
    package func matches(_ address: WebAddress) -> Bool {
      guard address.scheme == scheme else { return false }
      if let host {
        guard case .success(let name) = address.host,
          host.matches(name, port: address.port ?? (scheme == "http" ? 80 : 443))
        else { return false }
      }
      guard let plain = URLPath.resolved(address.path) else { return false }
      return Self.matches(Array(plain.utf8)[...], path.map { Array($0.utf8) })
    }

    /// Returns whether a text begins with the first piece, ends with the last, and contains all further pieces between them in this
    /// order. The leftmost match of a piece is the best, because it leaves the most text for the following pieces.
    private static func matches(_ text: ArraySlice<UInt8>, _ pieces: [[UInt8]]) -> Bool {
      guard let first = pieces.first, let last = pieces.last, text.starts(with: first) else { return false }
      if pieces.count == 1 { return text.count == first.count }
      var rest = text.dropFirst(first.count)
      for piece in pieces.dropFirst().dropLast() {
        guard let found = rest.firstRange(of: piece) else { return false }
        rest = rest[found.upperBound...]
      }
      return rest.count >= last.count && rest.suffix(last.count).elementsEqual(last)
    }

    /// The pattern as written, escaped for explanations.
    var shown: String { DisplayText.escaped(text, limit: 120) }

    /// Returns whether an address differs from the pattern in one part: in http instead of https or the reverse, in two letters of
    /// the host, or in one segment of the path, which differs, is missing or is inserted. If the pattern has no host, the path of a
    /// web address may differ only in two letters of one segment.
    func isNear(_ address: WebAddress) -> Bool {
      let isWeb = address.isWeb && WebAddress.isWeb(scheme)
      guard address.scheme == scheme || isWeb, let plain = URLPath.resolved(address.path) else { return false }
      var differences = address.scheme == scheme ? 0 : 1
      if let host {
        guard case .success(let name) = address.host, host.matches(name) || host.isNear(name) else { return false }
        differences += host.matches(name) ? 0 : 1
      }
      let pattern = path.joined(separator: "*").split(separator: "/", omittingEmptySubsequences: false)
      let segments = plain.split(separator: "/", omittingEmptySubsequences: false)
      guard differences <= 1, max(pattern.count, segments.count) <= Self.longest else { return false }
      return differences + Self.distance(pattern, segments, isStrict: host == nil && address.isWeb) <= 1
    }

    /// The largest number of segments that are compared, which limits the time.
    private static let longest = 64

    /// Returns the Levenshtein distance of a path from a pattern, in segments; the pattern `*` equals any number of segments.
    ///
    /// - Parameter isStrict: true to count a segment twice if it is missing or inserted, or differs in more than two letters.
    private static func distance(_ pattern: [Substring], _ segments: [Substring], isStrict: Bool) -> Int {
      let most = isStrict ? 2 : 1
      var row = (0...segments.count).map { most * $0 }
      for piece in pattern {
        let pieces = piece.split(separator: "*", omittingEmptySubsequences: false).map { Array($0.utf8) }
        var corner = row[0]
        row[0] += piece == "*" ? 0 : most
        for (index, segment) in segments.enumerated() {
          let next: Int
          if piece == "*" {
            next = min(row[index], row[index + 1])
          } else if matches(Array(segment.utf8)[...], pieces) {
            next = corner
          } else {
            next = min(row[index] + most, row[index + 1] + most, corner + (isNear(segment, piece) ? 1 : most))
          }
          corner = row[index + 1]
          row[index + 1] = next
        }
      }
      return row[segments.count]
    }

    /// Returns whether two segments of at most 64 bytes differ in at most two letters.
    private static func isNear(_ a: Substring, _ b: Substring) -> Bool {
      max(a.utf8.count, b.utf8.count) <= 64 && NearestWord.distance(String(a), String(b)) <= 2
    }
  }
}

extension CustomKind {
  /// Parses an object as a payload of this kind; nil if it does not have the required keys.
  func payload(of object: JSONValue) -> Payload? {
    guard case .json(let keys) = form, object.members != nil, keys.allSatisfy({ object.value(at: $0) != nil }) else {
      return nil
    }
    var fields: [PayloadField] = []
    collect(object, under: "", into: &fields)
    // If two names match, some programs read the first and some the second.
    for path in keys + [host].compactMap({ $0 }) where object.values(fitting: path).count > 1 {
      return .malformed(kind, "two members fit \"\(DisplayText.escaped(path, limit: 60))\"", fields: fields)
    }
    guard let host else { return Payload(kind, fields: fields, content: object) }
    let value = object.value(at: host)
    if let problem = Payload.problem(of: value) { return malformed(host, problem, fields) }
    return Payload(
      kind, fields: fields, host: .init(name: host, hostOrAddress: value?.string ?? ""), content: object)
  }

  /// Returns, in words, the required keys that an object lacks; nil if it resembles no payload of this kind.
  func nearMiss(_ object: JSONValue) -> String? {
    guard case .json(let keys) = form else { return nil }
    return kind.nearMiss(object, keys: keys)
  }

  /// Returns, in words, the pattern of this kind if an address nearly matches it; otherwise nil.
  func nearMiss(_ address: WebAddress) -> String? {
    guard case .url(let pattern) = form, pattern.isNear(address) else { return nil }
    return "\(DisplayText.escaped(kind.rawValue, limit: 60)) has the form \(pattern.shown)"
  }

  /// Parses an address as a payload of this kind; nil if it does not fit the pattern.
  func payload(of address: WebAddress) -> Payload? {
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
      // A link with an app's scheme and without an authority names no host.
      if !address.authority.isEmpty || pattern.host != nil || address.isWeb {
        // An address with a declared scheme is treated as encrypted, except with http.
        let scheme = address.scheme == "http" ? "http" : "https"
        payload.host = .init(name: "host", scheme: scheme, host: address.host, port: address.port)
      }
      return payload
    }
    guard items.count(where: { VisibleText.folded($0.name) == VisibleText.folded(host) }) < 2 else {
      return .malformed(
        kind, "two parameters fit \"\(DisplayText.escaped(host, limit: 60))\", which holds the host", fields: fields)
    }
    guard let text = fields[host] else { return malformed(host, "is missing", fields) }
    guard !text.isEmpty else { return malformed(host, "is empty", fields) }
    // A host that the pattern names need not be among the allowed hosts.
    let content = pattern.host == nil ? address.content : .array(address.contentWithoutHost)
    return Payload(kind, fields: fields, host: .init(name: host, hostOrAddress: text), content: content)
  }

  private func malformed(_ host: String, _ problem: String, _ fields: [PayloadField]) -> Payload {
    .malformed(
      kind, "\"\(DisplayText.escaped(host, limit: 60))\", which holds the host, \(problem)", fields: fields, field: host
    )
  }

  private func isSecret(_ key: String) -> Bool {
    secrets.contains(key) || PayloadField.looksSecret(key.split(separator: ".").last.map(String.init) ?? key)
  }

  /// Adds a field, named by its path, for each scalar and each array in a value; an object with a secret's name becomes one field.
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

extension PayloadKind {
  /// Returns, in words, which of the kind's required keys an object lacks, if it has at least half of them, including misspelt ones;
  /// otherwise nil.
  func nearMiss(_ object: JSONValue, keys: [String]) -> String? {
    guard object.members != nil else { return nil }
    let missing = keys.filter { object.value(at: $0) == nil }
    let misspelled = missing.filter { object.values(fitting: $0).count == 1 }
    guard !missing.isEmpty, 2 * (keys.count - missing.count + misspelled.count) >= keys.count else { return nil }
    let names = missing.prefix(10).map { key in
      "\"\(DisplayText.escaped(key, limit: 60))\"" + (misspelled.contains(key) ? " in this spelling" : "")
    }
    return "missing for \(DisplayText.escaped(rawValue, limit: 60)): \(names.joined(separator: ", "))"
  }
}

extension JSONValue {
  /// Returns every value that some program could find at a path such as `server.address`: under a name with dots or in nested
  /// objects, and both by programs that compare case and invisible characters and by programs that ignore them.
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
