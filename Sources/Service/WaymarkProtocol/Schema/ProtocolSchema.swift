internal import CProtocol
package import WaymarkSystem

/// The protocol as documents that other programs read: JSON Schema 2020-12 and AsyncAPI 3.0.
///
/// `Scripts/generate` writes the JSON Schema from schema/; AsyncAPI is derived from it.
package struct ProtocolSchema {
  package struct Method: Sendable {
    /// The name of the method in the protocol.
    package let name: String
    package let description: String
    /// The name of the type of its parameters.
    package let parameters: String
    /// The schema of its result.
    package let result: JSONValue
    /// True if the answer is a header and a picture, on a separate connection.
    package let answersPicture: Bool
    /// True if bytes follow the request's line.
    package let carriesPicture: Bool
  }

  package struct EventType: Sendable {
    /// The name of the event in the protocol.
    package let name: String
    package let description: String
    /// True if the event is sent without a subscription, and only to one connection.
    package let isPersonal: Bool
  }

  /// A member of an object of the protocol.
  package struct Member: Sendable {
    /// The name of the member in the protocol.
    package let name: String
    package let description: String
    /// The schema of the value, if it is neither missing nor null.
    package let value: JSONValue
    /// True if the object is invalid without this member.
    package let isRequired: Bool
  }

  /// JSON Schema 2020-12. Any line of the socket is valid against the whole schema. `$defs` has each object, `request.METHOD`,
  /// `reply.METHOD` and `event.NAME`; `x-methods` and `x-events` list the parts of each method and event.
  package let jsonSchema: JSONValue
  package let methods: [Method]
  package let events: [EventType]
  /// The codes of error replies with their descriptions, sorted.
  package let errors: [(code: String, description: String)]

  /// Reads the protocol of this version.
  ///
  /// - Throws: `JSONSyntaxError` if the document in the program is damaged.
  package init() throws {
    let document = waymark_protocol()
    jsonSchema = try JSONParser.parse(UnsafeRawBufferPointer(start: document.bytes, count: document.count))
    let schema = jsonSchema
    methods = (schema["x-methods"]?.members ?? []).map { entry in
      Method(
        name: entry.name, description: entry.value["description"]?.string ?? "",
        parameters: entry.value["params"]?.string ?? "", result: entry.value["result"] ?? .null,
        answersPicture: entry.value["answersPicture"]?.bool ?? false,
        carriesPicture: entry.value["carriesPicture"]?.bool ?? false)
    }
    events = (schema["x-events"]?.members ?? []).map { entry in
      EventType(
        name: entry.name, description: entry.value["description"]?.string ?? "",
        isPersonal: entry.value["personal"]?.bool ?? false)
    }
    errors = (schema["x-errors"]?.members ?? []).map { ($0.name, $0.value.string ?? "") }
  }

  /// Returns the members of an object, given the name of its type.
  package func members(of type: String) -> [Member] {
    guard let definition = jsonSchema["$defs"]?[type] else { return [] }
    let required = Set((definition["required"]?.array ?? []).compactMap(\.string))
    return (definition["properties"]?.members ?? []).map { property in
      let shape = (property.value.members ?? []).filter { $0.name != "description" }
      let isRequired = required.contains(property.name)
      return Member(
        name: property.name, description: property.value["description"]?.string ?? "",
        value: isRequired ? .object(shape) : property.value["anyOf"]?.array?.first ?? .object(shape),
        isRequired: isRequired)
    }
  }

  /// Returns the schema of a message, such as `event.hello`. References to objects start with `place`.
  package func message(_ name: String, at place: String) -> JSONValue {
    Self.moved(jsonSchema["$defs"]?[name] ?? .null, to: place)
  }

  /// Returns the objects of the protocol by name. References to objects start with `place`. Parameters allow no additional members.
  package func definitions(at place: String) -> [JSONValue.Member] {
    (jsonSchema["$defs"]?.members ?? []).filter { $0.name.first?.isUppercase == true }
      .map { JSONValue.Member($0.name, Self.moved($0.value, to: place)) }
  }

  /// Returns a schema whose references to objects start with `place`.
  package static func moved(_ schema: JSONValue, to place: String) -> JSONValue {
    switch schema {
    case .object(let members):
      .object(
        members.map { member in
          guard member.name == "$ref", let reference = member.value.string else {
            return JSONValue.Member(member.name, moved(member.value, to: place))
          }
          return JSONValue.Member("$ref", .string(place + reference.dropFirst("#/$defs/".count)))
        })
    case .array(let elements): .array(elements.map { moved($0, to: place) })
    default: schema
    }
  }

  // MARK: AsyncAPI

  /// Returns the AsyncAPI 3.0 document: the socket as a channel, each method as an operation with its reply, each event as a
  /// received message.
  package func asyncAPI(serviceVersion: String) -> JSONValue {
    let at = "#/components/schemas/"
    var schemas = definitions(at: at)
    var messages: [JSONValue.Member] = []
    var channelMessages: [JSONValue.Member] = []
    var operations: [JSONValue.Member] = []
    let channel: JSONValue = ["$ref": "#/channels/socket"]
    func add(_ name: String, _ title: String) {
      schemas.append(.init(name, message(name, at: at)))
      messages.append(
        .init(
          name,
          object([
            ("name", .string(name)), ("title", .string(title)), ("contentType", "application/json"),
            ("payload", object([("$ref", .string(at + name))])),
          ])))
      channelMessages.append(.init(name, object([("$ref", .string("#/components/messages/\(name)"))])))
    }
    func references(_ names: String...) -> JSONValue {
      .array(names.map { object([("$ref", .string("#/channels/socket/messages/\($0)"))]) })
    }
    add("reply.error", "A request that was refused or failed")
    for method in methods {
      add("request.\(method.name)", method.name)
      add("reply.\(method.name)", "Answer to \(method.name)")
      let reply = object([("channel", channel), ("messages", references("reply.\(method.name)", "reply.error"))])
      operations.append(
        .init(
          method.name,
          object([
            ("action", "receive"), ("channel", channel), ("summary", .string(method.description)),
            ("messages", references("request.\(method.name)")), ("reply", reply),
          ])))
    }
    for event in events {
      add("event.\(event.name)", event.name)
      operations.append(
        .init(
          "on.\(event.name)",
          object([
            ("action", "send"), ("channel", channel), ("summary", .string(event.description)),
            ("messages", references("event.\(event.name)")),
          ])))
    }
    let info = object([
      ("title", "Waymark"), ("version", .string(serviceVersion)),
      ("description", "Codes, image anchors, documents and text of a camera, as events; commands come back."),
    ])
    let device = object([
      ("host", "/run/waymark/waymark.sock"), ("protocol", "unix"),
      ("description", "A Unix stream socket. The role of a client follows from its user."),
    ])
    let socket = object([
      ("address", "/run/waymark/waymark.sock"), ("description", "One JSON object a line, in both directions."),
      ("messages", .object(channelMessages)),
    ])
    return object([
      ("asyncapi", "3.0.0"), ("info", info), ("defaultContentType", "application/json"),
      ("servers", object([("device", device)])), ("channels", object([("socket", socket)])),
      ("operations", .object(operations)),
      ("components", object([("schemas", .object(schemas)), ("messages", .object(messages))])),
    ])
  }

  /// Returns an object with its members in this order.
  private func object(_ members: [(String, JSONValue)]) -> JSONValue {
    .object(members.map { JSONValue.Member($0.0, $0.1) })
  }
}
