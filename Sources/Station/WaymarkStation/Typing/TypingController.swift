import CDispatch
import Dispatch
import Foundation
import Glibc
import Synchronization
import WaymarkOnboarding
package import WaymarkProtocol
package import WaymarkService
import WaymarkSystem

/// Types codes for `waymark type` on its own thread, and finishes the current code before the program ends.
package final class TypingController: Sendable {
  struct PlannedKey: Encodable, Sendable {
    let key: UInt16
    let modifiers: [String]
  }

  /// The keys of a code in order.
  package struct Plan: Encodable, Sendable {
    let keys: [PlannedKey]
  }

  private struct Settings: Sendable {
    let rules: TypingRules
    let planner: TypingPlanner
    let policy: OnboardingPolicy

    /// - Throws: `unknownLayout` if the system has no such layout.
    init(_ configuration: ServiceConfiguration, _ typing: TypingConfiguration) throws(TypingError) {
      rules = typing.rules
      planner = TypingPlanner(
        layout: try KeyboardLayout(typing.layout), missing: typing.settings.unicode,
        deadKeys: typing.settings.deadKeys)
      // The policy is needed because it declares kinds with secrets. The service reports its problems.
      policy =
        configuration.document.map { OnboardingConfiguration.read($0).configuration.policy } ?? OnboardingPolicy()
    }
  }

  private let settings: Mutex<Settings>
  /// Receives the plan of each code, which is then not typed; nil to type codes.
  private let show: (@Sendable (Plan) -> Void)?
  /// The thread that types, because waits between keys must not delay the socket.
  private let queue = WorkQueue(name: "wm-type")
  /// Used on `queue` only.
  private nonisolated(unsafe) let typist: KeystrokeTyper
  private let isEnding = Atomic(false)
  private let isInterrupted = Atomic(false)
  /// Seconds that the current code may take when the program ends.
  private static let timeout = 2.0

  /// - Parameter show: receives the plan of each code, so that no keyboard is made; nil to type codes.
  /// - Throws: `unknownLayout` if the system has no such layout.
  package init(
    _ configuration: ServiceConfiguration, _ typing: TypingConfiguration, show: (@Sendable (Plan) -> Void)? = nil
  ) throws(TypingError) {
    let first = try Settings(configuration, typing)
    settings = Mutex(first)
    self.show = show
    typist = KeystrokeTyper(
      planner: first.planner, rate: typing.settings.rate, path: typing.settings.device,
      pace: KeystrokeTyper.Timing(now: { MonotonicClock.now }, wait: Self.sleep))
  }

  /// The name of the layout, such as `de(nodeadkeys)`.
  package var layoutName: String { settings.withLock { $0.planner.layout.name.text } }

  /// Applies new settings to later codes; the keyboard stays.
  ///
  /// - Throws: `unknownLayout` if the system has no such layout, in which case the old settings stay.
  package func use(_ configuration: ServiceConfiguration, _ typing: TypingConfiguration) async throws(TypingError) {
    let new = try Settings(configuration, typing)
    settings.withLock { $0 = new }
    let rate = typing.settings.rate
    try await queue.run { () throws(TypingError) in self.typist.use(new.planner, rate: rate) }
  }

  /// Makes the keyboard, unless plans are shown instead; throws `noKeyboard` if this fails.
  package func attach() async throws(TypingError) {
    guard show == nil else { return }
    try await queue.run { () throws(TypingError) in _ = try self.typist.attach() }
  }

  /// Types a code by the rules, or shows its plan; throws the reason why it cannot be typed.
  package func type(_ code: TypedCode) async throws(TypingError) {
    let now = settings.withLock { $0 }
    let pieces = try now.rules.pieces(for: code)
    if let show {
      let keys = try now.planner.strokes(for: pieces).map { PlannedKey(key: $0.key, modifiers: $0.modifiers.names) }
      return show(Plan(keys: keys))
    }
    try await queue.run { () throws(TypingError) in
      guard !self.isEnding.load(ordering: .acquiring) else { return }
      _ = try self.typist.type(pieces) { self.isInterrupted.load(ordering: .relaxed) }
    }
  }

  /// Returns whether a code contains a secret: an onboarding payload with a secret, or any text with the structure of one.
  package func isSecret(_ code: ScanSuccessful) -> Bool {
    // A part of a structured append may be a part of a secret.
    if code.part != nil { return true }
    return isSecret(code.text ?? "", code.bytesBase64.flatMap { Data(base64Encoded: $0) }.map(Array.init))
  }

  /// Returns whether a code with a text holds a secret.
  ///
  /// - Parameter bytes: the bytes of the code; nil for the text in UTF-8.
  package func isSecret(_ text: String, _ bytes: [UInt8]? = nil) -> Bool {
    let code = ScannedCode(bytes: bytes ?? Array(text.utf8), text: text)
    return Inspection(code, policy: settings.withLock { $0.policy }).holdsSecret(text)
  }

  /// Ends the program after the current code on SIGTERM, SIGINT and SIGHUP, with no key pressed and within two seconds.
  package func endOnSignals(_ end: @escaping @Sendable () -> Void) {
    let signals = EndSignals.received([SIGTERM, SIGINT, SIGHUP])
    Task { for await _ in signals { finish(end) } }
  }

  private func finish(_ end: @escaping @Sendable () -> Void) {
    guard !isEnding.exchange(true, ordering: .acquiringAndReleasing) else {
      // A second signal interrupts the current code.
      isInterrupted.store(true, ordering: .relaxed)
      return
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.timeout) {
      self.isInterrupted.store(true, ordering: .relaxed)
    }
    queue.add(end)
  }

  /// Waits with the precision of the kernel, as a millisecond more for each key would be noticeable.
  private static func sleep(_ seconds: Double) {
    var wanted = timespec()
    wanted.tv_sec = Int(seconds)
    wanted.tv_nsec = Int((seconds - seconds.rounded(.down)) * 1e9)
    var left = timespec()
    while nanosleep(&wanted, &left) != 0, errno == EINTR { wanted = left }
  }
}
