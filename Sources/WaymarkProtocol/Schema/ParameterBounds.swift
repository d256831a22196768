import WaymarkJSON

/// Holds the parameters of requests to the bounds that the comments of their types state.
struct ParameterBounds {
  /// The first value that lies outside of its bounds.
  struct Violation: Error, Equatable {
    /// Where it stands, such as `fields[3].name`.
    let path: String
    /// The rest of the sentence that begins with the path.
    let demand: String
    /// The comment of the member.
    let comment: String
  }

  /// A member with bounds, or in whose value there may be some.
  private struct Member {
    let name: String
    let shape: WireShape
    let bounds: StatedBounds?
    let comment: String
  }

  /// The bounds of this version of the protocol. While they cannot be read, no request is served.
  static let ofThisVersion = reading { try ProtocolSchema() }

  /// The bounds of a schema, or the error with which requests and the start of a service fail.
  static func reading(_ schema: () throws -> ProtocolSchema) -> Result<Self, ServiceError> {
    do {
      let bounds = Self(try schema().objects, ProtocolComments.ofThisVersion)
      if !bounds.members.isEmpty { return .success(bounds) }
      return .failure(unreadable("it states none"))
    } catch {
      return .failure(unreadable("\(error)"))
    }
  }

  private static func unreadable(_ cause: String) -> ServiceError {
    ServiceError(
      .internalError, "The bounds of requests cannot be read from the protocol's schema: \(cause).",
      hint: "Install the package again; this program is damaged.")
  }

  /// The members to look at, by the name of their type.
  private let members: [String: [Member]]

  /// - Parameters:
  ///   - objects: the members of every object, by the name of its type.
  ///   - comments: their comments.
  init(_ objects: [String: [WireMember]], _ comments: ProtocolComments) {
    var found = objects.mapValues { _ in [Member]() }
    // A type is looked into only where bounds stand in it, or in a type that is reached from it.
    var grows = true
    while grows {
      grows = false
      for (type, all) in objects where found[type]?.count != all.count {
        for member in all where found[type]?.contains(where: { $0.name == member.name }) == false {
          let comment = comments.of(type, member.name) ?? ""
          let bounds = StatedBounds(comment).flatMap { $0.keywords(for: member.shape).isEmpty ? nil : $0 }
          guard bounds != nil || member.shape.objects.contains(where: { found[$0]?.isEmpty == false }) else { continue }
          found[type, default: []].append(
            Member(name: member.name, shape: member.shape, bounds: bounds, comment: comment))
          grows = true
        }
      }
    }
    members = found.filter { !$0.value.isEmpty }
  }

  /// Looks at the parameters of a type.
  ///
  /// - Parameter parameters: what was decoded already, so that shapes fit.
  func check(_ parameters: JSONValue, as type: Any.Type) throws(Violation) {
    try check(object: parameters, WireShapeRecorder.name(of: type), at: "")
  }

  private func check(object: JSONValue, _ type: String, at path: String) throws(Violation) {
    for member in members[type] ?? [] {
      guard let value = object[member.name] else { continue }
      let place = path.isEmpty ? member.name : "\(path).\(member.name)"
      if let bounds = member.bounds, !bounds.contain(value) {
        throw Violation(path: place, demand: bounds.demand, comment: member.comment)
      }
      try check(value, member.shape, at: place)
    }
  }

  private func check(_ value: JSONValue, _ shape: WireShape, at path: String) throws(Violation) {
    switch shape {
    case .object(let type): try check(object: value, type, at: path)
    case .stringOr(let other) where value.string == nil: try check(value, other, at: path)
    case .list(let element):
      // Lists of plain values may be long.
      guard element.objects.contains(where: { members[$0] != nil }) else { return }
      for (index, one) in (value.array ?? []).enumerated() { try check(one, element, at: "\(path)[\(index)]") }
    case .map(let element):
      guard element.objects.contains(where: { members[$0] != nil }) else { return }
      for one in value.members ?? [] { try check(one.value, element, at: "\(path).\(one.name)") }
    default: break
    }
  }
}
