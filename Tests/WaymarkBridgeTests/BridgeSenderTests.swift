import Testing
import WaymarkSpool
import WaymarkSystem

@testable import waymark_bridge

/// A broker, the network before it, and a receiver, on the test's clock.
private struct World {
  var now = 0.0
  var accidents: SplitMix
  var isReachable = true
  var connectedAt: Double?
  /// On the way to the broker, and on the way back.
  var outbound: [(message: Int32, sequence: UInt64, at: Double)] = []
  var inbound: [(message: Int32, at: Double)] = []
  var received: [UInt64] = []
  var attempts = 0
  var lastMessage: Int32 = 0

  mutating func cut() {
    connectedAt = nil
    // The first messages on their way may have arrived; their acknowledgements are lost.
    let arrived = outbound.isEmpty ? 0 : Int.random(in: 0...outbound.count, using: &accidents)
    received += outbound[..<arrived].map(\.sequence)
    outbound = []
    inbound = []
  }

  mutating func deliver() {
    while let first = outbound.first, first.at <= now {
      outbound.removeFirst()
      received.append(first.sequence)
      inbound.append((first.message, now + 0.02))
    }
  }
}

@Suite struct BridgeSenderTests {
  /// Runs a sender against a broker that goes away, comes back, and forgets, until everything has arrived.
  private func run(
    events: Int, seed: UInt64, log: EventLog, away: ClosedRange<Double>? = nil, kills: Int = 0, cuts: Double = 0
  ) throws -> (world: World, restarts: Int) {
    var world = World(accidents: SplitMix(state: seed))
    var sender = BridgeSender(acknowledged: log.figures.acknowledged, window: 20)
    var (made, restarts) = (0, 0)
    let end = 3 * 3600.0
    while world.now < end {
      // An event every two seconds, and a hundred at once now and then.
      while made < events, Double(made) * 2 <= world.now {
        try log.append(payload(made + 1))
        made += 1
      }
      let reachable = !(away?.contains(world.now) ?? false)
      if world.isReachable, !reachable || Double.random(in: 0...1, using: &world.accidents) < cuts {
        world.cut()
        sender.disconnected(now: world.now, chance: 0.5)
      }
      world.isReachable = reachable
      if restarts < kills, Double.random(in: 0...1, using: &world.accidents) < 0.01 {
        restarts += 1
        world.cut()
        sender = BridgeSender(acknowledged: log.figures.acknowledged, window: 20)
      }
      world.deliver()
      for (message, _) in world.inbound where world.connectedAt != nil {
        if let through = sender.arrived(message: message) { log.acknowledge(through: through) }
      }
      world.inbound = []
      switch sender.step(now: world.now) {
      case .connect:
        world.attempts += 1
        if reachable {
          world.connectedAt = world.now
          sender.connected()
        } else {
          sender.disconnected(now: world.now, chance: 0.5)
        }
      case .send(let after, let count):
        if case .records(let records) = log.read(after: after, count: count) {
          for record in records {
            world.lastMessage += 1
            world.outbound.append((world.lastMessage, record.sequence, world.now + 0.05))
            sender.sent(record.sequence, message: world.lastMessage)
          }
        }
      case .rest, .listen: break
      }
      world.now += 0.1
      if made == events, log.figures.waiting == 0 { break }
    }
    return (world, restarts)
  }

  /// Returns the numbers that a receiver keeps: those higher than the highest it has seen.
  private func kept(_ received: [UInt64]) -> [UInt64] {
    var (highest, kept) = (UInt64(0), [UInt64]())
    for sequence in received where sequence > highest {
      kept.append(sequence)
      highest = sequence
    }
    return kept
  }

  @Test func everythingArrivesOnceInOrder() throws {
    let scratch = Scratch()
    let (world, _) = try run(events: 200, seed: 1, log: try EventLog(folder: scratch.path))
    #expect(world.received == Array(1...200))
    #expect(world.attempts == 1)
  }

  @Test func anHourAway() throws {
    let scratch = Scratch()
    let (world, _) = try run(events: 2000, seed: 2, log: try EventLog(folder: scratch.path), away: 100...3700)
    #expect(kept(world.received) == Array(1...2000))
    // About once a minute, and not all devices at the same moment.
    #expect((50...120).contains(world.attempts))
    #expect(world.now < 4100)
  }

  @Test(arguments: 1...12) func cutsAndKillsLoseNothing(_ seed: UInt64) throws {
    let scratch = Scratch()
    let (world, restarts) = try run(
      events: 600, seed: seed, log: try EventLog(folder: scratch.path), away: 300...500, kills: 10, cuts: 0.02)
    #expect(restarts == 10)
    #expect(kept(world.received) == Array(1...600))
    // Repetitions are there, or nothing was tested; each has its number.
    #expect(world.received.count > 600)
    #expect(Set(world.received) == Set(1...600))
  }

  @Test func acknowledgementsInAnyOrder() {
    var sender = BridgeSender(acknowledged: 10, window: 4)
    #expect(sender.step(now: 0) == .connect)
    #expect(sender.step(now: 0) == .listen)
    sender.connected()
    #expect(sender.step(now: 0) == .send(after: 10, count: 4))
    for (number, message) in [(11, 1), (12, 2), (13, 3)] as [(UInt64, Int32)] { sender.sent(number, message: message) }
    #expect(sender.step(now: 0) == .send(after: 13, count: 1))
    #expect(sender.arrived(message: 2) == nil)
    #expect(sender.arrived(message: 99) == nil)
    #expect(sender.skip(14) == nil)
    #expect(sender.step(now: 0) == .listen)
    #expect(sender.arrived(message: 1) == 12)
    #expect(sender.arrived(message: 1) == nil)
    #expect(sender.arrived(message: 3) == 14)
    #expect(sender.skip(15) == 15)
    #expect(sender.step(now: 0) == .send(after: 15, count: 4))
  }

  @Test func itAsksAgainLaterAndLater() {
    var sender = BridgeSender(acknowledged: 0, window: 1, backoff: Backoff(first: 1, longest: 60))
    var (now, waits) = (0.0, [Double]())
    for _ in 0..<9 {
      #expect(sender.step(now: now) == .connect)
      sender.disconnected(now: now, chance: 1)
      guard case .rest(let wait) = sender.step(now: now) else {
        Issue.record("no rest")
        return
      }
      waits.append(wait)
      now += wait
    }
    #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60, 60])
  }
}
