public import WaymarkJSON

/// Asks for the live picture; the connection carries pictures from now on.
public struct MediaPreviewRequest: ServiceRequest {
  /// The width wanted in pixels; the camera's when missing. From 16 to 8192.
  public var width: Int?
  /// Pictures a second at most. From 0.01 to 240.
  public var rate: Double?
  /// The camera, by its name; the first one when missing.
  public var camera: String?

  /// The result of a success.
  public typealias Result = MediaHeader

  /// The name on the wire.
  public static let method = "media.preview"

  /// A value from its parts.
  public init(
    width: Int? = nil, rate: Double? = nil, camera: String? = nil
  ) {
    self.width = width
    self.rate = rate
    self.camera = camera
  }
}

/// Asks for the next frame as a picture.
public struct MediaSnapshotRequest: ServiceRequest {
  /// The width wanted in pixels; the camera's when missing. From 16 to 8192.
  public var width: Int?
  /// The camera, by its name; the first one when missing.
  public var camera: String?

  /// The result of a success.
  public typealias Result = MediaHeader

  /// The name on the wire.
  public static let method = "media.snapshot"

  /// A value from its parts.
  public init(
    width: Int? = nil, camera: String? = nil
  ) {
    self.width = width
    self.camera = camera
  }
}

/// Asks for a picture of the scene.
public struct MediaResourceRequest: ServiceRequest {
  /// Its id.
  public var id: String
  /// The width wanted in pixels; its own when missing. From 16 to 8192.
  public var width: Int?

  /// The result of a success.
  public typealias Result = MediaHeader

  /// The name on the wire.
  public static let method = "media.resource"

  /// A value from its parts.
  public init(
    id: String, width: Int? = nil
  ) {
    self.id = id
    self.width = width
  }
}

/// Asks for a picture of the gallery.
public struct MediaGalleryRequest: ServiceRequest {
  /// Its id.
  public var id: String
  /// The width wanted in pixels; its own when missing. From 16 to 8192.
  public var width: Int?

  /// The result of a success.
  public typealias Result = MediaHeader

  /// The name on the wire.
  public static let method = "media.gallery"

  /// A value from its parts.
  public init(
    id: String, width: Int? = nil
  ) {
    self.id = id
    self.width = width
  }
}

/// The line before a picture: `size` bytes follow it.
public struct MediaHeader: Codable, Hashable, Sendable {
  /// The request that it answers.
  public var id: JSONValue?
  /// The frame it shows.
  public var frame: FrameReference?
  /// `jpeg`, `png`, `webp`, `bmp`, `gif` or `pnm`.
  public var format: String
  /// Width in pixels.
  public var width: Int
  /// Height in pixels.
  public var height: Int
  /// Bytes that follow.
  public var size: Int
  /// The camera that it is of, where there are several.
  public var camera: String?

  /// A value from its parts.
  public init(
    id: JSONValue? = nil, frame: FrameReference? = nil, format: String, width: Int, height: Int, size: Int,
    camera: String? = nil
  ) {
    self.id = id
    self.frame = frame
    self.format = format
    self.width = width
    self.height = height
    self.size = size
    self.camera = camera
  }
}
