import CDispatch
import Dispatch
import Foundation
import Glibc
import Synchronization
import WaymarkOnboarding
package import WaymarkProtocol
package import WaymarkService
import WaymarkSystem

/// Where `waymark type` types: rules, typist and the thread that they work on, and what happens when the program is told to end.
package final class TypingController: Sendable {
  /// A key that would be pressed.
  struct PlannedKey: Encodable, Sendable {
    let key: UInt16
    let modifiers: [String]
  }

  /// The keys of a code, in order, that would be pressed.
  package struct Plan: Encodable, Sendable {
    let keys: [PlannedKey]
  }

  /// The settings by which codes are typed.
  private struct Settings: Sendable {
    let rules: TypingRules
    let planner: TypingPlanner
    let policy: OnboardingPolicy

    /// - Throws: `unknownLayout`.
    init(_ configuration: ServiceConfiguration, _ typing: TypingConfiguration) throws(TypingError) {
      rules = typing.rules
      let missing = typing.settings.unicode.flatMap(TypingPlanner.Missing.init(rawValue:))
      planner = TypingPlanner(
        layout: try KeyboardLayout(typing.layout), missing: missing ?? .refuse,
        deadKeys: typing.settings.deadKeys)
      // The service itself reports problems of the policy; the kinds that it declares have secrets of their own.
      policy =
        configuration.document.map { OnboardingConfiguration.read($0).configuration.policy } ?? OnboardingPolicy()
    }
  }

  private let settings: Mutex<Settings>
  /// Given what would be typed, where nothing is to be.
  private let show: (@Sendable (Plan) -> Void)?
  /// The typist waits between keys, which must not hold up what reads the socket.
  private let queue = WorkQueue(name: "wm-type")
  /// Touched on the queue alone.
  private nonisolated(unsafe) let typist: KeystrokeTyper
  private let isEnding = Atomic(false)
  private let isInterrupted = Atomic(false)
  /// Seconds that the code at hand may take when the program is told to end.
  private static let timeout = 2.0

  /// - Parameter show: given what would be typed; nothing is typed then, and no keyboard is needed.
  /// - Throws: `unknownLayout`.
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

  /// The layout, as people write it.
  package var layoutName: String { settings.withLock { $0.planner.layout.name.text } }

  /// Types the codes to come by other settings; the device that makes keyboards stays.
  ///
  /// - Throws: `unknownLayout`; then the settings stay as they were.
  package func use(_ configuration: ServiceConfiguration, _ typing: TypingConfiguration) async throws(TypingError) {
    let new = try Settings(configuration, typing)
    settings.withLock { $0 = new }
    let rate = typing.settings.rate
    try await queue.run { () throws(TypingError) in self.typist.use(new.planner, rate: rate) }
  }

  /// Makes the keyboard.
  package func attach() async throws(TypingError) {
    guard show == nil else { return }
    try await queue.run { () throws(TypingError) in _ = try self.typist.attach() }
  }

  /// Types a code by the rules.
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

  /// Returns whether a code holds a secret: something that onboarding reads with one in it, or any text of such a structure.
  package func isSecret(_ code: ScanSuccessful) -> Bool {
    // Of a part nobody can tell what the whole is: half of a password is still half a password.
    if code.part != nil { return true }
    return isSecret(code.text ?? "", code.bytesBase64.flatMap { Data(base64Encoded: $0) }.map(Array.init))
  }

  /// Returns whether a text, or the bytes that a code has for it, holds a secret.
  package func isSecret(_ text: String, _ bytes: [UInt8]? = nil) -> Bool {
    let bytes = bytes ?? Array(text.utf8)
    let inspection = Inspection(ScannedCode(bytes: bytes, text: text), policy: settings.withLock { $0.policy })
    if inspection.isHarmless { return false }
    if inspection.token != nil || inspection.isOpaqueToken || SecretContent.isIn(text) { return true }
    switch inspection.payload.kind {
    case .text, .binary: return false
    case .url, .vcard, .gs1DigitalLink: return inspection.payload.fields.contains(where: \.isSecret)
    default: return true
    }
  }

  /// From now on the program ends, when it is told to, with no key pressed: the code at hand is typed to its end first, two
  /// seconds at most.
  ///
  /// - Parameter end: ends the program.
  package func endOnSignals(_ end: @escaping @Sendable () -> Void) {
    let signals = EndSignals.received([SIGTERM, SIGINT, SIGHUP])
    Task { for await _ in signals { finish(end) } }
  }

  private func finish(_ end: @escaping @Sendable () -> Void) {
    guard !isEnding.exchange(true, ordering: .acquiringAndReleasing) else {
      // Told twice: at once.
      isInterrupted.store(true, ordering: .relaxed)
      return
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.timeout) {
      self.isInterrupted.store(true, ordering: .relaxed)
    }
    queue.add(end)
  }

  /// Waits with the kernel's own precision: a millisecond more a key would be felt.
  private static func sleep(_ seconds: Double) {
    var wanted = timespec()
    wanted.tv_sec = Int(seconds)
    wanted.tv_nsec = Int((seconds - seconds.rounded(.down)) * 1e9)
    var left = timespec()
    while nanosleep(&wanted, &left) != 0, errno == EINTR { wanted = left }
  }
}
