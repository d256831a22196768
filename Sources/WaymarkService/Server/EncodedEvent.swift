import NIOCore
package import WaymarkProtocol

/// An event as bytes: encoded once for all, and once more without its secrets where it has some.
struct EncodedEvent {
  /// Its name, for subscriptions.
  let name: String
  /// Its counter.
  let seq: Int
  /// Newer ones of the same key replace it in an outbox.
  let key: String?
  private let full: ByteBuffer
  private let redacted: ByteBuffer?

  init(name: String, seq: Int, key: String?, full: ByteBuffer, redacted: ByteBuffer?) {
    self.name = name
    self.seq = seq
    self.key = key
    self.full = full
    self.redacted = redacted
  }

  /// The line for a role.
  func bytes(for role: Role) -> ByteBuffer { role == .operator ? full : redacted ?? full }
}

/// An event as the service publishes it: its type says what observers must not see of it. Without that it cannot be published.
package protocol ServiceEvent: EventPayload {
  /// The same without what only operators may see; `nil` when observers may see all of it.
  var withoutSecrets: Self? { get }
}

/// An event that tells nothing that observers must not see.
package protocol HarmlessEvent: ServiceEvent {}

extension HarmlessEvent {
  package var withoutSecrets: Self? { nil }
}

extension ScanSuccessful: ServiceEvent {
  package var withoutSecrets: ScanSuccessful? {
    var copy = self
    copy.text = nil
    copy.bytesBase64 = nil
    copy.charset = nil
    copy.fields = nil
    copy.context = nil
    copy.redacted = true
    return copy
  }
}

extension ScanInvalid: ServiceEvent {
  package var withoutSecrets: ScanInvalid? {
    var copy = self
    copy.context = nil
    return copy
  }
}

extension ScanUnsuccessful: ServiceEvent {
  package var withoutSecrets: ScanUnsuccessful? {
    var copy = self
    copy.context = nil
    return copy
  }
}

extension ScanGuide: ServiceEvent {
  package var withoutSecrets: ScanGuide? {
    var copy = self
    copy.context = nil
    return copy
  }
}

extension ScanConfirmed: ServiceEvent {
  package var withoutSecrets: ScanConfirmed? {
    var copy = self
    copy.context = nil
    return copy
  }
}

extension ScanCancelled: ServiceEvent {
  package var withoutSecrets: ScanCancelled? {
    var copy = self
    copy.context = nil
    return copy
  }
}

extension ScanEnded: ServiceEvent {
  package var withoutSecrets: ScanEnded? {
    var copy = self
    copy.context = nil
    return copy
  }
}

extension ScannerStatus: HarmlessEvent {}
extension CameraStatus: HarmlessEvent {}
extension SessionPhaseEvent: HarmlessEvent {}
extension AnchorFound: HarmlessEvent {}
extension AnchorLost: HarmlessEvent {}
extension AnchorsUpdated: HarmlessEvent {}
extension MarkerChanged: HarmlessEvent {}
extension AnnotationSelected: HarmlessEvent {}
extension AnnotationCleared: HarmlessEvent {}
extension CardOpened: HarmlessEvent {}
extension CardClosed: HarmlessEvent {}
extension CardAction: HarmlessEvent {}
extension SceneLoaded: HarmlessEvent {}
extension SceneUnloaded: HarmlessEvent {}
extension SceneProgress: HarmlessEvent {}
extension SceneFailed: HarmlessEvent {}
extension Statistics: HarmlessEvent {}
extension ServerStopping: HarmlessEvent {}

/// Which events only tell the newest state, so that an older one need not be delivered.
enum Coalescing {
  /// The key under which a newer event replaces an older one; `nil` when each counts.
  static func key(of payload: some EventPayload) -> String? {
    switch payload {
    case is AnchorsUpdated, is Statistics, is SceneProgress: return type(of: payload).event
    // A change of state counts; the progress of one state does not.
    case let status as ScannerStatus where status.frames != nil: return ScannerStatus.event
    default: return nil
    }
  }
}
