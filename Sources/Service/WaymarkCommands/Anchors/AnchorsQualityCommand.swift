import ArgumentParser
import FoundationEssentials
import WaymarkAnchors
import WaymarkImage
import WaymarkSystem

/// `waymark anchors quality` and, below, `waymark anchors compare`: rate pictures as anchors, and compare two
/// libraries (`LibraryDifference`).
struct AnchorsQualityCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "quality",
    abstract: "Judges pictures as anchors: 0 to 100, with reasons.",
    discussion: """
      The number is the share of hard views (steep, small, covered, dim, smeared and noisy ones among them) in which the \
      picture is expected to be found: the detector is shown 64 of them, which takes about a second a picture. Several \
      pictures are compared with each other, and with the anchors of --library.
      Example:
        waymark anchors quality poster.png --annotate features.png
      """)

  @Argument(help: "Pictures, folders or manifests.", completion: .file())
  var pictures: [String]

  @Option(help: "A library whose anchors the pictures must not resemble.", completion: .file())
  var library: String?

  @Option(
    help: ArgumentHelp("Draw where the features lie: a file for one picture, a folder for several.", valueName: "path"),
    completion: .file())
  var annotate: String?

  @Flag(help: "One JSON object a picture.")
  var json = false

  @Option(help: "The number of threads.")
  var jobs = ProcessInfo.processInfo.activeProcessorCount

  private struct Record: Encodable {
    struct Reason: Encodable {
      var code: String
      var text: String
      /// For a lookalike: the other anchor, the fraction of the detail that differs, and the smallest rectangle around the differences (left, top,
      /// right, bottom, as fractions of this picture's width and height); empty if nothing differs.
      var anchor: String?
      var share: Double?
      var part: [Double]?

      init(_ reason: AnchorQuality.Reason, _ difference: TwinDifference? = nil) {
        (code, text) = (reason.code, difference.map { "\(reason.text); \($0.text)" } ?? reason.text)
        if case .looksLike(let name) = reason { anchor = name }
        (share, part) = (difference?.share, difference?.part)
      }
    }
    var input: String
    var name: String
    var quality: Int
    var features: Int
    /// The number of corners found again in each of the views that decided which features were kept.
    var corners: [Int]
    /// The number of views of the picture shown to the detector, and the number of views in which it found the picture.
    var views: Int
    var found: Int
    var reasons: [Reason]
  }

  func validate() throws {
    guard jobs > 0 else { throw ValidationError("--jobs takes a whole number of at least 1") }
  }

  func run() async throws {
    let entries = try AnchorEntry.collect(pictures)
    let target = try annotate.map {
      try AnnotationTarget($0, inputs: entries.map { ScanInput(name: $0.file, source: .file($0.file)) })
    }
    let old = try library.map { try AnchorLibrary(path: $0) }
    // Two files may have the same name here; adding the index makes the names unique.
    let numbered = entries.enumerated().map { i, e in
      AnchorEntry(name: "\(i)/\(e.name)", file: e.file, physicalWidth: nil)
    }
    let (anchors, _, status) = AnchorCompilation.run(numbered, jobs: jobs, tried: true)
    let alike = try lookalikes(anchors, old)
    for anchor in anchors {
      guard let slash = anchor.name.firstIndex(of: "/"), let index = Int(anchor.name[..<slash]) else { continue }
      let entry = entries[index]
      let reasons =
        anchor.quality.reasons.map { Record.Reason($0) }
        + (alike[anchor.name] ?? []).map { Record.Reason(.looksLike($0.name), $0.difference) }
      if json {
        let record = Record(
          input: entry.file, name: entry.name, quality: anchor.quality.score, features: anchor.features.count,
          corners: anchor.sightings, views: anchor.trial?.views ?? 0, found: anchor.trial?.found ?? 0,
          reasons: reasons)
        try Output.record(record)
      } else {
        Output.line("\(entry.file): \(anchor.quality.score)")
        for reason in reasons { Output.line("  \(reason.text)") }
      }
      if let target { try AnnotationTarget.write(draw(anchor), to: target.paths[index]) }
    }
    guard status == .success else { throw ExitCode(status.rawValue) }
  }

  /// Returns, for each picture, the anchors that it can be mistaken for and their differences.
  private func lookalikes(
    _ anchors: [CompiledAnchor], _ old: AnchorLibrary?
  ) throws -> [String: [(name: String, difference: TwinDifference)]] {
    var all = anchors
    if let old {
      all += try old.references.indices.map { i in
        var a = try old.compiled(i)
        a.name = "library/\(a.name)"
        return a
      }
    }
    guard all.count > 1 else { return [:] }
    var result: [String: [(name: String, difference: TwinDifference)]] = [:]
    func plain(_ s: String) -> String { String(s[s.index(after: s.firstIndex(of: "/") ?? s.startIndex)...]) }
    let own = Set(anchors.map(\.name))
    for pair in try AnchorLibrary(bytes: LibraryWriter.bytesWithTwins(of: all)).lookalikes {
      if own.contains(pair.first) { result[pair.first, default: []].append((plain(pair.second), pair.difference)) }
      if own.contains(pair.second) { result[pair.second, default: []].append((plain(pair.first), pair.reverse)) }
    }
    return result
  }

  /// Returns the picture with a square on every feature, larger for features of coarser levels; the most useful quarter of the
  /// features is green.
  private func draw(_ anchor: CompiledAnchor) -> RGBImage {
    var canvas = RGBCanvas(RGBImage(anchor.image))
    for (rank, f) in anchor.features.enumerated().reversed() {
      let half = 2 / ViewCatalog.scale(of: f.view).squareRoot()
      let (x, y) = (Double(f.position.x), Double(f.position.y))
      let square = [
        Point2(x - half, y - half), Point2(x + half, y - half), Point2(x + half, y + half), Point2(x - half, y + half),
      ]
      canvas.polygon(square, width: 1, rank < anchor.features.count / 4 ? .green : .orange)
    }
    return canvas.finish()
  }
}

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
  }
}

extension AnchorReference {
  /// Returns whether both anchors have the same physical width and radius.
  fileprivate func hasSameSize(as other: AnchorReference) -> Bool {
    physicalWidth == other.physicalWidth && radius == other.radius
  }
}

/// The differences of two libraries, by the names of their anchors.
struct LibraryDifference: Encodable {
  /// The anchors that only the first library has, and the anchors that only the second has.
  var removed: [String] = []
  var added: [String] = []
  /// Anchors of both libraries that differ: in their pictures, in their physical widths or radii, or only in their features.
  var pictures: [String] = []
  var widths: [String] = []
  var features: [String] = []
  var same = 0
  /// The pairs of lookalikes within either library, each once.
  var lookalikes: [Pair] = []

  /// Two lookalike anchors, with the fraction of their detail that differs and the smallest rectangle around the differences: left, top, right,
  /// bottom, as fractions of the first picture's width and height.
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

  /// Compares the anchors that have the same names.
  ///
  /// - Throws: `AnchorError` with the code `damaged` if a library is damaged.
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
