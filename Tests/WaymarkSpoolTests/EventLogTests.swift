import Foundation
import Testing
import WaymarkSystem

@testable import WaymarkSpool

/// Everything behind a number, gaps skipped.
func all(_ log: EventLog, after start: UInt64 = 0) -> (records: [LogRecord], gaps: [ClosedRange<UInt64>]) {
  var (records, gaps, place) = ([LogRecord](), [ClosedRange<UInt64>](), start)
  while true {
    switch log.read(after: place, count: 7) {
    case .empty: return (records, gaps)
    case .records(let more):
      records += more
      place = more.last?.sequence ?? place
    case .gap(let through):
      gaps.append(place + 1...through)
      place = through
    }
  }
}

extension EventLog {
  func append(_ payloads: [[UInt8]]) throws { for payload in payloads { try append(payload) } }
}

@Suite struct EventLogTests {
  private func database(_ scratch: Scratch) -> String { scratch.path + "/events.db" }

  @Test func whatWasAppendedIsThereAfterARestart() throws {
    let scratch = Scratch()
    var stream: UInt64 = 0
    do {
      let log = try EventLog(folder: scratch.path)
      stream = log.stream
      try log.append((1...100).map(payload))
      #expect(all(log).records.map(\.payload) == (1...100).map(payload))
      log.acknowledge(through: 40)
      #expect(log.figures.waiting == 60)
    }
    let log = try EventLog(folder: scratch.path)
    #expect(log.stream == stream)
    #expect(log.figures.acknowledged == 40)
    #expect(log.figures.last == 100)
    try log.append([payload(101)])
    let (records, gaps) = all(log, after: 40)
    #expect(records.map(\.sequence) == Array(41...101))
    #expect(gaps.isEmpty)
    #expect(log.synchronize() == nil)
  }

  /// A process may end between any two bytes of a write: what was whole stays, what was not is as if it had never been.
  @Test func aFileCutOffAnywhereLosesNoWholeRecord() throws {
    let (scratch, frame) = (Scratch(), 4096 + 24)
    let log = try EventLog(folder: scratch.path)
    try log.append((1...5).map(payload))
    let (bytes, writeAhead) = (scratch.bytes(database(scratch)), scratch.bytes(database(scratch) + "-wal"))
    let length = try #require(writeAhead.lastIndex { $0 != 0 }) + 1
    let boundaries = stride(from: 32, through: length, by: frame).flatMap { [$0 - 1, $0, $0 + 1] }
    var before = 0
    for end in Set(stride(from: 0, to: length, by: 701)).union(boundaries).union([length]).sorted() {
      let copy = Scratch()
      try FileManager.default.createDirectory(atPath: copy.path, withIntermediateDirectories: false)
      copy.write(bytes, to: database(copy))
      copy.write(Array(writeAhead[..<min(end, length)]), to: database(copy) + "-wal")
      let log = try EventLog(folder: copy.path)
      let kept = Int(log.figures.last)
      #expect(kept >= before, "cut at \(end)")
      before = kept
      #expect(all(log).records.map(\.payload) == (0..<kept).map { payload($0 + 1) }, "cut at \(end)")
      try log.append([payload(6)])
      let (records, gaps) = all(log)
      #expect(records.map(\.sequence) == (0...kept).map { UInt64($0 + 1) }, "cut at \(end)")
      #expect(records.last?.payload == payload(6))
      #expect(gaps.isEmpty, "cut at \(end)")
    }
    #expect(before == 5)
  }

  @Test func aDamagedByteIsAGapAndNeverAWrongEvent() throws {
    let original = Scratch()
    let stream: UInt64
    do {
      let log = try EventLog(folder: original.path)
      stream = log.stream
      try log.append((1...9).map(payload))
    }
    let whole = original.bytes(database(original))
    let places = whole.indices.filter { $0 < 100 || whole[$0] != 0 || $0 % 4099 == 0 }
    for place in stride(from: 0, to: places.count, by: 5).map({ places[$0] }) {
      let scratch = Scratch()
      try FileManager.default.createDirectory(atPath: scratch.path, withIntermediateDirectories: false)
      var bytes = whole
      bytes[place] ^= 0x40
      scratch.write(bytes, to: database(scratch))
      let log = try EventLog(folder: scratch.path)
      try log.append([payload(99)])
      let (records, gaps) = all(log)
      #expect(records.last?.payload == payload(99), "at \(place)")
      for record in records.dropLast() { #expect(record.payload == payload(Int(record.sequence)), "at \(place)") }
      // Every event is there, or its number is in a gap; those of a new stream begin with one.
      let reported = Set(records.map(\.sequence)).union(gaps.joined())
      #expect(reported == Set(1...log.figures.last), "at \(place)")
      if log.stream == stream {
        // A number that may have been used is not given to another event.
        #expect(log.figures.last >= 10, "at \(place)")
      } else {
        #expect(gaps == [1...1] && records.map(\.sequence) == [2] && log.figures.dropped == 1, "at \(place)")
        #expect(scratch.bytes(database(scratch) + ".damaged").count == whole.count, "at \(place)")
      }
    }
  }

  @Test func aDamagedRowIsAGapOfItsOwn() throws {
    let scratch = Scratch()
    do { try EventLog(folder: scratch.path).append((1...9).map(payload)) }
    var bytes = scratch.bytes(database(scratch))
    let text = Data(payload(4))
    let place = try #require(Data(bytes).firstRange(of: text)).lowerBound
    bytes[place] ^= 1
    scratch.write(bytes, to: database(scratch))
    let log = try EventLog(folder: scratch.path)
    for _ in 0..<2 {
      let (records, gaps) = all(log)
      #expect(records.map(\.sequence) == [1, 2, 3, 5, 6, 7, 8, 9] && gaps == [4...4])
      #expect(log.figures.dropped == 1)
    }
  }

  @Test func aDatabaseThatIsCutOffIsSetAside() throws {
    let original = Scratch()
    let event = [UInt8](repeating: 0x61, count: 400)
    do { try EventLog(folder: original.path).append([[UInt8]](repeating: event, count: 5000)) }
    let whole = original.bytes(database(original))
    for end in [99, 512, 4095, 4096, whole.count / 2, whole.count / 3 * 2] {
      let scratch = Scratch()
      try FileManager.default.createDirectory(atPath: scratch.path, withIntermediateDirectories: false)
      scratch.write(Array(whole[..<end]), to: database(scratch))
      let log = try EventLog(folder: scratch.path)
      try log.append([payload(1)])
      #expect(all(log).gaps == [1...1] && all(log).records.map(\.sequence) == [2], "cut at \(end)")
      #expect(scratch.bytes(database(scratch) + ".damaged").count >= end, "cut at \(end)")
    }
  }

  @Test func damageWhileItRunsIsAGapAndTheNumbersContinue() throws {
    let scratch = Scratch()
    var stream: UInt64 = 0
    do {
      let log = try EventLog(folder: scratch.path)
      stream = log.stream
      let event = [UInt8](repeating: 0x61, count: 400)
      try log.append([[UInt8]](repeating: event, count: 20_000))
      log.acknowledge(through: 10)
      let file = try #require(FileHandle(forWritingAtPath: database(scratch)))
      // More than the cache of SQLite holds.
      for page in 1..<1500 {
        try file.seek(toOffset: UInt64(page * 4096))
        try file.write(contentsOf: [UInt8](repeating: 0xFF, count: 4096))
      }
      #expect(log.read(after: 10, count: 1) == .gap(through: 20_000))
      #expect(log.figures.dropped == 19_990 && log.figures.waiting == 0)
      try log.append([payload(1)])
      #expect(log.read(after: 20_000, count: 2) == .records([LogRecord(sequence: 20_001, payload: payload(1))]))
    }
    let log = try EventLog(folder: scratch.path)
    #expect(log.stream == stream && log.figures.last == 20_001 && log.figures.acknowledged == 10)
  }

  @Test func eventsOfAnEarlierVersionAreAGap() throws {
    let scratch = Scratch()
    try FileManager.default.createDirectory(atPath: scratch.path, withIntermediateDirectories: false)
    scratch.write([1, 2, 3], to: scratch.path + "/acknowledged")
    for _ in 0..<2 {
      let log = try EventLog(folder: scratch.path)
      try log.append([payload(1)])
      #expect(all(log).gaps == [1...1])
    }
    #expect(try EventLog(folder: scratch.path).figures.last == 3)
  }

  @Test func zerosBehindTheLastRecordAreNoLoss() throws {
    let scratch = Scratch()
    do { try EventLog(folder: scratch.path).append((1...3).map(payload)) }
    scratch.write(scratch.bytes(database(scratch)) + [UInt8](repeating: 0, count: 5000), to: database(scratch))
    let log = try EventLog(folder: scratch.path)
    try log.append([payload(4)])
    #expect(all(log).gaps.isEmpty)
    #expect(all(log).records.count == 4)
  }

  @Test func aFullLogDropsTheOldestAndCountsThem() throws {
    let scratch = Scratch()
    let log = try EventLog(folder: scratch.path, limits: .init(events: 160))
    try log.append((1...1000).map(payload))
    let (records, gaps) = all(log)
    #expect(records.count >= 160 && records.count <= 180)
    #expect(records.last?.sequence == 1000)
    #expect(gaps == [1...UInt64(1000 - records.count)])
    #expect(log.figures.dropped == UInt64(1000 - records.count))
    #expect(log.figures.waiting == UInt64(records.count))
  }

  @Test func itNeverTakesMoreBytesThanAllowed() throws {
    let scratch = Scratch()
    let log = try EventLog(folder: scratch.path, limits: .init(events: 1_000_000, bytes: 1 << 20))
    let large = [UInt8](repeating: 7, count: 20_000)
    for _ in 0..<200 { try log.append([large]) }
    #expect(log.figures.bytes <= 1 << 20)
    let size = scratch.files.reduce(0) { $0 + scratch.bytes($1).count }
    #expect(size == log.figures.bytes)
    #expect(log.figures.waiting > 30)
  }

  @Test func aHundredThousandEventsFit() throws {
    let scratch = Scratch()
    let log = try EventLog(folder: scratch.path)
    let event = [UInt8](repeating: 0x61, count: 400)
    try log.append([[UInt8]](repeating: event, count: 100_000))
    #expect(log.figures.waiting == 100_000)
    #expect(log.figures.dropped == 0)
  }

  @Test func acknowledgedEventsGo() throws {
    let scratch = Scratch()
    let log = try EventLog(folder: scratch.path)
    let event = [UInt8](repeating: 0x61, count: 400)
    try log.append([[UInt8]](repeating: event, count: 20_000))
    let full = log.figures.bytes
    for number: UInt64 in stride(from: 100, through: 10_000, by: 100) { log.acknowledge(through: number) }
    #expect(log.figures.waiting == 10_000)
    #expect(log.figures.bytes < full / 4 * 3)
    log.acknowledge(through: 20)
    #expect(log.figures.acknowledged == 10_000)
    for number: UInt64 in stride(from: 10_100, through: 20_000, by: 100) { log.acknowledge(through: number) }
    try log.append((1...200).map(payload))
    #expect(log.figures.bytes < full / 4)
    log.acknowledge(through: 20_200)
    #expect(log.read(after: 20_200, count: 1) == .empty)
    // The last one is still there for clients that ask where the log ends.
    #expect(log.read(after: 20_199, count: 1) == .records([LogRecord(sequence: 20_200, payload: payload(200))]))
    #expect(log.figures.waiting == 0 && log.figures.dropped == 0)
  }

  @Test func halfAWordOfAcknowledgementCountsAsNone() throws {
    let scratch = Scratch()
    do {
      let log = try EventLog(folder: scratch.path)
      try log.append((1...9).map(payload))
      log.acknowledge(through: 3)
    }
    #expect(try EventLog(folder: scratch.path).figures.acknowledged == 3)
    for damage in ["UPDATE event SET payload = x'33' WHERE number = -1", "DELETE FROM event WHERE number = -1"] {
      try Database(database(scratch), bytes: 1 << 20, schema: "").run(damage)
      #expect(try EventLog(folder: scratch.path).figures.acknowledged == 0)
    }
    #expect(try all(EventLog(folder: scratch.path)).records.count == 9)
  }

  @Test func twoBridgesDoNotShareAStore() throws {
    let scratch = Scratch()
    let log = try EventLog(folder: scratch.path)
    #expect(throws: FileError.self) { try EventLog(folder: scratch.path) }
    #expect(log.figures.last == 0)
  }

  @Test func anEventThatIsTooLongIsAGapAndNoMore() throws {
    let scratch = Scratch()
    let log = try EventLog(folder: scratch.path)
    try log.append([payload(1)])
    #expect(throws: FileError.self) { try log.append([[UInt8](repeating: 0, count: 2 << 20)]) }
    try log.append([payload(3)])
    #expect(all(log).records.map(\.sequence) == [1, 3])
    #expect(all(log).gaps == [2...2])
  }
}
