import Glibc
import Synchronization
import Testing
import WaymarkSystem

@testable import WaymarkStation

/// The keyboard and its pace, over a kernel of the test's own.
struct KeystrokeTyperTests {
  private func typist(_ kernel: Kernel, layout: String = "us", rate: Double = 500) throws -> KeystrokeTyper {
    KeystrokeTyper(
      planner: TypingPlanner(layout: try KeyboardLayout(.init(layout: layout))), rate: rate, path: "/dev/uinput",
      calls: kernel.calls, pace: kernel.pace)
  }

  private func code(_ body: () throws -> Void) -> TypingErrorCode? {
    do {
      try body()
      return nil
    } catch {
      return (error as? TypingError)?.code
    }
  }

  @Test func everyKeyGoesDownAndUpInAReportOfItsOwn() throws {
    let kernel = Kernel()
    let report = try typist(kernel).type([.text("Ab"), .key(KeyStroke(28))])
    let state = kernel.state.withLock { $0 }
    #expect(report.strokes == 3)
    #expect(state.transitions.map(\.key) == [42, 30, 30, 42, 48, 48, 28, 28])
    #expect(state.reports == state.transitions.count)
    #expect(kernel.pressed.isEmpty)
  }

  @Test func aFreshKeyboardIsGivenTimeToBeNoticed() throws {
    let kernel = Kernel()
    let typist = try typist(kernel)
    _ = try typist.type([.text("a")])
    #expect(kernel.state.withLock { $0.times[0] } >= 100 + KeystrokeTyper.settling)
    // Only once: the keyboard stays.
    let before = kernel.state.withLock { $0.time }
    _ = try typist.type([.text("a")])
    #expect(kernel.state.withLock { $0.time } - before < 0.01)
    #expect(kernel.state.withLock { $0.opened } == 1)
  }

  @Test func keysKeepTheirDistance() throws {
    let kernel = Kernel()
    _ = try typist(kernel, rate: 250).type([.text("aaaaaaaaaa")])
    let downs = kernel.state.withLock { state in
      zip(state.transitions, state.times).filter { $0.0.isDown }.map(\.1)
    }
    for (earlier, later) in zip(downs, downs.dropFirst()) { #expect(abs(later - earlier - 0.004) < 1e-9) }
  }

  @Test func theLampOfCapsLockIsHeeded() throws {
    let kernel = Kernel()
    let typist = try typist(kernel)
    kernel.state.withLock { $0.events = [(0x11, 1, 1), (0, 0, 0)] }
    _ = try typist.type([.text("aB1")])
    #expect(kernel.state.withLock { $0.transitions.map(\.key) } == [42, 30, 30, 42, 48, 48, 2, 2])
    kernel.state.withLock { $0.events = [(0x11, 0, 1), (0x11, 1, 0)] }
    kernel.state.withLock { $0.transitions = [] }
    _ = try typist.type([.text("a")])
    #expect(kernel.state.withLock { $0.transitions.map(\.key) } == [30, 30])
  }

  /// The keyboard goes away at every single write there is.
  @Test func noKeyStaysPressedWhenTheKeyboardGoesAway() throws {
    for writes in 0..<24 {
      let kernel = Kernel()
      let typist = try typist(kernel, layout: "de")
      kernel.state.withLock { $0.lasts = writes }
      #expect(code { _ = try typist.type([.text("A€b{")]) } == .keyboardLost)
      #expect(kernel.state.withLock { $0.open } == 0)
      // The next code has a new keyboard.
      kernel.state.withLock { state in
        state.lasts = .max
        state.transitions = []
      }
      _ = try typist.type([.text("A")])
      #expect(kernel.pressed.isEmpty)
      #expect(kernel.state.withLock { $0.opened } == 2)
    }
  }

  @Test func aProgramThatEndsReleasesWhatItPressed() throws {
    for strokes in 0..<6 {
      let kernel = Kernel()
      let asked = Mutex(0)
      let typist = try typist(kernel, layout: "de")
      let reason = code {
        _ = try typist.type(
          [.text("A€{Bc@")],
          isInterrupted: {
            asked.withLock { asked in
              asked += 1
              return asked > strokes
            }
          })
      }
      #expect(reason == .interrupted)
      #expect(kernel.pressed.isEmpty)
      #expect(
        kernel.state.withLock { $0.transitions.filter { $0.isDown && ![42, 100].contains($0.key) }.count } == strokes)
    }
  }

  @Test(arguments: [ENOENT, EACCES, ENODEV]) func withoutUinputTheReasonIsReported(reason: Int32) throws {
    let kernel = Kernel()
    kernel.state.withLock { $0.refusal = reason }
    let typist = try typist(kernel)
    #expect(code { _ = try typist.type([.text("a")]) } == .noKeyboard)
    kernel.state.withLock { $0.refusal = 0 }
    _ = try typist.type([.text("a")])
  }

  @Test func halfACodeIsNeverTyped() throws {
    let kernel = Kernel()
    let typist = try typist(kernel)
    #expect(code { _ = try typist.type([.text("12345東")]) } == .charactersNotOnLayout)
    #expect(kernel.state.withLock { $0.transitions.isEmpty })
  }

  @Test func theKeyboardGoesWithItsOwner() throws {
    let kernel = Kernel()
    var typist: KeystrokeTyper? = try typist(kernel)
    _ = try typist?.type([.text("a")])
    typist = nil
    #expect(kernel.state.withLock { $0.open } == 0)
  }
}
