package import WaymarkSystem

/// A payload after recognition: its kind, what it says, and where it would connect to. Nothing is accepted yet.
package struct Payload: Sendable, Hashable {
  /// The kind.
  package var kind: PayloadKind
  /// The fields.
  package var fields: [PayloadField]
  /// Why it is not a proper payload of its kind, if it is not.
  package var problem: String?
  /// The host to connect to, which a person is shown; nil if the payload names none.
  var host: Endpoint?
  /// Further bare hosts that the kind names, such as a proxy.
  var furtherHosts: [Endpoint] = []
  /// All that the payload says, as names and texts: every address in it is judged.
  var content: JSONValue
  /// How addresses are found in the content.
  var rules = AddressRules()
  /// A remark to make when the kind is refused.
  package var remark: String?

  /// - Parameter content: all that the payload says, what no field shows included.
  package init(
    _ kind: PayloadKind, fields: [PayloadField] = [], problem: String? = nil, host: Endpoint? = nil, content: JSONValue
  ) {
    self.kind = kind
    self.fields = fields
    self.problem = problem
    self.host = host
    self.content = content
  }

  /// A payload that carries the marks of its kind but breaks the kind's form.
  package static func malformed(_ kind: PayloadKind, _ problem: String, fields: [PayloadField] = []) -> Self {
    Self(kind, fields: fields, problem: problem, content: .null)
  }

  /// The parts of a payload in which its kind has addresses found differently.
  struct AddressRules: Hashable, Sendable {
    /// True if where a sign-in ends is not judged, because the device does not connect there.
    var skipsRedirects = false
    /// True if a bare host counts under the name of a host, address, server or endpoint.
    var readsBareHosts = false
  }

  /// An address that a payload asks to connect to.
  package struct Endpoint: Sendable, Hashable {
    /// Where in the payload it stands, for explanations.
    package var name: String
    /// The scheme that would be used, in lower case; empty if the payload leaves it open.
    package var scheme: String
    /// The host as written, or why it is not a host at all.
    package var host: Result<HostName, HostError>
    /// The port, if one is written.
    package var port: UInt16?

    package init(name: String, scheme: String, host: Result<HostName, HostError>, port: UInt16? = nil) {
      self.name = name
      self.scheme = scheme
      self.host = host
      self.port = port
    }

    /// The place of a web address.
    package init(name: String, _ address: WebAddress) {
      self.init(name: name, scheme: address.scheme, host: address.host, port: address.port)
    }

    /// `host` or `host:port`, the port left out where it is the scheme's own; nil when there is no proper host.
    package var authority: String? {
      guard case .success(let host) = host else { return nil }
      guard let port, port != (scheme == "http" ? 80 : 443) else { return host.ascii }
      return "\(host.ascii):\(port)"
    }
  }
}
