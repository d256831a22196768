package import WaymarkSystem

/// Lets in the commands that the configuration allows, each id once.
package struct CommandFilter: Sendable {
  /// A request for the service.
  package struct Command: Hashable, Sendable {
    /// The sender chose this; it comes back in the reply.
    package let id: JSONValue
    /// The method.
    package let method: String
    /// Its parameters.
    package let params: JSONValue
  }

  /// The treatment of a message on a command topic.
  package enum Outcome: Hashable, Sendable {
    /// It is passed on.
    case run(Command)
    /// It is answered with an error.
    case refuse(id: JSONValue, code: String, message: String, hint: String)
    /// A repetition of one that was taken already: QoS 1 may deliver twice. No answer.
    case ignore
  }

  /// The methods that may be allowed: they show and change nothing of which a broker must not know. With the fields of
  /// their answers that leave the device.
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

  /// A gate for these methods.
  package init(allowed: Set<String>) { self.allowed = allowed }

  /// Decides about a message on a command topic.
  ///
  /// - Parameters:
  ///   - method: what the topic names.
  ///   - isRetained: kept by the broker: not sent now, but at some time. Such a command is not obeyed at every connection again.
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

  /// The reply to a command that was passed on: of the result only what may leave.
  package static func reply(to command: Command, result: JSONValue) -> [UInt8] {
    let fields = permissible[command.method] ?? []
    let kept = (result.members ?? []).filter { fields.contains($0.name) }
    return encode([.init("id", command.id), .init("result", .object(kept))])
  }

  /// The reply to a command that failed.
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
