import Foundation
import Synchronization
import Testing
import WaymarkImage
import WaymarkProtocol
import WaymarkSystem

@testable import WaymarkServer
@testable import WaymarkService

/// The things that one client, or one user, can take from the others: a turn, a share, a bounded wait.
@Suite("Shares and turns", .serialized, .ownThread) struct FairnessTests {
  @Test("Owners take turns, however much one of them brings") func turns() {
    var queue = FairQueue<String, Int>()
    for number in 1...6 { queue.append(number, of: "greedy") }
    queue.append(10, of: "next")
    queue.append(20, of: "last")
    #expect((0..<4).compactMap { _ in queue.next() } == [1, 10, 20, 2])
    #expect(queue.next { $0 > 4 } == 5)
    #expect(queue.removeAll { $0 == 3 } == [3])
    #expect(queue.count == 2)
    #expect([queue.next(), queue.next(), queue.next()] == [4, 6, nil])
  }

  private func ask(_ id: Int, _ client: Int, _ user: UInt32, _ bytes: Int) -> ByteBudget.Request {
    ByteBudget.Request(id: id, client: client, user: user, bytes: bytes)
  }

  @Test("No client takes the whole budget; each has one picture, and few wait") func budget() {
    var budget = ByteBudget(limit: 100, share: 60, reserve: 25, waitingLimit: 3, waitingShare: 2)
    #expect(budget.ask(ask(1, 1, 7, 1000)) == .granted, "more than a share is a share")
    #expect(budget.ask(ask(2, 1, 7, 1)) == .waits)
    #expect(budget.ask(ask(3, 2, 7, 1)) == .waits, "the user's share is taken")
    #expect(budget.ask(ask(4, 3, 7, 1)) == .refused)
    #expect(budget.ask(ask(5, 4, 8, 40)) == .granted, "another user's is not")
    #expect(budget.bytes == 100)
    #expect(budget.ask(ask(6, 5, 9, 1)) == .waits)
    #expect(budget.leave(5) == [6])
    #expect(budget.leave(1) == [2, 3])
    #expect(budget.leave(3) == [])
    #expect(budget.bytes == 2)
  }

  @Test("Two who fill every place leave one to a third user, and to root") func placesForOthers() {
    var budget = ByteBudget(limit: 100, share: 50, reserve: 25, waitingLimit: 32, waitingShare: 16)
    var id = 0
    func ask(_ client: Int, _ user: UInt32, _ bytes: Int) -> (Int, ByteBudget.Answer) {
      id += 1
      return (id, budget.ask(self.ask(id, client, user, bytes)))
    }
    let (first, _) = ask(1, 7, 50)
    let (second, _) = ask(2, 8, 50)
    #expect(budget.bytes == 100)
    for client in 10..<26 { #expect(ask(client, 7, 10).1 == .waits) }
    for client in 30..<46 { #expect(ask(client, 8, 10).1 == .waits) }
    #expect(ask(26, 7, 10).1 == .refused && ask(46, 8, 10).1 == .refused)
    let (third, answer) = ask(50, 9, 10)
    #expect(answer == .waits)
    #expect(ask(51, 9, 10).1 == .refused, "one place, until the others make room")
    let (root, rootAnswer) = ask(60, 0, 10)
    #expect(rootAnswer == .waits && ask(61, 0, 10).1 == .waits)
    // Room goes round among those who hold least, however many of one user came earlier.
    let granted = budget.leave(first)
    #expect(granted.count == 3 && granted.contains(third) && granted.contains(root))
    #expect(!budget.leave(second).isEmpty)
  }

  @Test("Two users who hold all that they may leave room for a third one's picture") func roomForOthers() {
    var budget = ByteBudget(limit: 64, share: 48, reserve: 16, waitingLimit: 32, waitingShare: 16)
    for client in 1...16 {
      _ = budget.ask(ask(2 * client, client, 7, 16))
      _ = budget.ask(ask(2 * client + 1, 100 + client, 8, 16))
    }
    #expect(budget.bytes == 48)
    #expect(budget.ask(ask(100, 200, 9, 16)) == .granted)
  }

  @Test("A client that still holds a picture holds up no other client of its user") func overtaking() {
    var budget = ByteBudget(limit: 100, share: 60, reserve: 25, waitingLimit: 8, waitingShare: 8)
    #expect(budget.ask(ask(1, 1, 7, 10)) == .granted)
    for id in 2...6 { #expect(budget.ask(ask(id, 1, 7, 10)) == .waits) }
    #expect(budget.ask(ask(7, 2, 7, 10)) == .granted)
  }

  @Test("Observers leave room for operators, everybody for root, users for each other") func admission() {
    var limits = ConnectionLimits()
    func admits(_ isOperator: Bool, _ isPrivileged: Bool, _ all: Int, _ own: Int) -> Bool {
      limits.admits(isOperator: isOperator, isPrivileged: isPrivileged, all: all, own: own)
    }
    #expect(admits(false, false, 479, 127))
    #expect(!admits(false, false, 479, 128))
    #expect(!admits(false, false, 480, 0))
    #expect(admits(true, false, 503, 0))
    #expect(!admits(true, false, 504, 0))
    #expect(admits(true, true, 511, 400))
    #expect(!admits(true, true, 512, 0))
    limits.clients = 3
    #expect(admits(false, false, 2, 0))
  }

  // MARK: Pictures

  @ServiceActor
  private static func connections(_ hub: Hub) -> [Connection] {
    hub.connections.values.sorted { $0.number < $1.number }
  }

  /// The pictures worked on, in order.
  private final class Order: Sendable {
    private let names = Mutex<[String]>([])
    func add(_ name: String) { names.withLock { $0.append(name) } }
    var all: [String] { names.withLock { $0 } }
  }

  @Test("Six pictures that take for ever make the next client wait for one of them", arguments: [1, 2])
  func poisonedPictures(workers: Int) async throws {
    var limits = PictureScheduler.Limits()
    limits.workers = workers
    let service = try await TestService(pictures: limits)
    let clients = try (0..<2).map { _ in try RawClient(service.path) }
    for client in clients { _ = try client.next() }
    let (order, desk) = (Order(), service.hub.pictures)
    let connections = await Self.connections(service.hub)
    let (greedy, next) = (connections[0], connections[1])
    let over = DispatchSemaphore(value: 0)
    let begun = AsyncStream.makeStream(of: Void.self)
    let poison = (1...6).map { number in
      Task { @ServiceActor in
        let reservation = try await desk.reservation(for: 1000, of: greedy)
        defer { withExtendedLifetime(reservation) {} }
        try await desk.work(for: greedy) { _ in
          order.add("poison \(number)")
          begun.continuation.yield()
          over.wait()
        }
      }
    }
    for await _ in begun.stream { break }
    let good = Task { @ServiceActor in
      let reservation = try await desk.reservation(for: 1000, of: next)
      defer { withExtendedLifetime(reservation) {} }
      try await desk.work(for: next) { _ in order.add("good") }
    }
    // With one worker the first of the six has to end; with two nothing has to.
    if workers == 1 { over.signal() }
    try await good.value
    let seen = order.all
    #expect(seen.firstIndex(of: "good").map { $0 <= 2 } == true, "\(seen)")
    #expect(seen.count { $0.hasPrefix("poison") } <= 2, "\(seen)")
    for _ in 0..<6 { over.signal() }
    for task in poison { try await task.value }
    withExtendedLifetime(clients) {}
    await service.stop()
  }

  @Test("Waiting work of a disconnected client is dropped, and running work is cancelled") func left() async throws {
    var limits = PictureScheduler.Limits()
    limits.workers = 1
    let service = try await TestService(pictures: limits)
    var client: RawClient? = try RawClient(service.path)
    _ = try client?.next()
    let connection = try #require(await Self.connections(service.hub).first)
    let desk = service.hub.pictures
    let begun = AsyncStream.makeStream(of: Void.self)
    let atWork = Task { @ServiceActor in
      try await desk.work(for: connection) { stop in
        begun.continuation.yield()
        _ = stop.wait(seconds: nil)
      }
    }
    let waiting = Task { @ServiceActor in try await desk.work(for: connection) { _ in } }
    for await _ in begun.stream { break }
    client = nil
    try await atWork.value
    await #expect(throws: ServiceError.self) { try await waiting.value }
    await service.stop()
  }

  @Test("A request that waits too long for a worker is refused as busy") func waitLimit() async throws {
    var limits = PictureScheduler.Limits()
    (limits.workers, limits.waitLimit) = (1, 0.05)
    let service = try await TestService(pictures: limits)
    let clients = try (0..<2).map { _ in try RawClient(service.path) }
    for client in clients { _ = try client.next() }
    let connections = await Self.connections(service.hub)
    let (desk, over) = (service.hub.pictures, DispatchSemaphore(value: 0))
    let begun = AsyncStream.makeStream(of: Void.self)
    let first = Task { @ServiceActor in
      try await desk.work(for: connections[0]) { _ in
        begun.continuation.yield()
        over.wait()
      }
    }
    for await _ in begun.stream { break }
    do {
      try await desk.work(for: connections[1]) { _ in }
      Issue.record("it was worked on")
    } catch let error as ServiceError { #expect(error.code == .busy) }
    over.signal()
    try await first.value
    withExtendedLifetime(clients) {}
    await service.stop()
  }
}
