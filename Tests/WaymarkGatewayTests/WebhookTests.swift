import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Testing
import WaymarkSpool
import WaymarkSystem

@testable import waymark_gateway

@Suite("Webhooks")
struct WebhookTests {
  @Test("Each event arrives once and in order, whatever the receiver does, and none stays for good")
  func order() {
    var generator = SplitMix(state: 11)
    var delivery = WebhookDelivery(acknowledged: 0, attempts: 3)
    var now = 0.0
    var received: [UInt64] = []
    var aside: [UInt64] = []
    let refused: Set<UInt64> = [5, 17]
    var steps = 0
    while delivery.acknowledged < 40 {
      steps += 1
      guard steps < 10_000 else { break }
      switch delivery.step(now: now) {
      case .rest(let seconds):
        #expect(seconds <= 300)
        now += seconds
      case .send(let after):
        let number = after + 1
        let outcome: WebhookDelivery.Outcome =
          if refused.contains(number) { .refused(422) } else if Int.random(in: 0..<3, using: &generator) == 0 {
            .failed("away")
          } else { .delivered }
        if outcome == .delivered { received.append(number) }
        if case .putAside(let one, 422) = delivery.finished(number, outcome, now: now, chance: 1) { aside.append(one) }
      }
    }
    #expect(received == (1...40).filter { !refused.contains($0) })
    #expect(aside == [5, 17])
  }

  @Test("An outage is waited out, longer each time, and the event is never given up")
  func outage() {
    var delivery = WebhookDelivery(acknowledged: 7, attempts: 2)
    var now = 0.0
    var waits: [Double] = []
    for _ in 0..<20 {
      #expect(delivery.step(now: now) == .send(after: 7))
      #expect(delivery.finished(8, .failed("away"), now: now, chance: 1) == .again)
      guard case .rest(let seconds) = delivery.step(now: now) else { return }
      waits.append(seconds)
      now += seconds
    }
    #expect(Array(waits.prefix(4)) == [1, 2, 4, 8])
    #expect(waits.last == 300)
    #expect(delivery.lastFailure == "away")
    #expect(delivery.finished(8, .delivered, now: now) == .acknowledge(8))
    #expect(delivery.step(now: now) == .send(after: 8))
  }

  @Test("Refusals are counted for each event", arguments: [1, 2, 5])
  func refusals(attempts: Int) {
    var delivery = WebhookDelivery(acknowledged: 0, attempts: attempts)
    for number: UInt64 in 1...3 {
      for attempt in 1...attempts {
        let verdict = delivery.finished(number, .refused(400), now: 0, chance: 1)
        #expect(verdict == (attempt == attempts ? .putAside(number, status: 400) : .again))
      }
    }
  }

  @Test("What cannot be put aside is sent again, and is not passed")
  func restored() {
    var delivery = WebhookDelivery(acknowledged: 4, attempts: 1)
    #expect(delivery.finished(5, .refused(422), now: 0, chance: 1) == .putAside(5, status: 422))
    delivery.restore(5, now: 0, chance: 1)
    #expect(delivery.acknowledged == 4)
    #expect(delivery.step(now: 0.5) == .rest(0.5))
    #expect(delivery.step(now: 1) == .send(after: 4))
    #expect(delivery.finished(5, .delivered, now: 1) == .acknowledge(5))
  }

  @Test("What a later attempt may change is a failure, and no refusal")
  func statuses() {
    for status in [200, 202, 204] { #expect(WebhookDelivery.outcome(of: status) == .delivered) }
    for status in [400, 401, 404, 410, 413, 422] { #expect(WebhookDelivery.outcome(of: status) == .refused(status)) }
    for status in [301, 408, 425, 429, 500, 503] {
      #expect(WebhookDelivery.outcome(of: status) == .failed("it answered \(status)"))
    }
  }

  @Test("Why a receiver is not reached is a sentence with its address")
  func reasons() async throws {
    let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { $0.pipeline.addHandler(Talker()) }
      .bind(host: "127.0.0.1", port: 0).get()
    let port = try #require(server.localAddress?.port)
    let silent = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .bind(host: "127.0.0.1", port: 0).get()
    let silentPort = try #require(silent.localAddress?.port)
    let tls = try NIOSSLContext(configuration: .makeClientConfiguration())
    func reason(_ url: String) async throws -> String {
      let address = try #require(WebhookAddress(url))
      let request = WebhookRequest(
        address: address, headers: [], body: [], tls: address.isSecure ? tls : nil, timeout: .milliseconds(500))
      do {
        return "\(try await request.send())"
      } catch {
        return WebhookRequest.reason(of: error, at: address)
      }
    }
    #expect(
      try await reason("http://127.0.0.1:1/") == "127.0.0.1:1 cannot be reached: Connection refused")
    #expect(try await reason("https://receiver.invalid/") == "the host of receiver.invalid was not found")
    #expect(try await reason("http://127.0.0.1:\(silentPort)/") == "127.0.0.1:\(silentPort) did not answer in time")
    #expect(try await reason("http://127.0.0.1:\(port)/") == "the answer of 127.0.0.1:\(port) is not HTTP")
    #expect(
      try await reason("https://127.0.0.1:\(port)/") == "TLS with 127.0.0.1:\(port) failed: it does not use TLS")
    try await server.close()
    try await silent.close()
  }

  /// Answers every client with a line that is neither TLS nor HTTP.
  private final class Talker: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      context.writeAndFlush(NIOAny(ByteBuffer(string: "220 mail.example ready\r\n")), promise: nil)
    }
  }

  /// `printf '1700000000.{"event":"scan.confirmed"}' | openssl dgst -sha256 -hmac 'a-secret-of-sixteen'`
  @Test("The signature is the one that other programs make")
  func signature() {
    let body = Array(#"{"event":"scan.confirmed"}"#.utf8)
    #expect(
      WebhookSignature.of(body, timestamp: 1_700_000_000, secret: "a-secret-of-sixteen")
        == "v1=adc01f83ff79ed7c0579750be2d9201dc8ab77fc00a0ed37ea8f0baf5013be33")
  }

  @Test("Addresses are https, or http on this device")
  func addresses() {
    let full = WebhookAddress("https://Hooks.example:8443/a/b?c=d")
    #expect(full?.host == "hooks.example")
    #expect(full?.port == 8443)
    #expect(full?.authority == "hooks.example:8443")
    #expect(full?.target == "/a/b?c=d")
    #expect(WebhookAddress("https://hooks.example")?.target == "/")
    #expect(WebhookAddress("http://[::1]:9/")?.host == "::1")
    #expect(WebhookAddress("http://127.0.0.1:8080/x") != nil)
    for text in [
      "http://hooks.example/", "ftp://a/", "https://", "https://a b/", "https://a/\r\nX: y", "https://u:p@a/",
      "https://a:0/", "https://a:99999/", "https://a/#b", "",
    ] {
      #expect(WebhookAddress(text) == nil, "\(text)")
    }
  }
}

/// A receiver that is away for an hour, on a clock of the test's own: the store is on the disk, the network and the time are not.
@Suite("An hour's outage of a webhook's receiver") struct WebhookOutageTests {
  /// A receiver that notes what comes.
  private struct Receiver {
    var isThere: Bool
    /// The ids in the order in which they came, repetitions included.
    var ids: [UInt64] = []
    var generator: SplitMix

    mutating func take(_ number: UInt64) -> WebhookDelivery.Outcome {
      guard isThere else { return .failed("connection refused") }
      ids.append(number)
      // Its answer is lost now and then: whether it has the event the sender cannot know.
      return Int.random(in: 0..<50, using: &generator) == 0 ? .failed("no answer") : .delivered
    }
  }

  @Test(
    "All events arrive, in order, each once by its id, over restarts of the gateway too",
    arguments: [1, 2, 3] as [UInt64])
  func anHour(seed: UInt64) throws {
    let folder = NSTemporaryDirectory() + "waymark-outage-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var generator = SplitMix(state: seed)
    var receiver = Receiver(isThere: true, generator: SplitMix(state: seed &+ 100))
    // One process holds the store at a time: the one before is let go first.
    var open: EventLog? = try EventLog(folder: folder)
    var log: EventLog { get throws { try #require(open) } }
    var delivery = WebhookDelivery(acknowledged: try log.figures.acknowledged, attempts: 5)
    let (begin, end, last) = (60.0, 60.0 + 3600, 60.0 + 3600 + 600)
    var (now, next, emitted, restarts, attemptsWhileAway) = (0.0, 0.0, UInt64(0), 0, 0)
    while now < last {
      receiver.isThere = !(begin..<end).contains(now)
      // An event every two seconds until the receiver is back.
      while next <= now, next < end {
        try log.append(Array("event \(emitted + 1)".utf8))
        (next, emitted) = (next + 2, emitted + 1)
      }
      // The gateway is restarted every ten minutes: what is on disk is all that it knows then.
      if Int(now / 600) > restarts {
        restarts += 1
        _ = try log.synchronize()
        open = nil
        open = try EventLog(folder: folder)
        delivery = WebhookDelivery(acknowledged: try log.figures.acknowledged, attempts: 5)
      }
      guard case .send(let after) = delivery.step(now: now) else {
        now = min(next < end ? next : last, now + 1)
        continue
      }
      guard case .records(let records) = try log.read(after: after, count: 1), let record = records.first else {
        now += 1
        continue
      }
      if !receiver.isThere { attemptsWhileAway += 1 }
      let chance = Double.random(in: 0...1, using: &generator)
      let outcome = receiver.take(record.sequence)
      if case .acknowledge(let number) = delivery.finished(record.sequence, outcome, now: now, chance: chance) {
        try log.acknowledge(through: number)
      }
    }
    #expect(emitted == 1830 && restarts == 7)
    var seen: [UInt64] = []
    for id in receiver.ids where !seen.contains(id) { seen.append(id) }
    #expect(seen == Array(1...emitted))
    // A repetition follows at once: the receiver that keeps the last id alone drops it.
    for (id, before) in zip(receiver.ids.dropFirst(), receiver.ids) { #expect(id == before || id == before + 1) }
    let figures = try log.figures
    #expect(figures.waiting == 0 && figures.dropped == 0)
    // The pauses between attempts grow.
    #expect(attemptsWhileAway < 120, "\(attemptsWhileAway)")
  }
}
