/// A progress bar on a terminal's standard error.
struct ProgressBar {
  private let terminal: Terminal
  private let total: Int
  private var done = 0
  private var drawn: ContinuousClock.Instant?
  private var isShown = false

  /// Nil where nobody would see it or nothing is worth it.
  init?(total: Int, terminal: Terminal = .error) {
    guard terminal.isTerminal, total > 3 else { return nil }
    self.total = total
    self.terminal = terminal
  }

  /// One more is done; drawn at most 20 times a second.
  mutating func advance() {
    done += 1
    let now = ContinuousClock.now
    if let drawn, now - drawn < .milliseconds(50) { return }
    drawn = now
    draw()
  }

  /// Takes the line away, so that something else can be written.
  mutating func clear() {
    if isShown { Output.draw("\r\u{1B}[K") }
    isShown = false
  }

  private mutating func draw() {
    let count = " \(done)/\(total)"
    let room = max(10, min(60, terminal.columns - count.utf8.count - 3))
    let filled = room * done / max(1, total)
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: room - filled)
    Output.draw("\r" + bar + count + "\u{1B}[K")
    isShown = true
  }
}
