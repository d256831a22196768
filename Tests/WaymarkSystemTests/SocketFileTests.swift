import Foundation
import Glibc
import Testing
import WaymarkSystem

/// A socket file is removed only where a dead process left it.
@Suite struct SocketFileTests {
  private func inFolder(_ body: (String) throws -> Void) throws {
    let folder = NSTemporaryDirectory() + "waymark-socket-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(folder + "/s")
  }

  /// A socket that listens at a path, which the caller closes.
  private func listener(_ path: String) throws -> CInt {
    let address = try #require(SocketFile.address(path))
    let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    let result = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(result == 0)
    try #require(listen(descriptor, 1) == 0)
    return descriptor
  }

  @Test func aPathMayBeAsLongAsItFits() {
    #expect(SocketFile.address("") == nil)
    #expect(SocketFile.address("/" + String(repeating: "x", count: 106)) != nil)
    #expect(SocketFile.address("/" + String(repeating: "x", count: 107)) == nil)
  }

  @Test func anAbandonedSocketIsRemoved() throws {
    try inFolder { path in
      close(try listener(path))
      let address = try #require(SocketFile.address(path))
      #expect(SocketFile.removeLeftover(at: path, address) == .none)
      #expect(access(path, F_OK) != 0)
      #expect(SocketFile.removeLeftover(at: path, address) == .none)
    }
  }

  @Test func aLivingListenerKeepsItsFile() throws {
    try inFolder { path in
      let descriptor = try listener(path)
      defer { close(descriptor) }
      let address = try #require(SocketFile.address(path))
      // With its queue full, too.
      for _ in 0..<4 { #expect(SocketFile.removeLeftover(at: path, address) == .inUse) }
      #expect(access(path, F_OK) == 0)
    }
  }

  @Test func anotherFileIsLeftAlone() throws {
    try inFolder { path in
      try Data("x".utf8).write(to: URL(fileURLWithPath: path))
      let address = try #require(SocketFile.address(path))
      #expect(SocketFile.removeLeftover(at: path, address) == .notASocket)
      #expect(access(path, F_OK) == 0)
    }
  }
}
