import WaymarkSystem

/// The type of a value of the configuration.
package enum ConfigurationType: Hashable, Sendable {
  /// Any text.
  case string
  /// One of some words.
  case choice([String])
  /// A whole number within bounds.
  case int(ClosedRange<Int>)
  /// A number within bounds.
  case double(ClosedRange<Double>)
  /// `true` or `false`.
  case bool
  /// A list of texts; one text alone counts as a list.
  case strings
  /// A section that another part reads and checks.
  case section

  /// The name of the type for a person.
  package var description: String {
    switch self {
    case .string: "a string"
    case .choice(let words): "one of " + words.joined(separator: ", ")
    case .int(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .double(let range): "a number from \(range.lowerBound) to \(range.upperBound)"
    case .bool: "true or false"
    case .strings: "a list of strings"
    case .section: "a section"
    }
  }
}

/// A key of the configuration.
package struct ConfigurationKey: Hashable, Sendable {
  /// Its path: `camera.rotation`.
  package let path: String
  /// The type of its value.
  package let type: ConfigurationType
  /// True if a running service takes a new value over on SIGHUP.
  let isReloadable: Bool

  init(_ path: String, _ type: ConfigurationType, reload: Bool = false) {
    self.path = path
    self.type = type
    isReloadable = reload
  }

  /// The environment variable that sets it: `WAYMARK_CAMERA_ROTATION`.
  package var environmentName: String {
    var name = "WAYMARK_"
    for character in path {
      if character == "." {
        name += "_"
      } else if character.isUppercase {
        name += "_" + String(character)
      } else {
        name += character.uppercased()
      }
    }
    return name
  }
}

/// All keys of `waymark.yaml`. The library that reads it names neither unknown keys nor wrong types, so this does.
package enum ConfigurationSchema {
  /// The names of the sections, and of keys that stand in none.
  package static let sections: [String] = keys.reduce(into: []) { names, key in
    let name = String(key.path.prefix { $0 != "." })
    if !names.contains(name) { names.append(name) }
  }

  /// The keys.
  package static let keys: [ConfigurationKey] =
    [
      // The socket's path has no key in the environment of its own: WAYMARK_SOCKET is what clients read, too.
      ConfigurationKey("socket.path", .string),
      ConfigurationKey("socket.group", .string),
      ConfigurationKey("socket.mode", .choice(["0600", "0660", "0666"])),
      ConfigurationKey("roles.operators.users", .strings, reload: true),
      ConfigurationKey("roles.operators.groups", .strings, reload: true),
      ConfigurationKey("roles.observers.users", .strings, reload: true),
      ConfigurationKey("roles.observers.groups", .strings, reload: true),
      ConfigurationKey("roles.observers.pictures", .bool, reload: true),
      ConfigurationKey("clients.maximum", .int(1...10_000), reload: true),
      ConfigurationKey("clients.perUser", .int(1...10_000), reload: true),
      ConfigurationKey("clients.outbox", .int(65_536...67_108_864), reload: true),
      ConfigurationKey("clients.history", .int(0...10_000), reload: true),
      ConfigurationKey("clients.slowAfter", .double(0.1...600), reload: true),
      ConfigurationKey("clients.stalledAfter", .double(1...3600), reload: true),
      ConfigurationKey("source.path", .string),
      ConfigurationKey("source.rate", .double(0.01...240)),
      ConfigurationKey("source.loop", .bool),
      ConfigurationKey("source.onboarding", .bool),
      ConfigurationKey("camera.device", .string, reload: true),
      ConfigurationKey("camera.format", .choice(["MJPG", "YUYV", "NV12", "GREY"]), reload: true),
      ConfigurationKey("camera.width", .int(16...8192), reload: true),
      ConfigurationKey("camera.height", .int(16...8192), reload: true),
      ConfigurationKey("camera.rate", .double(0.1...240), reload: true),
      ConfigurationKey("camera.rotation", .choice(["0", "90", "180", "270"]), reload: true),
      ConfigurationKey("camera.mirror", .bool, reload: true),
      ConfigurationKey("camera.vendorFormats", .bool, reload: true),
      ConfigurationKey("camera.keepOpen", .bool),
      ConfigurationKey("camera.closeAfter", .double(0...3600)),
      ConfigurationKey("camera.focus", .int(-1_000_000...1_000_000), reload: true),
      ConfigurationKey("camera.focusAuto", .bool, reload: true),
      ConfigurationKey("camera.exposureTime", .int(0...1_000_000), reload: true),
      ConfigurationKey("camera.exposureAuto", .bool, reload: true),
      ConfigurationKey("camera.gain", .int(0...1_000_000), reload: true),
      ConfigurationKey("camera.powerLineFrequency", .choice(["off", "50", "60", "auto"]), reload: true),
      ConfigurationKey("camera.calibrations", .strings, reload: true),
      ConfigurationKey("camera.fieldOfView", .double(5...170), reload: true),
      ConfigurationKey("scan.autoBegin", .choice(["off", "onboarding", "barcode"]), reload: true),
      ConfigurationKey("scan.onboardingSymbologies", .strings, reload: true),
      ConfigurationKey("scan.barcodeSymbologies", .strings, reload: true),
      ConfigurationKey("scan.rate", .double(0.1...240), reload: true),
      ConfigurationKey("scan.newAfter", .double(0...3600), reload: true),
      ConfigurationKey("trigger.device", .string),
      ConfigurationKey("trigger.key", .string),
      ConfigurationKey("trigger.mode", .choice(["onboarding", "barcode"])),
      ConfigurationKey("type.arm", .choice(ServiceConfiguration.Typing.Arm.allCases.map(\.rawValue))),
      ConfigurationKey("type.layout", .string),
      ConfigurationKey("type.variant", .string),
      ConfigurationKey("type.model", .string),
      ConfigurationKey("type.options", .strings),
      ConfigurationKey("type.prefix", .string),
      ConfigurationKey("type.suffix", .string),
      ConfigurationKey("type.aim", .bool),
      ConfigurationKey("type.gs", .string),
      ConfigurationKey("type.controls", .choice(["refuse", "drop", "keys", "control"])),
      ConfigurationKey("type.unicode", .choice(["refuse", "ctrlShiftU"])),
      ConfigurationKey("type.deadKeys", .bool),
      ConfigurationKey("type.rate", .double(1...2000)),
      ConfigurationKey("type.symbologies", .strings),
      ConfigurationKey("type.substitutions", .section),
      ConfigurationKey("type.rules", .section),
      ConfigurationKey("type.device", .string),
      ConfigurationKey("onboarding", .section, reload: true),
      ConfigurationKey("accounts", .section, reload: true),
      ConfigurationKey("isolation", .choice(["on", "off"])),
      ConfigurationKey("replay.folder", .string, reload: true),
      ConfigurationKey("gallery.folders", .strings, reload: true),
      ConfigurationKey("forms.folder", .string),
      ConfigurationKey("forms.keepFor", .double(0.1...87_600), reload: true),
      ConfigurationKey("signatures.folder", .string),
      ConfigurationKey("signatures.keepFor", .double(0.1...87_600), reload: true),
      ConfigurationKey("documents.folder", .string),
      ConfigurationKey("documents.output", .string),
      ConfigurationKey("documents.keyFile", .string),
      ConfigurationKey("documents.pages", .int(1...200)),
      ConfigurationKey("documents.megabytes", .int(16...65_536)),
      ConfigurationKey("documents.keepFor", .double(0.01...8760)),
      ConfigurationKey("documents.rate", .double(0.1...240)),
      ConfigurationKey("text.patterns", .section, reload: true),
      ConfigurationKey("text.languages", .strings, reload: true),
      ConfigurationKey("text.rate", .double(0.1...240), reload: true),
      ConfigurationKey("scenes.folders", .strings, reload: true),
      ConfigurationKey("scenes.cache", .string, reload: true),
      ConfigurationKey("scenes.load", .string, reload: true),
      ConfigurationKey("scenes.start", .bool, reload: true),
      ConfigurationKey("scenes.annotateAfter", .double(0...60), reload: true),
      ConfigurationKey("scenes.lostAfter", .double(0...60), reload: true),
      ConfigurationKey("anchors.library", .string, reload: true),
      ConfigurationKey("anchors.rate", .double(0.1...240), reload: true),
      ConfigurationKey("log.level", .choice(logLevels), reload: true),
      ConfigurationKey("log.format", .choice(LogSettings.Format.allCases.map(\.rawValue)), reload: true),
    ] + LogSubsystem.allCases.map { ConfigurationKey("log.levels.\($0.rawValue)", .choice(logLevels), reload: true) }

  private static let logLevels = ["trace", "debug", "info", "notice", "warning", "error", "critical"]

  /// The key of a path.
  package static func key(_ path: String) -> ConfigurationKey? { byPath[path] }

  /// Returns whether keys begin with `path`.
  static func isSection(_ path: String) -> Bool { keys.contains { $0.path.hasPrefix(path + ".") } }

  /// The known key nearest to `path`, for the hint.
  static func nearest(to path: String) -> String? { NearestWord.of(path, among: keys.map { $0.path }) }

  private static let byPath = Dictionary(uniqueKeysWithValues: keys.map { ($0.path, $0) })
}
