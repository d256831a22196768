import Foundation
import Testing

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
    // Whatever the umask of this process is at the moment.
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
}
