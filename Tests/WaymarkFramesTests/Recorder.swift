import WaymarkSystem

@testable import WaymarkFrames

/// Remembers what a source hands over and tells.
final class Recorder: FrameSink {
  let seen = Monitor((frames: [Frame](), statuses: [SourceStatus]()))

  func receive(_ frame: Frame) { seen.update { $0.frames.append(frame) } }
  func receive(_ status: SourceStatus) { seen.update { $0.statuses.append(status) } }

  /// The time limit only ends a test that has failed.
  func wait(_ condition: @Sendable (_ frames: [Frame], _ statuses: [SourceStatus]) -> Bool) -> Bool {
    seen.wait(until: MonotonicClock.now + 60) { condition($0.frames, $0.statuses) ? true : nil } ?? false
  }

  var ended: Bool { wait { $1.last?.ended == true } }
}
