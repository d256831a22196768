import Foundation
import Glibc
import Testing
import WaymarkProtocol
import WaymarkService

/// Figures of `docs/benchmarks.md`, section "Socket": run with `WAYMARK_BENCH=1`.
@Suite(.serialized, .enabled(if: ProcessInfo.processInfo.environment["WAYMARK_BENCH"] != nil, "only for measurements"))
struct SocketBench {
  /// Reads many connections on one thread and notes how old each event is when it arrives.
  private final class Crowd: @unchecked Sendable {
    // `@unchecked`: used by the reading thread alone until `finish` has waited for its end.
    private var descriptors: [pollfd] = []
    private var buffers: [[UInt8]] = []
    private var lastSeq: [Int] = []
    private(set) var delays: [Double] = []
    private(set) var disorder = 0
    private let clients: [RawClient]
    private let done = DispatchSemaphore(value: 0)
    private let expected: Int

    init(_ clients: [RawClient], events: Int) {
      self.clients = clients
      expected = clients.count * events
      for client in clients {
        descriptors.append(pollfd(fd: client.descriptor, events: Int16(POLLIN), revents: 0))
        buffers.append([])
        lastSeq.append(0)
      }
      let thread = Thread { [self] in
        run()
        done.signal()
      }
      thread.start()
    }

    func finish() { done.wait() }

    private func run() {
      var chunk = [UInt8](repeating: 0, count: 1 << 16)
      while delays.count < expected {
        guard poll(&descriptors, nfds_t(descriptors.count), 10_000) > 0 else { return }
        for index in descriptors.indices where descriptors[index].revents != 0 {
          let count = recv(descriptors[index].fd, &chunk, chunk.count, CInt(MSG_DONTWAIT))
          guard count > 0 else { continue }
          let now = WallClock.monotonic
          buffers[index] += chunk[..<count]
          while let end = buffers[index].firstIndex(of: 0x0A) {
            take(Array(buffers[index][..<end]), index, now)
            buffers[index].removeSubrange(...end)
          }
        }
      }
    }

    private func take(_ line: [UInt8], _ index: Int, _ now: Double) {
      guard let value = try? JSONParser.parse(line), let sent = value["lastSeen"]?.double, let seq = value["seq"]?.int
      else { return }
      delays.append(now - sent)
      if seq <= lastSeq[index] { disorder += 1 }
      lastSeq[index] = seq
    }
  }

  @Test func twoHundredClientsAtThirtyEventsASecond() async throws {
    let service = try await TestService()
    let clients = try (0..<200).map { _ -> RawClient in
      let client = try RawClient(service.path)
      _ = try client.next()
      _ = try client.ask("subscribe", #"{"events":["anchor.lost"]}"#)
      return client
    }
    let events = 300
    let crowd = Crowd(clients, events: events)
    let processor = ProcessFigures.processorTime
    let start = WallClock.monotonic
    for index in 0..<events {
      await service.publish(AnchorLost(anchor: "pump-7", lastSeen: WallClock.monotonic))
      let due = start + Double(index + 1) / 30
      try await Task.sleep(for: .seconds(max(0, due - WallClock.monotonic)))
    }
    crowd.finish()
    let sorted = crowd.delays.sorted()
    func at(_ share: Double) -> Double { sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))] * 1000 }
    let seconds = WallClock.monotonic - start
    report(
      "200 clients, 30 events/s: \(sorted.count) of \(200 * events) delivered, \(crowd.disorder) out of order, "
        + "p50 \(at(0.5)) ms, p99 \(at(0.99)) ms, most \(at(1)) ms; "
        + "\((ProcessFigures.processorTime - processor) / seconds) cores with the readers")
    #expect(sorted.count == 200 * events)
    #expect(crowd.disorder == 0)
    await service.stop()
  }

  @Test func tenThousandConnects() async throws {
    let service = try await TestService()
    let start = WallClock.monotonic
    let memory = ProcessFigures.memory
    for _ in 0..<10_000 {
      let client = try RawClient(service.path)
      _ = try client.next()
    }
    try await service.until { $0.connections.isEmpty }
    let seconds = WallClock.monotonic - start
    let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    report(
      "10,000 connects: \(seconds) s, \((ProcessFigures.memory - memory) >> 10) KiB more, \(files) descriptors open")
    await service.stop()
  }

  @Test func hotEventsAreEncodedQuickly() throws {
    let anchors = (0..<20).map { index -> AnchorTracking in
      var anchor = Samples.anchor
      anchor.anchor = "anchor-\(index)"
      let pose = Pose(
        position: [0.0123456, -0.02, -0.351234567], orientation: [0.1, 0.2, 0.3, 0.927],
        matrix: (0..<16).map { Double($0) * 0.0712345 })
      anchor.pose = pose
      anchor.rawPose = pose
      return anchor
    }
    let payload = AnchorsUpdated(anchors: anchors)
    func measure(_ body: () throws -> Int) rethrows -> (seconds: Double, bytes: Int) {
      var bytes = try body()
      let start = ProcessFigures.processorTime
      for _ in 0..<200 { bytes = try body() }
      return ((ProcessFigures.processorTime - start) / 200, bytes)
    }
    let own = try measure { try JSONLineEncoder.encode(EventLine(seq: 1, time: "", payload: payload)).count }
    let encoder = JSONEncoder()
    let foundation = try measure { try encoder.encode(payload).count }
    report(
      "anchors.updated, 20 anchors × 10 markers: \(own.seconds * 1000) ms, \(own.bytes) bytes; "
        + "JSONEncoder \(foundation.seconds * 1000) ms, \(foundation.bytes) bytes")
    #expect(own.seconds < foundation.seconds)
  }

  private func report(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
}
