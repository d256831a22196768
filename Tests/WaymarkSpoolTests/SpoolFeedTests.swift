import Synchronization
import Testing
import WaymarkSystem

@testable import WaymarkSpool

/// A service with a history and a store that is full now and then, on a clock of the test's own.
@Suite struct SpoolCursorTests {
  private func at(_ seq: Int, _ instance: String = "a") -> SpoolPosition { SpoolPosition(instance: instance, seq: seq) }

  /// What a store holds: events by their numbers, and gaps with their counts.
  private enum Record: Hashable {
    case event(String, Int)
    case gap(Int?)
  }

  /// The loop of `SpoolFeed` without service and disk.
  private struct Spool {
    var cursor: SpoolCursor
    var records: [Record] = []
    var isFull = false
    var instance = "a"

    init(_ position: SpoolPosition?) { cursor = SpoolCursor(position) }

    /// Subscribes to a service that has sent events up to one, and keeps some of them.
    mutating func subscribe(_ history: [Int], last: Int, forgotten: Int = 0) {
      let position = cursor.position
      let after = position?.instance == instance ? position?.seq ?? last : position == nil ? last : 0
      cursor.subscribed(
        at: SpoolPosition(instance: instance, seq: last), isComplete: position == nil || forgotten <= after)
      let replayed = history.filter { $0 > after }
      if replayed.isEmpty { gap(last + 1) }
      for seq in replayed { take(seq) }
    }

    mutating func gap(_ seq: Int) {
      guard let gap = cursor.gap(before: seq) else { return }
      if isFull { return cursor.refuse(nil) }
      records.append(.gap(gap.count))
      cursor.gapStored(before: seq)
    }

    mutating func take(_ seq: Int) {
      gap(seq)
      switch cursor.step(seq) {
      case .known: break
      case .refuse: cursor.refuse(seq)
      case .store:
        if isFull { return cursor.refuse(seq) }
        records.append(.event(instance, seq))
        cursor.stored(seq)
      }
    }
  }

  @Test func aStoreBeginsWithTheNextEventAndContinuesAfterTheLast() {
    var spool = Spool(nil)
    spool.subscribe([1, 2, 3], last: 3)
    #expect(spool.cursor.position == at(3) && spool.records.isEmpty)
    spool.take(4)
    spool.subscribe([1, 2, 3, 4, 5], last: 5)
    #expect(spool.records == [.event("a", 4), .event("a", 5)])
  }

  @Test func thePositionNeverPassesAnEventThatIsNotOnDisk() {
    var spool = Spool(at(3))
    spool.subscribe([], last: 3)
    spool.take(4)
    spool.isFull = true
    for seq in 5...7 { spool.take(seq) }
    #expect(spool.cursor.position == at(4) && spool.cursor.isRefusing)
    // There is room again, but the events that follow wait for those before them.
    spool.isFull = false
    spool.take(8)
    #expect(spool.records == [.event("a", 4)] && spool.cursor.position == at(4))
    spool.subscribe([4, 5, 6, 7, 8, 9], last: 9)
    #expect(spool.records == [4, 5, 6, 7, 8, 9].map { .event("a", $0) })
    #expect(!spool.cursor.isRefusing)
  }

  @Test func refusedEventsThatTheServiceHasForgottenAreCounted() {
    var spool = Spool(at(4))
    spool.subscribe([], last: 4)
    spool.isFull = true
    for seq in [5, 7, 8, 12] { spool.take(seq) }
    // Still full: nothing is stored, nothing is forgotten.
    spool.subscribe([8, 12], last: 12, forgotten: 7)
    #expect(spool.cursor.position == at(4) && spool.records.isEmpty)
    spool.isFull = false
    spool.subscribe([8, 12], last: 12, forgotten: 7)
    #expect(spool.records == [.gap(2), .event("a", 8), .event("a", 12)])
    spool.take(13)
    #expect(spool.records.count == 4)
  }

  @Test func withoutAHistoryAllRefusedEventsAreCounted() {
    var spool = Spool(at(4))
    spool.subscribe([], last: 4, forgotten: 4)
    spool.isFull = true
    for seq in 5...7 { spool.take(seq) }
    spool.isFull = false
    spool.subscribe([], last: 9, forgotten: 9)
    #expect(spool.records == [.gap(3)] && spool.cursor.position == at(9))
  }

  @Test func refusedEventsOfAnEarlierRunAreCounted() {
    var spool = Spool(at(4))
    spool.subscribe([], last: 4)
    spool.isFull = true
    for seq in 5...7 { spool.take(seq) }
    spool.instance = "b"
    spool.subscribe([1, 2], last: 2)
    #expect(spool.records.isEmpty && spool.cursor.position == at(4))
    spool.isFull = false
    spool.subscribe([1, 2, 3], last: 3)
    #expect(spool.records == [.gap(3), .event("b", 1), .event("b", 2), .event("b", 3)])
  }

  @Test func aPauseThatTheHistoryDoesNotCoverIsAGapOfUnknownLength() {
    var spool = Spool(at(4))
    spool.subscribe([20, 21], last: 21, forgotten: 19)
    #expect(spool.records == [.gap(nil), .event("a", 20), .event("a", 21)])
    // A restart right after the gap continues with what follows it.
    var again = Spool(at(19))
    again.subscribe([20, 21], last: 21, forgotten: 19)
    #expect(again.records == [.event("a", 20), .event("a", 21)])
  }

  /// After random failures each event is on disk once, in order, or counted as lost.
  @Test(arguments: 1...20) func everyEventIsOnDiskOrCounted(seed: UInt64) {
    var generator = SplitMix(state: seed)
    var spool = Spool(at(0))
    let limit = Int.random(in: 0...30, using: &generator)
    var (sent, history, forgotten) = (0, [Int](), 0)
    spool.subscribe([], last: 0)
    for _ in 0..<400 {
      switch Int.random(in: 0..<10, using: &generator) {
      case 0: spool.isFull.toggle()
      case 1: spool.subscribe(history, last: sent, forgotten: forgotten)
      default:
        sent += 1
        history.append(sent)
        if history.count > limit { forgotten = history.removeFirst() }
        spool.take(sent)
      }
    }
    spool.isFull = false
    spool.subscribe(history, last: sent, forgotten: forgotten)
    var (events, counted) = ([Int](), 0)
    for record in spool.records {
      switch record {
      case .event(_, let seq): events.append(seq)
      case .gap(let count): counted += count ?? 0
      }
    }
    #expect(events == events.sorted() && Set(events).count == events.count)
    #expect(events.count + counted == sent, "\(events.count) on disk, \(counted) counted, \(sent) sent")
  }

  @Test func manyRefusedEventsTakeBoundedMemoryAndAreAllCounted() {
    var spool = Spool(at(0))
    spool.subscribe([], last: 0)
    spool.isFull = true
    for seq in 1...50_000 { spool.take(seq) }
    spool.isFull = false
    spool.subscribe([], last: 50_000, forgotten: 50_000)
    #expect(spool.records == [.gap(50_000)])
  }

  @Test func aLogHasALineAMinute() {
    var pace = LinePace()
    #expect(pace.due(0, now: 0) == nil)
    #expect(pace.due(1, now: 10) == 1)
    #expect(pace.due(5, now: 30) == nil)
    #expect(pace.due(2, now: 69) == nil)
    #expect(pace.due(1, now: 70) == 8)
    #expect(pace.due(0, now: 200) == nil)
  }

  @Test func aBookmarkStaysWithTheEvents() throws {
    let scratch = Scratch()
    do {
      let log = try EventLog(folder: scratch.path)
      #expect(log.bookmark == nil)
      log.bookmark = "a-7"
    }
    do {
      let log = try EventLog(folder: scratch.path)
      #expect(log.bookmark == "a-7" && log.figures.last == 0 && log.read(after: 0, count: 1) == .empty)
      try log.append([payload(1)])
      log.acknowledge(through: 1)
    }
    let log = try EventLog(folder: scratch.path)
    #expect(log.bookmark == "a-7" && log.figures.acknowledged == 1 && log.figures.waiting == 0)
    log.countLost(3)
    #expect(log.figures.dropped == 3)
  }
}

/// The lines about an outage of the service, of several feeds.
@Suite struct ServiceOutageTests {
  private final class Feed: Sendable {}

  @Test func anOutageOfAllFeedsHasOneLineAtItsBeginningAndOneAtItsEnd() {
    let lines = Mutex<[String]>([])
    let outage = ServiceOutage { level, text in lines.withLock { $0.append("\(level.rawValue) \(text)") } }
    let feeds = [Feed(), Feed(), Feed()]
    for feed in feeds { outage.ended(for: feed) }
    #expect(lines.withLock { $0 } == [])
    for _ in 1...2 {
      for feed in feeds { for _ in 0..<3 { outage.began(for: feed, SpoolFeed.Resubscription()) } }
      #expect(lines.withLock { $0 } == ["4 the service is away: Resubscription()"])
      for feed in feeds.dropLast() { for _ in 0..<2 { outage.ended(for: feed) } }
      #expect(lines.withLock { $0.count } == 1)
      outage.ended(for: feeds[2])
      #expect(lines.withLock { $0.last } == "5 the service is back")
      lines.withLock { $0 = [] }
    }
  }
}
