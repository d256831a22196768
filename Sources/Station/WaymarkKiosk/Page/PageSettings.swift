import Foundation
package import WaymarkConfiguration
package import WaymarkSystem

/// The page as an integrator sets it up in a file of their own: brand, words and forms.
package struct PageSettings: Sendable {
  /// The file's largest size, in bytes.
  private static let sizeLimit = 1 << 20
  private static let logoLimit = 200 << 10

  /// The settings as the page reads them.
  let json: JSONValue
  /// Rules that come after the page's own.
  let style: String
  /// The logo's file, with the name under which it is served.
  let logo: (name: String, file: Assets.File)?
  /// The ways on which results leave by a program.
  let ways: [HandoverWay]
  /// The languages in which the page speaks.
  package let languages: [String]
  /// Everything that is wrong with the file.
  package let problems: [ConfigurationProblem]

  /// The page as it is without a file.
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
  /// - Parameter assets: the folder of the page's files, in which its words stand.
  /// - Throws: `FileError` where it cannot be read.
  package init(file path: String, assets: String) throws(FileError) {
    let text = String(decoding: try WholeFile.read(path, limit: Self.sizeLimit), as: UTF8.self)
    self.init(text, path: path, assets: assets)
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

  /// The part of a way that the page is told: nothing of its program.
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

  /// Values as they stand in the file.
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
