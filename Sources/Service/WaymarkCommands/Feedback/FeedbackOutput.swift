import CFeedback
import FoundationEssentials
import Glibc
import Synchronization
package import WaymarkSystem

/// The calls to ALSA and force feedback, which tests can replace. The file has the whole output of feedback: the
/// devices (`FeedbackOutput`, `LED`), the signals (`Cue`, `CueSound`), and the thread of an output (`FeedbackLane`).
package struct FeedbackSyscalls: Sendable {
  /// Plays mono samples to their end; returns 0 or minus errno.
  package var play: @Sendable (_ device: String, _ samples: [Int16], _ rate: Int) -> Int32
  /// Opens a device that can vibrate; returns a descriptor or minus errno.
  var openVibrator: @Sendable (_ path: String) -> Int32
  /// Vibrates for the given time; returns 0 or minus errno.
  package var vibrate: @Sendable (_ descriptor: Int32, _ milliseconds: Int) -> Int32
  package var close: @Sendable (_ descriptor: Int32) -> Void

  package static let system = FeedbackSyscalls(
    play: { device, samples, rate in cfeedback_play(device, samples, Int32(samples.count), Int32(rate)) },
    openVibrator: { cfeedback_open_vibrator($0) },
    vibrate: { descriptor, milliseconds in cfeedback_vibrate(descriptor, Int32(milliseconds)) },
    close: { descriptor in Glibc.close(descriptor) })
}

/// A device that signals cues: a speaker, an LED or a motor.
package enum FeedbackOutput: Sendable {
  case sound(device: String, volume: Double)
  case led(LED)
  /// A device with force feedback: `/dev/input/event…`.
  case vibrator(path: String)

  /// Signals a cue, and returns when it is over.
  ///
  /// - Throws: `FeedbackError` if the device cannot be opened or refuses the cue.
  package func signal(
    _ cue: Cue, calls: FeedbackSyscalls = .system, wait: (Double) -> Void
  ) throws(FeedbackError) {
    switch self {
    case .sound(let device, let volume):
      let code = calls.play(device, CueSound.samples(cue, volume: volume), CueSound.rate)
      guard code == 0 else {
        throw FeedbackError(
          .noSound, "The sound cannot be played on \(device): \(String(cString: strerror(-code))).",
          hint: code == -ENOSYS
            ? "Install libasound2." : "Check the device (aplay -L), and that this user is in the group audio.")
      }
    case .led(let led): try led.blink(cue, wait: wait)
    case .vibrator(let path):
      let descriptor = calls.openVibrator(path)
      var code = min(descriptor, 0)
      if descriptor >= 0 {
        for (index, length) in cue.beats.enumerated() where code == 0 {
          if index.isMultiple(of: 2) { code = calls.vibrate(descriptor, Int(length * 1000)) } else { wait(length) }
        }
        calls.close(descriptor)
      }
      guard code == 0 else {
        throw FeedbackError(
          .noVibrator, "\(path) cannot vibrate: \(String(cString: strerror(-code))).",
          hint: "Name an input device with force feedback that this user may write.")
      }
    }
  }
}

// MARK: - Cues and their sounds

/// A signal for a person without a screen.
package enum Cue: String, CaseIterable, Sendable {
  /// A code was read.
  case read
  /// A code was accepted for onboarding.
  case accepted
  /// A code was refused, or nothing could be read.
  case refused

  /// Creates the cue for an event of the socket; `nil` if the event has none.
  package init?(event: String, hasKind: Bool) {
    switch event {
    case "scan.successful": self = hasKind ? .accepted : .read
    case "scan.invalid", "scan.unsuccessful": self = .refused
    default: return nil
    }
  }

  /// Parses cues separated by commas, or `all`; returns `nil` if a word is unknown.
  package static func list(_ text: String) -> Set<Cue>? {
    if text == "all" { return Set(allCases) }
    let words = text.split(separator: ",", omittingEmptySubsequences: false).map { Cue(rawValue: String($0)) }
    let cues = words.compactMap { $0 }
    return cues.count == words.count ? Set(cues) : nil
  }

  /// The durations in seconds for which an LED or motor is alternately on and off. One, two or three beats can be distinguished by
  /// touch and from a distance.
  var beats: [Double] {
    switch self {
    case .read: [0.12]
    case .accepted: [0.12, 0.08, 0.12]
    case .refused: [0.06, 0.06, 0.06, 0.06, 0.06]
    }
  }
}

/// The sounds of cues: short and soft, differing in the number and direction of their notes.
package enum CueSound {
  /// The sample rate, in hertz.
  package static let rate = 48_000

  /// Returns the notes of a cue: frequency in hertz and length in seconds.
  static func notes(_ cue: Cue) -> [(frequency: Double, length: Double)] {
    switch cue {
    case .read: [(1760, 0.07)]
    case .accepted: [(1318.5, 0.07), (1760, 0.11)]
    case .refused: [(392, 0.11), (311.1, 0.16)]
    }
  }

  /// Returns the mono samples of a cue.
  ///
  /// - Parameter volume: 0 to 1; at 1 the notes begin at 80 % of full scale.
  package static func samples(_ cue: Cue, volume: Double) -> [Int16] {
    let peak = max(0, min(1, volume)) * 0.8 * Double(Int16.max)
    return notes(cue).flatMap { note in
      let count = Int(note.length * Double(rate))
      // The note swells and fades like a bell, without clicks: a raised cosine of 6 ms and an exponential decay.
      let attack = 0.006 * Double(rate)
      return (0..<count).map { index in
        let t = Double(index)
        let rise = t < attack ? 0.5 - 0.5 * cos(.pi * t / attack) : 1
        let left = Double(count - 1 - index)
        let fall = left < attack ? 0.5 - 0.5 * cos(.pi * left / attack) : 1
        let decay = exp(-2.5 * t / Double(count))
        let phase = 2 * Double.pi * note.frequency * t / Double(rate)
        // Some of the octave above makes the sound warmer than a test tone.
        return Int16(peak * rise * fall * decay * (0.8 * sin(phase) + 0.2 * sin(2 * phase)))
      }
    }
  }
}

// MARK: - Errors

/// The reason why a cue cannot be signalled.
package typealias FeedbackError = Problem<FeedbackErrorCode>

package enum FeedbackErrorCode: String, ProblemCode {
  /// The LED does not exist.
  case noLED
  /// The LED cannot be written.
  case ledRefused
  /// The sound library or card is missing, or the card is in use.
  case noSound
  /// The device cannot vibrate, or is missing.
  case noVibrator
}

// MARK: - Threads

/// An output on its own thread. While a cue is signalled, only the newest of the following cues waits and older ones are dropped,
/// so that signals do not lag behind fast scans.
package final class FeedbackLane: Sendable {
  private struct State {
    var isBusy = false
    var next: Cue?
    /// The problem reported last, which is not reported again.
    var reported: FeedbackErrorCode?
  }

  private let queue: WorkQueue
  private let state = Mutex(State())
  private let cues: Set<Cue>
  private let signal: @Sendable (Cue) throws(FeedbackError) -> Void
  private let onProblem: @Sendable (FeedbackError) -> Void

  /// Creates an output without a waiting cue.
  ///
  /// - Parameters:
  ///   - cues: the cues that the output signals; it ignores all others.
  ///   - label: the name of its thread.
  ///   - signal: signals a cue, and returns when it is over.
  ///   - onProblem: called for a problem, unless the same kind was reported since the last success.
  package init(
    cues: Set<Cue>, label: String, signal: @escaping @Sendable (Cue) throws(FeedbackError) -> Void,
    onProblem: @escaping @Sendable (FeedbackError) -> Void
  ) {
    self.cues = cues
    self.signal = signal
    self.onProblem = onProblem
    queue = WorkQueue(name: label)
  }

  /// True while a cue is signalled.
  package var isBusy: Bool { state.withLock { $0.isBusy } }

  /// Queues a cue; returns immediately.
  package func push(_ cue: Cue) {
    guard cues.contains(cue) else { return }
    let begins = state.withLock { state in
      guard !state.isBusy else {
        state.next = cue
        return false
      }
      state.isBusy = true
      return true
    }
    if begins { queue.add { self.work(cue) } }
  }

  private func work(_ first: Cue) {
    var cue: Cue? = first
    while let current = cue {
      do throws(FeedbackError) {
        try signal(current)
        state.withLock { $0.reported = nil }
      } catch {
        let isNew = state.withLock { state in
          defer { state.reported = error.code }
          return state.reported != error.code
        }
        if isNew { onProblem(error) }
      }
      cue = state.withLock { state in
        defer { state.next = nil }
        state.isBusy = state.next != nil
        return state.next
      }
    }
  }
}

// MARK: - LEDs

/// An LED of `/sys/class/leds`. After a cue, its earlier brightness and trigger are restored.
package struct LED: Sendable {
  private let folder: String

  /// Creates the LED with a name; throws if it does not exist.
  package init(name: String, root: String = "/sys/class/leds") throws(FeedbackError) {
    guard !name.isEmpty, !name.contains("/"), name != ".." else {
      throw FeedbackError(.noLED, "\"\(name)\" is not the name of an LED.", hint: "Name one of \(root).")
    }
    folder = root + "/" + name
    guard number("max_brightness") != nil else {
      throw FeedbackError(
        .noLED, "There is no LED \(name).", hint: "Name one of \(root); `ls \(root)` lists them.")
    }
  }

  /// Blinks in the rhythm of a cue.
  ///
  /// - Throws: `FeedbackError` if the files of the LED cannot be written.
  func blink(_ cue: Cue, wait: (Double) -> Void) throws(FeedbackError) {
    let full = number("max_brightness") ?? 1
    let before = number("brightness") ?? 0
    let trigger = self.trigger
    if trigger != nil { try write("none", "trigger") }
    for (index, length) in cue.beats.enumerated() {
      try write(String(index.isMultiple(of: 2) ? full : 0), "brightness")
      wait(length)
    }
    try write(String(before), "brightness")
    if let trigger { try write(trigger, "trigger") }
  }

  /// The trigger that controls the LED, such as `mmc0`; nil without a trigger.
  private var trigger: String? {
    guard let text = read("trigger"), let start = text.firstIndex(of: "["), let end = text.firstIndex(of: "]"),
      start < end
    else { return nil }
    let word = String(text[text.index(after: start)..<end])
    return word == "none" ? nil : word
  }

  private func number(_ name: String) -> Int? {
    read(name).flatMap { Int($0.trimmed) }
  }

  private func read(_ name: String) -> String? {
    (try? WholeFile.read("\(folder)/\(name)", limit: 1 << 16)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Writes into the existing file, because files of sysfs cannot be replaced.
  private func write(_ text: String, _ name: String) throws(FeedbackError) {
    let descriptor = open("\(folder)/\(name)", O_WRONLY | O_CLOEXEC | O_TRUNC)
    let bytes = Array(text.utf8)
    let count = descriptor < 0 ? -1 : Glibc.write(descriptor, bytes, bytes.count)
    let code = errno
    if descriptor >= 0 { close(descriptor) }
    guard count == bytes.count else {
      throw FeedbackError(
        .ledRefused, "\(folder)/\(name) cannot be written: \(String(cString: strerror(code))).",
        hint: "Let the group waymark-feedback write it, as the package's udev rule does.")
    }
  }
}
