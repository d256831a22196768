import WaymarkSystem

/// An error as it stands in a reply.
public struct ServiceError: Error, Codable, Hashable, Sendable {
  /// A stable camelCase word.
  public var code: Code
  /// The fault, and the thing it happened to.
  public var message: String
  /// The remedy.
  public var hint: String
  /// The client that holds the thing asked for, with the code `busy`.
  public var holder: Actor?

  /// An error from its parts.
  public init(_ code: Code, _ message: String, hint: String, holder: Actor? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
    self.holder = holder
  }
}

/// The `Problem` of the wire: its members are the schema, and `holder` is one that no other error has.
extension ServiceError: ExplainedError {}
