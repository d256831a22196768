import CDispatch
import Foundation
import Glibc
import Synchronization
import Testing
import WaymarkServer
import WaymarkService
import WaymarkSystem

@testable import WaymarkPeople
@testable import WaymarkStation

/// The files of users survive any end of the process, are private, and are removed with their users.
@Suite struct AccountStoreTests {
  private static func folder() throws -> String { try TestFolder.make() + "/state/accounts" }
  private static let ada = Account(
    id: "ada0ada0ada0", subject: "ada", title: "Ada", passcode: nil, isReady: true, created: "2026-01-02T03:04:05Z")

  private static func mode(_ path: String) -> UInt32 {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
  }

  @Test func keepsAndRemoves() throws {
    let folder = try Self.folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var ada = Self.ada
    do {
      let store = try AccountStore(folder: folder)
      #expect(store.accounts.isEmpty)
      try store.save(ada)
      ada.waits.count(at: 12)
      try store.save(ada)
      store.remember(ada.id)
    }
    #expect(Self.mode(folder) == 0o700)
    #expect(Self.mode("\(folder)/\(ada.id).user") == 0o600)
    let store = try AccountStore(folder: folder)
    #expect(store.accounts == [ada])
    #expect(store.last == ada.id)
    try store.erase(ada.id)
    // Nothing of them is left in any file.
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      #expect(try !String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8).contains("Ada"))
    }
    try store.erase(ada.id)
  }

  /// The file on the disk when the process is killed at each step of a write.
  @Test func aKilledWriteLeavesTheOldOrTheNew() throws {
    let old = Self.ada
    var new = old
    new.title = "Ada Lovelace"
    let bytes = try AccountFile.encode(new)
    let before = try AccountFile.encode(old)
    for cut in [0, 1, bytes.count / 2, bytes.count - 1, bytes.count] {
      for isRenamed in [false, true] where !isRenamed || cut == bytes.count {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = "\(folder)/\(old.id).user"
        try Data(isRenamed ? bytes : before).write(to: URL(fileURLWithPath: path))
        if !isRenamed { try Data(bytes[..<cut]).write(to: URL(fileURLWithPath: path + ".new")) }
        let store = try AccountStore(folder: folder)
        #expect(store.accounts == [isRenamed ? new : old])
        #expect(store.warnings.isEmpty)
        // A half-written file belongs to no user.
        #expect(!FileManager.default.fileExists(atPath: path + ".new"))
      }
    }
  }

  @Test func aWriteThatFailsIsReportedAndChangesNothing() throws {
    let folder = try Self.folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let isFull = Mutex(false)
    var calls = AccountStore.Calls()
    calls.replace = { path, bytes in
      if isFull.withLock({ $0 }) { throw FileError(path, cannotBe: "written", number: ENOSPC) }
      try DurableFile.replace(path, with: bytes)
    }
    calls.remove = { _ in isFull.withLock { $0 } ? EROFS : 0 }
    do {
      let store = try AccountStore(folder: folder, calls: calls)
      try store.save(Self.ada)
      isFull.withLock { $0 = true }
      var changed = Self.ada
      changed.title = "Changed"
      #expect(throws: ServiceProblem.self) { try store.save(changed) }
      #expect(throws: ServiceProblem.self) { try store.erase(Self.ada.id) }
      store.remember(Self.ada.id)
    }
    #expect(try AccountStore(folder: folder).accounts == [Self.ada])
  }

  @Test func damagedFilesAreSetAsideAndTheRestGoesOn() throws {
    let folder = try Self.folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try AccountStore(folder: folder).save(Self.ada)
    try Data("{".utf8).write(to: URL(fileURLWithPath: folder + "/ben0ben0ben0.user"))
    // Links and other names are ignored.
    symlink("/etc/passwd", folder + "/cem0cem0cem0.user")
    try Data("../../etc".utf8).write(to: URL(fileURLWithPath: folder + "/last"))
    let store = try AccountStore(folder: folder)
    #expect(store.accounts == [Self.ada])
    #expect(store.warnings.count == 2)
    #expect(store.last == nil)
    #expect(FileManager.default.fileExists(atPath: folder + "/ben0ben0ben0.user.damaged"))
    #expect(store.damaged == ["ben0ben0ben0", "cem0cem0cem0"])
    try store.erase("ben0ben0ben0")
    #expect(!FileManager.default.fileExists(atPath: folder + "/ben0ben0ben0.user.damaged"))
    #expect(throws: ServiceProblem.self) { try store.erase("../../x") }
  }

  @Test func oneServiceHoldsItAndNoOtherUserReadsIt() throws {
    let folder = try Self.folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    chmod(folder, 0o755)
    let store = try AccountStore(folder: folder)
    #expect(Self.mode(folder) == 0o700)
    let refused = #expect(throws: ServiceProblem.self) { try AccountStore(folder: folder) }
    #expect(refused?.message.contains("another service") == true)
    withExtendedLifetime(store) {}
  }
}
