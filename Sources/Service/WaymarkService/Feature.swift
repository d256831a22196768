package import WaymarkConfiguration
package import WaymarkServer
package import WaymarkWorker

/// An optional part of a service program: its configuration keys, and the functions that create its modules. The main file of each
/// program lists its features.
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
