package import WaymarkConfiguration
import WaymarkSystem

/// Finds, reads and checks the configuration: flags before environment before file.
package struct ConfigurationLoader: Sendable {
  /// The file that was named; it must exist. Otherwise the standard place counts if something is there.
  package let named: String?
  /// The process's environment.
  package let environment: [String: String]
  /// Flags as texts by key.
  package let flags: [String: String]
  /// True if this is the system's service.
  package let isSystem: Bool
  /// The keys that the program knows.
  package let schema: ConfigurationSchema

  /// A loader of the current user's configuration.
  package init(
    named: String?, environment: [String: String], flags: [String: String], isSystem: Bool, schema: ConfigurationSchema
  ) {
    self.schema = schema
    self.named = named ?? environment["WAYMARK_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
    self.environment = environment
    self.flags = flags
    self.isSystem = isSystem
  }

  /// Where the file is, if nothing else was named.
  package var standardFile: String {
    if isSystem { return "/etc/waymark/waymark.yaml" }
    if let folder = environment["XDG_CONFIG_HOME"], !folder.isEmpty { return folder + "/waymark/waymark.yaml" }
    return (environment["HOME"] ?? "") + "/.config/waymark/waymark.yaml"
  }

  /// Where what must last is kept: systemd's word, else the standard place.
  var stateFolder: String {
    // Of several folders the first is the unit's own.
    if let folder = environment["STATE_DIRECTORY"]?.split(separator: ":").first { return String(folder) }
    if isSystem { return "/var/lib/waymark" }
    if let folder = environment["XDG_STATE_HOME"], !folder.isEmpty { return folder + "/waymark" }
    return (environment["HOME"] ?? "") + "/.local/state/waymark"
  }

  /// The configuration and everything that is wrong with it.
  package func load() -> (configuration: ServiceConfiguration, problems: [ConfigurationProblem]) {
    let table = schema.table
    var origins = [
      ConfigurationValues(flags: flags, table: table), ConfigurationValues(environment: environment, table: table),
    ]
    var problems: [ConfigurationProblem] = []
    let path = named ?? standardFile
    let overrides = origins.map(\.values)
    var document: ConfigurationDocument?
    switch Self.read(path) {
    case .success(let yaml):
      let read = ConfigurationDocument(yaml, path: path, table: table)
      origins.append(ConfigurationValues(read, table: table))
      document = read
    case .failure(let reason) where named != nil || reason.code != .notFound:
      problems.append(
        ConfigurationProblem(
          origin: path, message: "it cannot be read: \(reason.cause ?? reason.message)",
          hint: "Check the path and who may read it."))
    case .failure: break
    }
    problems += origins.flatMap(\.problems)
    var configuration = ServiceConfiguration(origins.map(\.values), schema: schema)
    configuration.document = document
    configuration.cameras = document.map { ServiceConfiguration.NamedCamera.read($0, schema).cameras } ?? []
    configuration.overrides = overrides
    configuration.stateFolder = stateFolder
    return (configuration, problems)
  }

  /// A file's text, one megabyte at most.
  static func read(_ path: String) -> Result<String, FileError> {
    Result { () throws(FileError) in String(decoding: try WholeFile.read(path, limit: 1 << 20), as: UTF8.self) }
  }
}
