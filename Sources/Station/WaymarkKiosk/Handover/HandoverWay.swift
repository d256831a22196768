import WaymarkConfiguration

/// A way of the integrator's on which results leave the kiosk: printed, mailed, written to a stick, by a program of theirs.
struct HandoverWay: Hashable, Sendable {
  /// A kind of result.
  enum Kind: String, CaseIterable, Sendable {
    /// The pages of a document, as a PDF.
    case document
    /// A count, as a table.
    case count
    /// The receipt of a form.
    case form
  }

  /// The most ways: each has a button beside the result.
  static let limit = 4
  /// The seconds that a program has where the integrator says nothing else.
  static let usualSeconds = 60

  /// The name by which the page asks for it, and its program knows it.
  let name: String
  /// The program's file.
  let program: String
  /// Its arguments, in which `{file}` and `{number}` stand for those of a result.
  let arguments: [String]
  /// The kinds of results that go this way.
  let kinds: Set<Kind>
  /// The seconds after which the program is ended.
  let seconds: Int
  /// True if the visitor is asked for something first, such as an address.
  let asks: Bool

  init(
    name: String, program: String, arguments: [String] = ["{file}"], kinds: Set<Kind> = Set(Kind.allCases),
    seconds: Int = HandoverWay.usualSeconds, asks: Bool = false
  ) {
    self.name = name
    self.program = program
    self.arguments = arguments
    self.kinds = kinds
    self.seconds = seconds
    self.asks = asks
  }

  /// A way as it stands in the page's file; nil where a part of it is missing, which `HandoverReview` tells.
  init?(_ node: SourceNode, in document: ConfigurationDocument) {
    guard let name = node["name"]?.string, let program = node["program"]?.string else { return nil }
    self.init(
      name: name, program: document.resolved(program),
      arguments: node["arguments"].map { $0.elements.compactMap(\.string) } ?? ["{file}"],
      kinds: node["of"].map { Set($0.elements.compactMap { $0.string.flatMap(Kind.init) }) } ?? Set(Kind.allCases),
      seconds: node["seconds"]?.int ?? Self.usualSeconds, asks: node["ask"] != nil)
  }

  /// The arguments for a result. Each stays one argument whatever stands in it: no shell reads them.
  func arguments(file: String, number: String) -> [String] {
    arguments.map { $0.replacing("{file}", with: file).replacing("{number}", with: number) }
  }
}
