/// Stores a signature.
public struct SignatureSaveRequest: ServiceRequest {
  /// Strokes: a flat list of whole numbers each, four a point: x and y in tenths of a pixel, milliseconds since the first point of the
  /// signature, pressure in thousandths or −1. The first point of a stroke is as it is; x, y and time of the others are differences from
  /// the point before.
  public var strokes: [[Int]]
  /// The area in which they were drawn, in pixels.
  public var width: Int
  /// The area in which they were drawn, in pixels.
  public var height: Int
  /// The purpose, as the person has read it.
  public var purpose: String
  /// The signer, where known.
  public var signer: String?
  /// The thing signed: a text, or the hash of a document; goes into the signature's hash.
  public var subject: String?
  /// The client's own name for it: sent once more under the same one it is not kept twice. From 1 to 128 bytes.
  public var key: String?

  /// The result of a success.
  public typealias Result = SignatureSaveResult

  /// The name on the wire.
  public static let method = "signature.save"

  /// A value from its parts.
  public init(
    strokes: [[Int]], width: Int, height: Int, purpose: String, signer: String? = nil, subject: String? = nil,
    key: String? = nil
  ) {
    self.strokes = strokes
    self.width = width
    self.height = height
    self.purpose = purpose
    self.signer = signer
    self.subject = subject
    self.key = key
  }
}

/// The signature is kept.
public struct SignatureSaveResult: Codable, Hashable, Sendable {
  /// Its id.
  public var id: String
  /// When it was saved: RFC 3339, UTC, milliseconds.
  public var saved: String
  /// SHA-256 over strokes and words, in hexadecimal digits.
  public var hash: String

  /// A value from its parts.
  public init(id: String, saved: String, hash: String) {
    self.id = id
    self.saved = saved
    self.hash = hash
  }
}

/// Lists the signatures that are kept, the oldest first.
public struct SignatureListRequest: ServiceRequest {
  /// The most signatures to return; 20 when missing. From 1 to 100.
  public var limit: Int?
  /// Only those after this id.
  public var after: String?

  /// The result of a success.
  public typealias Result = SignatureListResult

  /// The name on the wire.
  public static let method = "signature.list"

  /// A value from its parts.
  public init(limit: Int? = nil, after: String? = nil) {
    self.limit = limit
    self.after = after
  }
}

/// The signatures that are kept.
public struct SignatureListResult: Codable, Hashable, Sendable {
  /// The signatures, as their events told of them.
  public var signatures: [SignatureSaved]
  /// True if there are more: ask again with the last id as `after`.
  public var more: Bool

  /// A value from its parts.
  public init(signatures: [SignatureSaved], more: Bool) {
    self.signatures = signatures
    self.more = more
  }
}

/// Asks for a signature as a file; the connection carries pictures from now on.
public struct SignatureGetRequest: ServiceRequest {
  /// Its id.
  public var id: String
  /// `svg`, `png`, or `json` for the strokes; SVG when missing.
  public var format: String?

  /// The result of a success.
  public typealias Result = MediaHeader

  /// The name on the wire.
  public static let method = "signature.get"

  /// A value from its parts.
  public init(id: String, format: String? = nil) {
    self.id = id
    self.format = format
  }
}

/// Forgets a signature.
public struct SignatureRemoveRequest: ServiceRequest {
  /// Its id.
  public var id: String

  /// The result of a success.
  public typealias Result = SignatureRemoveResult

  /// The name on the wire.
  public static let method = "signature.remove"

  /// A value from its parts.
  public init(id: String) {
    self.id = id
  }
}

/// A signature was forgotten.
public struct SignatureRemoveResult: Codable, Hashable, Sendable {
  /// How many are kept still.
  public var kept: Int

  /// A value from its parts.
  public init(kept: Int) {
    self.kept = kept
  }
}
