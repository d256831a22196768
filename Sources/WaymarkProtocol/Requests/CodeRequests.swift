/// Asks for codes to be read and followed: `code.found`, `codes.updated` and `code.lost` tell of them until `codes.unfollow` or
/// until the client leaves. A second request of a client takes the place of its first.
public struct CodesFollowRequest: ServiceRequest {
  /// The symbologies to read; all that are configured for scans when missing.
  public var symbologies: [String]?
  /// How large codes are printed; the first that fits holds. From 0 to 64 entries.
  public var sizes: [CodeSize]?
  /// The camera, by its name; the first one when missing.
  public var camera: String?

  /// The result of a success.
  public typealias Result = Empty

  /// The name on the wire.
  public static let method = "codes.follow"

  /// A value from its parts.
  public init(
    symbologies: [String]? = nil, sizes: [CodeSize]? = nil, camera: String? = nil
  ) {
    self.symbologies = symbologies
    self.sizes = sizes
    self.camera = camera
  }
}

/// How large some codes are printed.
public struct CodeSize: Codable, Hashable, Sendable {
  /// Only codes of this symbology.
  public var symbology: String?
  /// Only codes whose text begins so.
  public var prefix: String?
  /// The width of the symbol in metres, its quiet zone left out. More than 0, at most 10.
  public var width: Double

  /// A value from its parts.
  public init(symbology: String? = nil, prefix: String? = nil, width: Double) {
    self.symbology = symbology
    self.prefix = prefix
    self.width = width
  }
}

/// Ends what `codes.follow` of the same client began.
public struct CodesUnfollowRequest: ServiceRequest {
  /// The camera, by its name; the first one when missing.
  public var camera: String?

  /// The result of a success.
  public typealias Result = Empty

  /// The name on the wire.
  public static let method = "codes.unfollow"

  /// A value from its parts.
  public init(camera: String? = nil) { self.camera = camera }
}
