package import WaymarkSystem

/// The parameters of a method, and the type of its result.
public protocol ServiceRequest: Codable, Hashable, Sendable {
  /// The result of a success.
  associatedtype Result: Codable & Sendable
  /// The name on the wire.
  static var method: String { get }
}

/// A request that the service of this version answers. There are no defaults: a request that does not say who may send it, and within which
/// bounds, does not compile.
package protocol ServedRequest: ServiceRequest {
  /// True if observers may send it.
  static var allowsObservers: Bool { get }
  /// The bounds of its parameters.
  static var bounds: [ParameterBound] { get }
}

/// A request on its way out.
package struct RequestLine<Params: Encodable>: Encodable {
  /// The id that the reply will carry.
  package let id: JSONValue
  /// The method.
  package let method: String
  /// Its parameters.
  package let params: Params

  /// A request from its parts.
  package init(id: JSONValue, method: String, params: Params) {
    self.id = id
    self.method = method
    self.params = params
  }
}

/// A successful reply on its way out.
package struct ReplyLine<Result: Encodable>: Encodable {
  /// The request's id.
  package let id: JSONValue
  /// The result of the method.
  package let result: Result

  /// A reply from its parts.
  package init(id: JSONValue, result: Result) {
    self.id = id
    self.result = result
  }
}

/// An error reply, on its way out or come in.
package struct ErrorLine: Codable {
  /// The request's id; null when the line could not be read so far.
  package let id: JSONValue
  /// The error.
  package let error: ServiceError

  /// A reply from its parts.
  package init(id: JSONValue, error: ServiceError) {
    self.id = id
    self.error = error
  }
}

/// A request as received, before its parameters are decoded.
package struct IncomingRequest: Sendable {
  /// A string, a number, or null when the client gave none.
  package let id: JSONValue
  /// The method.
  package let method: String
  /// An object; empty when the client gave none.
  package let params: JSONValue

  /// The request that a line holds.
  ///
  /// - Throws: `ServiceError` with the code `malformedRequest`, and the id as far as it could be read.
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

  /// Why a line is not a request, and what can be answered.
  package struct Refusal: Error {
    /// The id, as far as it could be read.
    package let id: JSONValue
    /// The error.
    package let error: ServiceError
  }
}
