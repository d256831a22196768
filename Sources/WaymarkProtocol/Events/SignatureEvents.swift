/// A person has signed.
public struct SignatureSaved: EventPayload {
  /// Its id, for `signature.get` and `signature.remove`.
  public var id: String
  /// When it was saved: RFC 3339, UTC, milliseconds.
  public var saved: String
  /// SHA-256 over strokes and words, in hexadecimal digits; operators alone see it, and all that follows.
  public var hash: String?
  /// The purpose.
  public var purpose: String?
  /// The signer, where known.
  public var signer: String?
  /// The client's own name for it.
  public var key: String?
  /// The client that sent it.
  public var by: Actor?

  /// The name on the wire.
  public static let event = "signature.saved"

  /// That somebody has signed, and when.
  public var forObservers: Self { Self(id: id, saved: saved, by: by) }

  /// A value from its parts.
  public init(
    id: String, saved: String, hash: String? = nil, purpose: String? = nil, signer: String? = nil, key: String? = nil,
    by: Actor? = nil
  ) {
    self.id = id
    self.saved = saved
    self.hash = hash
    self.purpose = purpose
    self.signer = signer
    self.key = key
    self.by = by
  }
}
