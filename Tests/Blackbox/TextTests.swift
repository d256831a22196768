import Foundation
import Testing

/// `waymark text` from outside. The pictures are rendered by `Benchmarks/text/make_plates.py`.
struct TextTests {
  private let plate = Executable.project.appendingPathComponent("Tests/Fixtures/Text/plate.jpg").path

  @Test func readsAPlateByItsPattern() throws {
    let run = try Executable.run(["text", "--json", "--pattern", "gtin", plate])
    #expect(run.status == 0, "\(run.diagnostics)")
    let accepted = try #require(run.objects.first?["accepted"] as? [[String: Any]])
    #expect(accepted.map { $0["text"] as? String } == ["4824475771045"])
    #expect(accepted.first?["doubtful"] as? Bool == false)
    #expect(run.objects.first?["elapsed"] is Double)
    let lines = try #require(run.objects.first?["lines"] as? [[String: Any]])
    #expect((lines.first?["corners"] as? [[Double]])?.count == 4)
  }

  @Test func framesAreVotedUntilTheyAgree() throws {
    let run = try Executable.run(["text", "--json", "--frames", "--pattern", "gtin", plate, plate, plate, plate])
    let accepted = run.objects.map { ($0["accepted"] as? [[String: Any]])?.first?["text"] as? String }
    #expect(run.status == 0, "\(run.diagnostics)")
    #expect(accepted.count == 4)
    #expect(accepted.first == .some(nil), "one frame is not enough")
    #expect(accepted.last == "4824475771045", "\(run.text)")
  }

  @Test func acceptsNothingThatDoesNotSatisfyThePattern() throws {
    let run = try Executable.run(["text", "--json", "--pattern", "iban", plate])
    #expect(run.status == 1)
    #expect((run.objects.first?["accepted"] as? [Any])?.isEmpty == true)
  }

  @Test func saysWhatIsWrong() throws {
    #expect(try Executable.run(["text"]).status == 64)
    #expect(try Executable.run(["text", "--pattern", "/[A-Z/", plate]).status == 64)
    #expect(try Executable.run(["text", "--region", "1,2,3", plate]).status == 64)
    #expect(try Executable.run(["text", "/nowhere/plate.png"]).status == 66)
    let missing = try Executable.run(["text", "--languages", "xxx", plate])
    #expect(missing.status == 69)
    #expect(missing.diagnostics.contains("apt install tesseract-ocr-xxx"))
  }
}
