import WaymarkSystem

extension IncomingRequest {
  /// The parameters as `type`, within the bounds that the schema states.
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
