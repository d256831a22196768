import HTTPTypes
import Hummingbird
import NIOCore
import WaymarkClient
import WaymarkHTTP
import WaymarkProtocol
import WaymarkSystem

/// Serves the methods of the protocol, the state, the figures of webhooks and the OpenAPI document.
struct MethodRoutes: Sendable {
  /// The largest parameters, in bytes: with method and id they fit a line of the socket.
  private static let parametersLimit = 60 << 10
  /// The largest picture, in bytes.
  private static let pictureLimit = 16 << 20

  private let paths: GatewayPaths
  /// The OpenAPI document as JSON.
  private let openAPI: ByteBuffer
  /// The path of the service's socket.
  private let socket: String
  private let sessions: ServiceSessions
  private let rooms: GatewayRooms
  private let webhooks: [WebhookSender]
  private let limits: HTTPLimits

  /// Creates the routes to the methods of a service.
  ///
  /// - Parameter socket: the path of the service's socket.
  init(
    paths: GatewayPaths, schema: ProtocolSchema, version: String, socket: String, webhooks: [WebhookSender],
    limits: HTTPLimits, rooms: GatewayRooms
  ) throws {
    self.paths = paths
    openAPI = ByteBuffer(bytes: try JSONLineEncoder.encode(OpenAPIDocument(schema: schema).json(version: version)))
    self.socket = socket
    self.webhooks = webhooks
    self.limits = limits
    self.rooms = rooms
    sessions = ServiceSessions(path: socket, room: rooms.sessions)
  }

  /// Adds `POST /v1/METHOD`, `GET /v1/state`, `GET /v1/webhooks` and `GET /v1/openapi.json`.
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
        // The request is sent over the connection of the token, even if it names a session with `Waymark-Session`.
        return GatewayAnswer.result(
          try await sessions.use(ServiceSessions.Key(caller: context.caller, name: nil)) {
            try await $0.send(method: SubscribeRequest.method, params: ["events": []])
          })
      } catch {
        return GatewayAnswer.failure(error)
      }
    }
    router.get("/v1/webhooks") { _, _ in GatewayAnswer.result(.array(webhooks.map(\.figures))) }
    let document = openAPI
    router.get("/v1/openapi.json") { _, _ in
      Response(status: .ok, headers: [.contentType: "application/json"], body: .init(byteBuffer: document))
    }
  }

  private static let sessionHeader = HTTPField.Name("Waymark-Session")

  /// Returns the session of a request: the sender, and the name in the header `Waymark-Session`.
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
    do {
      let params = try await parameters(request, context)
      return GatewayAnswer.result(
        try await sessions.use(try key(request, context)) { try await $0.send(method: method, params: params) })
    } catch {
      return GatewayAnswer.failure(error)
    }
  }

  /// Reads the parameters from the body of a request.
  private func parameters(_ request: Request, _ context: GatewayContext) async throws -> JSONValue {
    let notJSON = ServiceError.Code(rawValue: "notJSON")
    guard request.uri.query?.isEmpty ?? true else {
      throw ServiceError(
        .badParams, "The parameters are in the query.", hint: "Send them as JSON in the body, as curl --json does.")
    }
    let type = request.headers[.contentType]
    if let type, !Self.isJSON(type) {
      throw ServiceError(
        notJSON, "The body is not of type application/json.",
        hint: "Send Content-Type: application/json, as curl --json does.")
    }
    let body = try await collect(request, upTo: Self.parametersLimit, in: rooms.parameters, context).bytes
    if body.isEmpty { return .object([]) }
    guard type != nil else {
      throw ServiceError(
        notJSON, "The body has no type.", hint: "Send Content-Type: application/json, as curl --json does.")
    }
    let value: JSONValue
    do {
      value = try JSONParser.parse(body)
    } catch {
      throw ServiceError(
        .malformedRequest, "The body is not JSON: \(error.problem) (byte \(error.offset)).",
        hint: "Send the parameters as an object.")
    }
    guard case .object = value else {
      throw ServiceError(
        .malformedRequest, "The body contains \(value.typeName), not an object.", hint: "Send the parameters by name.")
    }
    return value
  }

  private static func isJSON(_ type: String) -> Bool {
    type.split(separator: ";", omittingEmptySubsequences: false).first.map {
      $0.lowercased().filter { $0 != " " } == "application/json"
    } ?? false
  }

  /// Reserves the size of a body in `room`, then reads the whole body.
  ///
  /// - Throws: the answer to send if the room is full, or if the body is too large or too slow.
  private func collect(
    _ request: Request, upTo limit: Int, in room: Room, _ context: GatewayContext
  ) async throws(GatewayAnswer.Refusal) -> (bytes: [UInt8], place: Room.Place) {
    let length = request.headers[.contentLength].flatMap(Int.init)
    if let length, length > limit { throw .init(response: GatewayAnswer.tooLarge) }
    let holder = context.caller.holder
    guard let place = await room.take(length ?? limit, for: holder, within: limits.pictureTimeout) else {
      throw .init(response: GatewayAnswer.busy(room.name))
    }
    guard
      let bytes = await BodyCollector.collect(request, upTo: limit, within: limits.body, rate: limits.bodyRate)
    else {
      place.release()
      throw .init(response: GatewayAnswer.tooLarge)
    }
    return (bytes, place)
  }

  // MARK: Pictures

  /// Calls a method whose result is a picture.
  private func picture(_ method: String, _ request: Request, _ context: GatewayContext) async -> Response {
    do {
      let params = try await parameters(request, context)
      let holder = context.caller.holder
      guard let place = await rooms.pictures.take(Self.pictureLimit, for: holder, within: limits.pictureTimeout) else {
        return GatewayAnswer.busy("pictures")
      }
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
        picture.bytes, format: picture.header.format.rawValue, room: place, headers: headers)
    } catch {
      return GatewayAnswer.failure(error)
    }
  }

  /// Calls a method with the picture in the body of the request. The method's parameters are in the query.
  private func upload(_ method: String, _ request: Request, _ context: GatewayContext) async -> Response {
    let type = request.headers[.contentType]?.lowercased() ?? ""
    guard type.hasPrefix("image/") || type.hasPrefix("application/octet-stream") else {
      return GatewayAnswer.own(
        "notJSON", "The body is not a picture.", hint: "Send Content-Type: image/jpeg and the bytes of the file.")
    }
    let (body, place): ([UInt8], Room.Place)
    do {
      (body, place) = try await collect(request, upTo: Self.pictureLimit, in: rooms.pictures, context)
    } catch {
      return error.response
    }
    defer { place.release() }
    // The protocol has no empty pictures.
    guard !body.isEmpty else {
      return GatewayAnswer.error(
        ServiceError(.badPicture, "The picture is empty.", hint: "Send the bytes of a picture file."))
    }
    var params: [JSONValue.Member] = [.init("size", .int(body.count))]
    for (name, value) in request.uri.queryParameters {
      // The service would refuse a line with a duplicate key, and read the picture as the next line.
      guard !params.contains(where: { $0.name == name }) else {
        return GatewayAnswer.error(
          ServiceError(
            .badParams, "The query names a parameter twice, or the size, which is that of the body.",
            hint: "Name each parameter once."))
      }
      // `context` is any JSON, and every other parameter a string.
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
