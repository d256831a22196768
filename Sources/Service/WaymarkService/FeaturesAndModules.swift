package import WaymarkConfiguration
package import WaymarkProtocol
package import WaymarkServer
package import WaymarkWorker

/// An optional part of a service program: its configuration keys, and the functions that create its modules. The main file of each
/// program lists its features. `FeatureContext` and `FeatureModule` belong to it; `ServiceModule` and `ByCamera` below serve modules of
/// every kind.
package struct Feature: Sendable {
  /// The keys that flags, environment variables and the file can set, in the order of docs/configuration.md.
  package var keys: [ConfigurationKey] = []
  /// The keys of sections that contain lists and maps.
  package var sectionKeys: [ConfigurationKey] = []
  /// The paths of the keys that the section of a further camera can set.
  package var cameraKeys: Set<String> = []
  /// The keys that a profile can set.
  package var profileKeys: [ConfigurationKey] = []
  /// Returns the problems of the feature's sections that checks of types and ranges do not find.
  package var problems: @Sendable (ServiceConfiguration) -> [ConfigurationProblem] = { _ in [] }
  /// Creates the feature's module; nil if the feature has no module, or only modules of single cameras.
  package var make: (@ServiceActor (FeatureContext) throws -> any FeatureModule)?
  /// Creates the feature's module of one camera; nil if the feature has no such module.
  package var makeForCamera: (@ServiceActor (Hub, CameraParts, ServiceConfiguration) throws -> any ServiceModule)?
  /// The task that the feature adds to the workers that read picture files. At most one feature of a program has such a task.
  package var task: (any WorkerTask.Type)?

  package init() {}
}

/// The parts of the service from which a feature creates its module.
package struct FeatureContext {
  package let hub: Hub
  package let configuration: ServiceConfiguration
  package let cameras: ByCamera<CameraParts>
  package let media: MediaModule
  package let isolation: Isolation
}

/// A module of a feature, whose settings a profile or a reload can change.
@ServiceActor
package protocol FeatureModule: ServiceModule {
  /// Starts the module; called after all modules have been added.
  func start()
  /// Reads the settings that a profile can change.
  ///
  /// - Returns: a function that puts the settings in effect.
  /// - Throws: the problem of the settings, in which case the previous settings stay in effect.
  func settings(_ configuration: ServiceConfiguration) throws -> @ServiceActor () -> Void
  /// Reads the settings that profiles do not change.
  ///
  /// - Returns: a function that puts the settings in effect and returns the sections that need a restart.
  /// - Throws: the problem of the settings, in which case the previous settings stay in effect.
  func reload(_ configuration: ServiceConfiguration) throws -> @ServiceActor () -> [String]
}

extension FeatureModule {
  package func start() {}
  package func settings(_ configuration: ServiceConfiguration) throws -> @ServiceActor () -> Void { {} }
  package func reload(_ configuration: ServiceConfiguration) throws -> @ServiceActor () -> [String] { { [] } }
}

extension ConfigurationSchema {
  /// Creates the schema of the keys that every service has and the keys of `features`.
  package init(_ features: [Feature]) {
    self.init(
      keys: features.flatMap(\.keys), sectionKeys: features.flatMap(\.sectionKeys),
      cameraKeys: features.reduce(into: []) { $0.formUnion($1.cameraKeys) },
      profileKeys: features.flatMap(\.profileKeys))
  }
}

// MARK: - Modules

/// A module of the server that also contributes to the state which clients receive.
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

/// One value, such as a module, for each camera, in the order of the configuration. Requests without a camera name use the first value.
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
