package import WaymarkProtocol

/// A part of the service that each camera has, in the order of the configuration; the first is meant where a request names none.
package struct ByCamera<Part> {
  /// The parts and the names of their cameras; one at least.
  package let parts: [(name: String, part: Part)]

  /// The parts of a first camera and further ones.
  package init(
    _ first: Part, named name: String = ServiceConfiguration.NamedCamera.firstName,
    others: [(name: String, part: Part)] = []
  ) {
    parts = [(name, first)] + others
  }

  private init(parts: [(name: String, part: Part)]) { self.parts = parts }

  /// That of the first camera.
  package var first: Part { parts[0].part }

  /// True if there is more than one camera: events then say of which they are.
  var areSeveral: Bool { parts.count > 1 }

  /// All of them.
  package var all: [Part] { parts.map(\.part) }

  /// The part of the camera that a request names.
  ///
  /// - Throws: `notFound` where there is no such camera.
  package func part(of name: String?) throws(ServiceError) -> Part {
    guard let name else { return first }
    guard let found = parts.first(where: { $0.name == name }) else { throw unknown(name) }
    return found.part
  }

  /// The error for a name that no camera has.
  package func unknown(_ name: String) -> ServiceError {
    let shown = name.unicodeScalars.prefix(64).map { $0.value >= 32 ? Character($0) : "?" }
    return ServiceError(
      .notFound, "There is no camera \"\(String(shown))\".",
      hint: ServiceConfiguration.hint(of: parts.map(\.name)))
  }

  /// The results of `make` for each of them.
  package func map<Other>(_ make: (_ name: String, _ part: Part) throws -> Other) rethrows -> ByCamera<Other> {
    ByCamera<Other>(parts: try parts.map { ($0.name, try make($0.name, $0.part)) })
  }
}
