import Foundation
import Testing

/// `waymark scan` from outside.
struct ScanTests {
  private let pictures = Executable.pictures
  private static let samples = Executable.project.appendingPathComponent("Samples/pictures").path

  private func names(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: pictures + "/" + folder).sorted()
  }

  private func texts(_ object: [String: Any]) -> [String] {
    (object["symbols"] as? [[String: Any]] ?? []).compactMap { $0["text"] as? String }
  }

  /// A whole set in one run: a line for every picture, and a code in all but those whose symbologies have to be asked for.
  @Test func worksThroughASet() throws {
    let folder = Executable.project.appendingPathComponent("Tests/Fixtures/Codes").path
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    let run = try Executable.run(["scan", "--json", folder])
    #expect(run.status == 1)
    #expect(run.objects.compactMap { $0["input"] as? String } == names.map { folder + "/" + $0 })
    let empty = zip(names, run.objects).filter { texts($0.1).isEmpty }.map(\.0)
    #expect(
      empty == [
        "code11-plain.pbm", "code11.pbm", "iata2of5.pbm", "matrix2of5.pbm", "msi-plain.pbm", "msi.pbm",
        "pharmacode.pbm",
        "pharmacode2.pbm", "standard2of5.pbm", "telepen.pbm",
      ])
    let counts = run.objects.map { texts($0).count }
    #expect(zip(names, counts).filter { $0.1 > 1 }.map(\.0) == ["append-gap.pbm"])
  }

  @Test func readsEveryKindOfFile() throws {
    let run = try Executable.run(["scan", "--json", pictures + "/read"])
    #expect(run.status == 0)
    let names = try names("read")
    #expect(names.count > 50)
    #expect(run.objects.count == names.count)
    for (name, object) in zip(names, run.objects) {
      #expect(object["input"] as? String == pictures + "/read/" + name)
      #expect(object["outcome"] as? String == "successful")
      #expect(texts(object) == ["waymark " + name.prefix { $0 != "." }], "\(name)")
      #expect((object["truncated"] as? Bool ?? false) == (name == "jpeg-truncated.jpg"))
      let sides = [object["width"] as? Int, object["height"] as? Int]
      #expect(sides == (name == "jpeg-truncated.jpg" ? [111, 400] : [111, 123]), "\(name)")
    }
  }

  @Test func readsTheSameFromStandardInput() throws {
    let file = try Data(contentsOf: URL(fileURLWithPath: pictures + "/read/webp-lossy.webp"))
    let run = try Executable.run(["scan", "-", "--raw"], input: file)
    #expect(run.status == 0)
    #expect(run.text == "waymark webp-lossy\n")
  }

  @Test func refusesWithOneClearErrorEach() throws {
    let run = try Executable.run(["scan", "--json", pictures + "/refused"])
    #expect(run.status == 65)
    let names = try names("refused")
    #expect(run.objects.count == names.count)
    for (name, object) in zip(names, run.objects) {
      #expect(object["outcome"] as? String == "error")
      #expect(texts(object).isEmpty)
      let error = try #require(object["error"] as? [String: Any])
      #expect(error["code"] as? String == String(name.prefix { $0 != "-" && $0 != "." }), "\(name)")
      for word in ["message", "hint"] { #expect((error[word] as? String ?? "").count > 10, "\(name)") }
      if name.hasPrefix("unsupportedFormat-") {
        let kind = name.dropFirst("unsupportedFormat-".count).prefix { $0 != "." }
        #expect((error["message"] as? String ?? "").contains(kind))
      }
    }
  }

  @Test func findsNothingWhereThereIsNothing() throws {
    let run = try Executable.run(["scan", "--json", pictures + "/nothing"])
    #expect(run.status == 1)
    for object in run.objects {
      #expect(texts(object).isEmpty, "\(object["input"] ?? "")")
      #expect(object["outcome"] as? String == "unsuccessful")
    }
  }

  @Test func theHighestRankingExitCodeWins() throws {
    let (good, bad) = (pictures + "/read/png-gray8.png", pictures + "/refused/emptyFile.png")
    let none = pictures + "/nothing/white.png"
    let gone = pictures + "/there-is-no-such-file.png"
    #expect(try Executable.run(["scan", good]).status == 0)
    #expect(try Executable.run(["scan", good, none]).status == 1)
    #expect(try Executable.run(["scan", "--onboarding", good, none]).status == 2)
    #expect(try Executable.run(["scan", none, bad, good]).status == 65)
    #expect(try Executable.run(["scan", bad, gone, none]).status == 66)
    #expect(try Executable.run(["scan", "--no-such-option", good]).status == 64)
    #expect(try Executable.run(["scan"]).status == 64)
    #expect(try Executable.run(["scan", "--json", "--raw", good]).status == 64)
  }

  @Test func onePoorInputDoesNotStopTheRest() throws {
    let inputs = ["refused/emptyFile.png", "read/pnm-p4.pbm", "missing.png", "read/pnm-p1.pbm"].map {
      pictures + "/" + $0
    }
    let run = try Executable.run(["scan", "--json"] + inputs)
    #expect(run.objects.map { $0["outcome"] as? String } == ["error", "successful", "error", "successful"])
    #expect(run.objects.map { $0["input"] as? String } == inputs)
    #expect(run.diagnostics.contains("missing.png"))
  }

  /// Each input once, over two runs, and the end of both in the exit code.
  @Test func goesOnWhereItEnded() throws {
    let folder = try TemporaryFolder()
    let inputs = ["nothing/white.png", "read/pnm-p4.pbm", "read/pnm-p1.pbm"].map { pictures + "/" + $0 }
    let list = folder.file("done")
    func scan(_ inputs: some Sequence<String>, _ options: [String] = []) throws -> Executable.Run {
      try Executable.run(["scan", "--json", "--resume", list] + options + inputs)
    }
    let first = try scan(inputs[1...1])
    #expect(first.status == 0 && first.objects.count == 1)
    let second = try scan(inputs)
    #expect(second.status == 1)
    #expect(second.objects.compactMap { $0["input"] as? String } == [inputs[0], inputs[2]])
    let third = try scan(inputs)
    #expect(third.status == 1 && third.objects.isEmpty)
    let other = try scan(inputs, ["--effort", "plain"])
    #expect(other.status == 74 && other.diagnostics.contains("other options"))
    #expect(try scan(inputs, ["--oneshot"]).status == 64)
  }

  @Test func manyJobsKeepTheOrder() throws {
    let one = try Executable.run(["scan", "--json", "--jobs", "1", pictures])
    let four = try Executable.run(["scan", "--json", "--jobs", "4", pictures])
    #expect(one.status == four.status)
    let timeless = { (run: Executable.Run) in
      run.objects.map { object -> NSDictionary in
        var object = object
        object["elapsed"] = nil
        return object as NSDictionary
      }
    }
    #expect(timeless(one) == timeless(four))
  }

  @Test func quietSaysNothing() throws {
    let run = try Executable.run(["scan", "-q", pictures + "/nothing/white.png", pictures + "/read/png-gray8.png"])
    #expect(run.status == 1)
    #expect(run.output.isEmpty && run.diagnostics.isEmpty)
  }

  @Test func oneshotStopsAtTheFirstCode() throws {
    let inputs = ["nothing/white.png", "read/pnm-p4.pbm", "read/pnm-p1.pbm"].map { pictures + "/" + $0 }
    let run = try Executable.run(["scan", "--oneshot", "--raw", "--jobs", "1"] + inputs)
    #expect(run.status == 0)
    #expect(run.text == "waymark pnm-p4")
  }

  @Test func formatsNarrowTheSearch() throws {
    let file = pictures + "/read/png-gray8.png"
    #expect(try Executable.run(["scan", "--formats", "ean13,code-128", file]).status == 1)
    #expect(try Executable.run(["scan", file, "--formats", "QR"]).status == 0)
    let run = try Executable.run(["scan", "--formats", "nonsense", file])
    #expect(run.status == 64)
    #expect(run.diagnostics.contains("ean13"))
  }

  @Test func theLimitCanBeMoved() throws {
    let file = pictures + "/read/png-gray8.png"
    #expect(try Executable.run(["scan", "--max-pixels", "13653", file]).status == 0)
    let run = try Executable.run(["scan", "--json", "--max-pixels", "13652", file])
    #expect(run.status == 65)
    #expect((run.objects.first?["error"] as? [String: Any])?["code"] as? String == "tooManyPixels")
  }

  @Test func drawsWhatItFound() throws {
    let folder = try TemporaryFolder()
    let file = pictures + "/read/jpeg-orientation-6.jpg"
    let drawn = folder.file("drawn.png")
    #expect(try Executable.run(["scan", "--annotate", drawn, file]).status == 0)
    // The picture is upright, and the code in it can still be read.
    let again = try Executable.run(["scan", "--json", drawn])
    #expect(texts(again.objects[0]) == ["waymark jpeg-orientation-6"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: drawn)).starts(with: [0x89, 0x50]))

    #expect(try Executable.run(["scan", "--annotate", folder.path, pictures + "/nothing"]).status == 1)
    #expect(FileManager.default.fileExists(atPath: folder.file("waves.jpg.png")))
    #expect(try Executable.run(["scan", "--annotate", folder.file("x.gif"), file]).status == 64)
    #expect(try Executable.run(["scan", "--annotate", folder.file("no/x.png"), file]).status == 74)
  }

  /// A path to no file is written to, or not, but never replaced by one.
  @Test func devicesStayDevices() throws {
    let folder = try TemporaryFolder()
    let (null, full) = (folder.file("null.png"), folder.file("full.png"))
    try FileManager.default.createSymbolicLink(atPath: null, withDestinationPath: "/dev/null")
    try FileManager.default.createSymbolicLink(atPath: full, withDestinationPath: "/dev/full")
    let picture = pictures + "/read/jpeg-orientation-6.jpg"
    #expect(try Executable.run(["scan", "--annotate", null, picture]).status == 0)
    #expect(try Executable.run(["scan", "--annotate", full, picture]).status == 74)
    let anchors = Executable.project.appendingPathComponent("Samples/scenes/pump-room/pump-7.jpg").path
    #expect(try Executable.run(["anchors", "build", anchors, "-o", null]).status == 0)
    #expect(try Executable.run(["anchors", "build", anchors, "-o", full]).status == 74)
    for link in [null, full] {
      var information = stat()
      #expect(lstat(link, &information) == 0 && information.st_mode & S_IFMT == S_IFLNK)
      #expect(stat(link, &information) == 0 && information.st_mode & S_IFMT == S_IFCHR)
    }
  }

  @Test func escapesWhatAStrangerWrote() throws {
    // A file name is a stranger's text as well.
    let folder = try TemporaryFolder()
    let trap = folder.file("a\u{1B}[2J\u{202E}b.png")
    try FileManager.default.copyItem(atPath: pictures + "/read/png-gray8.png", toPath: trap)
    let run = try Executable.run(["scan", trap])
    #expect(run.status == 0)
    #expect(!run.text.contains("\u{1B}") && !run.text.unicodeScalars.contains("\u{202E}"))
    let json = try Executable.run(["scan", "--json", trap])
    #expect(json.objects.first?["input"] as? String == trap)
  }

  @Test func writesNoColourIntoAPipe() throws {
    let run = try Executable.run(["scan", pictures], environment: ["TERM": "xterm-256color"])
    #expect(!run.text.contains("\u{1B}"))
    #expect(!run.diagnostics.contains("\u{1B}"))
  }

  @Test func judgesTheSamples() throws {
    let samples = Executable.project.appendingPathComponent("Samples/pictures").path
    let run = try Executable.run(["scan", "--onboarding", "--json", samples])
    #expect(run.status == 2)
    let verdicts = run.objects.map { object in
      let name = (object["input"] as? String ?? "").split(separator: "/").last ?? ""
      return "\(name) \(object["outcome"] ?? "") \(object["reason"] ?? "-") \(object["connectTo"] ?? "-")"
    }
    #expect(
      verdicts == [
        "no-code.jpg unsuccessful nothingFound -",
        "onboarding-link.webp successful - mobile.example.com",
        "onboarding-on-a-card.jpg successful - mobile.example.com",
        "onboarding.png successful - mobile.example.com",
        "plain-http.png invalid hostNotAllowed -",
        "product.png unsuccessful notQR -",
        "sixty-codes.png invalid kindNotAllowed -",
        "two-codes.png invalid ambiguous -",
        "wifi.png invalid kindNotAllowed -",
      ])
  }

  @Test func readsASheetOfSixtyCodesWholeAndInOrder() throws {
    let run = try Executable.run(["scan", "--json", Self.samples + "/sixty-codes.png"])
    #expect(run.status == 0)
    let symbols = try #require(run.objects.first?["symbols"] as? [[String: Any]])
    let numbers = (1...60).map { "WAYMARK-SHEET-" + ($0 < 10 ? "0" : "") + "\($0)" }
    #expect(symbols.map { $0["text"] as? String } == numbers)
  }

  @Test func judgesByAPolicy() throws {
    let folder = try TemporaryFolder()
    let policy = folder.file("policy.yaml")
    try "onboarding:\n  kinds: [wifi, sapOnboarding]\n  hosts: [a.example.com]\n"
      .write(toFile: policy, atomically: true, encoding: .utf8)
    let samples = Executable.project.appendingPathComponent("Samples/pictures").path
    func outcome(_ name: String) throws -> String {
      let run = try Executable.run(["scan", "--onboarding", "--policy", policy, "--json", samples + "/" + name])
      let object = try #require(run.objects.first)
      return "\(run.status) \(object["outcome"] ?? "") \(object["reason"] ?? "-") \(object["connectTo"] ?? "-")"
    }
    #expect(try outcome("wifi.png") == "0 successful - -")
    #expect(try outcome("onboarding.png") == "2 invalid hostNotAllowed -")
    #expect(try outcome("two-codes.png") == "0 successful - a.example.com")
    #expect(try Executable.run(["scan", "--policy", policy, samples + "/wifi.png"]).status == 64)
    #expect(
      try Executable.run(["scan", "--onboarding", "--policy", folder.file("none"), samples + "/wifi.png"]).status == 66)
    try "onboarding: [1, 2".write(toFile: policy, atomically: true, encoding: .utf8)
    #expect(try Executable.run(["scan", "--onboarding", "--policy", policy, samples + "/wifi.png"]).status == 65)
  }
}
