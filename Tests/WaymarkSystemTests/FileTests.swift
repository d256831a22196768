import Foundation
import Testing
import WaymarkSystem

/// A folder of its own for one test.
private final class Place {
  let path = FileManager.default.temporaryDirectory.appendingPathComponent("waymark-\(UUID().uuidString)").path

  init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(atPath: path) }

  func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }
  var names: [String] { ((try? Folder.names(path)) ?? []).sorted() }
}

private func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }
private func mode(_ path: String) -> Int? {
  (try? FileManager.default.attributesOfItem(atPath: path))?[.posixPermissions] as? Int
}

@Suite("Files read whole") struct WholeFileTests {
  private let place: Place
  init() throws { place = try Place() }

  @Test func readsWhatThereIs() throws {
    let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try Data(bytes).write(to: URL(fileURLWithPath: place("a")))
    #expect(try WholeFile.read(place("a"), limit: 100_000) == bytes)
    #expect(throws: FileError.self) { try WholeFile.read(place("a"), limit: 99_999) }
    #expect(try OpenFile(Array("a".utf8), in: place.path, limit: 100_000).read() == bytes)
    // The system reports a size of 0 for this file.
    #expect(try !WholeFile.read("/proc/self/statm", limit: 4096).isEmpty)
    let (head, size) = try WholeFile.head(place("a"), count: 4)
    #expect(head == Array(bytes.prefix(4)) && size == 100_000)
  }

  @Test func aSparseFileCostsNothing() throws {
    let path = place("sparse")
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    #expect(truncate(path, 1 << 40) == 0)
    let error = #expect(throws: FileError.self) { try WholeFile.read(path, limit: 64 << 20) }
    #expect(error?.code == .tooLarge)
  }

  @Test func whatIsNoFileIsRefusedAtOnce() throws {
    #expect(mkfifo(place("pipe"), 0o600) == 0)
    #expect(throws: FileError.self) { try WholeFile.read(place("pipe"), limit: 10) }
    #expect(throws: FileError.self) { try OpenFile(Array("pipe".utf8), in: place.path, limit: 10).read() }
    #expect(throws: FileError.self) { try WholeFile.read(place.path, limit: 10, kind: .any) }
    let endless = #expect(throws: FileError.self) { try WholeFile.read("/dev/zero", limit: 1 << 20, kind: .any) }
    #expect(endless?.code == .tooLarge)
    let none = #expect(throws: FileError.self) { try WholeFile.read(place("none"), limit: 10) }
    #expect(none?.code == .notFound)
  }

  @Test func linksAreFollowedWhereAllowed() throws {
    try Data([1, 2]).write(to: URL(fileURLWithPath: place("a")))
    #expect(symlink(place("a"), place("link")) == 0)
    #expect(try WholeFile.read(place("link"), limit: 10) == [1, 2])
    #expect(throws: FileError.self) { try WholeFile.read(place("link"), limit: 10, kind: .unlinked) }
    #expect(throws: FileError.self) { try OpenFile(Array("link".utf8), in: place.path, limit: 10).read() }
  }
}

@Suite("Files written whole") struct DurableFileTests {
  private let place: Place
  init() throws { place = try Place() }

  @Test func stateIsReplaced() throws {
    try DurableFile.replace(place("state"), with: Array("one".utf8))
    #expect(mode(place("state")) == 0o600)
    // A file that a crash left behind is not an obstacle, and does not stay.
    try Data([0]).write(to: URL(fileURLWithPath: place("state.new")))
    try DurableFile.replace(place("state"), with: Array("two".utf8), mode: 0o640)
    #expect(text(place("state")) == "two" && mode(place("state")) == 0o640)
    #expect(place.names == ["state"])
    // A link is replaced: nothing outside is written.
    try Data("kept".utf8).write(to: URL(fileURLWithPath: place("target")))
    #expect(symlink(place("target"), place("link")) == 0)
    try DurableFile.replace(place("link"), with: Array("new".utf8))
    #expect(text(place("target")) == "kept" && text(place("link")) == "new")
  }

  /// Nothing of the file stays, however the process ends meanwhile.
  @Test func aDraftHasNoNameUntilItIsWhole() throws {
    do {
      let draft = try DraftFile(place("a.pdf"), mode: 0o640, isExact: true)
      try draft.append(Array("half".utf8))
      #expect(place.names == [])
      try draft.append(Array(" whole".utf8))
      try draft.publish()
    }
    #expect(text(place("a.pdf")) == "half whole" && mode(place("a.pdf")) == 0o640)
    // The old file stays as it is until the new one is whole, and an abandoned one changes nothing.
    do {
      let draft = try DraftFile(place("a.pdf"))
      try draft.append(Array("other".utf8))
      #expect(text(place("a.pdf")) == "half whole" && place.names == ["a.pdf"])
    }
    #expect(text(place("a.pdf")) == "half whole" && place.names == ["a.pdf"])
    let draft = try DraftFile(place("a.pdf"))
    try draft.append(Array("new".utf8))
    try draft.publish()
    #expect(text(place("a.pdf")) == "new" && place.names == ["a.pdf"])
  }

  @Test func stateNeverTakesThePlaceOfAPipe() throws {
    #expect(mkfifo(place("pipe"), 0o600) == 0)
    let error = #expect(throws: FileError.self) { try DurableFile.replace(place("pipe"), with: [1]) }
    #expect(error?.code == .notAFile)
    #expect(FileKind(place("pipe")) == .special)
  }

  @Test func resultsKeepLinksAndPermissions() throws {
    try DurableFile.write(Array("one".utf8), to: place("result"))
    #expect(chmod(place("result"), 0o604) == 0)
    #expect(symlink("result", place("link")) == 0)
    try DurableFile.write(Array("two".utf8), to: place("link"))
    #expect(text(place("result")) == "two" && mode(place("result")) == 0o604)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: place("link")) == "result")
    #expect(place.names == ["link", "result"])
  }

  @Test func resultsGoThroughPipesAndDevices() throws {
    #expect(mkfifo(place("pipe"), 0o600) == 0)
    let reader = open(place("pipe"), O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    try DurableFile.write(Array("hello".utf8), to: place("pipe"))
    var bytes = [UInt8](repeating: 0, count: 16)
    #expect(read(reader, &bytes, 16) == 5 && Array(bytes.prefix(5)) == Array("hello".utf8))
    #expect(FileKind(place("pipe")) == .special)
    try DurableFile.write([1, 2, 3], to: "/dev/null")
    let full = #expect(throws: FileError.self) { try DurableFile.write([1], to: "/dev/full") }
    #expect(full?.code == .noSpace)
    #expect(FileKind("/dev/null") == .special && FileKind("/dev/full") == .special)
  }

  @Test func whatFailsLeavesNothingBehind() throws {
    #expect(throws: FileError.self) { try DurableFile.write([1], to: place("no/where")) }
    #expect(throws: FileError.self) { try DurableFile.write([1], to: place.path) }
    #expect(throws: FileError.self) { try DurableFile.replace(place("no/where"), with: [1]) }
    #expect(place.names.isEmpty)
  }
}

@Suite struct FolderTests {
  /// Whether a folder could be made is found without making it.
  @Test func theObstacleIsThatOfMaking() throws {
    let folder = NSTemporaryDirectory() + "wm-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try Data().write(to: URL(fileURLWithPath: folder + "/file"))
    try FileManager.default.createSymbolicLink(atPath: folder + "/dangling", withDestinationPath: folder + "/nowhere")
    for (path, withParents) in [
      (folder, true), (folder + "/a", false), (folder + "/a/", false), (folder + "/b/c/d", true),
      (folder + "/e/f", false),
      (folder + "/file", true), (folder + "/file/a", true), (folder + "/dangling", true), ("/proc/a", true),
      ("/proc/self/a/b", true), ("", true), ("/", true), (".", true),
    ] {
      let obstacle = Folder.obstacle(path, withParents: withParents)
      let isNew = FileKind(path) == nil
      do {
        try Folder.make(path, withParents: withParents)
        #expect(obstacle == nil || FileKind(path) == .folder && !isNew, "\(path): \(obstacle?.message ?? "")")
        if isNew { try FileManager.default.removeItem(atPath: path) }
      } catch {
        #expect(obstacle != nil, "\(path)")
      }
    }
    #expect(FileKind(folder + "/b/c/d") == nil)
    #expect(Folder.parent(of: "/a/b/") == "/a" && Folder.parent(of: "/a") == "/" && Folder.parent(of: "a") == ".")
  }

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

@Suite struct CredentialTests {
  @Test func aCredentialIsAFileOfItsFolder() {
    let folder = "/run/credentials/waymark-gateway.service"
    #expect(Credential.path("credential:gateway-token", in: folder) == folder + "/gateway-token")
    #expect(Credential.path("/etc/waymark/token", in: folder) == "/etc/waymark/token")
    #expect(Credential.path("token", in: folder) == "token")
  }

  @Test(arguments: ["credential:", "credential:..", "credential:.", "credential:a/b", "credential:../../etc/shadow"])
  func nothingLeadsElsewhere(_ text: String) { #expect(Credential.path(text, in: "/run/credentials/u") == text) }

  @Test func withoutAFolderItStaysAsItWasWritten() {
    #expect(Credential.path("credential:a", in: nil) == "credential:a" && Credential.isMissing("credential:a"))
    #expect(!Credential.isMissing("/etc/credential:a"))
    #expect(Credential.path("credential:a", in: "") == "credential:a")
    #expect(Credential.path("credential:a", in: "relative") == "credential:a")
  }
}
