import Glibc
package import WaymarkConfiguration
package import WaymarkServer
import WaymarkSystem

/// Finds, reads and checks the configuration. Flags override environment variables, which override the file. The file also has
/// `Accounts`, the look-up of users and groups, and the policy of roles that a configuration describes.
package struct ConfigurationLoader: Sendable {
  /// The path of a file that has to exist; nil for the default file, which may be missing.
  package let named: String?
  /// The process's environment.
  package let environment: [String: String]
  /// The values of flags as text, by the paths of their keys.
  package let flags: [String: String]
  /// True for the service of the system, false for one of a user.
  package let isSystem: Bool
  /// The keys of the program's configuration.
  package let schema: ConfigurationSchema

  /// Creates a loader. If `named` is nil, the environment variable `WAYMARK_CONFIG` can name the file.
  package init(
    named: String?, environment: [String: String], flags: [String: String], isSystem: Bool, schema: ConfigurationSchema
  ) {
    self.schema = schema
    self.named = named ?? environment["WAYMARK_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
    self.environment = environment
    self.flags = flags
    self.isSystem = isSystem
  }

  /// The path of the file that is read if no file is named.
  package var standardFile: String {
    if isSystem { return "/etc/waymark/waymark.yaml" }
    if let folder = environment["XDG_CONFIG_HOME"], !folder.isEmpty { return folder + "/waymark/waymark.yaml" }
    return (environment["HOME"] ?? "") + "/.config/waymark/waymark.yaml"
  }

  /// False if no file is named and the default file is missing.
  package var exists: Bool { named != nil || FileKind(standardFile) != nil }

  /// The folder of the persistent state: `STATE_DIRECTORY` of systemd, or the default.
  var stateFolder: String {
    // If the variable lists several folders, the first is the folder of the unit.
    if let folder = environment["STATE_DIRECTORY"]?.split(separator: ":").first { return String(folder) }
    if isSystem { return "/var/lib/waymark" }
    if let folder = environment["XDG_STATE_HOME"], !folder.isEmpty { return folder + "/waymark" }
    return (environment["HOME"] ?? "") + "/.local/state/waymark"
  }

  /// Loads the configuration, and finds its problems.
  ///
  /// - Parameter text: the text to read in place of the configuration file; nil for the file.
  package func load(_ text: String? = nil) -> (configuration: ServiceConfiguration, problems: [ConfigurationProblem]) {
    let table = schema.table
    var origins = [
      ConfigurationValues(flags: flags, table: table), ConfigurationValues(environment: environment, table: table),
    ]
    var problems: [ConfigurationProblem] = []
    let path = named ?? standardFile
    let overrides = origins.map(\.values)
    var document: ConfigurationDocument?
    switch text.map(Result.success) ?? ConfigurationDocument.text(of: path) {
    case .success(let yaml): document = ConfigurationDocument(yaml, path: path, table: table)
    case .failure(let reason) where named != nil || reason.code != .notFound:
      problems.append(.unreadable(path, reason))
    case .failure: break
    }
    let layers = ConfigurationLayers(over: path) { ConfigurationDocument($0, path: $1, table: table) }
    problems += layers.problems
    for layer in layers.documents { document = document?.overlaid(by: layer) ?? layer }
    if let document { origins.append(ConfigurationValues(document, table: table)) }
    problems += origins.flatMap(\.problems)
    var configuration = ServiceConfiguration(origins.map(\.values), schema: schema)
    configuration.document = document
    configuration.layers = layers.documents.map(\.path)
    configuration.cameras = document.map { ServiceConfiguration.NamedCamera.read($0, schema).cameras } ?? []
    configuration.overrides = overrides
    configuration.stateFolder = stateFolder
    return (configuration, problems)
  }
}

// MARK: - Accounts and roles

/// Looks up users and groups in the system's databases.
package enum Accounts {
  /// Returns the id of a user, given its name or id as text; nil if there is no such user.
  package static func user(_ name: String) -> UInt32? {
    if let number = UInt32(name) { return number }
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 16 << 10)
    guard getpwnam_r(name, &entry, &buffer, buffer.count, &found) == 0, found != nil else { return nil }
    return entry.pw_uid
  }

  /// Returns the id of a group, given its name or id as text; nil if there is no such group.
  package static func group(_ name: String) -> UInt32? {
    if let number = UInt32(name) { return number }
    var entry = Glibc.group()
    var found: UnsafeMutablePointer<Glibc.group>?
    var buffer = [CChar](repeating: 0, count: 64 << 10)
    guard getgrnam_r(name, &entry, &buffer, buffer.count, &found) == 0, found != nil else { return nil }
    return entry.gr_gid
  }
}

extension RolePolicy {
  /// Creates the policy of a configuration. Root and the service's own user are always operators. If the configuration
  /// lists no operators, the members of the socket's group that it does not list as observers are operators, too.
  ///
  /// - Returns: the policy, and the configured names without an account on this device, which the policy ignores.
  package static func make(
    _ roles: ServiceSettings.Roles, socketGroup: UInt32?, ownUser: UInt32 = geteuid()
  ) -> (policy: RolePolicy, unknown: [String]) {
    var unknown: [String] = []
    func ids(_ names: [String], _ look: (String) -> UInt32?, _ what: String) -> Set<UInt32> {
      Set(
        names.compactMap { name in
          if let id = look(name) { return id }
          unknown.append("\(what) \(name)")
          return nil
        })
    }
    var policy = RolePolicy(
      operatorUsers: ids(roles.operatorUsers, Accounts.user, "user"),
      operatorGroups: ids(roles.operatorGroups, Accounts.group, "group"),
      observerUsers: ids(roles.observerUsers, Accounts.user, "user"),
      observerGroups: ids(roles.observerGroups, Accounts.group, "group"),
      observersSeePictures: roles.observersSeePictures)
    // Root and the service's own user are always operators, since they can also stop the service.
    policy.operatorUsers.formUnion([0, ownUser])
    if roles.operatorUsers.isEmpty, roles.operatorGroups.isEmpty { policy.socketGroup = socketGroup }
    return (policy, unknown)
  }
}
