/// A picture in one of the configured folders.
public struct GalleryPicture: Codable, Hashable, Sendable {
  /// Its id: opaque, never a path, valid as long as the file stays.
  public var id: String
  /// The name of the file, for people.
  public var name: String
  /// Bytes of the file.
  public var size: Int
  /// When it was last changed: RFC 3339, UTC.
  public var modified: String

  /// A value from its parts.
  public init(
    id: String, name: String, size: Int, modified: String
  ) {
    self.id = id
    self.name = name
    self.size = size
    self.modified = modified
  }
}
