import ArgumentParser
import Foundation
import WaymarkAnchors
import WaymarkImage
import WaymarkSystem

/// `waymark anchors quality`: estimates how well pictures will be found, with reasons.
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
      /// Of one that looks like another: that anchor, the share of the detail that differs, and the least rectangle around it in shares of
      /// this picture's width and height: left, top, right, bottom; empty where nothing differs.
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
    /// How many corners are found again in each view by which the features were chosen.
    var corners: [Int]
    /// In how many views the detector was shown the picture, and in how many it found it.
    var views: Int
    var found: Int
    var reasons: [Reason]
  }

  func validate() throws {
    guard jobs > 0 else { throw ValidationError("--jobs takes a whole number of at least 1") }
  }

  func run() async throws {
    do {
      let entries = try AnchorEntry.collect(pictures)
      let target = try annotate.map {
        try AnnotationTarget($0, inputs: entries.map { ScanInput(name: $0.file, source: .file($0.file)) })
      }
      let old = try library.map { try AnchorLibrary(path: $0) }
      // Names need not differ here: files are judged, and the number keeps them apart.
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
    } catch let error as AnchorError {
      try fail(error)
    } catch let error as ImageError {
      try fail(error)
    }
  }

  /// For each picture, the others that it can be taken for, and where they differ.
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

  /// The picture with a square on every feature, larger where it was found on a coarser level; the most useful ones green.
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
