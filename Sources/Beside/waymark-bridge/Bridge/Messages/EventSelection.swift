package import WaymarkSystem

/// The events that leave the device, and their fields. An allow list: events and fields that it does not name stay on the device.
package struct EventSelection: Hashable, Sendable {
  /// The fields of an event that leave the device.
  package enum Fields: Hashable, Sendable {
    /// Nothing: the event does not leave the device.
    case off
    /// The fields of `standardFields`.
    case standard
    /// These fields, by name or by path (`fields.serial`), and the standard ones on request.
    case named([String], withStandard: Bool)
    /// Every field, including secrets.
    case all
  }

  private var rules: [String: Fields]

  /// Creates a selection of the standard fields, changed by `rules` for a name, a family (`scan.*`) or `*`. The most specific rule
  /// applies.
  package init(rules: [String: Fields] = [:]) { self.rules = rules }

  /// The fields of each event that leave the device by default: none with the payload of a code, a person's input or a person's
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

  /// Events of which only the newest is useful: they are sent while the broker is connected, and not stored.
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
    return (families + names).sorted()
  }

  /// Returns the fields of an event that leave the device.
  package func fields(of event: String) -> Fields {
    // Lost events are reported under any rules.
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
