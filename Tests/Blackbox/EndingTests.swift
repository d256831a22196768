import Foundation
import Testing

/// Signals to a service that is still starting.
struct EndingTests {
  private static let frames = Executable.project.appendingPathComponent("Samples/sequences/pump-room").path

  /// Returns whether a process looks after a signal: true from its first instructions on.
  private func catches(_ signal: Int32, _ process: Int32) -> Bool {
    guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix("SigCgt:") }),
      let caught = UInt64(line.dropFirst(7).trimmingCharacters(in: .whitespaces), radix: 16)
    else { return false }
    return caught & 1 << UInt64(signal - 1) != 0
  }

  private func pass(_ microseconds: Int) {
    let end = DispatchTime.now().uptimeNanoseconds + UInt64(microseconds) * 1000
    while DispatchTime.now().uptimeNanoseconds < end {}
  }

  /// The delays are what is tried, not what is waited for: whenever it comes, the signal ends the service in order.
  @Test(arguments: [SIGTERM, SIGINT]) func atNoMomentOfItsStartIsAnythingLeftBehind(signal: Int32) throws {
    let folder = try TemporaryFolder()
    var endings: [Int32: Int] = [:]
    for round in 0..<60 {
      let socket = "/tmp/wm-\(UUID().uuidString.prefix(8)).sock"
      let process = try ChildProcess(
        [Executable.path, "serve", "--socket", socket, "--source", Self.frames, "--auto-begin", "barcode"],
        diagnostics: folder.file("log"))
      while process.isRunning, !catches(signal, process.identifier) {}
      pass(round * round * 40)
      // A second signal has no effect.
      process.send(signal)
      if round % 3 == 0 { process.send(signal) }
      endings[process.wait(), default: 0] += 1
      #expect(!FileManager.default.fileExists(atPath: socket), "round \(round)")
      unlink(socket)
    }
    #expect(endings == [0: 60])
  }

  /// A SIGHUP during the first read of the configuration reloads it once the service runs.
  @Test func toldToReloadWhileItStartsItReloads() throws {
    let folder = try TemporaryFolder()
    for round in 0..<20 {
      let socket = "/tmp/wm-\(UUID().uuidString.prefix(8)).sock"
      let log = folder.file("log-\(round)")
      let process = try ChildProcess(
        [Executable.path, "serve", "--socket", socket, "--source", Self.frames], diagnostics: log)
      while process.isRunning, !catches(SIGHUP, process.identifier) {}
      pass(round * round * 300)
      process.send(SIGHUP)
      let deadline = Date(timeIntervalSinceNow: 20)
      var text = ""
      while !text.contains("the new configuration is in effect"), process.isRunning, Date() < deadline {
        text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
      }
      #expect(text.contains("the new configuration is in effect"), "round \(round)")
      process.send(SIGTERM)
      #expect(process.wait() == 0, "round \(round)")
    }
  }

  /// A file that it has not made is not its own to remove.
  @Test func whatOthersHaveMadeStays() throws {
    let folder = try TemporaryFolder()
    let socket = "/tmp/wm-\(UUID().uuidString.prefix(8)).sock"
    _ = FileManager.default.createFile(atPath: socket, contents: nil)
    defer { unlink(socket) }
    let process = try ChildProcess(
      [Executable.path, "serve", "--socket", socket, "--source", Self.frames], diagnostics: folder.file("log"))
    // A file that is not a socket: it does not start, and leaves the file alone.
    #expect(process.wait() == 69)
    #expect(FileManager.default.fileExists(atPath: socket))
  }
}
