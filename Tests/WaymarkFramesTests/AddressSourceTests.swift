import Foundation
import Testing
import WaymarkImage
import WaymarkSystem

@testable import WaymarkFrames

/// A source over an address: the program that plays it is killed, is slow, lies, and is back after a while.
struct AddressSourceTests {
  private static let address = "rtsp://camera/stream"
  private static let frame = Array("YUV4MPEG2 W4 H2 Cmono\nFRAME\n12345678".utf8)

  // MARK: The machine, with a virtual clock

  private struct Clock {
    var machine: SourceMachine
    var now = 100.0
    var reported: [String] = []
    var opened = 0
    var closed = 0

    init() {
      machine = SourceMachine(
        device: AddressSourceTests.address, policy: StreamPlayer.policy(StreamOptions(), isAddress: true))
    }

    mutating func handle(_ input: SourceMachine.Input) {
      for effect in machine.handle(input, at: now) {
        switch effect {
        case .open: opened += 1
        case .close: closed += 1
        case .report(let status):
          reported.append("\(status.state)" + (status.problem.map { " \($0.code.rawValue)" } ?? ""))
        }
      }
    }

    mutating func open() {
      let options = StreamOptions()
      handle(
        .opened(.init(frameTimeout: .init(first: options.connectTimeout, next: options.frameTimeout))))
    }

    /// Lets time pass to the machine's next deadline.
    mutating func wait() throws {
      now = try #require(machine.deadline)
      handle(.time)
    }
  }

  private static let form = PixelLayout(format: .grey, width: 4, height: 2)

  @Test func aCameraThatIsGoneForAMinuteIsReportedOnceAndTakenUpAgain() throws {
    var clock = Clock()
    clock.handle(.start)
    clock.open()
    clock.handle(.frame(Self.form))
    let lost = clock.now
    let gone = SourceFault(.endedConnection(Self.address), longestPause: 5, follows: .any)
    clock.handle(.fault(gone))
    while clock.now < lost + 60 {
      try clock.wait()
      clock.open()
      clock.handle(.fault(gone))
    }
    #expect(clock.reported == ["opened", "streaming", "lost streamEnded"])
    // 0.25 s at first, then up to 5 s apart: a minute takes less than 20 attempts, and what was opened was given back.
    #expect((10...20).contains(clock.opened))
    #expect(clock.closed == clock.opened)
    try clock.wait()
    clock.open()
    clock.handle(.frame(Self.form))
    #expect(clock.reported.suffix(2) == ["back", "streaming"])
    #expect(clock.machine.losses == 1)
  }

  @Test func oneThatHangsIsStartedAgain() throws {
    var clock = Clock()
    clock.handle(.start)
    clock.open()
    clock.handle(.frame(Self.form))
    let start = clock.now
    try clock.wait()
    #expect(clock.reported.last == "stalled streamSilent" && clock.now == start + 2)
    try clock.wait()
    #expect(clock.closed == 1 && clock.now == start + 5)
    // Started again and silent still: not waited for without end.
    for round in 2...5 {
      try clock.wait()
      #expect(clock.opened == round)
      clock.open()
      try clock.wait()
      try clock.wait()
      #expect(clock.closed == round)
    }
    #expect(clock.reported == ["opened", "streaming", "stalled streamSilent"])
  }

  // MARK: The source, with programs of the test's own

  /// Opens one end of a socket for every attempt, and hands the other to the test.
  private final class Programs: Sendable {
    private let ends = Monitor<[CInt]>([])
    private let count = Monitor(0)

    var opened: Int { count.withLock { $0 } }

    func connect() throws(SourceError) -> InputFile {
      var pair: [CInt] = [-1, -1]
      guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &pair) == 0 else {
        throw .cannotOpen("socket", reason: "none")
      }
      count.update { $0 += 1 }
      let own = pair[1]
      ends.update { $0.append(own) }
      return InputFile(owning: pair[0])
    }

    /// The test's end of the oldest connection that it has not had.
    func next() throws -> Program {
      let end = ends.wait(until: MonotonicClock.now + 60) { (ends: inout [CInt]) -> CInt? in
        ends.isEmpty ? nil : ends.removeFirst()
      }
      return Program(end: try #require(end))
    }
  }

  /// The test's end of a connection, closed with it.
  private final class Program: Sendable {
    private let end: CInt

    init(end: CInt) { self.end = end }
    deinit { close(end) }

    /// Returns whether the source took the bytes: it may have given the connection up. Without MSG_NOSIGNAL that would end the tests.
    @discardableResult func play(_ bytes: [UInt8]) -> Bool {
      Glibc.send(end, bytes, bytes.count, CInt(MSG_NOSIGNAL)) == bytes.count
    }
  }

  @Test func whatIsPlayedIsReadAndWhatEndsIsOpenedAgain() throws {
    let programs = Programs()
    var options = StreamOptions(frameTimeout: 3600, pause: 0.001...0.002)
    options.connectTimeout = 3600
    let address = try #require(StreamAddress("rtsp://me:secret@camera/stream?token=1"))
    let source = StreamSource(address: address, options: options) { () throws(SourceError) in try programs.connect() }
    #expect(source.device == Self.address && !source.staysOpen && source.origin == .stream)
    let sink = Recorder()
    source.start(sink)
    var first: Program? = try programs.next()
    #expect(first?.play(Self.frame) == true)
    #expect(sink.wait { frames, _ in frames.count == 1 })
    // Killed in the middle of a frame.
    #expect(first?.play(Array("FRAME\n12".utf8)) == true)
    first = nil
    #expect(sink.wait { $1.last?.problem == .endedConnection(Self.address) })
    // The next one speaks of another size, and then no more of frames.
    let second = try programs.next()
    #expect(second.play(Array("YUV4MPEG2 W2 H2 Cmono\nFRAME\n1234".utf8)))
    #expect(sink.wait { frames, _ in frames.count == 2 && frames[1].image.width == 2 })
    #expect(second.play(Array("GARBAGE\n".utf8)))
    #expect(sink.wait { $1.last?.problem?.code == "damagedStream" })
    // One that lies from its beginning.
    #expect(try programs.next().play(Array("HTTP/1.1 401 Unauthorized\r\n\r\n".utf8)))
    #expect(sink.wait { $1.last?.problem?.code == "unknownStream" })
    let last = try programs.next()
    #expect(last.play(Self.frame))
    #expect(sink.wait { frames, statuses in frames.count == 3 && statuses.last?.state == .streaming })
    source.stop()
    #expect(programs.opened == 4)
    for status in sink.seen.withLock({ $0.statuses }) { #expect(!"\(status)".contains("secret")) }
    withExtendedLifetime(second) {}
  }

  @Test func aSilentOneIsStartedAgain() throws {
    let programs = Programs()
    var options = StreamOptions(frameTimeout: 0.02, pause: 0.001...0.002)
    (options.connectTimeout, options.reopensAfter) = (0.02, 0.02)
    let source = StreamSource(address: try #require(StreamAddress(Self.address)), options: options) {
      () throws(SourceError) in try programs.connect()
    }
    let sink = Recorder()
    source.start(sink)
    let silent = [try programs.next(), try programs.next(), try programs.next()]
    #expect(sink.seen.withLock { $0.statuses.last?.problem } == .silentStream(Self.address))
    // On a busy machine the source may give up one of these before the test comes to play on it.
    while sink.seen.withLock({ $0.frames.isEmpty }) { try programs.next().play(Self.frame) }
    source.stop()
    withExtendedLifetime(silent) {}
  }

  @Test func withoutTheProgramItIsLostAndTriedAgain() throws {
    let tried = Monitor(0)
    let source = StreamSource(
      address: try #require(StreamAddress(Self.address)), options: StreamOptions(pause: 0.001...0.002)
    ) { () throws(SourceError) in
      tried.update { $0 += 1 }
      throw .noCameraProgram(Self.address, reason: "the package waymark-cameras is not installed")
    }
    let sink = Recorder()
    source.start(sink)
    _ = tried.wait(until: MonotonicClock.now + 60) { (count: inout Int) -> Int? in count > 2 ? count : nil }
    source.stop()
    let statuses = sink.seen.withLock { $0.statuses }
    #expect(statuses.map(\.state) == [.lost, .closed])
    #expect(statuses.first?.problem?.hint == "apt install waymark-cameras")
  }
}
