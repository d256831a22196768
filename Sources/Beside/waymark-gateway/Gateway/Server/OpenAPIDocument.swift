import HTTPTypes
import WaymarkProtocol
import WaymarkSystem

/// The description of the gateway in OpenAPI 3.1, made from the schema by which the service checks its requests.
struct OpenAPIDocument {
  private let schema: ProtocolSchema
  private let place = "#/components/schemas/"

  init(schema: ProtocolSchema) { self.schema = schema }

  /// Returns the document; `version` is the gateway's version.
  func json(version: String) -> JSONValue {
    var paths: [JSONValue.Member] = []
    for method in schema.methods {
      let treatment = GatewayPaths.treatment(of: method)
      guard treatment != .connectionOnly else { continue }
      paths.append(.init("/v1/\(method.name)", object([("post", operation(method, treatment))])))
    }
    return object([
      ("openapi", "3.1.0"),
      (
        "info",
        object([
          ("title", "Waymark"), ("version", .string(version)),
          ("description", "Codes, image anchors, documents and text of a camera over HTTP; see docs/gateway.md."),
        ])
      ),
      ("servers", .array([object([("url", "/")])])),
      ("security", .array([object([]), object([("token", .array([]))])])),
      ("paths", .object(paths + ownPaths)),
      (
        "components",
        object([
          ("schemas", .object(schema.definitions(at: place) + events + [errorMember])),
          (
            "responses",
            object([
              ("Error", response("A request that was refused or failed.", "application/json", reference("Error")))
            ])
          ),
          (
            "securitySchemes",
            object([("token", object([("type", "http"), ("scheme", "bearer")]))])
          ),
        ])
      ),
    ])
  }

  // MARK: Methods

  private func operation(_ method: ProtocolSchema.Method, _ treatment: GatewayPaths.Treatment) -> JSONValue {
    var members: [(String, JSONValue)] = [
      ("operationId", .string(method.name)), ("summary", .string(method.description)),
      ("tags", .array([.string(method.name.split(separator: ".").first.map(String.init) ?? method.name)])),
    ]
    let session = object([
      ("name", "Waymark-Session"), ("in", "header"),
      (
        "description", "Names a client among those of one token: what it arms ends five minutes after its last request."
      ),
      ("schema", object([("type", "string"), ("minLength", 1), ("maxLength", 64), ("pattern", "^[!-~]+$")])),
    ])
    switch treatment {
    case .upload:
      members.append(("parameters", .array([session] + queryParameters(of: method))))
      members.append(
        (
          "requestBody",
          object([
            ("required", true),
            ("content", object([("image/*", binary), ("application/octet-stream", binary)])),
          ])
        ))
    default:
      let isRequired = schema.members(of: method.parameters).contains(where: \.isRequired)
      members.append(("parameters", .array([session])))
      members.append(
        (
          "requestBody",
          object([
            ("required", .bool(isRequired)),
            ("content", object([("application/json", object([("schema", reference(method.parameters))]))])),
          ])
        ))
    }
    let success =
      treatment == .picture
      ? object([("description", "The picture."), ("content", object(pictureTypes.map { ($0, binary) }))])
      : response("The result.", "application/json", ProtocolSchema.moved(method.result, to: place))
    members.append(("responses", responses(success)))
    return object(members)
  }

  /// The query parameters of a method whose body is a picture. `size` is left out, because it follows from the body.
  private func queryParameters(of method: ProtocolSchema.Method) -> [JSONValue] {
    schema.members(of: method.parameters).filter { $0.name != "size" }.map { member in
      object([
        ("name", .string(member.name)), ("in", "query"), ("required", .bool(member.isRequired)),
        ("description", .string(member.description)),
        (
          "schema",
          member.value == .object([])
            ? object([("type", "string")]) : ProtocolSchema.moved(member.value, to: place)
        ),
      ])
    }
  }

  private let pictureTypes = [
    "image/jpeg", "image/png", "image/webp", "image/bmp", "image/gif", "application/octet-stream",
  ]

  private var binary: JSONValue { object([("schema", object([]))]) }

  // MARK: The gateway's own paths

  private var ownPaths: [JSONValue.Member] {
    func parameter(_ name: String, _ location: String, _ description: String, _ schema: JSONValue) -> JSONValue {
      object([
        ("name", .string(name)), ("in", .string(location)), ("description", .string(description)), ("schema", schema),
      ])
    }
    func get(_ id: String, _ summary: String, _ parameters: [JSONValue], _ success: JSONValue) -> JSONValue {
      object([
        (
          "get",
          object([
            ("operationId", .string(id)), ("summary", .string(summary)), ("tags", ["gateway"]),
            ("parameters", .array(parameters)), ("responses", responses(success)),
          ])
        )
      ])
    }
    let text = object([("type", "string")])
    let number = object([("type", "number"), ("exclusiveMinimum", 0)])
    func plain(_ id: String, _ summary: String, _ success: String = "It does.") -> JSONValue {
      get(id, summary, [], response(success, "text/plain", text))
    }
    return [
      .init("/livez", plain("livez", "Whether the gateway runs; without a token.")),
      .init("/readyz", plain("readyz", "Whether the gateway is connected to the service; without a token.")),
      .init(
        GatewayPaths.metrics,
        plain("metrics", "The figures of the service and of the gateway, as Prometheus reads them.", "The figures.")),
      .init(
        "/v1/events",
        get(
          "events",
          "Events as server-sent events (text/event-stream): the data of each is one of the schemas event.NAME, its id INSTANCE-SEQ.",
          [
            parameter(
              "events", "query", "Names, families such as scan.*, or *, with commas in between; * when missing.", text),
            parameter("after", "query", "The id of the last event that this client has had, as Last-Event-ID.", text),
            parameter("Last-Event-ID", "header", "The id of the last event that this client has had.", text),
          ], response("The stream, which ends when the client disconnects.", "text/event-stream", text))),
      .init(
        "/v1/state",
        get(
          "state", "The current state, as in the answer to subscribe.", [],
          response("The state.", "application/json", reference("Snapshot")))),
      .init(
        "/v1/preview",
        get(
          "preview", "The live picture as Motion JPEG (multipart/x-mixed-replace).",
          [
            parameter("width", "query", "The width wanted in pixels, a whole number.", number),
            parameter("rate", "query", "Pictures a second at most.", number),
            parameter("camera", "query", "The camera, by its name; the first one when missing.", text),
          ], response("The stream, which ends when the client disconnects.", "multipart/x-mixed-replace", text))),
      .init(
        "/v1/webhooks",
        get(
          "webhooks",
          "The webhooks: what waits for each, what was lost and put aside, and why the last attempt failed.", [],
          response(
            "The webhooks.", "application/json",
            object([
              ("type", "array"),
              (
                "items",
                object([
                  ("type", "object"), ("required", ["name", "waiting", "lost", "putAside", "failure"]),
                  (
                    "properties",
                    object([
                      ("name", text), ("waiting", object([("type", "integer")])),
                      ("lost", object([("type", "integer")])),
                      ("putAside", object([("type", "integer")])), ("failure", object([("type", ["string", "null"])])),
                    ])
                  ),
                ])
              ),
            ])))),
      .init(
        "/v1/openapi.json",
        get(
          "openapi", "This document.", [],
          response("The document.", "application/json", object([("type", "object")])))),
    ]
  }

  private var events: [JSONValue.Member] {
    schema.events.filter { !$0.isPersonal }.map {
      .init("event.\($0.name)", schema.message("event.\($0.name)", at: place))
    }
  }

  private var errorMember: JSONValue.Member {
    let codes =
      schema.errors.map { ($0.code, $0.description) } + GatewayAnswer.ownCodes.map { ($0.code, $0.description) }
    let lines = codes.map { "- `\($0)`: \($1)" }.joined(separator: "\n")
    return .init(
      "Error",
      object([
        ("type", "object"), ("description", .string("A request that was refused or failed. Codes:\n\(lines)")),
        ("properties", object([("error", reference("ServiceError"))])), ("required", ["error"]),
      ]))
  }

  /// The answers of every operation: a success, and an error of any kind.
  private func responses(_ success: JSONValue) -> JSONValue {
    let failures = Set(
      GatewayAnswer.ownCodes.map(\.status.code) + schema.errors.map { GatewayAnswer.status(of: $0.code).code })
    let error = object([("$ref", "#/components/responses/Error")])
    return object([("200", success)] + failures.sorted().map { (String($0), error) })
  }

  private func response(_ description: String, _ type: String, _ schema: JSONValue) -> JSONValue {
    object([
      ("description", .string(description)), ("content", object([(type, object([("schema", schema)]))])),
    ])
  }

  private func reference(_ name: String) -> JSONValue { object([("$ref", .string(place + name))]) }

  /// Returns a JSON object whose members keep their order.
  private func object(_ members: [(String, JSONValue)]) -> JSONValue {
    .object(members.map { JSONValue.Member($0.0, $0.1) })
  }
}
