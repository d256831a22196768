import Foundation
import Testing

/// `waymark documents` from outside. The pictures are rendered by `Benchmarks/documents/make_pages.py`.
struct DocumentsTests {
  private let page = Executable.project.appendingPathComponent("Tests/Fixtures/Documents/page.jpg").path
  private let empty = Executable.project.appendingPathComponent("Tests/Fixtures/Documents/empty.jpg").path
  /// Where the renderer put the page's corners.
  private let truth: [[Double]] = [[139.31, 54.13], [436.95, 115.21], [345.82, 519.26], [63.59, 460.95]]

  @Test func tellsWhereThePageIs() throws {
    let run = try Executable.run(["documents", "find", "--json", page, empty])
    #expect(run.status == 1)
    #expect(run.objects.count == 2)
    let found = try #require(run.objects[0]["corners"] as? [[Double]])
    for corner in truth {
      let nearest = found.map { hypot($0[0] - corner[0], $0[1] - corner[1]) }.min() ?? .infinity
      #expect(nearest < 6, "\(corner)")
    }
    #expect(run.objects[0]["score"] as? Double ?? 0 > 0.8)
    #expect(run.objects[0]["elapsed"] is Double)
    #expect(run.objects[1]["corners"] is NSNull)
  }

  @Test func saysWhatCannotBeRead() throws {
    let run = try Executable.run(["documents", "find", "--json", "/nowhere/page.jpg"])
    #expect(run.status == 66)
    #expect((run.objects.first?["error"] as? [String: Any])?["code"] as? String == "cannotOpen")
    #expect(try Executable.run(["documents", "find"]).status == 64)
    #expect(try Executable.run(["documents", "scan", page, "-o", "/tmp/page.doc"]).status == 64)
    #expect(try Executable.run(["documents", "scan", page, "-o", "/nowhere/page.pdf"]).status == 74)
  }

  @Test func writesAFileWholeOrNotAtAll() throws {
    let folder = try TemporaryFolder()
    let output = folder.file("pages.pdf")
    let good = try Executable.run(["documents", "scan", page, empty, "-o", output, "--filter", "bw"])
    #expect(good.status == 0)
    #expect(good.diagnostics.contains("no page was found"))
    let written = try Data(contentsOf: URL(fileURLWithPath: output))
    #expect(written.starts(with: Data("%PDF-1.7".utf8)) && written.count < 200_000)
    // A picture that cannot be read leaves the file that was there.
    let bad = try Executable.run(["documents", "scan", page, "/nowhere/page.jpg", "-o", output])
    #expect(bad.status == 66)
    #expect(try Data(contentsOf: URL(fileURLWithPath: output)) == written)
    let left = try FileManager.default.contentsOfDirectory(
      atPath: URL(fileURLWithPath: output).deletingLastPathComponent().path)
    #expect(!left.contains { $0.hasSuffix(".part") })
  }
}
