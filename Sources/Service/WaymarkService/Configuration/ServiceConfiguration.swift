package import WaymarkConfiguration
import WaymarkOnboarding
import WaymarkSystem

/// The configuration: the settings of the service, the further cameras, the profiles, and the values of features' keys.
@dynamicMemberLookup
package struct ServiceConfiguration: Sendable {
  /// A camera of the section `cameras`.
  package struct NamedCamera: Sendable {
    package let name: String
    /// The settings in the camera's section, which can set keys of `source`, `camera` and `scan`, and `anchors.rate`. All other
    /// settings have their defaults.
    package let settings: ServiceSettings
    /// The values of the camera's section, for features.
    package let values: ConfigurationReader

    /// Returns whether `other` differs in its name or in keys that need a restart.
    fileprivate func needsRestart(for other: NamedCamera) -> Bool {
      var kept = other.settings
      return name != other.name || !kept.keep(settings).isEmpty
    }
  }

  /// The settings of the service and of its first camera.
  package var settings = ServiceSettings()
  /// The further cameras, in the order of the file.
  package var cameras: [NamedCamera] = []
  /// The folder of the persistent state, with a subfolder for each part of the service.
  package var stateFolder = "/var/lib/waymark"
  /// The configuration file, read and checked; nil if there is no file.
  package var document: ConfigurationDocument?
  /// The values of flags and environment variables, which override values of the file.
  var overrides: [[String: ConfigurationValue]] = []
  /// The keys of the program.
  package let schema: ConfigurationSchema
  /// The values of all keys; features read their sections from it.
  package private(set) var values: ConfigurationReader

  /// The path of the configuration file; nil if there is no file.
  package var file: String? { document?.path }
  /// The paths of the files in `waymark.d`, in their order.
  var layers: [String] = []
  /// The files that were read, for messages; nil if there is none.
  package var shownFiles: String? {
    file.map { file in ([file] + layers.filter { $0 != file }).joined(separator: ", ") }
  }

  /// The warnings about settings that accept too much on a device that strangers use, such as every host; each has a
  /// remedy.
  package var cautions: [(message: String, hint: String)] {
    (document.map { OnboardingConfiguration.read($0).configuration.policy } ?? OnboardingPolicy()).cautions
  }

  /// The warnings about the onboarding settings, including the settings of profiles, in the order of the file: about key files, and
  /// about declared kinds that are never accepted. The service starts despite warnings.
  package var warnings: [ConfigurationProblem] {
    func onboarding(_ configuration: ServiceConfiguration) -> OnboardingConfiguration {
      configuration.document.map { OnboardingConfiguration.read($0).configuration } ?? OnboardingConfiguration()
    }
    let all = [onboarding(self)] + profiles.compactMap { using(profile: $0.name).map(onboarding) }
    let accepted = all.reduce(into: Set<PayloadKind>()) { $0.formUnion($1.policy.acceptedKinds) }
    let unused = all.flatMap { $0.unusedKinds.filter { !accepted.contains($0.key) }.values }
    let warnings = all.flatMap(\.keyWarnings) + unused
    return warnings.indices.filter { !warnings[..<$0].contains(warnings[$0]) }.map { warnings[$0] }.inOrder
  }

  /// Creates the default configuration.
  package init(_ schema: ConfigurationSchema = ConfigurationSchema()) { self.init([], schema: schema) }

  /// Creates a configuration from checked values.
  ///
  /// - Parameter layers: values by the paths of their keys; earlier layers override later ones.
  package init(_ layers: [[String: ConfigurationValue]], schema: ConfigurationSchema) {
    (self.schema, values) = (schema, ConfigurationReader(layers: layers))
    settings.read(values)
  }

  package subscript<Value>(dynamicMember path: WritableKeyPath<ServiceSettings, Value>) -> Value {
    get { settings[keyPath: path] }
    set { settings[keyPath: path] = newValue }
  }

  /// Returns the configuration `wanted`, but with the running values of the keys that need a restart.
  ///
  /// - Returns: the resulting configuration, and the names of the sections or keys that need a restart and differ.
  func running(insteadOf wanted: ServiceConfiguration) -> (configuration: ServiceConfiguration, restart: [String]) {
    var (result, restart) = (wanted, [String]())
    for key in result.settings.keep(settings) {
      let name = Self.restartName(of: key)
      if restart.last != name { restart.append(name) }
    }
    if result.cameras.count != cameras.count
      || zip(cameras, result.cameras).contains(where: { $0.needsRestart(for: $1) })
    {
      result.cameras = cameras
      restart.append("cameras")
    }
    // The keys of features.
    let fixed = schema.featureKeys.filter { $0.change == .restart }.map(\.path)
    restart += fixed.filter { result.values[$0] != values[$0] }
    result.values = result.values.keeping(fixed, of: values)
    return (result, restart)
  }

  /// Returns the name of the key's section if all keys of the section need a restart, otherwise the path of the key.
  private static func restartName(of key: ConfigurationKey) -> String {
    let section = String(key.path.prefix { $0 != "." })
    let keys = ServiceSettings.keys.filter { $0.path.hasPrefix(section + ".") }
    return keys.allSatisfy { $0.change == .restart } ? section : key.path
  }
}

// MARK: Problems

extension ServiceConfiguration {
  /// Returns a problem of a key's value, at its position in the file, or with the flag or environment variable that overrides it.
  ///
  /// - Parameters:
  ///   - key: the path of the key in the file.
  ///   - element: the element of a list that has the problem; nil for the whole value.
  package func problem(
    _ message: String, _ key: String, element: String? = nil, hint: String
  ) -> ConfigurationProblem {
    for (origin, values) in zip(["flags", "environment"], overrides) where values[key] != nil {
      let name = origin == "flags" ? key : schema.table.key(key)?.environmentName
      return ConfigurationProblem(origin: origin, key: name, message: message, hint: hint)
    }
    guard let document else {
      return ConfigurationProblem(origin: "configuration", key: key, message: message, hint: hint)
    }
    let node = document.checked.at(key)
    let part = node?.elements.first { one in
      one.string.map { $0 == element || document.resolvedElement($0, in: one) == element } ?? false
    }
    return document.problem(message, key, part ?? node, hint: hint)
  }

  /// Returns the problem of a value that `check` throws; nil if the value is valid.
  ///
  /// - Parameters:
  ///   - key: the path of the key in the file.
  ///   - element: the element of a list that is checked; nil for the whole value.
  package func problem(_ key: String, element: String? = nil, _ check: () throws -> Void) -> ConfigurationProblem? {
    do {
      try check()
      return nil
    } catch {
      let known = error as? any ExplainedError
      return problem(known?.message ?? "\(error)", key, element: element, hint: known?.hint ?? "Correct the value.")
    }
  }

  /// Returns the problem of a folder in which the service cannot create files; empty without a problem, or if no folder is named.
  ///
  /// - Parameters:
  ///   - key: the path of the key that names the folder.
  ///   - path: the path of the folder; nil for the text of the key.
  ///   - withParents: true if the service makes missing parent folders as well.
  package func folderProblems(
    _ key: String, at path: String? = nil, withParents: Bool = true
  ) -> [ConfigurationProblem] {
    var folder = path
    if folder == nil, case .string(let text) = values[key] { folder = text }
    guard let obstacle = folder.flatMap({ Folder.obstacle($0, withParents: withParents) }) else { return [] }
    return [problem(obstacle.message, key, hint: obstacle.hint)]
  }
}

// MARK: Cameras

extension ServiceConfiguration.NamedCamera {
  /// Reads the further cameras of a file, in its order, and the problems of their names and of their number.
  package static func read(
    _ document: ConfigurationDocument, _ schema: ConfigurationSchema
  ) -> (cameras: [Self], problems: [ConfigurationProblem]) {
    var problems: [ConfigurationProblem] = []
    var cameras: [Self] = []
    for entry in document.checked["cameras"]?.entries ?? [] {
      func wrong(_ message: String, hint: String) {
        problems.append(document.problem(message, "cameras.\(entry.key)", entry.node, hint: hint))
      }
      if !isName(entry.key) {
        wrong("it is not a name for a camera", hint: "Use letters, digits, - and _, 64 characters at most.")
      } else if cameras.count == CameraKeys.limit {
        wrong("there are more than \(CameraKeys.limit) cameras", hint: "Leave some out.")
      } else {
        let values = ConfigurationValues(entry.node, of: document, places: schema.cameraKeys).values
        let own = ServiceConfiguration([values], schema: schema)
        cameras.append(Self(name: entry.key, settings: own.settings, values: own.values))
      }
    }
    return (cameras, problems)
  }

  fileprivate static func isName(_ text: String) -> Bool {
    text.wholeMatch(of: #/[A-Za-z0-9][A-Za-z0-9_\-]{0,63}/#) != nil
  }
}

extension ServiceConfiguration {
  /// Returns this configuration with the source and the camera settings of a further camera. The further camera inherits nothing of
  /// these from the first camera.
  package func using(camera other: NamedCamera) -> ServiceConfiguration {
    var result = self
    (result.source, result.camera) = (other.settings.source, other.settings.camera)
    return result
  }

  /// Returns the settings of scans for a further camera: the settings of the first camera except `scan.autoBegin`, overridden by
  /// the camera's section.
  func scanSettings(of camera: NamedCamera) -> ServiceSettings.Scan {
    var result = settings
    result.scan.autoBegin = nil
    result.read(camera.values)
    return result.scan
  }

  /// The configuration of each camera, the first camera's first.
  var byCamera: ByCamera<ServiceConfiguration> {
    ByCamera(self, named: settings.camera.name, others: cameras.map { ($0.name, using(camera: $0)) })
  }

  /// The names of all cameras, the first camera's first.
  package var cameraNames: [String] { [settings.camera.name] + cameras.map(\.name) }

  /// The problems of the cameras' names, of `trigger.camera`, and of devices and sources that cameras cannot share.
  var cameraProblems: [ConfigurationProblem] {
    guard let document else { return [] }
    var (cameras, problems) = NamedCamera.read(document, schema)
    func wrong(_ key: String, _ message: String, hint: String) {
      problems.append(document.problem(message, key, document.checked.at(key), hint: hint))
    }
    if !NamedCamera.isName(settings.camera.name) {
      wrong(
        "camera.name", "it is not a name for a camera", hint: "Use letters, digits, - and _, 64 characters at most.")
    }
    if let named = settings.trigger.camera, !cameraNames.contains(named) {
      wrong("trigger.camera", "no camera has this name", hint: CameraKeys.hint(of: cameraNames))
    }
    guard !cameras.isEmpty else { return problems }
    if cameras.contains(where: { $0.name == settings.camera.name }) {
      wrong(
        "cameras.\(settings.camera.name)", "the first camera has this name",
        hint: "Rename one: camera.name names the first, which is \(ServiceSettings().camera.name) without it.")
    }
    // With several cameras, each needs its own device: automatic selection could find the devices in any order, and a device in use
    // cannot be opened again.
    var taken: [String: String] = [:]
    let all =
      [("camera.device", settings)] + cameras.map { ("cameras.\($0.name).device", $0.settings) }
    for (key, settings) in all where settings.source.path == nil {
      guard let device = settings.camera.device, device != "auto" else {
        wrong(
          key, "it must name a device, as there are several cameras", hint: "waymark cameras lists what is plugged in.")
        continue
      }
      if let other = taken[device] {
        wrong(key, "\(other) is the same device", hint: "waymark cameras lists what is plugged in.")
      }
      taken[device] = key
    }
    if all.count(where: { $0.1.source.path == "-" }) > 1 {
      wrong("cameras", "standard input is the source of two cameras", hint: "Use named pipes.")
    }
    return problems
  }
}

extension Configurable {
  /// Returns the values of a member in the sections of further cameras that set it, by the name of the camera.
  package static func ofCameras<Member>(
    _ configuration: ServiceConfiguration, _ member: (Self) -> Member?
  ) -> [String: Member] {
    configuration.cameras.reduce(into: [:]) { members, camera in
      var own = Self()
      own.read(camera.values)
      members[camera.name] = member(own)
    }
  }
}

// MARK: Profiles

extension ServiceConfiguration {
  /// The profiles of the file, in its order.
  package var profiles: [ServiceProfile] { document.map { ServiceProfile.read($0).profiles } ?? [] }

  /// Returns this configuration with the settings of a profile in place of the file's settings. Flags and environment variables
  /// still override them.
  ///
  /// - Returns: nil if the file has no profile of this name.
  package func using(profile name: String) -> ServiceConfiguration? {
    guard let document, let section = document.checked["profiles"]?[name] else { return nil }
    let profiled = document.overlaid(by: section.without(["when", "feedback"]))
    let file = ConfigurationValues(profiled, table: schema.table).values
    var result = ServiceConfiguration(overrides + [file], schema: schema)
    result.document = profiled
    result.overrides = overrides
    result.cameras = cameras
    result.stateFolder = stateFolder
    return result
  }

  /// Returns the problems that the settings of profiles add to the problems without a profile.
  ///
  /// - Parameter check: returns the problems of a configuration.
  package func profileProblems(
    _ check: (ServiceConfiguration) -> [ConfigurationProblem]
  ) -> [ConfigurationProblem] {
    let usual = Set(check(self))
    return profiles.flatMap { profile in
      (using(profile: profile.name).map(check) ?? []).filter { !usual.contains($0) }.map { problem in
        ConfigurationProblem(
          origin: problem.origin, mark: problem.mark,
          key: problem.key.map { "profiles.\(profile.name).\($0)" } ?? "profiles.\(profile.name)",
          message: problem.message, hint: problem.hint)
      }
    }
  }
}

extension ServiceConfiguration {
  /// Returns the values that apply, each with its key and its origin: file and line, an environment variable, the command line, or the
  /// default. Keys without a value and without a constant default are left out.
  ///
  /// - Parameter isRedacted: true to redact values that may be secret, as the report does.
  package func listing(isRedacted: Bool = false) -> [(key: String, value: String, origin: String)] {
    let known = Set(schema.keys.map(\.path))
    let lists = (document?.checked).map { Self.leaves(of: $0, "") } ?? []
    return schema.keys.compactMap { line(of: $0, isRedacted) }
      + lists.filter { !known.contains($0.key) }.map { leaf in
        let key = isRedacted ? Redaction.text(leaf.key) : leaf.key
        return (key, text(of: leaf.node, leaf.key, isRedacted), document?.place(leaf.node) ?? "")
      }
  }

  private func line(of key: ConfigurationKey, _ isRedacted: Bool) -> (key: String, value: String, origin: String)? {
    for (origin, values) in zip(["command line", key.environmentName], overrides) {
      guard let value = values[key.path]?.text else { continue }
      guard isRedacted else { return (key.path, value, origin) }
      return (key.path, Redaction.isSecret(name: key.path) ? Redaction.mark : Redaction.text(value), origin)
    }
    if let document, let node = document.checked.at(key.path) {
      return (key.path, text(of: node, key.path, isRedacted), document.place(node))
    }
    return key.defaultValue.map { (key.path, $0.text, "default") }
  }

  private func text(of node: SourceNode, _ key: String, _ isRedacted: Bool) -> String {
    guard isRedacted else { return Self.text(of: node) }
    return Redaction.value(node, at: key.split(separator: ".").map(String.init), in: schema.table)
  }

  /// Returns the keys with single values or lists in a section and in the sections below it.
  private static func leaves(of section: SourceNode, _ path: String) -> [(key: String, node: SourceNode)] {
    section.entries.flatMap { entry in
      let key = path.isEmpty ? entry.key : "\(path).\(entry.key)"
      return entry.node.entries.isEmpty ? [(key, entry.node)] : leaves(of: entry.node, key)
    }
  }

  /// Returns a value in YAML's flow style.
  private static func text(of node: SourceNode) -> String {
    switch node.value {
    case .list(let nodes): "[\(nodes.map(text(of:)).joined(separator: ", "))]"
    case .map(let entries): "{\(entries.map { "\($0.key): \(text(of: $0.node))" }.joined(separator: ", "))}"
    case .null: "{}"
    case .bool, .number, .text: node.string.map { node.isQuoted ? "\"\($0)\"" : $0 } ?? ""
    }
  }
}
