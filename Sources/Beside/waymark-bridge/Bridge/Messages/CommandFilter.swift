package import WaymarkSystem

/// Accepts the commands that the configuration allows, and ignores an id that is among the last 256.
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
    /// The command is a repetition, which QoS 1 may deliver, and is not answered.
    case ignore
  }

  /// The methods that a configuration can allow, which reveal nothing confidential to the broker, each with the fields of its
  /// result that leave the device.
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
  ///   - isRetained: true if the broker had retained the message. Such a command is refused, as it would run again at every
  ///     connection.
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
    guard allowed.contains(method), Self.permissible[method] != nil else {
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
