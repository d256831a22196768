import Foundation
import Synchronization
import Testing
import WaymarkDocuments
import WaymarkSystem

@testable import WaymarkServer
@testable import WaymarkService
@testable import WaymarkStation

/// The pages of a session on the disk.
struct PageStoreTests {
  private static let page = DocumentManifest.Page(
    number: 1, width: 480, height: 360, outline: nil, filter: .colour, captured: 1, bytes: 3)

  private func ledger(_ pages: Int) -> DocumentManifest {
    var ledger = DocumentManifest(session: "d1", changed: 1)
    for _ in 0..<pages {
      var page = Self.page
      page.number = ledger.takeNumber()
      ledger.pages.append(page)
    }
    return ledger
  }

  @Test func reportedPagesSurviveAWriteThatIsCutOff() throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = PageStore(folder: folder)
    try store.add([1, 2, 3], 1)
    try store.write(ledger(1))
    // Killed after the picture, before the record; and in the middle of either.
    try store.add([4, 5, 6], 2)
    for name in ["page-3.new", "record.new"] { try Data([1]).write(to: URL(fileURLWithPath: "\(folder)/\(name)")) }
    let found = try store.load()
    #expect(found.ledger?.pages.map(\.number) == [1])
    #expect(found.warnings.isEmpty)
    #expect(try store.picture(1) == [1, 2, 3])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["page-1", "record"])
    // Killed while everything is removed.
    try FileManager.default.removeItem(atPath: folder + "/record")
    #expect(try store.load().ledger == nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
  }

  @Test func aDamagedRecordIsMadeAnewFromThePictures() throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = PageStore(folder: folder)
    try store.add(try DocumentsModuleTests.frame(1), 1)
    try store.add(try DocumentsModuleTests.frame(2), 2)
    try store.write(ledger(2))
    try Data("{".utf8).write(to: URL(fileURLWithPath: folder + "/record"))
    let found = try store.load()
    #expect(found.ledger?.pages.map(\.number) == [1, 2])
    #expect(found.ledger?.pages.first?.width == 480)
    #expect(found.warnings.count == 1)
  }

  @Test func sealedPagesAreReadWithTheirKeyOnly() throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let seal = try PageSeal(keyFile: folder + "/key")
    let store = PageStore(folder: folder + "/session", seal: seal)
    let secret = Array("what is on the page".utf8)
    try store.add(secret, 1)
    try store.write(ledger(1))
    let raw = try Data(contentsOf: URL(fileURLWithPath: folder + "/session/page-1"))
    #expect(raw.firstRange(of: Data(secret)) == nil)
    // The key stays the same from run to run.
    let again = PageStore(folder: folder + "/session", seal: try PageSeal(keyFile: folder + "/key"))
    #expect(try again.load().ledger?.pages.count == 1)
    #expect(try again.picture(1) == secret)
    for other in [
      PageStore(folder: folder + "/session"),
      PageStore(folder: folder + "/session", seal: try PageSeal(keyFile: folder + "/other")),
    ] {
      #expect(throws: ServiceProblem.self) { try other.load() }
    }
    #expect(try again.picture(1) == secret)
  }

  /// A disk that stops at the n-th thing that is done to it, halfway through if that is a write: the process was killed.
  private final class DyingDisk: Sendable {
    struct Dead: Error {}

    private let left: Mutex<Int>
    private let isWhole: Bool

    /// - Parameter isWhole: whether what it stops at is still done.
    init(stopsAt count: Int, isWhole: Bool) {
      left = Mutex(count)
      self.isWhole = isWhole
    }

    /// Returns whether the next thing is done; throws from the one on at which it stops.
    private func next() -> (isDone: Bool, isLast: Bool) {
      left.withLock { left in
        left -= 1
        return (left > 0 || (left == 0 && isWhole), left <= 0)
      }
    }

    var disk: PageStore.Disk {
      var disk = PageStore.Disk()
      disk.replace = { path, bytes in
        let (isDone, isLast) = self.next()
        if isDone {
          try DurableFile.replace(path, with: bytes)
        } else if self.left.withLock({ $0 }) == 0 {
          try Data(bytes.prefix(bytes.count / 2)).write(to: URL(fileURLWithPath: path + ".new"))
        }
        if isLast { throw Dead() }
      }
      disk.remove = { path in
        let (isDone, isLast) = self.next()
        if isDone { unlink(path) }
        return isLast ? EIO : nil
      }
      return disk
    }

    var isDead: Bool { left.withLock { $0 <= 0 } }
  }

  @Test(arguments: 1...16, [false, true])
  func killedAtAnyWriteItHoldsThePagesThatItReported(_ count: Int, _ isWhole: Bool) throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let dying = DyingDisk(stopsAt: count, isWhole: isWhole)
    let store = PageStore(folder: folder, disk: dying.disk)
    var ledger = DocumentManifest(session: "d1", changed: 1)
    // The published numbers, and those that may be published if the process ends now.
    var reported: [Int] = []
    var next: [Int] = []
    do {
      for _ in 0..<4 {
        var page = Self.page
        page.number = ledger.takeNumber()
        ledger.pages.append(page)
        next = reported + [page.number]
        try store.add([UInt8](repeating: UInt8(page.number), count: 100), page.number)
        try store.write(ledger)
        reported = next
      }
      ledger.pages.removeFirst()
      next = [2, 3, 4]
      try store.write(ledger)
      reported = next
      store.remove([1])
      guard !dying.isDead else { throw DyingDisk.Dead() }
      next = []
      try store.clear()
      reported = []
    } catch {}
    let found = try PageStore(folder: folder).load()
    let pages = found.ledger?.pages.map(\.number) ?? []
    #expect(pages == reported || pages == next)
    #expect(found.warnings.isEmpty)
    for number in pages {
      #expect(try store.picture(number) == [UInt8](repeating: UInt8(number), count: 100))
    }
    // No unknown file is left.
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    #expect(files == pages.map { "page-\($0)" } + (found.ledger == nil ? [] : ["record"]))
  }

  @Test func numbersThatNoPageHasAreNotBelieved() throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let picture = try DocumentsModuleTests.frame(1)
    for name in ["page-9223372036854775807", "page--3", "page-0", "page-2"] {
      try Data(picture).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    }
    try Data("{".utf8).write(to: URL(fileURLWithPath: folder + "/record"))
    #expect(try PageStore(folder: folder).load().ledger?.pages.map(\.number) == [2])
  }
}
