import Foundation
import Testing
import WaymarkOnboarding
import WaymarkService

@Suite("The store of confirmed payloads")
struct ReplayStoreTests {
  private func entry(_ digit: Character, expires: Double? = nil) -> ReplayEntry {
    ReplayEntry(
      digest: String(repeating: digit, count: 64), expires: expires.map(Date.init(timeIntervalSince1970:)))
  }

  private func withFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("replay-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(folder)
  }

  @Test("Looking records nothing; recording works once, for every store in the same folder")
  func once() throws {
    try withFolder { folder in
      let (one, two) = (try ReplayStore(folder: folder + "/a/b"), try ReplayStore(folder: folder + "/a/b"))
      for _ in 0..<3 { #expect(try !one.contains(entry("a"))) }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/a/b").isEmpty)
      #expect(try one.record(entry("a")))
      #expect(try two.contains(entry("a")))
      #expect(try !two.record(entry("a")))
      #expect(try two.record(entry("b")))
    }
  }

  @Test("Of many that record at once exactly one is first")
  func concurrent() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("replay-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for digit in "0123456789abcdef" {
      let entry = entry(digit)
      let firsts = try await withThrowingTaskGroup(of: Bool.self) { group in
        for _ in 0..<8 { group.addTask { try ReplayStore(folder: folder).record(entry) } }
        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(firsts == 1)
    }
  }

  @Test("A record that a crash left half written counts")
  func torn() throws {
    try withFolder { folder in
      let store = try ReplayStore(folder: folder)
      #expect(FileManager.default.createFile(atPath: folder + "/" + entry("c").digest, contents: nil))
      #expect(try store.contains(entry("c")))
      #expect(try !store.record(entry("c")))
    }
  }

  @Test("Records are forgotten a day after their payload is over, others never")
  func expiry() throws {
    try withFolder { folder in
      let early = try ReplayStore(folder: folder, now: { Date(timeIntervalSince1970: 1000) })
      #expect(try early.record(entry("a", expires: 2000)))
      #expect(try early.record(entry("b")))
      let names = { try FileManager.default.contentsOfDirectory(atPath: folder).map { $0.prefix(1) }.sorted() }
      let soon = try ReplayStore(folder: folder, now: { Date(timeIntervalSince1970: 2000 + 86_399) })
      #expect(try soon.record(entry("c", expires: 1e9)))
      #expect(try names() == ["a", "b", "c"])
      let late = try ReplayStore(folder: folder, now: { Date(timeIntervalSince1970: 2001 + 86_400) })
      #expect(try late.record(entry("d", expires: 1e9)))
      #expect(try names() == ["b", "c", "d"])
    }
  }

  @Test("A store that cannot remember says so, and names that are no digests are refused")
  func broken() throws {
    try withFolder { folder in
      #expect(throws: ServiceProblem.self) { try ReplayStore(folder: "/dev/null/x") }
      #expect(throws: ServiceProblem.self) { try ReplayStore(folder: "") }
      let store = try ReplayStore(folder: folder)
      #expect(throws: ServiceProblem.self) { try store.record(ReplayEntry(digest: "../x", expires: nil)) }
      try FileManager.default.removeItem(atPath: folder)
      #expect(throws: ServiceProblem.self) { try store.contains(entry("a")) }
      #expect(throws: ServiceProblem.self) { try store.record(entry("a")) }
    }
  }
}
