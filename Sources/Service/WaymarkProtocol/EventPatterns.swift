/// Which events a connection wants.
package struct EventPatterns: Hashable, Sendable {
  /// The patterns in the order in which they were asked for.
  package private(set) var patterns: [String] = []
  /// The most that one connection may hold.
  package static let maximum = 64

  /// No event.
  package init() {}

  /// Adds patterns; what is there already stays once.
  package mutating func add(_ new: [String]) {
    for pattern in new where !patterns.contains(pattern) { patterns.append(pattern) }
  }

  /// Takes patterns away.
  package mutating func remove(_ old: [String]) { patterns.removeAll { old.contains($0) } }

  /// Takes all away.
  package mutating func removeAll() { patterns.removeAll() }

  /// Returns whether `event` is wanted: by its name, by `family.*`, or by `*`, which leaves `statistics` out.
  package func match(_ event: String) -> Bool {
    patterns.contains { pattern in
      if pattern == event { return true }
      if pattern == "*" { return event != "statistics" }
      return pattern.hasSuffix(".*") && event.hasPrefix(pattern.dropLast())
    }
  }

  /// The patterns that match no event that there is; `nil` when there are none.
  package var unmatched: [String]? {
    let idle = patterns.filter { pattern in
      let one = EventPatterns(pattern)
      return !EventBody.subscribable.contains(where: one.match)
    }
    return idle.isEmpty ? nil : idle
  }

  private init(_ pattern: String) { patterns = [pattern] }

  /// Returns whether a pattern has a form that can match: a name, `family.*`, or `*`.
  package static func isValid(_ pattern: String) -> Bool {
    guard !pattern.isEmpty, pattern.utf8.count <= 64 else { return false }
    let stem = pattern == "*" ? "" : pattern.hasSuffix(".*") ? String(pattern.dropLast(2)) : pattern
    return pattern == "*" || (!stem.isEmpty && stem.allSatisfy { $0.isASCII && ($0.isLetter || $0 == ".") })
  }
}
