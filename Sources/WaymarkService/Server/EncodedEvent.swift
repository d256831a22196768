import NIOCore
import WaymarkProtocol

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

/// An event that holds something which observers must not see.
protocol Redactable {
  /// The same without it.
  var withoutSecrets: Self { get }
}

extension ScanSuccessful: Redactable {
  var withoutSecrets: ScanSuccessful {
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

extension ScanInvalid: Redactable {
  var withoutSecrets: ScanInvalid {
    var copy = self
    copy.context = nil
    return copy
  }
}

extension ScanUnsuccessful: Redactable {
  var withoutSecrets: ScanUnsuccessful {
    var copy = self
    copy.context = nil
    return copy
  }
}

extension ScanGuide: Redactable {
  var withoutSecrets: ScanGuide {
    var copy = self
    copy.context = nil
    return copy
  }
}

extension ScanConfirmed: Redactable {
  var withoutSecrets: ScanConfirmed {
    var copy = self
    copy.context = nil
    return copy
  }
}

extension ScanCancelled: Redactable {
  var withoutSecrets: ScanCancelled {
    var copy = self
    copy.context = nil
    return copy
  }
}

extension ArmedScan: Redactable {
  var withoutSecrets: ArmedScan {
    var copy = self
    copy.context = nil
    copy.pending = pending?.withoutSecrets
    return copy
  }
}

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
