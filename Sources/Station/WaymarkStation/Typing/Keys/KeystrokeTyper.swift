import WaymarkSystem

/// Types at a steady pace, one code after the other. Not for two threads at a time.
package final class KeystrokeTyper {
  /// The result of typing.
  package struct Report: Hashable, Sendable {
    /// Keys that were pressed, those that were held meanwhile left out.
    package var strokes: Int
    /// Seconds.
    package var elapsed: Double
  }

  /// Time, and how it passes; tests have one of their own.
  package struct Timing: Sendable {
    package var now: @Sendable () -> Double
    package var wait: @Sendable (_ seconds: Double) -> Void

    package init(now: @escaping @Sendable () -> Double, wait: @escaping @Sendable (Double) -> Void) {
      self.now = now
      self.wait = wait
    }
  }

  private var planner: TypingPlanner
  private var interval: Double
  private let path: String
  private let calls: KeyboardSyscalls
  private let pace: Timing
  private var keyboard: VirtualKeyboard?
  /// When programs will have taken note of the keyboard.
  private var settled = 0.0

  /// Seconds until a desktop reads from a keyboard that has just been plugged in.
  package static let settling = 0.7

  /// - Parameter rate: keys a second. The kernel keeps 64 events for each program that reads a keyboard, eight keys or so: what
  ///   is typed faster than they are fetched is lost.
  package init(
    planner: TypingPlanner, rate: Double, path: String, calls: KeyboardSyscalls = .system, pace: Timing
  ) {
    self.planner = planner
    interval = 1 / rate
    self.path = path
    self.calls = calls
    self.pace = pace
  }

  /// Types by another plan and pace from the next code on; the keyboard stays.
  package func use(_ planner: TypingPlanner, rate: Double) {
    self.planner = planner
    interval = 1 / rate
  }

  /// Has the keyboard made, so that it is known by the time of the first code.
  ///
  /// - Throws: `noKeyboard`.
  @discardableResult package func attach() throws(TypingError) -> VirtualKeyboard {
    if let keyboard { return keyboard }
    let fresh = try VirtualKeyboard(path: path, calls: calls)
    settled = pace.now() + Self.settling
    keyboard = fresh
    return fresh
  }

  /// Types.
  ///
  /// - Parameter isInterrupted: asked before every key; once it says so, the keys are released and the rest is not typed.
  /// - Throws: `charactersNotOnLayout`, `noKeyboard`, `keyboardLost`, `interrupted`.
  package func type(
    _ pieces: [KeyText.Piece], isInterrupted: () -> Bool = { false }
  ) throws(TypingError) -> Report {
    let keyboard = try attach()
    let left = settled - pace.now()
    if left > 0 { pace.wait(left) }
    let strokes = try planner.strokes(for: pieces, capsLock: keyboard.capsLock)
    let start = pace.now()
    var next = start
    var sequencer = KeySequencer(layout: planner.layout)
    do throws(TypingError) {
      for stroke in strokes {
        guard !isInterrupted() else {
          keyboard.releaseAll()
          throw TypingError(
            .interrupted, "The program was stopped while it typed.", hint: "Check the field, and scan again.")
        }
        let now = pace.now()
        if next > now { pace.wait(next - now) }
        // Time lost is not made up for: programs lose keys that come two at once.
        next = max(next, now) + interval
        try keyboard.send(sequencer.transitions(for: stroke))
      }
      try keyboard.send(sequencer.release())
    } catch {
      // A keyboard that was lost is made again for the next code.
      if error.code == .keyboardLost { self.keyboard = nil }
      throw error
    }
    return Report(strokes: strokes.count, elapsed: pace.now() - start)
  }
}
