import Foundation
import Testing
import WaymarkSpool
import WaymarkSystem

@testable import waymark_gateway

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
        try log.append([Array("event \(emitted + 1)".utf8)])
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
    // Nobody is called every second for an hour.
    #expect(attemptsWhileAway < 120, "\(attemptsWhileAway)")
  }
}
