import ArgumentParser
import Foundation
import WaymarkAnchors
import WaymarkImage
import WaymarkSystem

/// The common part of the commands that look for anchors in frames: going through the frames, printing, ending.
enum AnchorFrames {
  /// Looks at one picture after the other, and tells what is in it.
  ///
  /// - Parameters:
  ///   - names: pictures, or folders of them; `-` is standard input.
  ///   - library: the file of the library.
  ///   - json: whether a line is a JSON object.
  ///   - prepare: makes, for the library, what looks at a picture and its name.
  /// - Throws: `ExitCode` unless an anchor was found and every picture could be read.
  static func run(
    _ names: [String], library: String, json: Bool,
    _ prepare: (AnchorLibrary) throws -> (GrayImage, String) -> MatchRecord
  ) throws {
    do {
      let library = try AnchorLibrary(path: library)
      try library.load()
      let look = try prepare(library)
      var status = ExitStatus.nothingFound
      var worst = ExitStatus.success
      for input in ScanInput.expand(names) {
        do {
          let record = look(try PictureDecoder().gray(input.read(keepsColour: false)).image, input.name)
          if !record.anchors.isEmpty { status = .success }
          try writeResult(record, json)
        } catch let error as ImageError {
          Output.diagnostic("waymark: \(input.name): \(error.message)\n  \(error.hint)")
          worst = max(worst, error.exitStatus)
        }
      }
      if let failure = library.failure { throw failure }
      if worst != .success { status = worst }
      guard status == .success else { throw ExitCode(status.rawValue) }
    } catch let error as AnchorError {
      try fail(error)
    }
  }

  private static func doubt(_ rivals: [String]?) -> String {
    guard let rivals else { return "" }
    guard !rivals.isEmpty else { return " (ambiguous: a part of it is covered or another picture)" }
    return " (ambiguous: may be \(rivals.joined(separator: " or ")))"
  }

  private static func writeResult(_ record: MatchRecord, _ json: Bool) throws {
    guard !json else { return try Output.record(record) }
    if record.anchors.isEmpty { return Output.line("\(record.input): nothing found") }
    for a in record.anchors {
      let places = a.corners.map { "(\(Int($0[0].rounded())), \(Int($0[1].rounded())))" }.joined(separator: " ")
      let distance = a.pose.map { pose in
        let d = (pose.position.map { $0 * $0 }.reduce(0, +)).squareRoot()
        return ", \(String(format: "%.3f", d)) m away"
      }
      let held = a.trackingMethod == AnchorPlacement.Method.fullTracking.rawValue ? "" : " (last known place)"
      Output.line(
        "\(record.input): \(a.name)\(a.copy.map { " \($0)" } ?? "") at \(places), score \(String(format: "%.2f", a.score))\(distance ?? "")\(held)\(doubt(a.ambiguous))"
      )
    }
  }
}
