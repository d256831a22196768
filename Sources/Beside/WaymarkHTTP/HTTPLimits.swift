/// The limits of the clients of an HTTP server.
package struct HTTPLimits: Sendable {
  /// Connections at a time; beyond them those go that have not proved themselves, the oldest first.
  package var connections = 200
  /// Streams of events, and streams of pictures, at a time; more are refused.
  package var streams = 16
  /// How long a connection has to send its first request with a cookie or a token.
  package var proof = Duration.seconds(15)
  /// How long a connection may stay without a complete head, or between two requests.
  package var idle = Duration.seconds(15)
  /// Bytes of pictures that are under way at a time, up or down; how many more may wait for that, and how long.
  package var pictures = 48 << 20
  package var waiting = 32
  package var pictureTimeout = Duration.seconds(10)
  /// How long the whole body of a request may take.
  package var body = Duration.seconds(30)
  /// How long what is under way may take to finish when the server is told to stop.
  package var drain = Duration.seconds(2)

  package init() {}
}
