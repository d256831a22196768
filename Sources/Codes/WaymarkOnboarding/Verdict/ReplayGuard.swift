public import FoundationEssentials

/// Remembers which signed payloads were confirmed, so that each is accepted once only.
///
/// Looking never records; only a confirmation does. A guard that cannot tell throws, and the payload is refused.
public protocol ReplayGuard: Sendable {
  /// Returns whether the payload was confirmed before.
  func contains(_ entry: ReplayEntry) throws -> Bool

  /// Records a confirmation, atomically across processes: of several calls with the same entry, ever and anywhere,
  /// exactly one returns true. When it returns, the record outlives a crash.
  func record(_ entry: ReplayEntry) throws -> Bool
}

/// The identity of a signed payload for the replay guard.
public struct ReplayEntry: Sendable, Hashable {
  /// SHA-256 of issuer and token identifier, in lower-case hexadecimal digits: safe as a file name.
  public let digest: String
  /// When the token's time is over for good (skew included), so that the record may be forgotten; nil for never.
  public let expires: Date?

  /// An entry by its digest.
  public init(digest: String, expires: Date?) {
    self.digest = digest
    self.expires = expires
  }
}
