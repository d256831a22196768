import WaymarkConfiguration
import WaymarkProtocol

/// Checks the forms of the page's file. `FieldKind` below has the kinds of fields.
struct FormReview: SettingsReview {
  /// The largest number of forms of a page: each has a tile.
  static let formLimit = 12
  /// The largest number of fields of a form: the limit of `form.submit`.
  static let fieldLimit = 200
  /// The largest number of choices of a field.
  static let choiceLimit = 200
  /// The largest number of photos of a form. A form is sent to the service in one command, which has room for one photo.
  static let photoLimit = 1

  let document: ConfigurationDocument
  var problems: [ConfigurationProblem] = []

  mutating func run() {
    let forms = document.checked["forms"]?.elements ?? []
    bound(forms, Self.formLimit, "forms")
    distinct(forms, "name", "forms")
    for (index, form) in forms.prefix(Self.formLimit).enumerated() { look(at: form, "forms.\(index + 1)") }
  }

  private mutating func look(at form: SourceNode, _ path: String) {
    let fields = form["fields"]?.elements ?? []
    require(form, ["name", "title"], path)
    if fields.isEmpty { add("it has no fields", path, form, "Add fields.") }
    bound(fields, Self.fieldLimit, "\(path).fields")
    distinct(fields, "name", "\(path).fields")
    bound(fields.filter { $0["kind"]?.string == FieldKind.photo.rawValue }, Self.photoLimit, "\(path).fields")
    var above: [String: SourceNode] = [:]
    for (index, field) in fields.prefix(Self.fieldLimit).enumerated() {
      look(at: field, "\(path).fields.\(index + 1)", above: above)
      if let name = field["name"]?.string { above[name] = field }
    }
  }

  private mutating func look(at field: SourceNode, _ path: String, above: [String: SourceNode]) {
    require(field, ["name", "label"], path)
    let kind = field["kind"]?.string.flatMap(FieldKind.init) ?? .text
    for entry in field.entries where !kind.takes(entry.key) {
      add(
        "a field of the kind \(kind.rawValue) has no \(entry.key)", "\(path).\(entry.key)", entry.node,
        "Leave it out, or choose another kind.")
    }
    choices(of: field, kind, path)
    if kind == .switch, let value = field["value"], !["yes", "no"].contains(value.string ?? "") {
      add("a switch is yes or no", "\(path).value", value, "Write \"yes\" or \"no\", in quotes.")
    }
    checkPattern("\(path).pattern", field["pattern"])
    if let minimum = field["minimum"]?.int, let maximum = field["maximum"]?.int, minimum > maximum {
      add("it is less than the minimum", "\(path).maximum", field["maximum"], "Swap them.")
    }
    days(of: field, path)
    if field["required"]?.bool == true, field["readonly"]?.bool == true, field["value"] == nil {
      add("it can never be filled in", path, field, "Give it a value, or leave required out.")
    }
    condition(of: field, path, above: above)
  }

  private mutating func choices(of field: SourceNode, _ kind: FieldKind, _ path: String) {
    let choices = field["choices"]?.elements ?? []
    guard [.choice, .list].contains(kind) else { return }
    if choices.isEmpty { add("it has nothing to choose", path, field, "Add choices.") }
    bound(choices, Self.choiceLimit, "\(path).choices")
    distinct(choices, "value", "\(path).choices")
    for (index, choice) in choices.enumerated() { require(choice, ["value", "label"], "\(path).choices.\(index + 1)") }
    if let value = field["value"]?.string, !choices.contains(where: { $0["value"]?.string == value }) {
      add("no choice has this value", "\(path).value", field["value"], "Name the value of one of them.")
    }
  }

  private mutating func days(of field: SourceNode, _ path: String) {
    let days = ["earliest", "latest"].map { name -> String? in
      guard let node = field[name], let text = node.string else { return nil }
      guard Self.isDay(text) else {
        add("\"\(text)\" is not a day", "\(path).\(name)", node, "Write it as \"2026-11-26\", in quotes.")
        return nil
      }
      return text
    }
    if let earliest = days[0], let latest = days[1], earliest > latest {
      add("it is before the earliest day", "\(path).latest", field["latest"], "Swap them.")
    }
  }

  /// Returns whether a text is a day of the calendar in the format of ISO 8601, such as `2026-11-26`.
  private static func isDay(_ text: String) -> Bool {
    guard let match = text.wholeMatch(of: /([0-9]{4})-([0-9]{2})-([0-9]{2})/),
      let year = Int(match.1), let month = Int(match.2), let day = Int(match.3), (1...12).contains(month)
    else { return false }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return (1...[31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]).contains(day)
  }

  private mutating func condition(of field: SourceNode, _ path: String, above: [String: SourceNode]) {
    guard let when = field["when"] else { return }
    guard let node = when["field"], let name = node.string else {
      add("field is missing", "\(path).when", when, "Name a field that stands above.")
      return
    }
    guard let other = above[name] else {
      add("no field above it is called \(name)", "\(path).when.field", node, "Name one that stands before it.")
      return
    }
    let values = (other["choices"]?.elements ?? []).compactMap { $0["value"]?.string }
    for wanted in when["is"]?.elements ?? [] where !values.isEmpty && !values.contains(wanted.string ?? "") {
      add(
        "\(name) has no choice \"\(wanted.string ?? "")\"", "\(path).when.is", wanted,
        "Choose of \(values.joined(separator: ", ")).")
    }
  }
}

/// The kind of a form's field: its control and the values that it accepts.
enum FieldKind: String, CaseIterable, Sendable {
  /// A line of text.
  case text
  /// A whole number, with buttons that count up and down.
  case number
  /// A day of the calendar.
  case date
  /// One of several values, shown as buttons for up to four.
  case choice
  /// One of several values, shown as a list.
  case list
  /// Several lines of text.
  case note
  /// A line that a code fills.
  case code
  /// A line that printed text fills.
  case print
  case signature
  /// Yes or no.
  case `switch`
  /// A photo; a form has at most one.
  case photo

  /// For each key that only some kinds of fields may have, these kinds. Keys that are not listed are allowed for all kinds.
  private static let special: [String: Set<FieldKind>] = {
    let lines: Set<FieldKind> = [.text, .note, .code, .print]
    return [
      "readonly": lines, "pattern": lines, "wrong": lines, "limit": lines, "capitals": lines,
      "prompt": lines, "reads": [.text, .print],
      "scan": [.text, .note], "minimum": [.number], "maximum": [.number], "unit": lines.union([.number]),
      "earliest": [.date], "latest": [.date], "choices": [.choice, .list],
      "value": lines.union([.number, .date, .choice, .list, .switch]),
    ]
  }()

  /// Returns whether fields of this kind may have a key.
  func takes(_ key: String) -> Bool { Self.special[key]?.contains(self) ?? true }
}
