import Glibc
package import WaymarkConfiguration
import WaymarkOnboarding
import WaymarkProtocol
import WaymarkScenes
import WaymarkServer
import WaymarkSystem
import WaymarkWorker

/// Loading with the checks of `ConfigurationReview`, as the service does at its start. `CameraSection` below has the
/// checks of one camera's settings.
extension ConfigurationLoader {
  /// Loads the configuration and checks it on this device. The service neither starts with nor reloads a configuration that has
  /// problems.
  ///
  /// - Parameters:
  ///   - features: the features of the program.
  ///   - text: the text to read in place of the configuration file; nil for the file.
  /// - Returns: the configuration, and the problems in the order of the file.
  package func checked(
    _ features: [Feature], _ text: String? = nil
  ) -> (configuration: ServiceConfiguration, problems: [ConfigurationProblem]) {
    let (configuration, problems) = load(text)
    return (configuration, (problems + ConfigurationReview.problems(in: configuration, features)).inOrder)
  }
}

/// Checks valid values on the device: whether the named accounts, files, folders, scenes, keys and symbologies exist and can be used.
/// Changes nothing on the disk.
package enum ConfigurationReview {
  /// Returns the problems of a configuration whose values have valid types and ranges.
  package static func problems(
    in configuration: ServiceConfiguration, _ features: [Feature]
  ) -> [ConfigurationProblem] {
    // The problems of the sections that profiles can change too.
    func sections(_ configuration: ServiceConfiguration) -> [ConfigurationProblem] {
      (configuration.document.map { OnboardingConfiguration.read($0).problems } ?? [])
        + features.flatMap { $0.problems(configuration) } + symbologies(configuration)
    }
    return sections(configuration) + configuration.profileProblems(sections) + configuration.cameraProblems
      + (configuration.document.map { ServiceProfile.read($0).problems } ?? []) + accounts(configuration)
      + places(configuration) + scenes(configuration)
      + CameraSection.all(configuration).flatMap { $0.problems(configuration) }
  }

  private static func symbologies(_ configuration: ServiceConfiguration) -> [ConfigurationProblem] {
    CameraSection.all(configuration).flatMap { section in
      [
        ("scan.onboardingSymbologies", section.settings.scan.onboardingSymbologies),
        ("scan.barcodeSymbologies", section.settings.scan.barcodeSymbologies),
      ].flatMap { key, names in
        (names ?? []).filter { ScanWire.symbologyNames(of: $0) == nil }.map { name in
          configuration.problem(
            "there is no symbology \"\(name)\"", section.path(key), element: name,
            hint: "Symbologies are \(ScanWire.symbologyNames).")
        }
      }
    }
  }

  private static func accounts(_ configuration: ServiceConfiguration) -> [ConfigurationProblem] {
    let roles = configuration.roles
    return [
      ("socket.group", configuration.socket.group.map { [$0] } ?? [], Accounts.group, "group"),
      ("roles.operators.users", roles.operatorUsers, Accounts.user, "user"),
      ("roles.operators.groups", roles.operatorGroups, Accounts.group, "group"),
      ("roles.observers.users", roles.observerUsers, Accounts.user, "user"),
      ("roles.observers.groups", roles.observerGroups, Accounts.group, "group"),
    ].flatMap { key, names, find, what in
      names.filter { find($0) == nil }.map { name in
        configuration.problem(
          "there is no \(what) \(name)", key, element: name, hint: "Create it, or name another.")
      }
    }
  }

  /// Returns the problems of the socket, the key of the trigger, and the folders.
  private static func places(_ configuration: ServiceConfiguration) -> [ConfigurationProblem] {
    var problems: [ConfigurationProblem] = []
    // A path from the flag or the variable is not checked: clients use both, too, and need not be able to create the socket.
    if let path = configuration.socket.path, !configuration.overrides.contains(where: { $0["socket.path"] != nil }) {
      let kind = FileKind(path)
      if SocketFile.address(path) == nil {
        problems.append(
          configuration.problem("it is too long for a socket", "socket.path", hint: "Name a path of at most 107 bytes.")
        )
      } else if kind == .regular || kind == .folder {
        problems.append(
          configuration.problem(
            "\(path) exists and is not a socket", "socket.path", hint: "Remove it, or name another."))
      } else if kind == nil, case let folder = Folder.parent(of: path), !Folder.isRuntime(folder) {
        problems += configuration.folderProblems("socket.path", at: folder, withParents: false)
      }
    }
    let key = configuration.trigger.key
    if KeyName.code(key) == nil {
      problems.append(configuration.problem("there is no key \"\(key)\"", "trigger.key", hint: KeyName.hint))
    }
    let replay = configuration.document.flatMap { OnboardingConfiguration.replayFolder($0) }
    problems += configuration.folderProblems("replay.folder", at: replay ?? configuration.replayFolder)
    problems += configuration.folderProblems("scenes.cache")
    for (key, folders) in [
      ("gallery.folders", configuration.galleryFolders), ("scenes.folders", configuration.scenes.folders),
    ] {
      for folder in folders where FileKind(folder) != .folder {
        problems.append(
          configuration.problem(
            "there is no folder \(folder)", key, element: folder, hint: "Create it, or correct the path."))
      }
    }
    return problems
  }

  private static func scenes(_ configuration: ServiceConfiguration) -> [ConfigurationProblem] {
    var problems: [ConfigurationProblem] = []
    let catalog = SceneCatalog(folders: configuration.scenes.effectiveFolders)
    if let name = configuration.scenes.load, catalog.entry(name) == nil {
      let names = catalog.entries().map(\.name).joined(separator: ", ")
      problems.append(
        configuration.problem(
          "there is no scene \"\(name)\"", "scenes.load",
          hint: names.isEmpty ? "Name a folder that has scenes in scenes.folders." : "Scenes are \(names)."))
    }
    if let path = configuration.scenes.library {
      // The content is not checked: the service also starts with a library that is damaged or of another release, and logs this.
      do throws(FileError) {
        _ = try WholeFile.head(path, count: 1)
      } catch {
        problems.append(configuration.problem(error.message, "anchors.library", hint: error.hint))
      }
    }
    return problems
  }
}

/// The settings of a camera, and the paths of their keys: at the top of the file, or in the section of a further camera.
private struct CameraSection {
  let settings: ServiceSettings
  /// The name of a further camera; nil for the first.
  private let name: String?

  static func all(_ configuration: ServiceConfiguration) -> [CameraSection] {
    [CameraSection(settings: configuration.settings, name: nil)]
      + configuration.cameras.map { CameraSection(settings: $0.settings, name: $0.name) }
  }

  /// Returns the path of a key of the first camera in this camera's section of the file.
  func path(_ key: String) -> String {
    guard let name else { return key }
    return "cameras.\(name)." + (key.hasPrefix("camera.") ? String(key.dropFirst("camera.".count)) : key)
  }

  /// Returns the problems of the source, its credentials, and the files of calibrations.
  func problems(_ configuration: ServiceConfiguration) -> [ConfigurationProblem] {
    var problems: [ConfigurationProblem] = []
    func attempt(_ key: String, element: String? = nil, _ body: () throws -> Void) {
      if let problem = configuration.problem(path(key), element: element, body) { problems.append(problem) }
    }
    // A source from a flag is checked when it is opened at the start; the exit status is then `cannotOpen`.
    if let source = settings.source.path, name != nil || configuration.overrides.first?["source.path"] == nil {
      var own = configuration
      (own.source, own.camera) = (settings.source, settings.camera)
      attempt("source.path") {
        _ = try SourceFactory(configuration: own, isolation: .none).make()
        if source != "-", FileKind(source) != nil, access(source, R_OK) != 0 {
          throw FileError(source, cannotBe: "read", number: errno)
        }
      }
    }
    if let file = settings.source.credentials, !Credential.isMissing(file) {
      attempt("source.credentials") { _ = try SecretLine.read(file) }
    }
    for entry in settings.camera.calibrations {
      attempt("camera.calibrations", element: entry) { _ = try CameraChoice.calibration(entry) }
    }
    return problems
  }
}
