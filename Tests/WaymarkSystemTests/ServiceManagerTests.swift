import Foundation
import Glibc
import Testing

@testable import WaymarkSystem

@Suite struct ServiceManagerTests {
  /// A socket that hears what a service manager would hear.
  private final class Listener {
    let descriptor: CInt
    init(_ path: String) {
      descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      var bytes = Array(path.utf8)
      if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
      withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          _ = bind(descriptor, $0, socklen_t(2 + bytes.count))
        }
      }
    }
    deinit { close(descriptor) }

    func next() -> String {
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = recv(descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT))
      return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : ""
    }
  }

  @Test(arguments: [false, true]) func notificationsArrive(_ isAbstract: Bool) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("wm-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = isAbstract ? "@" + folder : folder + "/notify"
    let listener = Listener(path)
    let manager = ServiceManager(environment: ["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "20000000"])
    #expect(manager.watchdogInterval == 4, "a sign at least every five seconds, with a second to spare")
    #expect(ServiceManager(environment: ["WATCHDOG_USEC": "2000000"]).watchdogInterval == 1)
    manager.ready("streaming:\n/dev/video0")
    #expect(listener.next() == "READY=1\nSTATUS=streaming: /dev/video0")
    manager.alive()
    #expect(listener.next() == "WATCHDOG=1")
    manager.reloading()
    #expect(listener.next().hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
    manager.stopping()
    #expect(listener.next() == "STOPPING=1\nSTATUS=Stopping")
  }

  @Test func withoutAManagerNothingHappens() {
    let manager = ServiceManager(environment: [:])
    manager.ready("x")
    #expect(!manager.isPresent)
    #expect(manager.watchdogInterval == nil)
    #expect(manager.listeningSocket() == nil)
  }

  @Test func variablesForAnotherProcessAreNotTaken() {
    let manager = ServiceManager(
      environment: ["LISTEN_PID": "1", "LISTEN_FDS": "1", "WATCHDOG_PID": "1", "WATCHDOG_USEC": "1000"], process: 77)
    #expect(manager.listenDescriptors.isEmpty)
    #expect(manager.watchdogInterval == nil)
    let own = ServiceManager(environment: ["LISTEN_PID": "77", "LISTEN_FDS": "2"], process: 77)
    #expect(own.listenDescriptors == [3, 4])
  }
}

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
