import Glibc
import WaymarkServer
import WaymarkSystem

/// A key of an input device that arms a scan: a button beside a kiosk's screen, or a key of a foot switch.
///
/// Reads on a thread of its own. A device that is missing or was unplugged is looked for again, so that it may come
/// back at any time.
final class HardwareTrigger: Sendable {
  /// How long to wait before looking for a missing device again, in seconds.
  private static let retryInterval = 1.0

  private let device: String
  private let key: UInt16
  private let calls: InputSyscalls
  private let onPress: @Sendable () -> Void
  private let onProblem: @Sendable (ServiceProblem?) -> Void
  private let thread = WorkerThread(name: "wm-trigger")

  /// Starts to read a device such as `/dev/input/by-id/…-event-kbd`.
  ///
  /// - Parameters:
  ///   - key: a key's name or number; see `KeyName`.
  ///   - onPress: called on the trigger's thread for every press.
  ///   - onProblem: called when the device cannot be read, once until it can, and with nil when it can (again).
  init(
    device: String, key name: String, calls: InputSyscalls = .system,
    onPress: @escaping @Sendable () -> Void, onProblem: @escaping @Sendable (ServiceProblem?) -> Void = { _ in }
  ) throws(ServiceProblem) {
    guard let key = KeyName.code(name) else {
      throw ServiceProblem(
        code: "unknownKey", message: "There is no key \"\(name)\".",
        hint: "trigger.key is one of \(KeyName.all.joined(separator: ", ")), or a number of linux/input-event-codes.h.")
    }
    self.device = device
    self.key = key
    self.calls = calls
    self.onPress = onPress
    self.onProblem = onProblem
    // The thread keeps this object until `stop`.
    thread.start { [self] in run(until: $0) }
  }

  /// Ends the thread; returns when it is over. May be called more than once.
  func stop() { thread.stop() }

  private func run(until stop: StopSignal) {
    var isTold = false
    while true {
      let descriptor = calls.open(device)
      if descriptor >= 0 {
        onProblem(nil)
        isTold = false
        let isStopped = listen(descriptor, until: stop)
        close(descriptor)
        if isStopped { return }
      }
      if !isTold {
        isTold = true
        onProblem(problem(descriptor >= 0 ? ENODEV : -descriptor))
      }
      if calls.wait(-1, stop, Self.retryInterval) == .stopped { return }
    }
  }

  /// Reads until the device is gone; returns whether the trigger was stopped instead.
  private func listen(_ descriptor: Int32, until stop: StopSignal) -> Bool {
    var parser = KeyEventParser(key: key)
    while true {
      switch calls.wait(descriptor, stop, nil) {
      case .stopped: return true
      case .timedOut: continue
      case .ready:
        guard let bytes = calls.read(descriptor) else { return false }
        for _ in 0..<parser.presses(in: bytes) { onPress() }
      }
    }
  }

  private func problem(_ code: Int32) -> ServiceProblem {
    ServiceProblem(
      code: "trigger", message: "The trigger's device \(device) cannot be read: \(systemMessage(code)).",
      hint: code == EACCES
        ? "Let the service read it: a udev rule that gives it to the group, or the group input."
        : "Check trigger.device; names under /dev/input/by-id stay the same.")
  }
}
