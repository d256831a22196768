import Foundation
import Testing
import WaymarkImage
import WaymarkSystem

@testable import WaymarkCommands

/// A scan of many pictures needs little memory, shows its progress, and can be resumed.
struct ManyPicturesTests {
  @Test func progressShowsCountRateAndRest() {
    var figures = ProgressFigures(total: 10_000, began: 100)
    #expect(figures.text(at: 100.5) == "0/10000")
    for _ in 0..<50 { figures.add(failed: false) }
    figures.add(failed: true)
    #expect(figures.text(at: 100.5) == "51/10000  1 failed")
    #expect(figures.text(at: 110) == "51/10000  5.1/s  33 min left  1 failed")
    #expect(figures.text(at: 101) == "51/10000  51/s  4 min left  1 failed")
    #expect(figures.text(at: 1000) == "51/10000  0.1/s  49 h left  1 failed")
    var short = ProgressFigures(total: 2, began: 0)
    short.add(failed: false)
    #expect(short.text(at: 20) == "1/2  0.1/s  20 s left")
    short.add(failed: false)
    #expect(short.text(at: 20) == "2/2  0.1/s")
  }

  /// The pages that are left when the time is over are one report, with their number.
  @Test func aFileOfSlowPagesEndsInTime() throws {
    let clock = Monitor(0.0)
    var settings = PictureScanner.Settings()
    settings.fileLimit = 10
    settings.now = {
      clock.update { time in
        time += 4
        return time
      }
    }
    let input = ScanInput(name: "a.pdf", source: .standardInput)
    let damaged = ImageError(.damagedPicture, "It is damaged.", hint: "Ask for another one.")
    let pages = (1...1000).map { InputPage(input: input, number: $0, pages: .failure(damaged)) }
    let reports = try PictureScanner(settings).scan(pages, since: 0)
    #expect(reports.map(\.page) == [1, 2, 3, 4])
    #expect(reports.last?.error?.code == .tooSlow && reports.last?.exitStatus == .badData)
    #expect(reports.last?.error?.message == "997 of 1000 pages were not read within 10 seconds")
    #expect(reports.dropLast().allSatisfy { $0.error?.code == .damagedPicture })
  }

  /// A slow item holds back the others: results that cannot be handed over yet stay few.
  @Test func fewResultsWaitForASlowItem() {
    let started = Monitor(0)
    var startedAtFirst = 0
    OrderedTasks.run(
      Array(0..<400), jobs: 2,
      worker: {
        { item -> Int in
          started.update { $0 += 1 }
          // The first one ends when as many have begun as may, and not at once.
          if item == 0 {
            _ = started.wait(for: { $0 >= 8 ? true : nil })
            for _ in 0..<20_000 { _ = started.withLock { $0 } }
          }
          return item
        }
      },
      deliver: { item in
        if item == 0 { startedAtFirst = started.withLock { $0 } }
        return true
      })
    // One more may begin while the first is handed over.
    #expect((8...9).contains(startedAtFirst))
    #expect(started.withLock { $0 } == 400)
  }

  private struct Place {
    let folder = NSTemporaryDirectory() + "waymark-resume-\(UUID().uuidString)"
    var list: String { folder + "/list" }

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    func input(_ name: String, _ contents: String) throws -> ScanInput {
      try Data(contents.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
      return ScanInput(name: "\(folder)/\(name)", source: .file("\(folder)/\(name)"))
    }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }
  }

  @Test func whatIsDoneIsKnownAgain() throws {
    let place = try Place()
    defer { place.remove() }
    let (first, second) = (try place.input("a\nb.png", "1"), try place.input("b.png", "2"))
    do {
      let file = try ResumeFile(place.list, settings: "effort still")
      #expect(file.status(of: first) == nil)
      try file.note(first, first.state, .nothingFound)
      try file.note(ScanInput(name: "-", source: .standardInput), nil, .success)
      #expect { try ResumeFile(place.list, settings: "effort still") } throws: { ($0 as? FileError)?.code == .inUse }
      // The lock goes with the file.
      withExtendedLifetime(file) {}
    }
    do {
      let file = try ResumeFile(place.list, settings: "effort still")
      #expect(file.status(of: first) == .nothingFound)
      #expect(file.status(of: second) == nil)
      #expect(file.status(of: ScanInput(name: "-", source: .standardInput)) == nil)
      // A changed file is not the one that was read.
      #expect(file.status(of: try place.input("a\nb.png", "12")) == nil)
    }
    #expect { try ResumeFile(place.list, settings: "effort live") } throws: {
      ($0 as? FileError)?.message.contains("other options: effort still") == true
    }
  }

  /// Cut off anywhere, the file has every input whose line is complete, and the scan continues from there.
  @Test func aHalfLineIsNone() throws {
    let place = try Place()
    defer { place.remove() }
    let inputs = try (0..<3).map { try place.input("\($0).png", "\($0)") }
    do {
      let file = try ResumeFile(place.list, settings: "s")
      for input in inputs { try file.note(input, input.state, .success) }
    }
    let whole = try WholeFile.read(place.list, limit: 1 << 20)
    let ends = whole.indices.filter { whole[$0] == UInt8(ascii: "\n") }
    #expect(ends.count == 4)
    for cut in (ends[0] + 1)...whole.count {
      try Data(whole[..<cut]).write(to: URL(fileURLWithPath: place.list))
      let file = try ResumeFile(place.list, settings: "s")
      let known = inputs.prefix { file.status(of: $0) == .success }.count
      #expect(known == ends.dropFirst().count { $0 < cut }, "\(cut)")
      try file.note(inputs[2], inputs[2].state, .success)
      #expect(try WholeFile.read(place.list, limit: 1 << 20).starts(with: whole[..<ends[known]]))
    }
  }

  @Test func aStrangersFileIsLeftAlone() throws {
    let place = try Place()
    defer { place.remove() }
    for text in ["hello", "hello\n", "{\"waymark\":\"other\",\"settings\":\"s\"}\n"] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: place.list))
      #expect { try ResumeFile(place.list, settings: "s") } throws: { ($0 as? FileError)?.code == .notAFile }
      #expect(try WholeFile.read(place.list, limit: 1 << 20) == Array(text.utf8))
    }
  }
}
