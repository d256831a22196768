import ArgumentParser
import WaymarkAnchors
import WaymarkSystem

/// `waymark anchors compare`: lists the differences of two libraries.
struct AnchorsCompareCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Says which anchors two libraries have in common, by name.",
    discussion: """
      Pairs of anchors that look alike are named with the part in which they differ. Ends with 0 when they hold the same anchors, 1 when they differ, 65 or 66 when one cannot be read.
      Example:
        waymark anchors compare old.wmlib new.wmlib
      """)

  @Argument(help: "The one library.", completion: .file())
  var first: String

  @Argument(help: "The other.", completion: .file())
  var second: String

  @Flag(help: "Print one JSON object.")
  var json = false

  func run() async throws {
    do {
      let difference = try LibraryDifference(AnchorLibrary(path: first), AnchorLibrary(path: second))
      if json {
        try Output.record(difference)
      } else {
        for name in difference.removed { Output.line("- \(name)") }
        for name in difference.added { Output.line("+ \(name)") }
        for name in difference.pictures { Output.line("~ \(name): another picture") }
        for name in difference.widths { Output.line("~ \(name): another width or radius") }
        for name in difference.features { Output.line("~ \(name): compiled differently") }
        for pair in difference.lookalikes {
          Output.line("\"\(pair.first)\" looks like \"\(pair.second)\": \(pair.text)")
        }
        Output.line("\(difference.same) the same")
      }
      guard difference.isEmpty else { throw ExitCode(ExitStatus.nothingFound.rawValue) }
    } catch let error as AnchorError {
      try fail(error)
    }
  }
}

extension AnchorReference {
  /// Returns whether another one is printed as wide, and as round.
  fileprivate func hasSameSize(as other: AnchorReference) -> Bool {
    physicalWidth == other.physicalWidth && radius == other.radius
  }
}

/// The differences of two libraries, by the names of their anchors.
struct LibraryDifference: Encodable {
  /// Only in the first, only in the second.
  var removed: [String] = []
  var added: [String] = []
  /// In both, with another picture, another physical width or radius, or other features of the same picture.
  var pictures: [String] = []
  var widths: [String] = []
  var features: [String] = []
  var same = 0
  /// The pairs of anchors that look alike, of both libraries.
  var lookalikes: [Pair] = []

  /// Two anchors that look alike, with the share of their detail that differs and the least rectangle around it in shares of the first one's width and
  /// height: left, top, right, bottom.
  struct Pair: Encodable {
    var first: String
    var second: String
    var share: Double
    var part: [Double]
    var text: String

    init(_ pair: Lookalikes) {
      (first, second, text) = (pair.first, pair.second, pair.difference.text)
      (share, part) = (pair.difference.share, pair.difference.part)
    }
  }

  var isEmpty: Bool { removed.isEmpty && added.isEmpty && pictures.isEmpty && widths.isEmpty && features.isEmpty }

  /// - Throws: `AnchorError` with `damaged` where one of them is.
  init(_ first: AnchorLibrary, _ second: AnchorLibrary) throws {
    let others = Dictionary(
      second.references.enumerated().map { ($0.element.name, $0.offset) }, uniquingKeysWith: { one, _ in one })
    let names = Set(first.references.map(\.name))
    for (index, reference) in first.references.enumerated() {
      guard let other = others[reference.name] else {
        removed.append(reference.name)
        continue
      }
      if !(try Self.hasSamePicture(first, index, second, other)) {
        pictures.append(reference.name)
      } else if !reference.hasSameSize(as: second.references[other]) {
        widths.append(reference.name)
      } else if try !Self.hasSameFeatures(first, index, second, other) {
        features.append(reference.name)
      } else {
        same += 1
      }
    }
    added = second.references.map(\.name).filter { !names.contains($0) }
    let later = second.lookalikes
    let known = Set(later.map { Set([$0.first, $0.second]) })
    lookalikes = (first.lookalikes.filter { !known.contains([$0.first, $0.second]) } + later).map(Pair.init)
  }

  private static func hasSamePicture(
    _ first: AnchorLibrary, _ one: Int, _ second: AnchorLibrary, _ other: Int
  ) throws -> Bool {
    try first.compiled(one).pixels.isSame(as: second.compiled(other).pixels)
  }

  private static func hasSameFeatures(
    _ first: AnchorLibrary, _ one: Int, _ second: AnchorLibrary, _ other: Int
  ) throws -> Bool {
    try first.featureCount(of: one) == second.featureCount(of: other)
      && first.compiled(one).descriptors == second.compiled(other).descriptors
  }
}
