import HTTPTypes
import Hummingbird
import NIOCore
import WaymarkClient
import WaymarkHTTP
import WaymarkProtocol
import WaymarkSystem

/// Methods, pictures, uploads, the state and the description of the whole.
struct MethodRoutes: Sendable {
  /// The largest parameters, in bytes: with method and id they fit a line of the socket.
  private static let parametersLimit = 60 << 10
  /// The largest picture, in bytes.
  private static let pictureLimit = 16 << 20

  private let paths: GatewayPaths
  /// The description of the whole, as JSON.
  private let openAPI: [UInt8]
  /// The service's socket.
  private let socket: String
  private let sessions: ServiceSessions
  /// The memory of all bodies and pictures together.
  private let bodies: PictureMemoryBudget
  private let webhooks: [WebhookSender]
  private let limits: HTTPLimits

  /// Routes to the methods of a service.
  ///
  /// - Parameter socket: where it listens.
  init(
    paths: GatewayPaths, schema: ProtocolSchema, version: String, socket: String, webhooks: [WebhookSender],
    limits: HTTPLimits
  ) throws {
    self.paths = paths
    openAPI = try JSONLineEncoder.encode(OpenAPIDocument(schema: schema).json(version: version))
    self.socket = socket
    self.webhooks = webhooks
    self.limits = limits
    sessions = ServiceSessions(path: socket)
    bodies = PictureMemoryBudget(bytes: limits.pictures, waiting: limits.waiting)
  }

  /// `POST /v1/METHOD`, `GET /v1/state` and the description of the whole.
  func add(to router: Router<GatewayContext>) {
    router.post("/v1/:method") { request, context in
      guard let method = context.parameters.get("method") else { return Response(status: .notFound) }
      switch paths.methods[method] ?? .call {
      case .call: return await call(method, request, context)
      case .picture: return await picture(method, request, context)
      case .upload: return await upload(method, request, context)
      case .connectionOnly:
        return GatewayAnswer.error(
          ServiceError(
            .wrongConnection, "\(method) belongs to a connection of its own.",
            hint: "Use GET /v1/events, GET /v1/preview, or the WebSocket GET /v1/socket."))
      }
    }
    router.get("/v1/state") { _, context in
      do {
        let client = try await WaymarkClient.connect(to: socket, role: context.caller.role)
        let state = try await client.send(method: SubscribeRequest.method, params: ["events": []])
        await client.close()
        return GatewayAnswer.result(state)
      } catch {
        return GatewayAnswer.failure(error)
      }
    }
    router.get("/v1/webhooks") { _, context in
      guard context.caller.role == .operator else {
        return GatewayAnswer.error(
          ServiceError(.notPermitted, "An observer may not see the webhooks.", hint: "Use the token of an operator."))
      }
      return GatewayAnswer.result(.array(webhooks.map(\.figures)))
    }
    let document = openAPI
    router.get("/v1/openapi.json") { _, _ in
      Response(
        status: .ok, headers: [.contentType: "application/json"], body: .init(byteBuffer: ByteBuffer(bytes: document)))
    }
  }

  private static let sessionHeader = HTTPField.Name("Waymark-Session")

  /// The client of the service that a request is for.
  private func key(_ request: Request, _ context: GatewayContext) throws(ServiceError) -> ServiceSessions.Key {
    let name = Self.sessionHeader.flatMap { request.headers[$0] }
    guard let name else { return ServiceSessions.Key(caller: context.caller, name: nil) }
    guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy({ (33...126).contains($0) }) else {
      throw ServiceError(
        .badParams, "Waymark-Session is not a name of a session.", hint: "Send 1 to 64 visible characters of ASCII.")
    }
    return ServiceSessions.Key(caller: context.caller, name: name)
  }

  private func call(_ method: String, _ request: Request, _ context: GatewayContext) async -> Response {
    switch await parameters(request) {
    case .failure(let refusal): return refusal.response
    case .success(let params):
      do {
        return GatewayAnswer.result(
          try await sessions.use(try key(request, context)) { try await $0.send(method: method, params: params) })
      } catch {
        return GatewayAnswer.failure(error)
      }
    }
  }

  /// An answer in the place of parameters.
  private struct RefusedBody: Error { let response: Response }

  /// The parameters in the body of a request.
  private func parameters(_ request: Request) async -> Result<JSONValue, RefusedBody> {
    if let type = request.headers[.contentType], !Self.isJSON(type) {
      return .failure(
        RefusedBody(
          response: GatewayAnswer.own(
            "notJSON", "The body is not of type application/json.",
            hint: "Send Content-Type: application/json, as curl --json does.")))
    }
    let body: [UInt8]
    switch await collect(request, upTo: Self.parametersLimit) {
    case .failure(let refusal): return .failure(refusal)
    case .success(let taken):
      body = taken.bytes
      taken.room.release()
    }
    if body.isEmpty { return .success(.object([])) }
    guard request.headers[.contentType] != nil else {
      return .failure(
        RefusedBody(
          response: GatewayAnswer.own(
            "notJSON", "The body has no type.", hint: "Send Content-Type: application/json, as curl --json does.")))
    }
    do {
      let value = try JSONParser.parse(body)
      guard case .object = value else {
        return .failure(
          RefusedBody(
            response: GatewayAnswer.error(
              ServiceError(
                .malformedRequest, "The body contains \(value.typeName), not an object.",
                hint: "Send the parameters by name."))))
      }
      return .success(value)
    } catch {
      return .failure(
        RefusedBody(
          response: GatewayAnswer.error(
            ServiceError(
              .malformedRequest, "The body is not JSON: \(error.problem) (byte \(error.offset)).",
              hint: "Send the parameters as an object."))))
    }
  }

  private static func isJSON(_ type: String) -> Bool {
    type.split(separator: ";", omittingEmptySubsequences: false).first.map {
      $0.lowercased().filter { $0 != " " } == "application/json"
    } ?? false
  }

  /// A whole body, and the room in the memory of all bodies that it has until it is released.
  private func collect(
    _ request: Request, upTo limit: Int
  ) async -> Result<(bytes: [UInt8], room: PictureMemoryBudget.Reservation), RefusedBody> {
    let length = request.headers[.contentLength].flatMap(Int.init)
    if let length, length > limit { return .failure(RefusedBody(response: GatewayAnswer.tooLarge)) }
    guard let room = await bodies.reserve(length ?? limit, within: limits.pictureTimeout) else {
      return .failure(RefusedBody(response: GatewayAnswer.busy("bodies and pictures")))
    }
    guard let bytes = await BodyCollector.collect(request, upTo: limit, within: limits.body) else {
      room.release()
      return .failure(RefusedBody(response: GatewayAnswer.tooLarge))
    }
    return .success((bytes, room))
  }

  // MARK: Pictures

  /// The answer to a method whose result is a picture.
  private func picture(_ method: String, _ request: Request, _ context: GatewayContext) async -> Response {
    switch await parameters(request) {
    case .failure(let refusal): return refusal.response
    case .success(let params):
      guard let room = await bodies.reserve(Self.pictureLimit, within: limits.pictureTimeout) else {
        return GatewayAnswer.busy("pictures")
      }
      do {
        _ = try key(request, context)
        let client = try await WaymarkClient.connect(to: socket, role: context.caller.role)
        let pictures = try client.pictures(method: method, params: params)
        let picture = try await pictures.first(within: limits.body)
        await client.close()
        var headers: HTTPFields = [:]
        let frame = picture.header.frame
        for (name, value) in PictureAnswer.frameHeaders(
          sequence: frame.map { UInt64($0.sequence) }, captured: frame?.captured)
        {
          if let name = HTTPField.Name(name) { headers[name] = value }
        }
        return PictureAnswer.whole(
          picture.bytes, format: picture.header.format.rawValue, room: room, channel: context.channel, limits: limits,
          headers: headers)
      } catch {
        return GatewayAnswer.failure(error)
      }
    }
  }

  /// Hands a picture of the body to the service. The parameters are in the query, as they are in the line of the socket.
  private func upload(_ method: String, _ request: Request, _ context: GatewayContext) async -> Response {
    let type = request.headers[.contentType]?.lowercased() ?? ""
    guard type.hasPrefix("image/") || type.hasPrefix("application/octet-stream") else {
      return GatewayAnswer.own(
        "notJSON", "The body is not a picture.", hint: "Send Content-Type: image/jpeg and the bytes of the file.")
    }
    let body: [UInt8]
    let room: PictureMemoryBudget.Reservation
    switch await collect(request, upTo: Self.pictureLimit) {
    case .failure(let refusal): return refusal.response
    case .success(let taken): (body, room) = taken
    }
    defer { room.release() }
    // The service cannot be told of a picture of no bytes.
    guard !body.isEmpty else {
      return GatewayAnswer.error(
        ServiceError(.badPicture, "The picture is empty.", hint: "Send the bytes of a picture file."))
    }
    var params: [JSONValue.Member] = [.init("size", .int(body.count))]
    for (name, value) in request.uri.queryParameters {
      // The service would not read the line, and take the picture for the next one.
      guard !params.contains(where: { $0.name == name }) else {
        return GatewayAnswer.error(
          ServiceError(
            .badParams, "The query names a parameter twice, or the size, which is that of the body.",
            hint: "Name each parameter once."))
      }
      // A context is any JSON, everything else a word.
      let text = String(value)
      params.append(
        .init(String(name), name == "context" ? (try? JSONParser.parse(text)) ?? .string(text) : .string(text)))
    }
    do {
      let params = params
      return GatewayAnswer.result(
        try await sessions.use(try key(request, context)) {
          try await $0.send(method: method, params: .object(params), body: body)
        })
    } catch {
      return GatewayAnswer.failure(error)
    }
  }
}
