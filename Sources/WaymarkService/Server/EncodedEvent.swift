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

  /// Bytes that it holds.
  var size: Int { full.readableBytes + (redacted?.readableBytes ?? 0) }

  /// The line for a role.
  func bytes(for role: Role) -> ByteBuffer { role == .operator ? full : redacted ?? full }
}

/// Which events only tell the newest state, so that an older one need not be delivered.
enum Coalescing {
  /// The key under which a newer event replaces an older one; `nil` when each counts.
  static func key(of payload: some EventPayload) -> String? {
    switch payload {
    case is AnchorsUpdated, is CodesUpdated, is Statistics, is SceneProgress, is DocumentOutline, is TextCandidates:
      return type(of: payload).event
    // A change of state counts; the progress of one state does not.
    // It would take an older one's place, before the answer that was queued behind that.
    case let state as AccountState where state.phase == .sync: return AccountState.event
    case let status as ScannerStatus where status.frames != nil: return ScannerStatus.event
    default: return nil
    }
  }
}
