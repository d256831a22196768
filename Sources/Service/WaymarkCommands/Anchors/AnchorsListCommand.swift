import ArgumentParser
import Foundation
import WaymarkAnchors
import WaymarkSystem

/// `waymark anchors list`: lists the anchors of a library.
struct AnchorsListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists the anchors of a library: name, size, width, features, quality.",
    discussion: """
      Example:
        waymark anchors list posters.wmlib
      """)

  @Argument(help: "The library.", completion: .file())
  var library: String

  @Flag(help: "One JSON object an anchor.")
  var json = false

  private struct Row: Encodable {
    var name: String
    var width: Int
    var height: Int
    var physicalWidth: Double?
    var radius: Double?
    var features: Int
    var quality: Int

    func encode(to encoder: any Encoder) throws {
      var c = encoder.container(keyedBy: CodingKeys.self)
      try c.encode(name, forKey: .name)
      try c.encode(width, forKey: .width)
      try c.encode(height, forKey: .height)
      try c.encode(physicalWidth, forKey: .physicalWidth)
      try c.encodeIfPresent(radius, forKey: .radius)
      try c.encode(features, forKey: .features)
      try c.encode(quality, forKey: .quality)
    }

    enum CodingKeys: CodingKey { case name, width, height, physicalWidth, radius, features, quality }
  }

  func run() async throws {
    do {
      let library = try AnchorLibrary(path: library)
      for (i, r) in library.references.enumerated() {
        let row = Row(
          name: r.name, width: r.width, height: r.height, physicalWidth: r.physicalWidth, radius: r.radius,
          features: library.featureCount(of: i), quality: library.quality(of: i))
        if json {
          try Output.record(row)
        } else {
          let width = (r.physicalWidth.map { "\($0) m" } ?? "-") + (r.radius.map { " round \($0) m" } ?? "")
          Output.line("\(r.name)\t\(r.width)×\(r.height)\t\(width)\t\(row.features) features\tquality \(row.quality)")
        }
      }
    } catch let error as AnchorError {
      try fail(error)
    }
  }
}
