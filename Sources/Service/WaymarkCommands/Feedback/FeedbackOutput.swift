import CFeedback
import Glibc
import WaymarkSystem

/// ALSA and force feedback, so that tests can put others in their place.
package struct FeedbackSyscalls: Sendable {
  /// Plays mono samples to their end; 0 or minus errno.
  package var play: @Sendable (_ device: String, _ samples: [Int16], _ rate: Int) -> Int32
  /// Opens what vibrates; a descriptor or minus errno.
  var openVibrator: @Sendable (_ path: String) -> Int32
  /// Vibrates to the end; 0 or minus errno.
  package var vibrate: @Sendable (_ descriptor: Int32, _ milliseconds: Int) -> Int32
  package var close: @Sendable (_ descriptor: Int32) -> Void

  package init(
    play: @escaping @Sendable (String, [Int16], Int) -> Int32, openVibrator: @escaping @Sendable (String) -> Int32,
    vibrate: @escaping @Sendable (Int32, Int) -> Int32, close: @escaping @Sendable (Int32) -> Void
  ) {
    self.play = play
    self.openVibrator = openVibrator
    self.vibrate = vibrate
    self.close = close
  }

  /// The system's.
  package static let system = FeedbackSyscalls(
    play: { device, samples, rate in cfeedback_play(device, samples, Int32(samples.count), Int32(rate)) },
    openVibrator: { cfeedback_open_vibrator($0) },
    vibrate: { descriptor, milliseconds in cfeedback_vibrate(descriptor, Int32(milliseconds)) },
    close: { descriptor in Glibc.close(descriptor) })
}

/// One way to tell a person something: a speaker, a LED, a motor.
package enum FeedbackOutput: Sendable {
  case sound(device: String, volume: Double)
  case led(LED)
  /// `/dev/input/event…`.
  case vibrator(path: String)

  /// Tells it, and returns when it was told.
  package func tell(
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
