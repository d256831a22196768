import Foundation
import Testing

/// `waymark documents` from outside. The pictures are rendered by `Benchmarks/documents/make_pages.py`.
struct DocumentsTests {
  private let page = Executable.project.appendingPathComponent("Tests/Fixtures/Documents/page.jpg").path
  private let empty = Executable.project.appendingPathComponent("Tests/Fixtures/Documents/empty.jpg").path
  /// Where the renderer put the page's corners.
  private let truth: [[Double]] = [[139.31, 54.13], [436.95, 115.21], [345.82, 519.26], [63.59, 460.95]]

  @Test func reportsWhereThePageIs() throws {
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

  // MARK: Text under the pages

  private let letter = Executable.project.appendingPathComponent("Samples/papers/letter-1.jpg").path

  /// A word as the PDF holds it: units of UTF-16 in hexadecimal digits.
  private func isInside(_ word: String, _ pdf: String) throws -> Bool {
    let codes = word.utf16.map { String(format: "%04X", $0) }.joined()
    return try Data(contentsOf: URL(fileURLWithPath: pdf)).range(of: Data("<\(codes)>".utf8)) != nil
  }

  @Test func aFileHoldsTheWordsOfItsPages() throws {
    let folder = try TemporaryFolder()
    let (with, without) = (folder.file("with.pdf"), folder.file("without.pdf"))
    let run = try Executable.run(["documents", "scan", letter, empty, "--text", "--languages", "eng", "-o", with])
    #expect(run.status == 0, "\(run.diagnostics)")
    for word in ["delivered", "Monday.", "4711"] { #expect(try isInside(word, with), "\(word)") }
    #expect(try Executable.run(["documents", "scan", letter, "-o", without]).status == 0)
    #expect(try !isInside("delivered", without))
    #expect(try Executable.run(["documents", "scan", letter, "--text", "-o", folder.file("page.png")]).status == 64)
    let missing = try Executable.run(["documents", "scan", letter, "--text", "--languages", "xxx", "-o", without])
    #expect(missing.status == 69)
    #expect(missing.diagnostics.contains("apt install tesseract-ocr-xxx"))
  }

  /// The second languages cannot be had: the document is saved without its text, and the log says that it has no text.
  @Test("A document that the service saves holds its words", arguments: ["eng", "xxx"])
  func aSavedDocumentHoldsItsWords(_ language: String) throws {
    let folder = try TemporaryFolder()
    let configuration = folder.file("waymark.yaml")
    try """
    documents: {folder: "\(folder.file("session"))", output: "\(folder.file("saved"))", text: true}
    text: {languages: [\(language)]}
    """.write(toFile: configuration, atomically: true, encoding: .utf8)
    let service = try RunningService(["--config", configuration, "--source", letter, "--rate", "15"])
    let client = """
      import sys
      sys.path.insert(0, "Samples")
      from waymark_client import Connection
      connection = Connection(sys.argv[1], timeout=60)
      connection.request("subscribe", events=["document.*"])
      connection.request("document.begin")
      next(event for event in connection.events() if event["event"] == "document.captured")
      print(connection.request("document.save", name="letter")["paths"][0])
      """
    let run = try runProgram(
      ["env", "-C", Executable.project.path, "python3", "-B", "-c", client, service.socket], seconds: 90)
    #expect(run.status == 0, "\(run.output)")
    let path = run.output.trimmingCharacters(in: .whitespacesAndNewlines)
    #expect(path.hasSuffix("/saved/letter.pdf"))
    for word in ["delivered", "4711"] { #expect(try isInside(word, path) == (language == "eng"), "\(word)") }
    #expect(service.log.contains("saved without its text") == (language == "xxx"))
  }
}
