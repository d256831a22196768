import Foundation
import Testing
import WaymarkSystem

@Suite struct FolderTests {
  private let root = NSTemporaryDirectory() + "folder-" + UUID().uuidString

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test func parentsAreMadeWhereTheyAreWanted() throws {
    defer { try? FileManager.default.removeItem(atPath: root) }
    #expect { try Folder.make(root + "/a/b", withParents: false) } throws: { ($0 as? FileError)?.code == .notFound }
    try Folder.make(root + "/a/b")
    try Folder.make(root + "/a/b")
    #expect(try mode(root + "/a/b") == 0o700)
    try Folder.make(root + "/open", mode: 0o755, isExact: true)
    #expect(try mode(root + "/open") == 0o755)
    #expect(throws: FileError.self) { try Folder.make("") }
  }

  @Test func aFileInItsPlaceIsNoFolder() throws {
    defer { try? FileManager.default.removeItem(atPath: root) }
    try Folder.make(root)
    try DurableFile.replace(root + "/file", with: [1])
    #expect(throws: FileError.self) { try Folder.make(root + "/file") }
  }

  @Test func oneHolderAtATime() throws {
    defer { try? FileManager.default.removeItem(atPath: root) }
    try Folder.make(root, mode: 0o755, isExact: true)
    let first = try FolderLock(root)
    #expect { try FolderLock(root) } throws: { ($0 as? FileError)?.code == .inUse }
    withExtendedLifetime(first) {}
  }

  @Test func whoLetsGoLetsTheNextOneIn() throws {
    defer { try? FileManager.default.removeItem(atPath: root) }
    try Folder.make(root, mode: 0o755, isExact: true)
    do {
      let first = try FolderLock(root)
      withExtendedLifetime(first) {}
    }
    let second = try FolderLock(root, isPrivate: true)
    #expect(try mode(root) == 0o700)
    withExtendedLifetime(second) {}
  }
}
