public import WaymarkProtocol

/// An event, and the very line it came as.
public struct ReceivedEvent: Hashable, Sendable {
  /// The event.
  public let event: Event
  /// The line, without its line feed.
  public let line: String
}

/// A picture from a media connection.
public struct ReceivedPicture: Hashable, Sendable {
  /// The header that stands before it.
  public let header: MediaHeader
  /// The encoded picture.
  public let bytes: [UInt8]
}
