import Testing
import WaymarkSystem

@testable import WaymarkFrames

/// The machine that all sources share, with a clock of the test's own.
struct SourceMachineTests {
  private static let layout = PixelLayout(format: .mjpeg, width: 640, height: 480)
  private static let other = PixelLayout(format: .mjpeg, width: 320, height: 240)
  private static let frameTimeout = SourceMachine.FrameTimeout(first: 5, next: 2)
  private static let broken = SourceError(code: "broken", message: "it is broken", hint: "")
  private static let gone = SourceError(code: "gone", message: "it is gone", hint: "")

  private static func silence(_ device: String) -> SourceFault { SourceFault(.silentStream(device), longestPause: 1) }

  /// As a camera: reopened when it is silent.
  private static let quickPolicy = SourceMachine.Policy(reopensAfter: 3, silence: silence)
  /// As a pipe: waited for, and not there before anything came through it.
  private static let patient = SourceMachine.Policy(
    firstPause: 0.25, reopensAfter: nil, openImpliesPresent: false, silence: silence)

  private static func opened(_ layout: PixelLayout? = layout) -> SourceMachine.Input {
    .opened(SourceMachine.Opening(layout: layout, frameTimeout: frameTimeout))
  }

  private static func fault(
    _ problem: SourceError = broken, leavesOpen: Bool = false, isFinal: Bool = false,
    follows: SourceFault.Predecessors = .itself
  ) -> SourceMachine.Input {
    .fault(SourceFault(problem, longestPause: 4, leavesOpen: leavesOpen, isFinal: isFinal, follows: follows))
  }

  private static func reports(_ effects: [SourceMachine.Effect]) -> [SourceStatus.State] {
    effects.compactMap { effect in
      guard case .report(let status) = effect else { return nil }
      return status.state
    }
  }

  /// A machine that was led into a phase.
  private static func machine(in phase: SourceMachine.Phase) -> SourceMachine {
    var machine = SourceMachine(device: "it", policy: quickPolicy)
    let way: [SourceMachine.Input] =
      switch phase {
      case .closed: []
      case .opening: [.start]
      case .opened: [.start, opened()]
      case .streaming: [.start, opened(), .frame()]
      case .stalled: [.start, opened(), .frame(), .unreadable(broken)]
      case .waiting: [.start, fault()]
      }
    for input in way { _ = machine.handle(input, at: 0) }
    #expect(machine.phase == phase)
    return machine
  }

  /// A cell of the table: the phase it leads to, and the action.
  private struct Cell {
    let phase: SourceMachine.Phase
    let does: [String]

    init(_ phase: SourceMachine.Phase, _ does: String...) {
      self.phase = phase
      self.does = does
    }
  }

  private static let names = [
    "start", "opened", "frame", "sign", "barren", "fault", "final", "time", "ended", "stop",
  ]
  private static let inputs: [SourceMachine.Input] = [
    .start, opened(), .frame(), .alive, .unreadable(gone), fault(gone), fault(gone, isFinal: true), .time, .ended,
    .stop,
  ]
  /// The table in `SourceMachine`'s documentation; nil: nothing happens.
  private static let table: [SourceMachine.Phase: [Cell?]] = [
    .closed: [Cell(.opening, "open"), nil, nil, nil, nil, nil, nil, nil, nil, nil],
    .opening: [
      nil, Cell(.opened, "opened"), nil, nil, nil, Cell(.waiting, "close", "lost"), Cell(.closed, "close", "lost"), nil,
      Cell(.closed, "close", "closed"), Cell(.closed, "close", "closed"),
    ],
    .opened: [
      nil, nil, Cell(.streaming, "streaming"), Cell(.opened), Cell(.stalled, "stalled"),
      Cell(.waiting, "close", "lost"), Cell(.closed, "close", "lost"), Cell(.stalled, "stalled"),
      Cell(.closed, "close", "closed"), Cell(.closed, "close", "closed"),
    ],
    .streaming: [
      nil, nil, Cell(.streaming), Cell(.streaming), Cell(.stalled, "stalled"), Cell(.waiting, "close", "lost"),
      Cell(.closed, "close", "lost"), Cell(.stalled, "stalled"), Cell(.closed, "close", "closed"),
      Cell(.closed, "close", "closed"),
    ],
    .stalled: [
      nil, nil, Cell(.streaming, "streaming"), Cell(.streaming, "streaming"), Cell(.stalled, "stalled"),
      Cell(.waiting, "close", "lost"), Cell(.closed, "close", "lost"), Cell(.waiting, "close"),
      Cell(.closed, "close", "closed"), Cell(.closed, "close", "closed"),
    ],
    .waiting: [
      nil, nil, nil, nil, nil, nil, nil, Cell(.opening, "open"), Cell(.closed, "closed"), Cell(.closed, "closed"),
    ],
  ]

  @Test(arguments: SourceMachine.Phase.allCases) func goesFromPhaseToPhaseAsTheTableSays(phase: SourceMachine.Phase)
    throws
  {
    for (index, input) in Self.inputs.enumerated() {
      var machine = Self.machine(in: phase)
      // Past every deadline: only `.time` looks.
      let effects = machine.handle(input, at: 100)
      let cell = try #require(Self.table[phase])[index]
      #expect(machine.phase == cell?.phase ?? phase, "\(phase), \(Self.names[index])")
      let does = effects.map { effect in
        switch effect {
        case .open: "open"
        case .close: "close"
        case .report(let status): status.state.rawValue
        }
      }
      #expect(does == cell?.does ?? [], "\(phase), \(Self.names[index])")
      if machine.phase == .closed { #expect(machine.deadline == nil) }
    }
  }

  /// The deadline of each phase that is entered at 0; nil: nothing happens by itself.
  private static let deadlines: [SourceMachine.Phase: Double?] = [
    .closed: nil, .opening: nil, .opened: 5, .streaming: 2, .stalled: 3, .waiting: 0.1,
  ]

  @Test(arguments: SourceMachine.Phase.allCases) func nothingHappensBeforeItsTime(phase: SourceMachine.Phase) throws {
    var machine = Self.machine(in: phase)
    let expected = try #require(Self.deadlines[phase])
    #expect(machine.deadline == expected)
    let deadline = expected ?? 1e9
    #expect(machine.handle(.time, at: deadline - 0.001) == [])
    #expect(machine.phase == phase && machine.deadline == expected)
    _ = machine.handle(.time, at: deadline)
    #expect((machine.phase == phase) == (expected == nil))
  }

  @Test func backsOffUntilFramesCome() {
    var machine = SourceMachine(device: "it", policy: Self.patient)
    _ = machine.handle(.start, at: 0)
    var (now, pauses) = (0.0, [Double]())
    for _ in 0..<6 {
      _ = machine.handle(Self.fault(), at: now)
      pauses.append((machine.deadline ?? 0) - now)
      now = machine.deadline ?? 0
      #expect(machine.handle(.time, at: now) == [.open])
    }
    #expect(pauses == [0.25, 0.5, 1, 2, 4, 4])
    // A picture that cannot be read proves nothing; a frame does.
    _ = machine.handle(Self.opened(nil), at: now)
    _ = machine.handle(.alive, at: now)
    _ = machine.handle(Self.fault(), at: now)
    #expect((machine.deadline ?? 0) - now == 4)
    _ = machine.handle(.time, at: now + 4)
    _ = machine.handle(Self.opened(nil), at: now)
    _ = machine.handle(.frame(Self.layout), at: now)
    _ = machine.handle(Self.fault(), at: now)
    #expect((machine.deadline ?? 0) - now == 0.25)
  }

  @Test func reportsTheFormOfTheFirstFrameAndEveryOtherOne() {
    var machine = SourceMachine(device: "it", policy: Self.patient)
    _ = machine.handle(.start, at: 0)
    #expect(Self.reports(machine.handle(Self.opened(nil), at: 0)) == [.opened])
    // It was not wanted, so its form is unknown.
    #expect(machine.handle(.frame(), at: 0) == [])
    #expect(machine.phase == .opened)
    #expect(
      machine.handle(.frame(Self.layout, rate: 12), at: 0)
        == [.report(SourceStatus(.streaming, device: "it", layout: Self.layout, rate: 12))])
    #expect(machine.handle(.frame(Self.layout, rate: 12), at: 0) == [])
    #expect(Self.reports(machine.handle(.frame(Self.other, rate: 12), at: 0)) == [.streaming])
  }

  @Test func reportsALayoutThatChangesWithEveryFrameAFewTimesASecond() throws {
    var machine = Self.machine(in: .streaming)
    var reports: [SourceStatus] = []
    func handle(_ input: SourceMachine.Input, _ now: Double) {
      reports += machine.handle(input, at: now).compactMap { if case .report(let status) = $0 { status } else { nil } }
    }
    var now = 0.0
    for index in 1...1488 {
      now += 40.0 / 1488
      while let deadline = machine.deadline, deadline <= now { handle(.time, deadline) }
      handle(.frame(PixelLayout(format: .mjpeg, width: index, height: 1)), now)
    }
    #expect((100...165).contains(reports.count))
    #expect(reports.allSatisfy { $0.state == .streaming })
    // The last one is reported without a further frame, and before the stream is silent.
    let due = try #require(machine.deadline)
    #expect(due <= now + 0.5)
    handle(.time, due)
    #expect(reports.last?.layout?.width == 1488 && machine.deadline == now + 2)
    // What happens meanwhile is reported at once, with the last layout.
    handle(.frame(Self.other), now + 0.51)
    handle(.frame(Self.layout), now + 0.52)
    handle(.frame(Self.other), now + 0.53)
    let count = reports.count
    handle(.unreadable(Self.broken), now + 0.54)
    #expect(reports.count == count + 1 && reports.last?.state == .stalled && reports.last?.layout == Self.other)
    #expect(machine.deadline == now + 0.54 + 3)
  }

  /// A pipe can be opened without a writer: it is lost, and not silent as well.
  @Test func aLostSourceIsNotReportedAsSilent() {
    var machine = SourceMachine(device: "it", policy: Self.patient)
    _ = machine.handle(.start, at: 0)
    _ = machine.handle(Self.opened(nil), at: 0)
    #expect(machine.deadline == 5)
    #expect(Self.reports(machine.handle(.time, at: 5)) == [.stalled])
    // It is waited for.
    #expect(machine.deadline == nil)
    #expect(Self.reports(machine.handle(.frame(Self.layout), at: 60)) == [.streaming])
    #expect(machine.deadline == 62)
    _ = machine.handle(Self.fault(Self.gone, leavesOpen: true), at: 61)
    _ = machine.handle(.time, at: 62)
    #expect(machine.handle(Self.opened(nil), at: 62) == [])
    #expect(machine.deadline == nil)
    #expect(Self.reports(machine.handle(.frame(Self.layout), at: 99)) == [.back, .streaming])
    #expect(machine.losses == 1)
  }

  @Test func whatIsLeftOpenIsGivenBackInTheEnd() {
    var machine = Self.machine(in: .streaming)
    #expect(Self.reports(machine.handle(Self.fault(leavesOpen: true), at: 1)) == [.lost])
    #expect(machine.phase == .waiting)
    #expect(machine.handle(.stop, at: 1) == [.close, .report(SourceStatus(.closed, device: "it"))])
  }

  @Test func reportsNothingTwice() {
    var machine = Self.machine(in: .streaming)
    func again(_ input: SourceMachine.Input) -> [SourceStatus.State] {
      _ = machine.handle(.time, at: machine.deadline ?? 0)
      return Self.reports(machine.handle(input, at: 0))
    }
    #expect(Self.reports(machine.handle(Self.fault(), at: 0)) == [.lost])
    #expect(again(Self.fault()) == [])
    #expect(again(Self.fault(Self.gone, follows: .problem("broken"))) == [])
    #expect(again(Self.fault(Self.gone, follows: .problem("other"))) == [.lost])
    #expect(again(Self.fault(follows: .any)) == [])
    // It was lost once; the rest were vain attempts.
    #expect(machine.losses == 1)
  }

  @Test func aFinalErrorIsReportedAsFinal() {
    var machine = Self.machine(in: .streaming)
    #expect(
      machine.handle(Self.fault(isFinal: true), at: 1)
        == [.close, .report(SourceStatus(.lost, device: "it", problem: Self.broken, ended: true))])
    #expect(machine.losses == 1)
    machine = Self.machine(in: .streaming)
    #expect(machine.handle(.ended, at: 1) == [.close, .report(SourceStatus(.closed, device: "it", ended: true))])
    // It can be started again, and starts over.
    #expect(machine.handle(.start, at: 2) == [.open])
    #expect(Self.reports(machine.handle(Self.opened(), at: 2)) == [.opened])
  }
}
