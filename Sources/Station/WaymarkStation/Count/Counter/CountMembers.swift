/// The clients that take part in a count, and when it is over: a value without a clock.
package struct CountMembers: Sendable {
  /// Seconds for which a count is kept when all who took part have lost their connections.
  static let grace = 30.0

  /// The count that goes on.
  package private(set) var count: String?
  private var clients: Set<Int> = []
  /// When the last one lost its connection.
  private var lostAt: Double?

  /// Nobody takes part.
  package init() {}

  /// Has a client take part.
  ///
  /// - Parameters:
  ///   - wanted: the count that it took part in before.
  ///   - new: the name of the count that begins where none goes on.
  /// - Returns: the count that ended for it, where one did, and whether another one begins.
  package mutating func join(_ client: Int, wanted: String?, new: String) -> (ended: String?, isNew: Bool) {
    defer {
      clients.insert(client)
      lostAt = nil
    }
    // A count that was left belongs to those who come back: another person begins with nothing.
    if let count, !clients.isEmpty || wanted == count { return (nil, false) }
    defer { count = new }
    return (count, true)
  }

  /// Returns whether a client takes part.
  package func contains(_ client: Int) -> Bool { clients.contains(client) }

  /// A client ends its part.
  ///
  /// - Returns: the count that is over, where it is.
  package mutating func end(_ client: Int) -> String? {
    guard clients.remove(client) != nil, clients.isEmpty else { return nil }
    return finish()
  }

  /// A client lost its connection.
  ///
  /// - Returns: after how many seconds to look whether the count is over, where it may be.
  package mutating func lose(_ client: Int, at now: Double) -> Double? {
    guard clients.remove(client) != nil, clients.isEmpty else { return nil }
    lostAt = now
    return Self.grace
  }

  /// Looks whether everybody has been gone for long enough.
  ///
  /// - Returns: the count that is over, where it is.
  package mutating func expire(at now: Double) -> String? {
    guard let lostAt, now - lostAt >= Self.grace else { return nil }
    return finish()
  }

  /// Ends the count, whoever takes part.
  package mutating func finish() -> String? {
    defer { self = CountMembers() }
    return count
  }
}
