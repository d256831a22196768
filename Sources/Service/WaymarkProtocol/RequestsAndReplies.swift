package import WaymarkSystem

/// The line of a request, as a client sends it. The file also has the lines of replies (`ReplyLine`, `ErrorLine`), and
/// `IncomingRequest`, a request as the service receives it.
package struct RequestLine<Params: Encodable>: Encodable {
  /// The id that the reply will carry.
  package let id: JSONValue
  package let method: String
  package let params: Params

  package init(id: JSONValue, method: String, params: Params) {
    self.id = id
    self.method = method
    self.params = params
  }
}

/// The line of a successful reply, as the service sends it.
package struct ReplyLine<Result: Encodable>: Encodable {
  package let id: JSONValue
  package let result: Result

  package init(id: JSONValue, result: Result) {
    self.id = id
    self.result = result
  }
}

/// The line of an error reply, as the service sends and a client receives it.
package struct ErrorLine: Codable {
  /// The request's id; null if it could not be read.
  package let id: JSONValue
  package let error: ServiceError

  package init(id: JSONValue, error: ServiceError) {
    self.id = id
    self.error = error
  }
}

/// A request as received, before its parameters are decoded.
package struct IncomingRequest: Sendable {
  /// The id: a string, a number, or null if the request has none.
  package let id: JSONValue
  package let method: String
  /// The parameters: an object, empty if the request has none.
  package let params: JSONValue

  /// Creates a request.
  package init(id: JSONValue, method: String, params: JSONValue) {
    self.id = id
    self.method = method
    self.params = params
  }

  /// Parses a line as a request.
  ///
  /// - Returns: the request, or the refusal with the code `malformedRequest`, or `badParams` if `params` is not an
  ///   object.
  package static func parse(_ line: some Sequence<UInt8>) -> Result<IncomingRequest, Refusal> {
    let value: JSONValue
    do {
      value = try JSONParser.parse(line)
    } catch {
      return .failure(
        Refusal(
          id: .null,
          error: ServiceError(
            .malformedRequest, "This line is not JSON: \(error.problem) (byte \(error.offset)).",
            hint: "Send one JSON object a line, ending with a line feed.")))
    }
    guard case .object = value else {
      return .failure(
        Refusal(
          id: .null,
          error: ServiceError(
            .malformedRequest, "This line contains \(value.typeName), not an object.",
            hint: #"Send {"id":1,"method":"ping"}."#)))
    }
    let id = value["id"] ?? .null
    switch id {
    case .string(let text) where text.utf8.count <= 256: break
    case .number where id.int != nil: break
    case .null: break
    default:
      return .failure(
        Refusal(
          id: .null,
          error: ServiceError(
            .malformedRequest, "The id is neither a whole number nor a string of at most 256 bytes.",
            hint: #"Send {"id":1,"method":"ping"}."#)))
    }
    guard let method = value["method"]?.string else {
      return .failure(
        Refusal(
          id: id,
          error: ServiceError(
            .malformedRequest, "The request names no method.", hint: #"Send {"id":1,"method":"ping"}."#)))
    }
    let params = value["params"] ?? .object([:])
    switch params {
    case .object: return .success(IncomingRequest(id: id, method: method, params: params))
    case .null: return .success(IncomingRequest(id: id, method: method, params: .object([:])))
    default:
      return .failure(
        Refusal(
          id: id,
          error: ServiceError(
            .badParams, "params contains \(params.typeName), not an object.",
            hint: "Send the parameters by name.")))
    }
  }

  /// The error reply for a line that is not a valid request.
  package struct Refusal: Error {
    /// The id of the request; null if it could not be read.
    package let id: JSONValue
    package let error: ServiceError
  }
}

extension IncomingRequest {
  /// Decodes the parameters as `type` and checks the bounds of the schema.
  ///
  /// - Throws: `ServiceError` with the code `badParams`, naming the field.
  package func decode<Params: ServedRequest>(_ type: Params.Type) throws(ServiceError) -> Params {
    do {
      let decoded = try JSONValueDecoder.decodeAll(type, from: params)
      for bound in type.bounds { try bound.check(params) }
      return decoded
    } catch let violation as ParameterBound.Violation {
      throw ServiceError(.badParams, "\(method): \(violation.path) \(violation.demand).", hint: violation.description)
    } catch let unknown as UnknownMember {
      let shown = JSONValue.string(String(unknown.path.prefix(80))).compactText
      let names = unknown.known.isEmpty ? "It takes none there." : "It takes \(unknown.known.joined(separator: ", "))."
      let nearest = NearestWord.of(unknown.name, among: unknown.known).map { "Did you mean \($0)? " } ?? ""
      throw ServiceError(.badParams, "\(method): there is no parameter \(shown).", hint: nearest + names)
    } catch let error as DecodingError {
      throw ServiceError(
        .badParams, "\(method): \(error.sentence).", hint: "docs/protocol.md lists the parameters of every method.")
    } catch {
      throw ServiceError(.badParams, "\(method): \(error).", hint: "docs/protocol.md lists the parameters.")
    }
  }
}

extension ServiceError: ExplainedError {}

extension ServiceError: Error {
  /// Creates an error, with the client that has what was requested as `holder`.
  public init(_ code: Code, _ message: String, hint: String, holder: Actor? = nil) {
    self.init(code: code, message: message, hint: hint, holder: holder)
  }
}

extension ScanPictureRequest {
  /// The largest picture, in bytes.
  public static let largest = 16 << 20
}
