import Foundation

/// How far a long run is: what who waits for it wants to know. Without clock.
struct ProgressFigures: Equatable {
  let total: Int
  /// When the run began, in seconds.
  let began: Double
  private(set) var done = 0
  private(set) var failed = 0

  init(total: Int, began: Double) {
    self.total = total
    self.began = began
  }

  /// One more is done.
  mutating func add(failed isFailure: Bool) {
    done += 1
    if isFailure { failed += 1 }
  }

  /// The count; after a second also the rate and the time that is left at this rate; and how many failed.
  func text(at now: Double) -> String {
    var parts = ["\(done)/\(total)"]
    let elapsed = now - began
    if elapsed >= 1, done > 0 {
      let rate = Double(done) / elapsed
      parts.append(rate < 10 ? String(format: "%.1f/s", rate) : String(format: "%.0f/s", rate))
      if done < total { parts.append(Self.phrase(Double(total - done) / rate) + " left") }
    }
    if failed > 0 { parts.append("\(failed) failed") }
    return parts.joined(separator: "  ")
  }

  private static func phrase(_ seconds: Double) -> String {
    switch seconds {
    case ..<100: "\(Int(seconds.rounded(.up))) s"
    case ..<6000: "\(Int((seconds / 60).rounded(.up))) min"
    default: "\(Int((seconds / 3600).rounded(.up))) h"
    }
  }
}
