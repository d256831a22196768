import WaymarkSystem

/// A line on a terminal's standard error that says how far a long run is.
struct ProgressBar {
  private let terminal: Terminal
  private var figures: ProgressFigures
  private var drawn: Double?
  private var isShown = false

  /// Nil where nobody would see it or nothing is worth it.
  init?(total: Int, terminal: Terminal = .error) {
    guard terminal.isTerminal, total > 3 else { return nil }
    figures = ProgressFigures(total: total, began: MonotonicClock.now)
    self.terminal = terminal
  }

  /// One more is done; drawn at most 20 times a second.
  mutating func advance(failed: Bool = false) {
    figures.add(failed: failed)
    let now = MonotonicClock.now
    if let drawn, now - drawn < 0.05 { return }
    drawn = now
    draw(at: now)
  }

  /// Takes the line away, so that something else can be written.
  mutating func clear() {
    if isShown { Output.draw("\r\u{1B}[K") }
    isShown = false
  }

  private mutating func draw(at now: Double) {
    let count = " " + figures.text(at: now)
    let room = max(10, min(60, terminal.columns - count.utf8.count - 3))
    let filled = room * figures.done / max(1, figures.total)
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: room - filled)
    Output.draw("\r" + bar + count + "\u{1B}[K")
    isShown = true
  }
}
