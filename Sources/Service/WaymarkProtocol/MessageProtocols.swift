package import WaymarkSystem

/// The parameters of a method, and the type of its result. The other protocols of messages are below: `ServedRequest`
/// for requests that the service answers, and `EventPayload`; `Harmless` has the parts of a payload that observers may
/// see.
public protocol ServiceRequest: Codable, Hashable, Sendable {
  /// The type of the result in a successful reply.
  associatedtype Result: Codable & Sendable
  /// The name of the method in the protocol.
  static var method: String { get }
}

/// A request that the service of this version answers. The requirements have no default implementations, so that a request without
/// permissions and bounds does not compile.
package protocol ServedRequest: ServiceRequest {
  /// True if observers may send it.
  static var allowsObservers: Bool { get }
  /// The bounds of the request's parameters.
  static var bounds: [ParameterBound] { get }
}

/// The payload of an event: its fields other than `event`, `seq`, `time`, `camera` and `frame`.
public protocol EventPayload: Codable, Hashable, Sendable {
  /// The name of the event in the protocol.
  static var event: String { get }
  /// The event as sent to observers, without contents of codes and clients that are meant for operators alone.
  ///
  /// There is no default implementation, so that each type of event must decide.
  var forObservers: Self { get }
}

/// The parts of a payload that are known not to be secret.
package struct Harmless: Hashable, Sendable {
  /// True if text and bytes are not secret.
  package var text = false
  /// The fields, with secret values replaced.
  package var fields: JSONValue?

  /// Creates the parts, by default empty.
  package init(text: Bool = false, fields: JSONValue? = nil) {
    self.text = text
    self.fields = fields
  }
}
