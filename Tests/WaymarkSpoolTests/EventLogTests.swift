import Foundation
import Glibc
import Testing

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

@Suite struct EventLogTests {
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

  /// A process may end between any two bytes of a write: what was whole stays, what was not is as if it had never been, and is told.
  @Test func aFileCutOffAnywhereLosesNoWholeRecord() throws {
    let size = LogFormat.recordOverhead + payload(1).count
    for end in 0...LogFormat.headerSize + 5 * size {
      let scratch = Scratch()
      do { try EventLog(folder: scratch.path).append((1...5).map(payload)) }
      let file = try #require(scratch.segments.first)
      scratch.write(Array(scratch.bytes(file)[..<end]), to: file)
      let log = try EventLog(folder: scratch.path)
      let kept = max(0, (end - LogFormat.headerSize) / size)
      #expect(all(log).records.map(\.payload) == (0..<kept).map { payload($0 + 1) }, "cut at \(end)")
      try log.append([payload(6)])
      let (records, gaps) = all(log)
      #expect(records.last?.payload == payload(6))
      let isTorn = end > LogFormat.headerSize && (end - LogFormat.headerSize) % size != 0
      #expect(gaps.isEmpty != isTorn, "cut at \(end)")
    }
  }

  @Test func aDamagedByteIsAGapAndNeverAWrongEvent() throws {
    let limits = EventLog.Limits(events: 64)
    let size = LogFormat.headerSize + 4 * (LogFormat.recordOverhead + payload(1).count)
    for index in 0..<3 {
      for place in stride(from: 0, to: size, by: 3) {
        let scratch = Scratch()
        do { try EventLog(folder: scratch.path, limits: limits).append((1...9).map(payload)) }
        #expect(scratch.segments.count == 3)
        let file = scratch.segments[index]
        var bytes = scratch.bytes(file)
        guard place < bytes.count else { continue }
        bytes[place] ^= 0x40
        scratch.write(bytes, to: file)
        let log = try EventLog(folder: scratch.path, limits: limits)
        try log.append([payload(99)])
        let (records, gaps) = all(log)
        for record in records.dropLast() { #expect(record.payload == payload(Int(record.sequence))) }
        #expect(records.last?.payload == payload(99), "file \(index) at \(place)")
        #expect(!gaps.isEmpty, "file \(index) at \(place)")
        // A number that may have been used is not given to another event.
        #expect(records.last.map { $0.sequence > 9 } ?? false, "file \(index) at \(place)")
      }
    }
  }

  @Test func zerosBehindTheLastRecordAreNoLoss() throws {
    let scratch = Scratch()
    do { try EventLog(folder: scratch.path).append((1...3).map(payload)) }
    let file = try #require(scratch.segments.first)
    scratch.write(scratch.bytes(file) + [UInt8](repeating: 0, count: 5000), to: file)
    let log = try EventLog(folder: scratch.path)
    try log.append([payload(4)])
    #expect(all(log).gaps.isEmpty)
    #expect(all(log).records.count == 4)
  }

  @Test func theOldestGoWhenItIsFullAndTheirNumbersTell() throws {
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
    let size = scratch.segments.reduce(0) { $0 + scratch.bytes($1).count }
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

  @Test func acknowledgedSegmentsGo() throws {
    let scratch = Scratch()
    let log = try EventLog(folder: scratch.path, limits: .init(events: 160))
    try log.append((1...100).map(payload))
    #expect(scratch.segments.count == 10)
    log.acknowledge(through: 55)
    #expect(scratch.segments.count == 5)
    log.acknowledge(through: 20)
    #expect(log.figures.acknowledged == 55)
    log.acknowledge(through: 100)
    #expect(scratch.segments.count == 1)
    #expect(log.read(after: 100, count: 1) == .empty)
    // The last one is still there for whoever asks where the log ends.
    #expect(log.read(after: 99, count: 1) == .records([LogRecord(sequence: 100, payload: payload(100))]))
    #expect(log.figures.waiting == 0)
  }

  @Test func halfAWordOfAcknowledgementCountsAsTheOneBefore() throws {
    let scratch = Scratch()
    do {
      let log = try EventLog(folder: scratch.path)
      try log.append((1...9).map(payload))
      log.acknowledge(through: 3)
      log.acknowledge(through: 5)
    }
    let file = scratch.path + "/acknowledged"
    var bytes = scratch.bytes(file)
    bytes[20] ^= 1
    scratch.write(bytes, to: file)
    #expect(try EventLog(folder: scratch.path).figures.acknowledged == 3)
    scratch.write([1, 2, 3], to: file)
    #expect(try EventLog(folder: scratch.path).figures.acknowledged == 0)
  }

  @Test func twoBridgesDoNotShareAStore() throws {
    let scratch = Scratch()
    let log = try EventLog(folder: scratch.path)
    #expect(throws: SpoolError.self) { try EventLog(folder: scratch.path) }
    #expect(log.figures.last == 0)
  }

  @Test func anEventThatIsTooLongIsAGapAndNoMore() throws {
    let scratch = Scratch()
    let log = try EventLog(folder: scratch.path)
    try log.append([payload(1)])
    #expect(throws: SpoolError.self) { try log.append([[UInt8](repeating: 0, count: 2 << 20)]) }
    try log.append([payload(3)])
    #expect(all(log).records.map(\.sequence) == [1, 3])
    #expect(all(log).gaps == [2...2])
  }
}
