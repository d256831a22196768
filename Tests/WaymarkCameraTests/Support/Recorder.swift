import Foundation
import WaymarkFrames
import WaymarkSystem

/// Remembers what a source delivers, and waits for it.
final class Recorder: FrameSink {
  struct Seen: Sendable {
    var frames: UInt64 = 0
    var last: Frame?
    var statuses: [SourceStatus] = []
    var gaps = 0
    var times: [(state: SourceStatus.State, at: Double)] = []
  }

  let seen = Monitor(Seen())

  func receive(_ frame: Frame) {
    seen.update { seen in
      if let last = seen.last, frame.sequence != last.sequence + 1 { seen.gaps += 1 }
      seen.frames += 1
      seen.last = frame
    }
  }

  func receive(_ status: SourceStatus) {
    seen.update { seen in
      seen.statuses.append(status)
      seen.times.append((status.state, MonotonicClock.now))
    }
  }

  var states: [SourceStatus.State] { seen.withLock { $0.statuses.map(\.state) } }
  var frames: UInt64 { seen.withLock { $0.frames } }

  /// Waits until `number` more frames have come. The time limit only ends a test that has failed.
  func waitForFrames(_ number: UInt64, seconds: Double = 60) -> Bool {
    let goal = frames + number
    return seen.wait(until: MonotonicClock.now + seconds) { $0.frames >= goal ? true : nil } ?? false
  }

  /// Waits until `total` frames have come in all.
  func waitForFrames(total: UInt64, seconds: Double = 60) -> Bool {
    seen.wait(until: MonotonicClock.now + seconds) { $0.frames >= total ? true : nil } ?? false
  }

  /// Waits until the source has reported a state, counted from the `after`-th status on.
  func wait(for state: SourceStatus.State, after: Int = 0, seconds: Double = 60) -> SourceStatus? {
    seen.wait(until: MonotonicClock.now + seconds) { seen in
      seen.statuses.dropFirst(after).first { $0.state == state }
    }
  }
}

/// The resources that this process holds.
struct ProcessUse {
  let descriptors: Int
  let threads: Int
  /// Resident memory in bytes.
  let memory: Int

  static var now: ProcessUse {
    let files = FileManager.default
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
    return ProcessUse(
      descriptors: (try? files.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? -1,
      threads: (try? files.contentsOfDirectory(atPath: "/proc/self/task").count) ?? -1,
      memory: (pages.flatMap { Int($0[1]) } ?? 0) * 4096)
  }
}

extension FrameSource {
  /// Starts the source, and remembers what it delivers.
  func started() -> Recorder {
    let recorder = Recorder()
    start(recorder)
    return recorder
  }
}
