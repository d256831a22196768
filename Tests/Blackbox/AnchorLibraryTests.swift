import Foundation
import Testing
import WaymarkImage

/// Libraries that grow: built again, taken up, compared.
@Suite(.serialized) struct AnchorLibraryTests {
  private static let posters = Executable.project.appendingPathComponent("Samples/scenes/pump-room")
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ arguments: String...) throws -> Executable.Run { try Executable.run(["anchors"] + arguments) }
  private func poster(_ name: String) -> String { Self.posters.appendingPathComponent(name).path }
  private func bytes(_ name: String) -> Data? { FileManager.default.contents(atPath: folder.file(name)) }

  @Test(.timeLimit(.minutes(2))) func whatIsThereIsNotCompiledAgain() throws {
    let two = [poster("pump-7.jpg"), poster("cabinet.jpg")]
    #expect(try run("build", two[0], "-o", folder.file("a")).status == 0)
    let more = try run("build", two[0], two[1], "-o", folder.file("a"))
    #expect(more.status == 0 && more.diagnostics.contains("of 2 anchors 1 taken over, 1 compiled"))
    #expect(try run("build", two[0], two[1], "-o", folder.file("fresh"), "--fresh").status == 0)
    #expect(bytes("a") == bytes("fresh"))
    // A changed picture is another one, a changed width is not.
    let changed = folder.file("cabinet.jpg")
    try FileManager.default.copyItem(atPath: poster("manifold.jpg"), toPath: changed)
    let again = try run("build", two[0], changed, "-o", folder.file("a"), "--physical-width", "0.5")
    #expect(again.diagnostics.contains("of 2 anchors 1 taken over, 1 compiled"))
    let difference = try run("compare", folder.file("fresh"), folder.file("a"), "--json")
    #expect(difference.status == 1)
    #expect(difference.objects.first?["pictures"] as? [String] == ["cabinet"])
    #expect(difference.objects.first?["widths"] as? [String] == ["pump-7"])
  }

  @Test(.timeLimit(.minutes(2))) func aBuildThatWasEndedIsTakenUp() throws {
    // As one leaves it behind that was killed: parts, one of them cut off.
    let parts = folder.file("b.parts")
    try FileManager.default.createDirectory(atPath: parts, withIntermediateDirectories: true)
    #expect(try run("build", poster("pump-7.jpg"), "-o", "\(parts)/00001.anchors").status == 0)
    let whole = try #require(FileManager.default.contents(atPath: "\(parts)/00001.anchors"))
    try whole.prefix(5000).write(to: URL(filePath: "\(parts)/00002.anchors"))
    let run = try run("build", poster("pump-7.jpg"), poster("manifold.jpg"), "-o", folder.file("b"))
    #expect(run.status == 0 && run.diagnostics.contains("of 2 anchors 1 taken over, 1 compiled"))
    #expect(!FileManager.default.fileExists(atPath: parts))
  }

  @Test(.timeLimit(.minutes(2))) func whatIsRoundHasARadius() throws {
    let manifest = folder.file("cans.yaml")
    func write(_ sizes: String) throws {
      try "- { name: can, image: \(poster("pump-7.jpg")), \(sizes) }\n".write(
        toFile: manifest, atomically: true, encoding: .utf8)
    }
    try write("radius: 0.033")
    let refused = try run("build", manifest, "-o", folder.file("cans"))
    #expect(refused.status == 65 && refused.diagnostics.contains("physicalWidth"))
    try write("physicalWidth: 0.3, radius: 0.033")
    #expect(try run("build", manifest, "-o", folder.file("cans")).diagnostics.contains("more than once round"))
    try write("physicalWidth: 0.18, radius: 0.033")
    #expect(try run("build", manifest, "-o", folder.file("cans")).status == 0)
    #expect(try run("list", folder.file("cans"), "--json").objects.first?["radius"] as? Double == 0.033)
    // Another radius is not another picture.
    try write("physicalWidth: 0.18, radius: 0.04")
    let again = try run("build", manifest, "-o", folder.file("wider"))
    #expect(again.status == 0)
    let difference = try run("compare", folder.file("cans"), folder.file("wider"), "--json")
    #expect(difference.objects.first?["widths"] as? [String] == ["can"])
    #expect(try run("build", manifest, "-o", folder.file("cans")).diagnostics.contains("1 taken over"))
    #expect(try run("list", folder.file("cans"), "--json").objects.first?["radius"] as? Double == 0.04)
  }

  @Test(.timeLimit(.minutes(2))) func copiesAreReportedWhereTheyAreAllowed() throws {
    let whole = try PictureDecoder().gray([UInt8](Data(contentsOf: URL(filePath: poster("pump-7.jpg"))))).image
    let small = whole.resized(width: 190, height: whole.height * 190 / whole.width)
    var pixels = [UInt8](repeating: 100, count: 640 * 480)
    for copy in 0..<3 {
      for y in 0..<min(small.height, 440) {
        for x in 0..<small.width { pixels[(y + 30) * 640 + x + 12 + 208 * copy] = small[x, y] }
      }
    }
    try Data("P5 640 480 255\n".utf8 + pixels).write(to: URL(filePath: folder.file("shelf.pgm")))
    #expect(try run("build", poster("pump-7.jpg"), "-o", folder.file("a")).status == 0)
    func lefts(_ arguments: String...) throws -> [Int] {
      let run = try Executable.run(["anchors"] + arguments + [folder.file("a"), folder.file("shelf.pgm"), "--json"])
      let anchors = try #require(run.objects.first?["anchors"] as? [[String: Any]])
      return anchors.compactMap { ($0["corners"] as? [[Double]])?.first?.first.map { Int($0.rounded()) } }.sorted()
    }
    #expect(try lefts("match").count == 1)
    let all = try lefts("match", "--copies", "20")
    #expect(all.count == 3 && zip(all, [12, 220, 428]).allSatisfy { abs($0 - $1) <= 1 })
    #expect(try lefts("match", "--copies", "2").count == 2)
    let followed = try Executable.run(
      ["anchors", "track", "--copies", "5", folder.file("a"), folder.file("shelf.pgm"), "--json"])
    let numbers = (followed.objects.first?["anchors"] as? [[String: Any]])?.compactMap { $0["copy"] as? Int }
    #expect(numbers?.sorted() == [1, 2, 3])
    for wrong in ["0", "31"] {
      let refused = try run("match", "--copies", wrong, folder.file("a"), folder.file("shelf.pgm"))
      #expect(refused.status == 64 && refused.diagnostics.contains("from 1 to 30"))
    }
  }

  @Test(.timeLimit(.minutes(2))) func librariesAreCompared() throws {
    #expect(try run("build", poster("pump-7.jpg"), "-o", folder.file("one")).status == 0)
    #expect(try run("build", poster("pump-7.jpg"), poster("cabinet.jpg"), "-o", folder.file("both")).status == 0)
    #expect(try run("compare", folder.file("both"), folder.file("both")).status == 0)
    let more = try run("compare", folder.file("one"), folder.file("both"))
    #expect(more.status == 1 && more.text.contains("+ cabinet") && more.text.contains("1 the same"))
    let other = try run("build", poster("pump-7.jpg"), "-o", folder.file("wide"), "--physical-width", "0.3")
    #expect(other.status == 0)
    let list = try run("compare", folder.file("both"), folder.file("wide"))
    #expect(list.status == 1 && list.text.contains("~ pump-7: another width") && list.text.contains("- cabinet"))
    #expect(try run("compare", folder.file("none"), folder.file("both")).status == 66)
  }
}
