import Foundation
package import WaymarkConfiguration
package import WaymarkSystem

/// The settings of the integrator's file for the page: brand, words, forms and handover.
package struct PageSettings: Sendable {
  /// The file's largest size, in bytes.
  private static let sizeLimit = 1 << 20
  private static let logoLimit = 200 << 10

  /// The settings as JSON for the page.
  let json: JSONValue
  /// CSS rules that are applied after the page's own.
  let style: String
  /// The logo's file, with the name under which it is served.
  let logo: (name: String, file: Assets.File)?
  /// The programs to which results are handed over.
  let ways: [HandoverWay]
  /// The tags of the page's languages: its own languages, then the languages of `words` in the file.
  package let languages: [String]
  /// The problems found in the file, in its order.
  package let problems: [ConfigurationProblem]

  /// Creates the settings of a page without a file.
  package init() {
    json = .object([])
    style = ""
    logo = nil
    ways = []
    languages = PageReview.ownLanguages
    problems = []
  }

  /// Reads the file at `path`.
  ///
  /// - Parameter assets: the folder of the page's files, which contain its texts.
  /// - Throws: `FileError` if the file at `path` cannot be read.
  package init(file path: String, assets: String) throws(FileError) {
    let text = String(decoding: try WholeFile.read(path, limit: Self.sizeLimit), as: UTF8.self)
    self.init(text, path: path, assets: assets)
  }

  /// The problems of the file; also the problem of a fixed language without words.
  package func problems(fixing language: String?) -> [ConfigurationProblem] {
    guard let language, !languages.contains(language) else { return problems }
    return problems + [
      ConfigurationProblem(
        origin: "flags", key: "language", message: "there are no words for \(language)",
        hint: "Choose of \(languages.joined(separator: ", ")), or add words.\(language) to --page.")
    ]
  }

  init(_ text: String, path: String, assets: String) {
    let document = ConfigurationDocument(text, path: path, table: Self.table)
    var review = PageReview(document: document, words: PageWords(folder: assets))
    review.run()
    var forms = FormReview(document: document)
    forms.run()
    var handover = HandoverReview(document: document)
    handover.run()
    var problems = document.problems + review.problems + forms.problems + handover.problems
    let brand = document.checked["brand"]
    var logo: (name: String, file: Assets.File)?
    if let node = brand?["logo"], let name = node.string {
      do throws(FileError) {
        logo = try Self.logo(document.resolved(name))
        if logo == nil {
          problems.append(
            document.problem(
              "it is neither SVG, PNG nor WebP", "brand.logo", node,
              hint: "Name a file that ends in .svg, .png or .webp."))
        }
      } catch {
        problems.append(document.problem(error.message, "brand.logo", node, hint: error.hint))
      }
    }
    self.logo = logo
    style = review.style
    ways = handover.ways
    languages = PageReview.ownLanguages + (document.checked["words"]?.entries ?? []).map(\.key)
    self.problems = problems.inOrder
    var members = document.checked.entries.filter { !["brand", "handover"].contains($0.key) }.map {
      JSONValue.Member($0.key, Self.json($0.node))
    }
    if let nodes = document.checked["handover"]?.elements, !nodes.isEmpty {
      members.append(JSONValue.Member("handover", .array(nodes.map(Self.shownWay))))
    }
    var shown: [JSONValue.Member] = []
    if let name = brand?["name"]?.string { shown.append(JSONValue.Member("name", .string(name))) }
    if let logo { shown.append(JSONValue.Member("logo", .string("/assets/\(logo.name)"))) }
    if !shown.isEmpty { members.append(JSONValue.Member("brand", .object(shown))) }
    json = .object(members)
  }

  /// Returns the settings of a way of handover that the page receives: all settings except the program's.
  private static func shownWay(_ node: SourceNode) -> JSONValue {
    let shown = ["name", "label", "of", "ask", "pattern", "wrong", "done"]
    return .object(
      node.entries.filter { shown.contains($0.key) }.map { JSONValue.Member($0.key, json($0.node)) })
  }

  private static func logo(_ path: String) throws(FileError) -> (name: String, file: Assets.File)? {
    let types = ["svg": "image/svg+xml", "png": "image/png", "webp": "image/webp"]
    let ending = (path as NSString).pathExtension.lowercased()
    guard let type = types[ending] else { return nil }
    let bytes = try WholeFile.read(path, limit: logoLimit)
    return ("brand.\(ending)", Assets.File(Data(bytes), contentType: type))
  }

  /// Converts a value of the file to JSON; a number becomes a string as it is written.
  private static func json(_ node: SourceNode) -> JSONValue {
    switch node.value {
    case .null: .null
    case .bool(let flag): .bool(flag)
    case .number: .string(node.written ?? "")
    case .text(let text): .string(text)
    case .list(let nodes): .array(nodes.map(json))
    case .map(let entries): .object(entries.map { JSONValue.Member($0.key, json($0.node)) })
    }
  }
}

extension PageSettings {
  /// The keys of the integrator's file for the page.
  package static let table = ConfigurationTable(brand + words + cameras + forms + handover)

  private typealias Key = ConfigurationKey

  private static let colour = ConfigurationKind.text(7)
  private static let name = ConfigurationKind.text(64)

  private static let brand: [Key] = [
    Key("brand.name", .text(60), "name beside the logo, and the page's title"),
    Key("brand.logo", .text(4096), "SVG, PNG or WebP file of at most 200 KiB"),
    Key("brand.accent", colour, "colour of buttons and links on light ground, `#rrggbb`"),
    Key("brand.accentDark", colour, "their colour on dark ground"),
  ]

  private static let words: [Key] = [
    Key("languages", .texts(3), "languages of the switch, in order; all but `en` and `de` need `words`"),
    Key("words", .named, "words of the page, by language"),
    Key("words.LANGUAGE", .named, "other texts, by their keys; `language` is its name"),
    Key("words.LANGUAGE.KEY", .text(2000), "text"),
    Key("texts", .sections, "translations of texts of scenes and of the provider of accounts"),
    Key("texts.text", .localized, "text as delivered, and in other languages"),
  ]

  /// The keys for the camera of each view.
  private static let cameras: [Key] = ["onboard", "ar", "document", "count", "field"].map { view in
    Key("cameras.\(view)", name, "camera of this view, with several cameras; `field` fills forms")
  }

  private static let forms: [Key] = [
    Key("forms", .sections, "forms, in the order of their tiles"),
    Key("forms.name", name, "its name for programs"),
    Key("forms.title", .localized, "title, also of its tile"),
    Key("forms.help", .localized, "text on its tile"),
    Key("forms.fields", .sections, "its fields"),
    Key("forms.fields.section", .localized, "heading above the field"),
    Key("forms.fields.name", name, "its name for programs"),
    Key("forms.fields.label", .localized, "its label"),
    Key("forms.fields.kind", .choice(FieldKind.allCases.map(\.rawValue)), "its content"),
    Key("forms.fields.help", .localized, "text below it"),
    Key("forms.fields.prompt", .localized, "shown while it is empty, such as an example"),
    Key("forms.fields.required", .bool, "must be filled in"),
    Key("forms.fields.value", .localized, "its first content"),
    Key("forms.fields.readonly", .bool, "cannot be changed"),
    Key("forms.fields.pattern", .text(500), "regular expression for all of it"),
    Key("forms.fields.wrong", .localized, "message if it does not match"),
    Key("forms.fields.reads", .text(500), "accepted text: names of patterns or a regular expression"),
    Key("forms.fields.scan", .choices(["barcode", "text"]), "scanners that can fill it"),
    Key("forms.fields.limit", .int(1...2000), "characters at most"),
    Key("forms.fields.minimum", .int(-1_000_000...1_000_000_000), "bounds of a number"),
    Key("forms.fields.maximum", .int(-1_000_000...1_000_000_000), "bounds of a number"),
    Key("forms.fields.earliest", .text(10), "bounds of a date, `2026-11-26` in quotes"),
    Key("forms.fields.latest", .text(10), "bounds of a date, `2026-11-26` in quotes"),
    Key("forms.fields.capitals", .bool, "screen keyboard begins with capital letters"),
    Key("forms.fields.unit", .localized, "unit of a number"),
    Key("forms.fields.choices", .sections, "choices"),
    Key("forms.fields.choices.value", name, "its value for programs"),
    Key("forms.fields.choices.label", .localized, "its label"),
    Key("forms.fields.when.field", name, "shown only if this field above"),
    Key("forms.fields.when.is", .strings, "has one of these values; else any"),
  ]

  private static let handover: [Key] = [
    Key("handover", .sections, "programs that results are handed to"),
    Key("handover.name", name, "its name for the program"),
    Key("handover.label", .localized, "label of its button"),
    Key("handover.program", .text(4096), "file of the program"),
    Key("handover.arguments", .texts(4096), "its arguments; `{file}` and `{number}` stand for those of a result"),
    Key(
      "handover.of", .choices(HandoverWay.Kind.allCases.map(\.rawValue)), "results; else all"
    ),
    Key("handover.ask", .localized, "label of a question to the visitor, such as an address"),
    Key("handover.pattern", .text(500), "regular expression for the whole answer"),
    Key("handover.wrong", .localized, "message if it does not match"),
    Key("handover.seconds", .int(1...300), "seconds until the program is ended"),
    Key("handover.done", .localized, "message after success"),
  ]
}
