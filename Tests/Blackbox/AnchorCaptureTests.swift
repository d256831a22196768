import Foundation
import Testing
import WaymarkImage

/// `waymark anchors capture` on rendered photographs of the sample poster (`Scripts/make-capture-photos`).
@Suite struct AnchorCaptureTests {
  private static let folder = Executable.project.appendingPathComponent("Tests/Fixtures/Capture")

  private func truth(_ name: String) throws -> (corners: [[Double]], width: Double, height: Double) {
    let data = try Data(contentsOf: Self.folder.appendingPathComponent("truth.json"))
    let all = try JSONSerialization.jsonObject(with: data) as? [String: [String: Any]]
    let one = try #require(all?[name])
    return (
      try #require(one["corners"] as? [[Double]]), try #require(one["width"] as? Double),
      try #require(one["height"] as? Double)
    )
  }

  @Test(arguments: [("sheet.jpg", ["--a4"], 0.015), ("code.jpg", ["--code-width", "0.06"], 0.015)])
  func aPosterBecomesAReference(_ name: String, _ options: [String], _ tolerance: Double) throws {
    let right = try truth(name)
    let folder = try TemporaryFolder()
    let photo = Self.folder.appendingPathComponent(name).path
    let run = try Executable.run(
      ["anchors", "capture", photo, "-o", folder.file("poster.png"), "--json"] + options)
    #expect(run.status == 0, "\(run.diagnostics)")
    let record = try #require(run.objects.first)
    for (found, corner) in zip(try #require(record["corners"] as? [[Double]]), right.corners) {
      #expect(hypot(found[0] - corner[0], found[1] - corner[1]) < 4)
    }
    let width = try #require(record["physicalWidth"] as? Double)
    #expect(abs(width / right.width - 1) < tolerance)
    let size = try #require(record["width"] as? Double) / (try #require(record["height"] as? Double))
    #expect(abs(size / (right.width / right.height) - 1) < tolerance)
    #expect(try #require(record["quality"] as? Int) >= 60)
    let reasons = (record["reasons"] as? [[String: Any]] ?? []).compactMap { $0["code"] as? String }
    #expect(reasons.contains("unevenLight") && !reasons.contains("sizeDoubtful"))
    // The captured reference is found where the photograph shows it.
    let library = folder.file("poster.anchors")
    #expect(try Executable.run(["anchors", "build", folder.file("poster.png"), "-o", library]).status == 0)
    let match = try Executable.run(["anchors", "match", library, photo, "--json"])
    let seen = try #require((match.objects.first?["anchors"] as? [[String: Any]])?.first)
    for (found, corner) in zip(try #require(seen["corners"] as? [[Double]]), right.corners) {
      #expect(hypot(found[0] - corner[0], found[1] - corner[1]) < 4)
    }
  }

  @Test func whatCannotBeCapturedIsSaid() throws {
    let folder = try TemporaryFolder()
    let photo = Self.folder.appendingPathComponent("sheet.jpg").path
    func run(_ options: String...) throws -> Executable.Run {
      try Executable.run(["anchors", "capture", photo, "-o", folder.file("out.jpg")] + options)
    }
    #expect(try run("--width", "0.42", "--a4").status == 64)
    #expect(try run("--corners", "1,2,3").status == 64)
    #expect(try run("--corners", "10,10,10,200,200,200,200,10").status == 64)
    let noCode = try run("--code-width", "0.05")
    #expect(noCode.status == 65 && noCode.diagnostics.contains("--width"))
    #expect(!FileManager.default.fileExists(atPath: folder.file("out.jpg")))
    let given = try run("--corners", "200,150,600,150,600,450,200,450", "--width", "0.5")
    #expect(given.status == 0 && given.text.contains("0.5 m wide"))
  }
}
