package import WaymarkJSON

/// The protocol as documents that other programs read: JSON Schema 2020-12 and AsyncAPI 3.0.
///
/// Shapes come from the types that the service itself reads and writes (`WireShapeRecorder`), descriptions and bounds from their
/// comments. Parameters are closed, as the service refuses members that it does not know; results and events are open, as later versions
/// of the protocol may add to them.
package struct ProtocolSchema {
  /// A method.
  package struct Method: Sendable {
    /// The name on the wire.
    package let name: String
    /// The name of the type of its parameters.
    package let parameters: String
    /// The shape of its result.
    package let result: WireShape
    /// True if the answer is a header and a picture, on a connection of its own.
    package let answersPicture: Bool
    /// True if bytes follow the request's line.
    package let carriesPicture: Bool
  }

  /// An event.
  package struct EventType: Sendable {
    /// The name on the wire.
    package let name: String
    /// The name of the type of its payload.
    package let payload: String
    /// True if it comes without a subscription, to one connection alone.
    package let isPersonal: Bool
  }

  /// Every method.
  package let methods: [Method]
  /// Every event.
  package let events: [EventType]
  /// The members of every object, by the name of its type.
  package let objects: [String: [WireMember]]
  private let comments = ProtocolComments.ofThisVersion

  /// The protocol of this version.
  ///
  /// - Throws: `WireShapeError` for a type that cannot be described.
  package init() throws {
    var recorder = WireShapeRecorder()
    func method<R: ServiceRequest>(_ type: R.Type) throws -> Method {
      _ = try recorder.shape(of: type)
      return Method(
        name: type.method, parameters: WireShapeRecorder.name(of: type), result: try recorder.shape(of: R.Result.self),
        answersPicture: R.Result.self == MediaHeader.self, carriesPicture: type == ScanPictureRequest.self)
    }
    func event(_ type: any EventPayload.Type, isPersonal: Bool) throws -> EventType {
      _ = try recorder.shape(of: type)
      return EventType(name: type.event, payload: WireShapeRecorder.name(of: type), isPersonal: isPersonal)
    }
    methods = try ProtocolCatalog.requests.map { try method($0) }
    events =
      try ProtocolCatalog.personal.map { try event($0, isPersonal: true) }
      + ProtocolCatalog.subscribable.map { try event($0, isPersonal: false) }
    _ = try recorder.shape(of: ServiceError.self)
    _ = try recorder.shape(of: FrameReference.self)
    objects = recorder.objects
  }

  /// The codes of error replies with what each means.
  package var errors: [(code: String, description: String)] {
    comments.members(of: "ServiceError.Code").filter { $0 != "rawValue" }.map {
      ($0, comments.of("ServiceError.Code", $0) ?? "")
    }
  }

  /// The comment of a type, or of a member of it.
  package func description(_ type: String, _ member: String? = nil) -> String? { comments.of(type, member) }

  // MARK: JSON Schema

  /// JSON Schema 2020-12. Any line of the socket is valid against the whole; `$defs` has each object, `request.METHOD`, `reply.METHOD`
  /// and `event.NAME`, and `x-methods` and `x-events` say which belongs to which.
  package var jsonSchema: JSONValue {
    let at = "#/$defs/"
    var definitions = definitions(at: at)
    for method in methods {
      definitions.append(.init("request.\(method.name)", request(method, at: at)))
      definitions.append(.init("reply.\(method.name)", reply(method, at: at)))
    }
    for event in events { definitions.append(.init("event.\(event.name)", message(event, at: at))) }
    definitions.append(.init("reply.error", failure(at: at)))
    func any(_ names: [String]) -> JSONValue {
      object([("anyOf", .array(names.map { object([("$ref", .string(at + $0))]) }))])
    }
    definitions.append(.init("request", any(methods.map { "request.\($0.name)" })))
    definitions.append(.init("event", any(events.map { "event.\($0.name)" })))
    definitions.append(.init("reply", any(methods.map { "reply.\($0.name)" } + ["reply.error"])))
    return object([
      ("$schema", "https://json-schema.org/draft/2020-12/schema"),
      ("$id", .string("urn:waymark:protocol:\(ProtocolCatalog.version)")),
      ("title", .string("Waymark socket protocol \(ProtocolCatalog.version)")),
      ("description", "One JSON object a line, in both directions over a Unix stream socket."),
      (
        "anyOf",
        .array(["request", "reply", "event"].map { object([("$ref", .string(at + $0))]) })
      ),
      (
        "x-methods",
        .object(
          methods.map { method in
            .init(
              method.name,
              object([
                ("description", .string(description(method.parameters) ?? "")),
                ("params", .string(method.parameters)),
                ("result", json(method.result, at: at)),
                ("answersPicture", .bool(method.answersPicture)), ("carriesPicture", .bool(method.carriesPicture)),
              ]))
          })
      ),
      (
        "x-events",
        .object(
          events.map { event in
            .init(
              event.name,
              object([
                ("description", .string(description(event.payload) ?? "")), ("payload", .string(event.payload)),
                ("personal", .bool(event.isPersonal)),
              ]))
          })
      ),
      ("x-errors", .object(errors.map { .init($0.code, .string($0.description)) })),
      ("$defs", .object(definitions)),
    ])
  }

  /// The objects of the protocol by their names, with references to each other at a place. Parameters are closed.
  package func definitions(at place: String) -> [JSONValue.Member] {
    let closed = closedTypes
    return objects.keys.sorted().map { name in
      .init(name, definition(name, isClosed: closed.contains(name), at: place))
    }
  }

  /// The types of parameters, and those that stand in them and in nothing else.
  private var closedTypes: Set<String> {
    func reached(_ names: [String]) -> Set<String> {
      var found: Set<String> = []
      var open = names
      while let next = open.popLast() {
        guard found.insert(next).inserted else { continue }
        open += (objects[next] ?? []).flatMap { $0.shape.objects }
      }
      return found
    }
    let sent = reached(methods.map(\.parameters))
    let received = reached(
      events.map(\.payload) + methods.flatMap(\.result.objects) + ["ServiceError", "FrameReference"])
    return sent.subtracting(received)
  }

  private func definition(_ name: String, isClosed: Bool, at place: String) -> JSONValue {
    let members = objects[name] ?? []
    var fields: [(String, JSONValue)] = [("type", "object")]
    if let said = description(name) { fields.append(("description", .string(said))) }
    fields.append(("properties", .object(members.map { .init($0.name, property($0, of: name, at: place)) })))
    fields.append(("required", .array(members.filter(\.isRequired).map { .string($0.name) })))
    if isClosed { fields.append(("additionalProperties", false)) }
    return object(fields)
  }

  /// A member; one that may be missing may be null.
  private func property(_ member: WireMember, of type: String, at place: String) -> JSONValue {
    var fields: [(String, JSONValue)] = []
    let said = description(type, member.name)
    if let said { fields.append(("description", .string(said))) }
    var shape = json(member.shape, at: place).members ?? []
    if let bounds = StatedBounds(said) { shape += bounds.keywords(for: member.shape) }
    if member.isRequired || member.shape == .any {
      fields += shape.map { ($0.name, $0.value) }
    } else {
      fields.append(("anyOf", .array([.object(shape), object([("type", "null")])])))
    }
    return object(fields)
  }

  /// The schema of a shape, with references to objects at a place.
  package func json(_ shape: WireShape, at place: String) -> JSONValue {
    switch shape {
    case .any: object([])
    case .bool: object([("type", "boolean")])
    case .string: object([("type", "string")])
    case .integer: object([("type", "integer")])
    case .number: object([("type", "number")])
    case .word(let words): object([("type", "string"), ("enum", .array(words.map { .string($0) }))])
    case .list(let element): object([("type", "array"), ("items", json(element, at: place))])
    case .map(let value): object([("type", "object"), ("additionalProperties", json(value, at: place))])
    case .stringOr(let other): object([("anyOf", .array([object([("type", "string")]), json(other, at: place)]))])
    case .object(let name): object([("$ref", .string(place + name))])
    }
  }

  private var id: JSONValue {
    object([
      ("description", "Comes back with the answer. A string has at most 256 bytes."),
      ("type", ["integer", "string", "null"]),
    ])
  }

  private func request(_ method: Method, at place: String) -> JSONValue {
    let needsParameters = (objects[method.parameters] ?? []).contains { $0.isRequired }
    return object([
      ("type", "object"), ("description", .string(description(method.parameters) ?? "")),
      (
        "properties",
        object([
          ("id", id), ("method", object([("const", .string(method.name))])),
          ("params", object([("$ref", .string(place + method.parameters))])),
        ])
      ),
      ("required", needsParameters ? ["method", "params"] : ["method"]),
    ])
  }

  private func reply(_ method: Method, at place: String) -> JSONValue {
    guard !method.answersPicture else { return json(method.result, at: place) }
    return object([
      ("type", "object"), ("description", .string("The answer to \(method.name).")),
      ("properties", object([("id", id), ("result", json(method.result, at: place))])), ("required", ["id", "result"]),
    ])
  }

  private func failure(at place: String) -> JSONValue {
    object([
      ("type", "object"), ("description", "A request that was refused or failed."),
      ("properties", object([("id", id), ("error", object([("$ref", .string(place + "ServiceError"))]))])),
      ("required", ["id", "error"]),
    ])
  }

  /// The schema of an event's line.
  package func message(_ event: EventType, at place: String) -> JSONValue {
    let members = objects[event.payload] ?? []
    let envelope: [JSONValue.Member] = [
      .init("event", object([("const", .string(event.name))])),
      .init(
        "seq",
        object([("description", "The service's counter; gaps are normal."), ("type", "integer"), ("minimum", 1)])),
      .init(
        "time",
        object([("description", "RFC 3339, UTC, milliseconds."), ("type", "string"), ("format", "date-time")])),
      .init(
        "camera",
        object([
          ("description", "The name of the camera that it is of, where the service has several."), ("type", "string"),
        ])),
      .init("frame", object([("$ref", .string(place + "FrameReference"))])),
    ]
    let required = ["event"] + (event.isPersonal ? [] : ["seq", "time"]) + members.filter(\.isRequired).map(\.name)
    return object([
      ("type", "object"), ("description", .string(description(event.payload) ?? "")),
      (
        "properties",
        .object(envelope + members.map { .init($0.name, property($0, of: event.payload, at: place)) })
      ),
      ("required", .array(required.map { .string($0) })),
    ])
  }

  // MARK: AsyncAPI

  /// AsyncAPI 3.0: the socket as a channel, each method as an operation with its reply, each event as a message that is received.
  package func asyncAPI(serviceVersion: String) -> JSONValue {
    let at = "#/components/schemas/"
    var schemas = definitions(at: at)
    var messages: [JSONValue.Member] = []
    var channelMessages: [JSONValue.Member] = []
    var operations: [JSONValue.Member] = []
    func add(_ name: String, _ title: String, _ payload: JSONValue) {
      schemas.append(.init(name, payload))
      messages.append(
        .init(
          name,
          object([
            ("name", .string(name)), ("title", .string(title)), ("contentType", "application/json"),
            ("payload", object([("$ref", .string(at + name))])),
          ])))
      channelMessages.append(.init(name, object([("$ref", .string("#/components/messages/\(name)"))])))
    }
    func reference(_ name: String) -> JSONValue {
      object([("$ref", .string("#/channels/socket/messages/\(name)"))])
    }
    add("reply.error", "A request that was refused or failed", failure(at: at))
    for method in methods {
      add("request.\(method.name)", method.name, request(method, at: at))
      add("reply.\(method.name)", "Answer to \(method.name)", reply(method, at: at))
      operations.append(
        .init(
          method.name,
          object([
            ("action", "receive"), ("channel", object([("$ref", "#/channels/socket")])),
            ("summary", .string(description(method.parameters) ?? "")),
            ("messages", .array([reference("request.\(method.name)")])),
            (
              "reply",
              object([
                ("channel", object([("$ref", "#/channels/socket")])),
                ("messages", .array([reference("reply.\(method.name)"), reference("reply.error")])),
              ])
            ),
          ])))
    }
    for event in events {
      add("event.\(event.name)", event.name, message(event, at: at))
      operations.append(
        .init(
          "on.\(event.name)",
          object([
            ("action", "send"), ("channel", object([("$ref", "#/channels/socket")])),
            ("summary", .string(description(event.payload) ?? "")),
            ("messages", .array([reference("event.\(event.name)")])),
          ])))
    }
    return object([
      ("asyncapi", "3.0.0"),
      (
        "info",
        object([
          ("title", "Waymark"), ("version", .string(serviceVersion)),
          ("description", "Codes, image anchors, documents and text of a camera, as events; commands come back."),
        ])
      ),
      ("defaultContentType", "application/json"),
      (
        "servers",
        object([
          (
            "device",
            object([
              ("host", "/run/waymark/waymark.sock"), ("protocol", "unix"),
              ("description", "A Unix stream socket. The role of a client follows from its user."),
            ])
          )
        ])
      ),
      (
        "channels",
        object([
          (
            "socket",
            object([
              ("address", "/run/waymark/waymark.sock"), ("description", "One JSON object a line, in both directions."),
              ("messages", .object(channelMessages)),
            ])
          )
        ])
      ),
      ("operations", .object(operations)),
      ("components", object([("schemas", .object(schemas)), ("messages", .object(messages))])),
    ])
  }

  /// An object in the order of its members.
  private func object(_ members: [(String, JSONValue)]) -> JSONValue {
    .object(members.map { JSONValue.Member($0.0, $0.1) })
  }
}

extension WireShape {
  /// The objects that a value of this shape may hold directly.
  package var objects: [String] {
    switch self {
    case .object(let name): [name]
    case .list(let shape), .map(let shape), .stringOr(let shape): shape.objects
    case .any, .bool, .string, .integer, .number, .word: []
    }
  }
}
