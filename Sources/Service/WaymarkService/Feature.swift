package import WaymarkConfiguration
package import WaymarkServer
package import WaymarkWorker

/// A part of the service that a program has or has not: the rows of its keys, and the modules that do its work. The list of a program's
/// features stands in its main file.
package struct Feature: Sendable {
  /// Keys that flags, variables of the environment and the file set, in the order of the page.
  package var keys: [ConfigurationKey] = []
  /// Keys of sections that hold lists and maps.
  package var sectionKeys: [ConfigurationKey] = []
  /// The paths of those keys that a further camera has of its own.
  package var cameraKeys: Set<String> = []
  /// Those of all its keys that may stand in a profile.
  package var profileKeys: [ConfigurationKey] = []
  /// What is wrong with its sections, beyond the form of their values.
  package var problems: @Sendable (ServiceConfiguration) -> [ConfigurationProblem] = { _ in [] }
  /// Makes its module; nil where it has none of the service's.
  package var make: (@ServiceActor (FeatureContext) throws -> any FeatureModule)?
  /// Makes the module that each camera has of its own.
  package var makeForCamera: (@ServiceActor (Hub, CameraParts) -> any ServiceModule)?
  /// What its workers do on picture files beside what every worker does. One feature of a program has such a task.
  package var task: (any WorkerTask.Type)?

  /// A feature without anything.
  package init() {}
}

/// What a feature's module is made of.
package struct FeatureContext {
  package let hub: Hub
  package let configuration: ServiceConfiguration
  package let cameras: ByCamera<CameraParts>
  package let media: MediaModule
  package let isolation: Isolation
}

/// The module of a feature.
@ServiceActor
package protocol FeatureModule: ServiceModule {
  /// Begins, when all modules are there.
  func start()
  /// Reads what holds by a configuration, that of the file or of a profile.
  ///
  /// - Returns: puts it in effect.
  /// - Throws: what is wrong with it; then the settings before stay.
  func settings(_ configuration: ServiceConfiguration) throws -> @ServiceActor () -> Void
  /// Reads what no profile changes.
  ///
  /// - Returns: puts it in effect, and returns the sections that need a restart.
  /// - Throws: what is wrong with it; then the settings before stay.
  func reload(_ configuration: ServiceConfiguration) throws -> @ServiceActor () -> [String]
}

extension FeatureModule {
  package func start() {}
  package func settings(_ configuration: ServiceConfiguration) throws -> @ServiceActor () -> Void { {} }
  package func reload(_ configuration: ServiceConfiguration) throws -> @ServiceActor () -> [String] { { [] } }
}
