import Foundation
import WaymarkBarcodes
import WaymarkKeys
import WaymarkService
import WaymarkSymbologies
import WaymarkSystem
import Yams

/// The section `type:` of the configuration, checked: rules, layout and everything that is wrong with them.
struct TypingConfiguration {
  private(set) var rules = TypingRules()
  private(set) var layout: KeyboardLayout.Name
  private(set) var problems: [ConfigurationProblem] = []
  private let origin: String

  /// The keys of a rule.
  private static let ruleKeys = [
    "symbologies", "type", "prefix", "suffix", "aim", "gs", "controls", "substitutions",
  ]

  /// - Parameter keyboard: the text of `/etc/default/keyboard`, by which Debian tells console and X11 the layout.
  init(_ configuration: ServiceConfiguration, keyboard: String? = Self.systemKeyboard) {
    origin = configuration.file ?? "configuration"
    let typing = configuration.typing
    layout = Self.layout(typing, keyboard: keyboard ?? "")
    var form = TypingRules.Form()
    set(&form, prefix: typing.prefix, suffix: typing.suffix, gs: typing.gs, under: "type", nil)
    form.aim = typing.aim ?? form.aim
    form.controls = typing.controls.flatMap(TypingRules.Controls.init(rawValue:)) ?? form.controls
    for word in typing.symbologies ?? [] where Symbology(name: word) == nil {
      add("\"\(word)\" is not a symbology", "type.symbologies", nil, hint: Self.symbologyHint)
    }
    // A file that is not YAML is reported by whoever loads the file.
    let root = configuration.fileText.flatMap { try? Yams.compose(yaml: $0) }
    let section = root?.mapping?["type"]?.mapping
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
  private static func layout(_ typing: ServiceConfiguration.Typing, keyboard: String) -> KeyboardLayout.Name {
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

  private mutating func read(_ node: Node?) {
    guard let node, !node.isNull else { return }
    guard let list = node.sequence else {
      add("a list of rules is expected", "type.rules", node, hint: "Write - symbologies: [qr] and its keys below.")
      return
    }
    for (index, element) in list.enumerated() {
      let path = "type.rules.\(index + 1)"
      guard let content = element.mapping else {
        add("a section with keys is expected", path, element, hint: "Write - symbologies: [qr] and its keys below.")
        continue
      }
      for key in content.keys where !Self.ruleKeys.contains(key.string ?? "") {
        add(
          "there is no such key", "\(path).\(key.string ?? "?")", key,
          hint: "Keys are \(Self.ruleKeys.joined(separator: ", ")).")
      }
      var form = rules.standard
      func text(_ name: String) -> String? { content[name].flatMap { $0.isNull ? nil : $0.string } }
      set(&form, prefix: text("prefix"), suffix: text("suffix"), gs: text("gs"), under: path, element)
      form.isTyped = flag(content["type"], "\(path).type") ?? form.isTyped
      form.aim = flag(content["aim"], "\(path).aim") ?? form.aim
      if let word = text("controls") {
        form.controls = TypingRules.Controls(rawValue: word) ?? form.controls
        if TypingRules.Controls(rawValue: word) == nil {
          add(
            "\"\(word)\" is not refuse, drop, keys or control", "\(path).controls", content["controls"],
            hint: "Correct the value.")
        }
      }
      form.substitutions += substitutions(content["substitutions"], "\(path).substitutions")
      for symbology in symbologies(content["symbologies"], path, element) {
        // The first rule that names a symbology is the one that counts.
        if rules.forms[symbology.rawValue] == nil { rules.forms[symbology.rawValue] = form }
      }
    }
  }

  private mutating func symbologies(_ node: Node?, _ path: String, _ rule: Node) -> [Symbology] {
    let words = node?.sequence.map { $0.compactMap(\.string) } ?? node?.string.map { [$0] } ?? []
    guard !words.isEmpty else {
      add("it names no symbologies", path, rule, hint: "Put what applies to every symbology under type: itself.")
      return []
    }
    return words.compactMap { word in
      if let symbology = Symbology(name: word) { return symbology }
      add("\"\(word)\" is not a symbology", "\(path).symbologies", node, hint: Self.symbologyHint)
      return nil
    }
  }

  private mutating func substitutions(_ node: Node?, _ path: String) -> [Substitution] {
    guard let node, !node.isNull else { return [] }
    let hint = "Write - {match: 'REGULAR EXPRESSION', replace: 'TEXT'}."
    guard let list = node.sequence else {
      add("a list is expected", path, node, hint: hint)
      return []
    }
    return list.compactMap { element in
      guard let content = element.mapping, let pattern = content["match"]?.string, content.count <= 2,
        content.count == 1 || content["replace"] != nil
      else {
        add("match and replace are expected", path, element, hint: hint)
        return nil
      }
      do throws(TypingError) {
        return try Substitution(match: pattern, replace: content["replace"]?.string ?? "")
      } catch {
        add(error.message, path, element, hint: error.hint)
        return nil
      }
    }
  }

  private mutating func flag(_ node: Node?, _ path: String) -> Bool? {
    guard let node, !node.isNull else { return nil }
    if let flag = node.bool { return flag }
    add("true or false is expected", path, node, hint: "Correct the value.")
    return nil
  }

  private mutating func set(
    _ form: inout TypingRules.Form, prefix: String?, suffix: String?, gs: String?, under path: String, _ node: Node?
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

  private mutating func add(_ message: String, _ key: String, _ node: Node?, hint: String) {
    problems.append(
      ConfigurationProblem(origin: origin, line: node?.mark?.line, key: key, message: message, hint: hint))
  }
}

extension Node {
  /// True if nothing stands there.
  fileprivate var isNull: Bool { scalar?.style == .plain && null != nil }
}
