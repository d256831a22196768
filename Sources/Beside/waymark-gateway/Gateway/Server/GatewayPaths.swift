import WaymarkProtocol

/// The paths that there are: what each method of the protocol becomes, and the gateway's own.
struct GatewayPaths: Sendable {
  /// The treatment of a method over HTTP.
  enum Treatment: Hashable, Sendable {
    /// Parameters in, a result out.
    case call
    /// A result that is a picture.
    case picture
    /// A body that is a picture.
    case upload
    /// It changes what a connection brings, which a request of HTTP has none of.
    case connectionOnly
  }

  /// Methods that belong to a connection of their own: over a WebSocket, or at the socket.
  static let connectionMethods: Set<String> = [
    "subscribe", "unsubscribe", "role.lower", "media.preview", "authentication.provide", "authentication.answer",
  ]

  /// The gateway's own paths below `/v1/`.
  static let own = ["events", "state", "preview", "socket", "openapi.json", "webhooks"]

  /// The methods, by their names.
  let methods: [String: Treatment]

  init(_ schema: ProtocolSchema) {
    methods = Dictionary(
      schema.methods.map { ($0.name, Self.treatment(of: $0)) }, uniquingKeysWith: { first, _ in first })
  }

  /// The treatment of a method.
  static func treatment(of method: ProtocolSchema.Method) -> Treatment {
    if connectionMethods.contains(method.name) { return .connectionOnly }
    if method.carriesPicture { return .upload }
    return method.answersPicture ? .picture : .call
  }

  /// The verbs of a path; `nil` where there is none. A name that may be a method of a newer service is let through.
  func verbs(of path: String) -> [String]? {
    guard path.hasPrefix("/v1/") else { return nil }
    let name = String(path.dropFirst(4))
    if Self.own.contains(name) { return ["GET"] }
    return Self.isMethodName(name) ? ["POST"] : nil
  }

  /// Returns whether a text has the form of a method's name.
  static func isMethodName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 64 && text.first != "." && text.last != "." && !text.contains("..")
      && text.utf8.allSatisfy {
        ($0 | 32 >= UInt8(ascii: "a") && $0 | 32 <= UInt8(ascii: "z")) || $0 == UInt8(ascii: ".")
      }
  }
}
