import WaymarkProtocol
package import WaymarkSystem

/// The events that leave the device, and their fields. This is an allow list: events and fields that are not in it stay on the
/// device. `CommandFilter` below is the allow list of the commands that the device accepts.
package struct EventSelection: Hashable, Sendable {
  /// The fields of an event that leave the device.
  package enum Fields: Hashable, Sendable {
    /// Nothing: the event does not leave the device.
    case off
    /// The fields of `standardFields`.
    case standard
    /// These fields, by name or by path (`fields.serial`), and also the standard fields if `withStandard` is true.
    case named([String], withStandard: Bool)
    /// Every field, including secrets.
    case all
  }

  private var rules: [String: Fields]

  /// Creates a selection of the standard fields, changed by `rules` for a name, a family (`scan.*`) or `*`. The most specific rule
  /// applies.
  package init(rules: [String: Fields] = [:]) { self.rules = rules }

  /// The fields of each event that leave the device by default. None contains the payload of a code, a person's input or a person's
  /// name.
  static let standardFields: [String: [String]] = [
    "scan.successful": ["scan", "kind", "symbology", "source", "redacted"],
    "scan.invalid": ["scan", "reason", "kind", "source"],
    "scan.unsuccessful": ["scan", "reason", "source"],
    "scan.confirmed": ["scan"],
    "scan.cancelled": ["scan", "reason"],
    "scan.ended": ["scan", "reason"],
    "onboarding.ended": ["scan", "outcome", "reason"],
    "camera.status": ["status", "device", "format", "width", "height", "rate", "code", "message"],
    "session.phase": ["phase", "scene"],
    "anchor.found": ["anchor", "copy", "score"],
    "anchor.lost": ["anchor", "copy", "lastSeen"],
    "annotation.selected": ["id"],
    "annotation.cleared": ["id"],
    "card.opened": ["id"],
    "card.closed": ["id"],
    "card.action": ["id", "actionType"],
    "scene.loaded": ["scene.name"],
    "scene.unloaded": ["scene"],
    "scene.failed": ["scene", "code", "message"],
    "stream.dropped": ["count", "sinceSeq"],
    "server.stopping": ["reason"],
  ]

  /// Events that are useful only until a newer one is sent: they are sent while the broker is connected, and not stored.
  static let fleeting: Set<String> = [
    "anchors.updated", "statistics", "scan.guide", "scanner.status", "scene.progress", "marker.changed",
  ]

  /// The patterns to subscribe to at the service.
  package var subscriptions: [String] {
    let families = rules.filter { $0.value != .off && ($0.key == "*" || $0.key.hasSuffix(".*")) }.map(\.key)
    if families.contains("*") { return ["*"] + rules.keys.filter { $0 == "statistics" }.sorted() }
    // Events about the connection itself are sent without a subscription.
    let own: Set = ["stream.dropped", "connection.closed", "hello"]
    let names = Set(Self.standardFields.keys).union(rules.keys)
      .filter { !$0.hasSuffix("*") && !own.contains($0) && fields(of: $0) != .off }
    return (families + names).filter { EventPatterns.fault(of: $0) == nil }.sorted()
  }

  /// Returns the fields of an event that leave the device.
  package func fields(of event: String) -> Fields {
    // The rules do not apply to the report of lost events.
    if event == "stream.dropped" { return .standard }
    if let own = rules[event] { return own }
    var family = event[...]
    while let dot = family.lastIndex(of: ".") {
      family = family[..<dot]
      if let rule = rules["\(family).*"] { return rule }
    }
    return rules["*"] ?? (Self.standardFields[event] == nil ? .off : .standard)
  }

  /// Returns the members of an event that leave the device, in their order; nil if the event does not leave it.
  package func project(_ line: JSONValue) -> [JSONValue.Member]? {
    guard let event = line["event"]?.string, let members = line.members else { return nil }
    let paths: [String]
    switch fields(of: event) {
    case .off: return nil
    case .all: return members
    case .standard: paths = Self.standardFields[event] ?? []
    case .named(let names, let withStandard): paths = names + (withStandard ? Self.standardFields[event] ?? [] : [])
    }
    return Self.cut(members, to: (["event", "seq", "time", "camera"] + paths).map { $0.split(separator: ".")[...] })
  }

  private static func cut(_ members: [JSONValue.Member], to paths: [ArraySlice<Substring>]) -> [JSONValue.Member] {
    members.compactMap { member in
      let own = paths.filter { $0.first.map { $0.utf8.elementsEqual(member.name.utf8) } ?? false }
      guard !own.isEmpty else { return nil }
      if own.contains(where: { $0.count == 1 }) { return member }
      guard let inner = member.value.members else { return nil }
      let kept = cut(inner, to: own.map { $0.dropFirst() })
      return kept.isEmpty ? nil : JSONValue.Member(member.name, .object(kept))
    }
  }
}

// MARK: - Commands

/// Accepts the commands that the configuration allows, and ignores a command whose id is among the last 256 accepted ids.
package struct CommandFilter: Sendable {
  /// An accepted command, as a request for the service.
  package struct Command: Hashable, Sendable {
    /// The id that the sender has chosen; the reply contains it.
    package let id: JSONValue
    package let method: String
    /// The parameters of the method, without the id.
    package let params: JSONValue
  }

  /// The decision about a message on a command topic.
  package enum Outcome: Hashable, Sendable {
    /// The command is passed on to the service.
    case run(Command)
    /// The command is answered with an error.
    case refuse(id: JSONValue, code: String, message: String, hint: String)
    /// The command is a repetition, which QoS 1 may deliver; it is not answered.
    case ignore
  }

  /// The methods that a configuration can allow, each with the fields of its result that leave the device. They reveal nothing
  /// confidential to the broker.
  static let permissible: [String: [String]] = [
    "ping": ["time"],
    "scan.begin": ["scan"],
    "scan.cancel": ["scan"],
    "scene.load": ["scene"],
    "scene.unload": ["scene"],
    "session.start": ["phase"],
    "session.exit": ["phase"],
    "config.reload": ["restart"],
  ]

  private let allowed: Set<String>
  private var recent: [JSONValue] = []

  /// Creates a filter that accepts the given methods.
  package init(allowed: Set<String>) { self.allowed = allowed }

  /// Decides about a message on a command topic.
  ///
  /// - Parameters:
  ///   - method: the method that the topic names.
  ///   - isRetained: true if the broker had retained the message. Such a command is refused, because it would run again at every
  ///   connection.
  package mutating func handle(method: String, payload: [UInt8], isRetained: Bool) -> Outcome {
    let refuse = { (id: JSONValue, code: String, message: String, hint: String) in
      Outcome.refuse(id: id, code: code, message: message, hint: hint)
    }
    guard payload.count <= 32 << 10, let value = try? JSONParser.parse(payload.isEmpty ? Array("{}".utf8) : payload),
      let members = value.members
    else {
      return refuse(
        .null, "malformedRequest", "The payload is not a JSON object.", "Send {\"id\":…, and the parameters}.")
    }
    let id = value["id"] ?? .null
    switch id {
    case .string(let text) where (1...128).contains(text.utf8.count): break
    case .number where id.int != nil: break
    default:
      return refuse(
        .null, "badParams", "A command needs an id.", "Send a string or a whole number that was not used before.")
    }
    guard !isRetained else {
      return refuse(id, "notPermitted", "A retained command is refused.", "Publish it without the retain flag.")
    }
    let permissible = Self.permissible.keys.sorted()
    guard permissible.contains(method) else {
      return refuse(
        id, "notPermitted", "The bridge has no command of this name.",
        NearestWord.hint(method, among: permissible)
          ?? "There are \(permissible.joined(separator: ", ")).")
    }
    guard allowed.contains(method) else {
      return refuse(
        id, "notPermitted", "The configuration of this device does not allow this command.",
        "List it under commands in the bridge's configuration.")
    }
    guard !recent.contains(id) else { return .ignore }
    recent.append(id)
    if recent.count > 256 { recent.removeFirst() }
    return .run(Command(id: id, method: method, params: .object(members.filter { $0.name != "id" })))
  }

  /// Returns the reply to a command that was passed on, with the fields of the result that may leave the device.
  package static func reply(to command: Command, result: JSONValue) -> [UInt8] {
    let fields = permissible[command.method] ?? []
    let kept = (result.members ?? []).filter { fields.contains($0.name) }
    return encode([.init("id", command.id), .init("result", .object(kept))])
  }

  /// Returns the reply to a command that was refused or failed.
  package static func reply(id: JSONValue, code: String, message: String, hint: String) -> [UInt8] {
    encode([
      .init("id", id),
      .init(
        "error",
        .object([
          JSONValue.Member("code", .string(code)), .init("message", .string(message)), .init("hint", .string(hint)),
        ])),
    ])
  }

  private static func encode(_ members: [JSONValue.Member]) -> [UInt8] {
    (try? JSONLineEncoder.encode(JSONValue.object(members))) ?? []
  }
}
