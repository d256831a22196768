import Foundation
package import WaymarkConfiguration
package import WaymarkService
import WaymarkSystem

/// The settings of `waymark type` except for its lists of rules. `TypingConfiguration` below has the whole section:
/// these settings, the rules and the layout. The service reads them only to report problems.
package struct TypingSettings: Configurable, Hashable {
  /// The scans whose codes are typed.
  package enum Arm: String, CaseIterable, Sendable {
    /// Scans that the service began without a client: by `scan.autoBegin` or `trigger.key`.
    case service
    /// The same scans as `service`, each ended after its first code, so that each press of the key types one code.
    case key
    /// Scans that `waymark type` begins itself, so that a scan is always armed.
    case always
  }

  package var arm = Arm.service
  /// The camera whose codes are typed; nil for any.
  package var camera: String?
  package var layout, variant, model: String?
  package var options: [String] = []
  package var prefix, suffix, separator: String?
  package var aim = TypingRules.Form().aim
  package var controls = TypingRules.Form().controls
  package var unicode = TypingPlanner.Missing.refuse
  package var deadKeys = true
  /// The number of keys typed per second.
  package var rate = 400.0
  package var symbologies: [String]?
  package var device = "/dev/uinput"

  package init() {}

  /// The keys of the section `type` except for its lists.
  package static let settings = section(
    "type", changing: .described("‡"),
    [
      Setting("arm", "scans whose codes [`waymark type`](typing.md) types", into: \.arm),
      Setting(
        "camera", .string, "camera of these scans", into: \.camera,
        otherwise: "any; armed is the first"),
      Setting(
        "layout", .string, "keyboard layout of the focused program, as in `setxkbmap`",
        into: \.layout, otherwise: "that of `/etc/default/keyboard`, else `us`"),
      Setting("variant", .string, "its variant, such as `nodeadkeys`", into: \.variant),
      Setting("model", .string, "its model", into: \.model, otherwise: "`pc105`"),
      Setting("options", .strings, "options of xkb", into: \.options),
      Setting("prefix", .string, "typed before the code; keys in braces, such as `{Tab}`", into: \.prefix),
      Setting("suffix", .string, "typed after it", into: \.suffix, otherwise: "`{Enter}`"),
      Setting(
        "aim", .bool, "types the symbology identifier of ISO/IEC 15424 first", into: \.aim),
      Setting("gs", .string, "typed for the separator of GS1 (ASCII 29)", into: \.separator),
      Setting("controls", "handling of control characters", into: \.controls),
      Setting("unicode", "handling of characters without a key", into: \.unicode),
      Setting("deadKeys", .bool, "types accents with dead keys", into: \.deadKeys),
      Setting("rate", .double(1...2000), "keys a second", into: \.rate),
      Setting("symbologies", .strings, "symbologies of `arm: always`", into: \.symbologies),
      Setting("device", .string, "device that creates keyboards", into: \.device),
    ])
}

extension TypingSettings.Arm: SettingWord {}
extension TypingRules.Controls: SettingWord {}
extension TypingPlanner.Missing: SettingWord {}

extension TypingRules.Form: Configurable {
  /// The keys of the lists of the section `type`.
  package static let settings = section("type", lists)

  private static let lists: [Setting<Self>] =
    [
      Setting(
        "substitutions", .sections, "[substitutions](typing.md) by regular expression",
        mayBeEmpty: true, remedy: substitutionRemedy)
    ] + substitution("substitutions") + [
      Setting(
        "rules", .sections, "other settings for some symbologies", mayBeEmpty: true,
        remedy: "Write - symbologies: [qr] and its keys below."),
      Setting("rules.symbologies", .strings, "symbologies of a rule", mayBeEmpty: true),
      Setting("rules.type", .flag, "types them", into: \.isTyped),
      Setting("rules.prefix", .string, "as in `type`"),
      Setting("rules.suffix", .string, "as in `type`"),
      Setting("rules.aim", .flag, "as in `type`", into: \.aim, otherwise: ""),
      Setting("rules.gs", .string, "as in `type`"),
      Setting("rules.controls", "as in `type`", into: \.controls, otherwise: ""),
      Setting(
        "rules.substitutions", .sections, "further substitutions", mayBeEmpty: true,
        remedy: substitutionRemedy),
    ] + substitution("rules.substitutions")

  private static let substitutionRemedy = "Write - {match: 'REGULAR EXPRESSION', replace: 'TEXT'}."

  private static func substitution(_ section: String) -> [Setting<Self>] {
    [
      Setting("\(section).match", .string, "regular expression"),
      Setting("\(section).replace", .string, "replacement", otherwise: "nothing"),
    ]
  }
}

/// The section `type` of the configuration: rules, layout and their problems.
package struct TypingConfiguration {
  /// The values of its keys except for the lists.
  package let settings: TypingSettings
  /// The rules for typing codes: prefixes, suffixes and replacements.
  package private(set) var rules = TypingRules()
  /// The keyboard layout that the focused program uses.
  package private(set) var layout: KeyboardLayout.Name
  /// The problems found in the section, each at the position of its value in the file.
  package private(set) var problems: [ConfigurationProblem] = []
  private let configuration: ServiceConfiguration

  /// - Parameter keyboard: the text of `/etc/default/keyboard`, which sets the layout of console and X11.
  package init(_ configuration: ServiceConfiguration, keyboard: String? = Self.systemKeyboard) {
    self.configuration = configuration
    let typing = TypingSettings(configuration.values)
    settings = typing
    layout = Self.layout(typing, keyboard: keyboard ?? "")
    var form = TypingRules.Form()
    set(&form, prefix: typing.prefix, suffix: typing.suffix, gs: typing.separator, under: "type", nil)
    (form.aim, form.controls) = (typing.aim, typing.controls)
    for word in typing.symbologies ?? [] where ScanWire.symbologyNames(of: word) == nil {
      add("\"\(word)\" is not a symbology", "type.symbologies", nil, hint: Self.symbologyHint)
    }
    let cameras = configuration.cameraNames
    // A file that names no cameras may not be the service's.
    if let camera = typing.camera, cameras.count > 1, !cameras.contains(camera) {
      add("no camera has this name", "type.camera", nil, hint: CameraKeys.hint(of: cameras))
    }
    let section = configuration.document?.checked["type"]
    form.substitutions = substitutions(section?["substitutions"], "type.substitutions")
    rules = TypingRules(standard: form)
    read(section?["rules"])
    // The system's layout is checked when `TypingController` loads it.
    guard typing.layout != nil else { return }
    do throws(TypingError) {
      _ = try KeyboardLayout(layout)
    } catch {
      add(error.message, "type.layout", nil, hint: error.hint)
    }
  }

  private static let symbologyHint = "Symbologies are \(ScanWire.symbologyNames)."

  /// The text of Debian's keyboard configuration; nil if it cannot be read.
  static var systemKeyboard: String? {
    (try? WholeFile.read("/etc/default/keyboard", limit: 1 << 16)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The configured layout, else the first of the system's layouts.
  private static func layout(_ typing: TypingSettings, keyboard: String) -> KeyboardLayout.Name {
    guard let layout = typing.layout else {
      let lines = keyboard.split(separator: "\n").map { $0.split(separator: "=", maxSplits: 1) }
      func value(_ name: String) -> String {
        let line = lines.last { $0.count == 2 && $0[0] == name }
        return line.map { $0[1].trimmingCharacters(in: CharacterSet(charactersIn: " \"'")) } ?? ""
      }
      func first(_ name: String) -> String {
        value(name).split(separator: ",", omittingEmptySubsequences: false).first.map(String.init) ?? ""
      }
      return KeyboardLayout.Name(
        layout: first("XKBLAYOUT").isEmpty ? "us" : first("XKBLAYOUT"), variant: first("XKBVARIANT"),
        model: typing.model ?? value("XKBMODEL"),
        options: typing.options.isEmpty ? value("XKBOPTIONS") : typing.options.joined(separator: ","))
    }
    return KeyboardLayout.Name(
      layout: layout, variant: typing.variant ?? "", model: typing.model ?? "",
      options: typing.options.joined(separator: ","))
  }

  // MARK: The lists

  private mutating func read(_ node: SourceNode?) {
    for (index, content) in (node?.elements ?? []).enumerated() {
      let path = "type.rules.\(index + 1)"
      var form = rules.standard
      set(
        &form, prefix: content["prefix"]?.string, suffix: content["suffix"]?.string, gs: content["gs"]?.string,
        under: path, content)
      if let document = configuration.document { form.read(content, of: document, under: "type.rules") }
      form.substitutions += substitutions(content["substitutions"], "\(path).substitutions")
      for symbology in symbologies(content["symbologies"], path, content) {
        // The first rule that names a symbology applies.
        if rules.forms[symbology] == nil { rules.forms[symbology] = form }
      }
    }
  }

  private mutating func symbologies(_ node: SourceNode?, _ path: String, _ rule: SourceNode) -> [String] {
    guard let words = node?.elements, !words.isEmpty else {
      add("it names no symbologies", path, rule, hint: "What holds for all of them stands under type: itself.")
      return []
    }
    return words.flatMap { word -> [String] in
      let name = word.string ?? ""
      if let named = ScanWire.symbologyNames(of: name) { return named }
      add("\"\(name)\" is not a symbology", "\(path).symbologies", word, hint: Self.symbologyHint)
      return []
    }
  }

  private mutating func substitutions(_ node: SourceNode?, _ path: String) -> [Substitution] {
    (node?.elements ?? []).compactMap { element in
      guard let pattern = element["match"]?.string else {
        add(
          "match and replace are expected", path, element,
          hint: "Write - {match: 'REGULAR EXPRESSION', replace: 'TEXT'}.")
        return nil
      }
      do throws(TypingError) {
        return try Substitution(match: pattern, replace: element["replace"]?.string ?? "")
      } catch {
        add(error.message, path, element, hint: error.hint)
        return nil
      }
    }
  }

  private mutating func set(
    _ form: inout TypingRules.Form, prefix: String?, suffix: String?, gs: String?, under path: String,
    _ node: SourceNode?
  ) {
    func keys(_ text: String?, _ name: String) -> KeyText? {
      guard let text else { return nil }
      do throws(TypingError) {
        return try KeyText(text)
      } catch {
        add(error.message, "\(path).\(name)", node, hint: error.hint)
        return nil
      }
    }
    form.prefix = keys(prefix, "prefix") ?? form.prefix
    form.suffix = keys(suffix, "suffix") ?? form.suffix
    form.separator = keys(gs, "gs") ?? form.separator
  }

  private mutating func add(_ message: String, _ key: String, _ node: SourceNode?, hint: String) {
    problems.append(
      node.flatMap { configuration.document?.problem(message, key, $0, hint: hint) }
        ?? configuration.problem(message, key, hint: hint))
  }
}

extension Feature {
  /// The feature with the configuration keys of `waymark type`, a separate program that reads the service's file.
  package static let typing: Feature = {
    var feature = Feature()
    feature.keys = TypingSettings.keys
    feature.sectionKeys = TypingRules.Form.keys
    feature.profileKeys = TypingSettings.keys.filter { $0.path != "type.device" } + TypingRules.Form.keys
    feature.problems = { TypingConfiguration($0).problems }
    return feature
  }()
}
