package import WaymarkProtocol
package import WaymarkServer

/// A module of the server that also contributes to the state which clients receive. `ByCamera` below has one value,
/// such as a module, for each camera.
@ServiceActor
package protocol ServiceModule: ServerModule {
  /// Adds the module's state to the reply of `subscribe`, as operators see it.
  func contribute(to snapshot: inout Snapshot)
  /// Adds the module's state to the reply of `status`, as operators see it.
  func contribute(to status: inout StatusResult)
}

extension ServiceModule {
  package func contribute(to snapshot: inout Snapshot) {}
  package func contribute(to status: inout StatusResult) {}
}

// MARK: - Values of several cameras

/// One value for each camera, in the order of the configuration. Requests without a camera name use the first value.
package struct ByCamera<Part> {
  /// The values with the names of their cameras; at least one.
  package let parts: [(name: String, part: Part)]

  package init(
    _ first: Part, named name: String = ServiceSettings().camera.name,
    others: [(name: String, part: Part)] = []
  ) {
    parts = [(name, first)] + others
  }

  private init(parts: [(name: String, part: Part)]) { self.parts = parts }

  package var first: Part { parts[0].part }

  /// True if there is more than one camera; events then contain the camera's name.
  var areSeveral: Bool { parts.count > 1 }

  package var all: [Part] { parts.map(\.part) }

  /// Returns the value of the camera with this name, or of the first camera if the name is nil.
  ///
  /// - Throws: `notFound` if no camera has this name.
  package func part(of name: String?) throws(ServiceError) -> Part {
    guard let name else { return first }
    guard let found = parts.first(where: { $0.name == name }) else { throw unknown(name) }
    return found.part
  }

  package func unknown(_ name: String) -> ServiceError {
    let shown = name.unicodeScalars.prefix(64).map { $0.value >= 32 ? Character($0) : "?" }
    return ServiceError(
      .notFound, "There is no camera \"\(String(shown))\".",
      hint: CameraKeys.hint(of: parts.map(\.name)))
  }

  package func map<Other>(_ make: (_ name: String, _ part: Part) throws -> Other) rethrows -> ByCamera<Other> {
    ByCamera<Other>(parts: try parts.map { ($0.name, try make($0.name, $0.part)) })
  }
}
