public import WaymarkJSON

/// Asks for pictures in the configured folders, newest first.
public struct GalleryListRequest: ServiceRequest {
  /// The most pictures to return; 50 when missing. From 1 to 500.
  public var limit: Int?
  /// Go on behind this picture.
  public var after: String?

  /// The result of a success.
  public typealias Result = GalleryListResult

  /// The name on the wire.
  public static let method = "gallery.list"

  /// A value from its parts.
  public init(
    limit: Int? = nil, after: String? = nil
  ) {
    self.limit = limit
    self.after = after
  }
}

/// Pictures.
public struct GalleryListResult: Codable, Hashable, Sendable {
  /// The pictures.
  public var pictures: [GalleryPicture]
  /// The value of `after` for more; missing at the end.
  public var next: String?

  /// A value from its parts.
  public init(
    pictures: [GalleryPicture], next: String? = nil
  ) {
    self.pictures = pictures
    self.next = next
  }
}

/// Reads a picture of the gallery like a frame; the verdict also goes out as an event.
public struct GalleryScanRequest: ServiceRequest {
  /// The picture.
  public var id: String
  /// The purpose; onboarding when missing.
  public var mode: ScanMode?
  /// Anything; comes back with the events.
  public var context: JSONValue?
  /// The camera in whose scan an accepted code waits, by its name; the first one when missing.
  public var camera: String?

  /// The result of a success.
  public typealias Result = GalleryScanResult

  /// The name on the wire.
  public static let method = "gallery.scan"

  /// A value from its parts.
  public init(
    id: String, mode: ScanMode? = nil, context: JSONValue? = nil, camera: String? = nil
  ) {
    self.id = id
    self.mode = mode
    self.context = context
    self.camera = camera
  }
}

/// The codes read.
public struct GalleryScanResult: Codable, Hashable, Sendable {
  /// The scan that it was: a successful onboarding waits for its confirmation.
  public var scan: String
  /// The outcome.
  public var outcome: ScanOutcome
  /// Accepted codes.
  public var successful: [ScanSuccessful]?
  /// The refusal.
  public var invalid: ScanInvalid?
  /// Why nothing came of it.
  public var unsuccessful: ScanUnsuccessful?

  /// A value from its parts.
  public init(
    scan: String, outcome: ScanOutcome, successful: [ScanSuccessful]? = nil, invalid: ScanInvalid? = nil,
    unsuccessful: ScanUnsuccessful? = nil
  ) {
    self.scan = scan
    self.outcome = outcome
    self.successful = successful
    self.invalid = invalid
    self.unsuccessful = unsuccessful
  }
}

/// The outcome of a picture.
public enum ScanOutcome: String, Codable, CaseIterable, Sendable {
  /// Accepted.
  case successful
  /// Refused.
  case invalid
  /// Nothing acceptable read.
  case unsuccessful
}

/// Judges a picture that the client itself sends: `size` bytes of a picture file follow the request's line at once.
///
/// The bytes count as part of the request: nothing else may be sent between. A request that is refused for its size ends
/// the connection, since its bytes could not be told from requests.
public struct ScanPictureRequest: ServiceRequest {
  /// The bytes that follow the line: at most 16 MiB. From 1 to 16777216.
  public var size: Int
  /// The purpose of reading the picture; onboarding when missing.
  public var mode: ScanMode?
  /// Comes back with the verdict, unread.
  public var context: JSONValue?
  /// The camera in whose scan an accepted code waits, by its name; the first one when missing.
  public var camera: String?

  /// The result of a success.
  public typealias Result = GalleryScanResult

  /// The name on the wire.
  public static let method = "scan.picture"

  /// The largest picture, in bytes.
  public static let largest = 16 << 20

  /// A value from its parts.
  public init(size: Int, mode: ScanMode? = nil, context: JSONValue? = nil, camera: String? = nil) {
    self.size = size
    self.mode = mode
    self.context = context
    self.camera = camera
  }
}
