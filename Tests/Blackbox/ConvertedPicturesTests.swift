import Foundation
import Testing

/// TIFF, HEIC, AVIF, JPEG XL and PDF, which `waymark-pictures` reads beside the program, from outside. The pictures are made by
/// `Scripts/make-test-pictures`.
struct ConvertedPicturesTests {
  private let folder = Executable.pictures + "/converted"

  /// The files of the formats that have libraries of their own, without the PNG beside some.
  private func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted().filter {
      $0.contains(".") && !$0.hasSuffix(".png")
    }
  }

  private func texts(_ object: [String: Any]) -> [String] {
    (object["symbols"] as? [[String: Any]] ?? []).compactMap { $0["text"] as? String }
  }

  @Test func everyPageOfEveryFileIsRead() throws {
    let files = try files().filter { !$0.hasPrefix("noise") }
    #expect(files.count == 20)
    let run = try Executable.run(["scan", "--json"] + files.map { folder + "/" + $0 })
    #expect(run.status == 0, "\(run.diagnostics)")
    var expected: [(file: String, page: Int?, text: String)] = []
    for file in files {
      let name = String(file.prefix { $0 != "." })
      let count = ["tiff-pages": 3, "pdf-pages": 2][name]
      for page in 1...(count ?? 1) {
        expected.append((file, count == nil ? nil : page, "waymark \(name)" + (count == nil ? "" : " \(page)")))
      }
    }
    #expect(run.objects.count == expected.count)
    for (object, wanted) in zip(run.objects, expected) {
      #expect(object["input"] as? String == folder + "/" + wanted.file)
      #expect(object["page"] as? Int == wanted.page, "\(wanted)")
      #expect(texts(object) == [wanted.text], "\(wanted)")
      if wanted.file.hasPrefix("tiff") { #expect(object["width"] as? Int == 111 && object["height"] as? Int == 123) }
    }
  }

  @Test func peopleAreShownThePage() throws {
    let run = try Executable.run(["scan", folder + "/tiff-pages.tif"])
    #expect(run.text.contains("tiff-pages.tif, page 3: 1 code\n"), "\(run.text)")
    #expect(
      try Executable.run(["scan", "--raw", folder + "/pdf-pages.pdf"]).text
        == "waymark pdf-pages 1\nwaymark pdf-pages 2\n")
    let one = try Executable.run(["scan", "--raw", "--oneshot", folder + "/pdf-pages.pdf"])
    #expect(one.text == "waymark pdf-pages 1")
  }

  @Test func everyPageIsMarkedInAFileOfItsOwn() throws {
    let out = try TemporaryFolder()
    let run = try Executable.run(["scan", "--annotate", out.file("marked.png"), folder + "/tiff-pages.tif"])
    #expect(run.status == 0, "\(run.diagnostics)")
    let names = try FileManager.default.contentsOfDirectory(atPath: out.path).sorted()
    #expect(names == ["marked-2.png", "marked-3.png", "marked.png"])
  }

  @Test func craftedFilesAreRefusedByTheirCode() throws {
    let run = try Executable.run(["scan", "--json", folder + "/hostile"])
    let names = try FileManager.default.contentsOfDirectory(atPath: folder + "/hostile").sorted()
    #expect(run.status == 65)
    #expect(run.objects.count == names.count)
    for (name, object) in zip(names, run.objects) {
      let error = try #require(object["error"] as? [String: Any])
      #expect(error["code"] as? String == String(name.prefix { $0 != "-" }), "\(name)")
      for word in ["message", "hint"] { #expect((error[word] as? String ?? "").count > 10, "\(name)") }
    }
    let bomb = run.objects.first { ($0["input"] as? String)?.hasSuffix("bomb.tif") == true }
    let message = (bomb?["error"] as? [String: Any])?["message"] as? String
    #expect(message == "the picture has 60000 x 60000 pixels, more than the limit of 100000000")
  }

  @Test func documentsAndTextNameThePage() throws {
    let found = try Executable.run(["documents", "find", "--json", folder + "/pdf-pages.pdf"])
    #expect(found.objects.map { $0["page"] as? Int } == [1, 2])
    let text = try Executable.run(["text", "--json", folder + "/pdf-pages.pdf"])
    #expect(text.objects.map { $0["page"] as? Int } == [1, 2], "\(text.diagnostics)")
    let out = try TemporaryFolder()
    let run = try Executable.run(["documents", "scan", folder + "/tiff-pages.tif", "-o", out.file("all.pdf")])
    #expect(run.status == 0, "\(run.diagnostics)")
    #expect(run.diagnostics.contains("tiff-pages.tif, page 2: no page was found"))
    // The written file is read again, and shows the same codes.
    let again = try Executable.run(["scan", "--raw", out.file("all.pdf")])
    #expect(again.text == (1...3).map { "waymark tiff-pages \($0)\n" }.joined())
    let single = try Executable.run(["documents", "scan", folder + "/tiff-pages.tif", "-o", out.file("one.png")])
    #expect(single.diagnostics.contains("only the first of its 3 pages"))
    #expect(try Executable.run(["scan", "--raw", out.file("one.png")]).text == "waymark tiff-pages 1\n")
  }

  @Test(
    "Without the package the refusal names it",
    .enabled(if: !FileManager.default.fileExists(atPath: "/usr/bin/waymark-pictures"), "the package is installed"))
  func missing() throws {
    let alone = try TemporaryFolder()
    try FileManager.default.copyItem(atPath: Executable.path, toPath: alone.file("waymark"))
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: alone.file("waymark"))
    process.arguments = ["scan", "--json", folder + "/heic.heic"]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let line = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 65)
    let object = try #require(try JSONSerialization.jsonObject(with: line) as? [String: Any])
    let error = try #require(object["error"] as? [String: Any])
    #expect(error["code"] as? String == "unsupportedFormat")
    #expect(error["message"] as? String == "HEIC is read by the package waymark-pictures, which is not installed")
    #expect((error["hint"] as? String)?.hasPrefix("apt install waymark-pictures. Or ") == true)
  }
}
