import Foundation
import Testing
import WaymarkSystem

@testable import WaymarkKiosk

@Suite("The token file")
struct KioskTokenTests {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("waymark-token-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

  private var path: String { folder.appendingPathComponent("token").path }

  @Test("It is made once, with mode 0640, and kept over restarts")
  func kept() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try KioskToken(file: path)
    #expect(first.value.count == 64)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o640)
    #expect(try KioskToken(file: path).value == first.value)
    #expect(KioskToken().value != first.value)
  }

  @Test("What is not a token is replaced")
  func damaged() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try "short".write(toFile: path, atomically: true, encoding: .utf8)
    // The modes do not depend on the umask of this process.
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    #expect(try KioskToken(file: path).value.count == 64)
  }

  @Test("A file that others can write is refused, as is a folder that is not there")
  func refused() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    _ = try KioskToken(file: path)
    try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
    #expect(throws: KioskError.self) { try KioskToken(file: path) }
    #expect(throws: KioskError.self) { try KioskToken(file: folder.appendingPathComponent("none/token").path) }
  }

  @Test("The address is for owner and group, is replaced as a whole, and leaves nothing beside it")
  func address() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = SecretFile.address(path)
    try file.clear()
    try file.write("http://127.0.0.1:1/?token=a")
    try file.write("http://127.0.0.1:2/?token=b")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "http://127.0.0.1:2/?token=b\n")
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o640)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["token"])
    try file.clear()
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test("A link in place of the address is replaced, and what it points to stays as it is")
  func link() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let other = folder.appendingPathComponent("other").path
    try "theirs".write(toFile: other, atomically: true, encoding: .utf8)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: other)
    try SecretFile.address(path).write("http://127.0.0.1:1/")
    #expect(try String(contentsOfFile: other, encoding: .utf8) == "theirs")
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType == .typeRegular)
  }

  @Test("An address for a folder that is not there is refused before the page is served")
  func addressFolder() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = SecretFile.address(folder.appendingPathComponent("none/address").path)
    let error = #expect(throws: KioskError.self) { try file.clear() }
    #expect(error?.code == .addressFile)
    #expect(error?.hint.contains("--address-file") == true)
  }
}
