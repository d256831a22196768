/// The client that did something: the device has one session that many clients see.
public struct Actor: Codable, Hashable, Sendable {
  /// The number of the connection, unique in a run of the service.
  public var client: Int
  /// The user id of its process.
  public var user: Int?

  /// A value from its parts.
  public init(
    client: Int, user: Int? = nil
  ) {
    self.client = client
    self.user = user
  }
}
