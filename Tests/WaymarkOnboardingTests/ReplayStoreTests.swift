import Foundation
import Synchronization
import Testing
import WaymarkOnboarding
import WaymarkSystem

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

  @Test("Who only looks makes nothing")
  func looking() throws {
    try withFolder { folder in
      let reader = try ReplayStore(folder: folder + "/a", isReadOnly: true)
      #expect(try !reader.contains(entry("a")))
      #expect(!FileManager.default.fileExists(atPath: folder))
      #expect(throws: OnboardingError.self) { try reader.record(entry("a")) }
      #expect(try ReplayStore(folder: folder + "/a").record(entry("a")))
      #expect(try reader.contains(entry("a")))
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

  /// A wall clock and a time since boot that a test sets.
  private final class Clocks: Sendable {
    private let times = Mutex((wall: 0.0, boot: 0.0))
    init(wall: Double) { times.withLock { $0.wall = wall } }
    func pass(_ seconds: Double) { times.withLock { $0 = ($0.wall + seconds, $0.boot + seconds) } }
    func jump(_ seconds: Double) { times.withLock { $0.wall += seconds } }
    func store(_ folder: String) throws -> ReplayStore {
      try ReplayStore(
        folder: folder, now: { Date(timeIntervalSince1970: self.times.withLock { $0.wall }) },
        uptime: { self.times.withLock { $0.boot } })
    }
  }

  private func records(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.count == 64 }.map { String($0.prefix(1)) }
      .sorted()
  }

  @Test("Records are forgotten a day after their payload is over, others never")
  func expiry() throws {
    try withFolder { folder in
      let clocks = Clocks(wall: 1000)
      let store = try clocks.store(folder)
      #expect(try store.record(entry("a", expires: 2000)))
      #expect(try store.record(entry("b")))
      clocks.pass(1000 + 86_399)
      #expect(try store.record(entry("c", expires: 1e9)))
      #expect(try records(folder) == ["a", "b", "c"])
      clocks.pass(3600)
      #expect(try store.record(entry("d", expires: 1e9)))
      #expect(try records(folder) == ["b", "c", "d"])
    }
  }

  @Test("A clock that jumps ahead forgets nothing; one that stays ahead and is set back lets nothing in again")
  func jumps() throws {
    try withFolder { folder in
      let clocks = Clocks(wall: 1000)
      let store = try clocks.store(folder)
      let used = entry("a", expires: 2000)
      #expect(try store.record(used))
      clocks.pass(7200)
      clocks.jump(400 * 86_400)
      #expect(try store.record(entry("b", expires: 1e9)))
      #expect(try records(folder) == ["a", "b"])
      // For more than an hour: the clock is trusted, the record goes, and its payload stays refused anyway.
      clocks.pass(7200)
      #expect(try store.record(entry("c", expires: 1e9)))
      #expect(try records(folder) == ["b", "c"])
      clocks.jump(-400 * 86_400 - 14_000)
      #expect(try store.contains(used))
      #expect(try !store.record(used))
      let later = try clocks.store(folder)
      #expect(try later.contains(used))
      #expect(later.warnings.isEmpty)
      // An entry that outlives everything that was forgotten is not touched by the excursion.
      #expect(try later.record(entry("d", expires: 2001)))
    }
  }

  @Test("Damaged files of state are told, set aside where they hold nothing, and nothing that was used comes back")
  func damaged() throws {
    try withFolder { folder in
      let clocks = Clocks(wall: 5000)
      #expect(try clocks.store(folder).record(entry("a", expires: 9000)))
      for content in ["", "12", "x\n", "-5\n"] {
        try Data(content.utf8).write(to: URL(fileURLWithPath: folder + "/horizon"))
        let store = try clocks.store(folder)
        #expect(store.warnings.count == 1)
        #expect(store.warnings.first?.contains("horizon.damaged") == true)
        #expect(try String(contentsOfFile: folder + "/horizon.damaged", encoding: .utf8) == content)
        #expect(try store.contains(entry("a", expires: 9000)))
        #expect(try store.contains(entry("b", expires: 4000)))
        #expect(try !store.contains(entry("c", expires: 9000)))
      }
      try Data("1e9".utf8).write(to: URL(fileURLWithPath: folder + "/" + entry("a").digest))
      let store = try clocks.store(folder)
      #expect(store.warnings.count == 1)
      #expect(store.warnings.first?.contains("count as used") == true)
      #expect(try store.contains(entry("a", expires: 9000)))
    }
  }

  @Test("A store that cannot remember says so, and names that are not digests are refused")
  func broken() throws {
    try withFolder { folder in
      #expect(throws: OnboardingError.self) { try ReplayStore(folder: "/dev/null/x") }
      #expect(throws: OnboardingError.self) { try ReplayStore(folder: "") }
      let store = try ReplayStore(folder: folder)
      #expect(throws: OnboardingError.self) { try store.record(ReplayEntry(digest: "../x", expires: nil)) }
      try FileManager.default.removeItem(atPath: folder)
      #expect(throws: OnboardingError.self) { try store.contains(entry("a")) }
      #expect(throws: OnboardingError.self) { try store.record(entry("a")) }
    }
  }
}
