package import WaymarkProtocol

/// An error of another module that can stand in a reply.
package protocol Replyable: Error {
  /// The error that the client is told.
  var reply: ServiceError { get }
}
