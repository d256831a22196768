import Foundation
import WaymarkBarcodes
package import WaymarkConfiguration
package import WaymarkService
import WaymarkSystem

/// The section `type:` of the configuration, checked: rules, layout and everything that is wrong with them.
package struct TypingConfiguration {
  /// The values of its keys but the lists.
  package let settings: TypingSettings
  /// Around which codes what is typed.
  package private(set) var rules = TypingRules()
  /// The layout that the focused program reads with.
  package private(set) var layout: KeyboardLayout.Name
  /// Everything that is wrong.
  package private(set) var problems: [ConfigurationProblem] = []
  private let origin: String

  /// - Parameter keyboard: the text of `/etc/default/keyboard`, by which Debian tells console and X11 the layout.
  package init(_ configuration: ServiceConfiguration, keyboard: String? = Self.systemKeyboard) {
    origin = configuration.file ?? "configuration"
    let typing = TypingSettings(configuration)
    settings = typing
    layout = Self.layout(typing, keyboard: keyboard ?? "")
    var form = TypingRules.Form()
    set(&form, prefix: typing.prefix, suffix: typing.suffix, gs: typing.gs, under: "type", nil)
    form.aim = typing.aim ?? form.aim
    form.controls = typing.controls.flatMap(TypingRules.Controls.init(rawValue:)) ?? form.controls
    for word in typing.symbologies ?? [] where Symbology(name: word) == nil {
      add("\"\(word)\" is not a symbology", "type.symbologies", nil, hint: Self.symbologyHint)
    }
    let cameras = configuration.cameraNames
    // A file without cameras may be another than the service's.
    if let camera = typing.camera, cameras.count > 1, !cameras.contains(camera) {
      add("no camera has this name", "type.camera", nil, hint: ServiceConfiguration.hint(of: cameras))
    }
    let section = configuration.document?.checked["type"]
    form.substitutions = substitutions(section?["substitutions"], "type.substitutions")
    rules = TypingRules(standard: form)
    read(section?["rules"])
    // The system's own layout is looked at by whoever types.
    guard typing.layout != nil else { return }
    do throws(TypingError) {
      _ = try KeyboardLayout(layout)
    } catch {
      add(error.message, "type.layout", nil, hint: error.hint)
    }
  }

  private static let symbologyHint =
    "Symbologies are \(Symbology.allCases.map(\.rawValue).joined(separator: ", "))."

  /// The file by which Debian configures keyboards.
  static var systemKeyboard: String? {
    (try? WholeFile.read("/etc/default/keyboard", limit: 1 << 16)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The layout that is configured, else the system's. Of several, between which people switch, the first.
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
      form.isTyped = content["type"]?.bool ?? form.isTyped
      form.aim = content["aim"]?.bool ?? form.aim
      form.controls = content["controls"]?.string.flatMap(TypingRules.Controls.init(rawValue:)) ?? form.controls
      form.substitutions += substitutions(content["substitutions"], "\(path).substitutions")
      for symbology in symbologies(content["symbologies"], path, content) {
        // The first rule that names a symbology is the one that counts.
        if rules.forms[symbology.rawValue] == nil { rules.forms[symbology.rawValue] = form }
      }
    }
  }

  private mutating func symbologies(_ node: SourceNode?, _ path: String, _ rule: SourceNode) -> [Symbology] {
    guard let words = node?.elements, !words.isEmpty else {
      add("it names no symbologies", path, rule, hint: "What holds for all of them stands under type: itself.")
      return []
    }
    return words.compactMap { word in
      let name = word.string ?? ""
      if let symbology = Symbology(name: name) { return symbology }
      add("\"\(name)\" is not a symbology", "\(path).symbologies", word, hint: Self.symbologyHint)
      return nil
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
      ConfigurationProblem(origin: origin, mark: node?.mark, key: key, message: message, hint: hint))
  }
}
