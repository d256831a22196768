import NIOCore
import Testing
import WaymarkSpool

@testable import waymark_gateway

@Suite("The ring of events")
struct EventRingTests {
  private func entry(_ seq: Int, instance: String = "a", bytes: Int = 10) -> EventRing.Entry {
    EventRing.Entry(
      id: EventID(instance: instance, seq: seq), name: "scan.confirmed",
      bytes: ByteBuffer(repeating: UInt8(ascii: "x"), count: bytes))
  }

  private func ring(_ events: [Int], limit: Int = 4, bytes: Int = 1 << 20) -> EventRing {
    var ring = EventRing(limit: limit, bytes: bytes)
    ring.begin(after: EventID(instance: "a", seq: 0))
    for seq in events { ring.append(entry(seq)) }
    return ring
  }

  private func seqs(_ batch: EventRing.Batch) -> [Int] { batch.entries.compactMap { $0.id?.seq } }

  @Test("Who follows gets everything once, in order")
  func following() {
    var ring = ring([1, 2])
    let first = ring.read(from: 0, bytes: 1 << 20)
    #expect(seqs(first) == [1, 2])
    #expect(ring.read(from: first.next, bytes: 1 << 20).entries.isEmpty)
    ring.append(entry(5))
    #expect(seqs(ring.read(from: first.next, bytes: 1 << 20)) == [5])
  }

  @Test("Who reads too slowly is told how many are gone")
  func gap() {
    let batch = ring(Array(1...10)).read(from: 2, bytes: 1 << 20)
    #expect(batch.missed == 4)
    #expect(seqs(batch) == [7, 8, 9, 10])
    #expect(batch.next == 10)
  }

  @Test("Bytes are bounded, and the newest event stays however long it is")
  func bytes() {
    var ring = EventRing(limit: 100, bytes: 35)
    for seq in 1...9 { ring.append(entry(seq)) }
    #expect(seqs(ring.read(from: 0, bytes: 1 << 20)) == [7, 8, 9])
    ring.append(entry(10, bytes: 99))
    #expect(seqs(ring.read(from: 0, bytes: 1 << 20)) == [10])
  }

  @Test("A piece has one event at least")
  func pieces() {
    let ring = ring([1, 2, 3])
    #expect(seqs(ring.read(from: 0, bytes: 1)) == [1])
    #expect(seqs(ring.read(from: 0, bytes: 25)) == [1, 2])
  }

  @Test(
    "Who comes back goes on where they were, whichever numbers lie between",
    arguments: [
      // The last number had, the numbers that follow, whether nothing is missing.
      (0, [1, 2, 3, 8], true), (2, [3, 8], true), (5, [8], true), (8, [], true), (100, [], true),
    ])
  func resume(last: Int, following: [Int], isComplete: Bool) {
    let ring = ring([1, 2, 3, 8])
    let position = ring.position(after: EventID(instance: "a", seq: last))
    #expect(seqs(ring.read(from: position.number, bytes: 1 << 20)) == following)
    #expect(position.isComplete == isComplete)
  }

  @Test("A gap is told: what is gone from the ring, and another run of the service")
  func incomplete() {
    let ring = ring(Array(1...10))
    let gone = ring.position(after: EventID(instance: "a", seq: 3))
    #expect(!gone.isComplete)
    #expect(seqs(ring.read(from: gone.number, bytes: 1 << 20)) == [7, 8, 9, 10])
    #expect(ring.position(after: EventID(instance: "a", seq: 6)).isComplete)
    #expect(!ring.position(after: EventID(instance: "b", seq: 9)).isComplete)
  }

  @Test("Events of two runs of the service follow each other")
  func restart() {
    var ring = ring([1, 2])
    ring.append(entry(1, instance: "b"))
    let position = ring.position(after: EventID(instance: "a", seq: 1))
    #expect(position.isComplete)
    #expect(seqs(ring.read(from: position.number, bytes: 1 << 20)) == [2, 1])
  }

  @Test("However many come, nothing is lost for who reads in time, and never more are kept than the limit")
  func walk() {
    var ring = EventRing(limit: 50, bytes: 1 << 20)
    var generator = SplitMix(state: 7)
    var number = 0
    var last = 0
    var seq = 0
    for _ in 0..<2000 {
      for _ in 0..<Int.random(in: 0...50, using: &generator) {
        seq += 1
        ring.append(entry(seq))
      }
      let batch = ring.read(from: number, bytes: 1 << 20)
      #expect(batch.missed == 0)
      #expect(batch.entries.count <= 50)
      for one in seqs(batch) {
        #expect(one == last + 1)
        last = one
      }
      number = batch.next
    }
    #expect(last == seq)
  }

  @Test("Ids are read as they are written", arguments: ["1abc-0", "1abc-42", "a-b-7"])
  func ids(text: String) { #expect(EventID(text)?.text == text) }

  @Test("What is no id is none", arguments: ["", "-", "1abc", "-5", "1abc-", "1abc-x", "1abc-1 "])
  func badIDs(text: String) { #expect(EventID(text) == nil) }
}
