import Foundation
import Glibc
import Synchronization
import Testing
import WaymarkSystem

@testable import WaymarkServer
@testable import WaymarkService

@Suite("The hardware key", .timeLimit(.minutes(1)))
struct HardwareTriggerTests {
  /// One `struct input_event`.
  private func record(_ type: UInt16, _ code: UInt16, _ value: UInt32) -> [UInt8] {
    let time = [UInt8](repeating: 0, count: 16)
    let kind: [UInt8] = [type, code].flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let bytes: [UInt8] = (0..<4).map { UInt8(value >> (8 * $0) & 0xFF) }
    return time + kind + bytes
  }

  @Test("Presses count; releases, repeats and other keys do not")
  func presses() {
    var parser = KeyEventParser(key: 28)
    let bytes =
      record(4, 4, 0x7_0028) + record(1, 28, 1) + record(0, 0, 0) + record(1, 28, 2) + record(1, 28, 0)
      + record(1, 29, 1) + record(2, 28, 1) + record(1, 28, 1)
    #expect(parser.presses(in: bytes) == 2)
  }

  @Test("Records may come in pieces")
  func pieces() {
    var parser = KeyEventParser(key: 28)
    let bytes = record(1, 28, 1) + record(0, 0, 0) + record(1, 28, 1)
    #expect(bytes.map { parser.presses(in: [$0]) }.reduce(0, +) == 2)
  }

  @Test("What an overflow left in pieces is skipped")
  func overflow() {
    var parser = KeyEventParser(key: 28)
    let lost = record(0, 3, 0) + record(1, 28, 1) + record(0, 0, 0) + record(1, 28, 1)
    #expect(parser.presses(in: lost) == 1)
  }

  @Test("Keys have names and numbers")
  func names() {
    #expect(KeyName.code("KEY_ENTER") == 28)
    #expect(KeyName.code("space") == 57)
    #expect(KeyName.code("Volume_Up") == 115)
    #expect(KeyName.code("a") == 30)
    #expect(KeyName.code("1") == 2)
    #expect(KeyName.code("f13") == 183)
    #expect(KeyName.code("212") == 212)
    #expect(KeyName.code("nonsense") == nil)
    #expect(KeyName.code("0x1") == nil)
    #expect(throws: ServiceProblem.self) { try HardwareTrigger(device: "/dev/null", key: "?", onPress: {}) }
  }

  @Test("A device that is plugged in, pressed, pulled out and plugged in again")
  func device() async throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    // Not for the programs that other tests start: while one holds it, it has not ended.
    for end in ends { #expect(fcntl(end, F_SETFD, FD_CLOEXEC) == 0) }
    let (reading, writing) = (ends[0], ends[1])
    #expect(fcntl(reading, F_SETFL, O_NONBLOCK) == 0)
    let (presses, pressed) = AsyncStream.makeStream(of: Void.self)
    let (problems, problem) = AsyncStream.makeStream(of: String?.self)
    let opened = Mutex(0)
    var calls = InputSyscalls.system
    calls.open = { _ in
      opened.withLock { count in
        count += 1
        // Missing at first, then there, then gone for good.
        return count == 2 ? reading : -ENOENT
      }
    }
    let system = calls.wait
    calls.wait = { device, stop, seconds in system(device, stop, min(seconds ?? 0.001, 0.001)) }
    let trigger = try HardwareTrigger(
      device: "/dev/input/test", key: "enter", calls: calls, onPress: { pressed.yield() },
      onProblem: { problem.yield($0?.message) })
    var reported = problems.makeAsyncIterator()
    var downs = presses.makeAsyncIterator()
    #expect(await reported.next()??.contains("No such file") == true)
    #expect(await reported.next() == .some(nil))
    let bytes = record(1, 28, 1) + record(1, 28, 1)
    #expect(write(writing, bytes, bytes.count) == bytes.count)
    #expect(await downs.next() != nil)
    #expect(await downs.next() != nil)
    close(writing)
    #expect(await reported.next()??.contains("/dev/input/test") == true)
    trigger.stop()
    trigger.stop()
  }
}
