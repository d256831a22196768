import WaymarkSystem

/// The policy by which a device accepts codes for onboarding.
///
/// The default accepts what needs no set-up and is safe for everyone who checks `connectTo` before going on: SAP mobile
/// onboarding JSON and its link, unsigned, over https, to any host.
public struct OnboardingPolicy: Sendable {
  /// The policy for signatures of payloads.
  public enum Signatures: String, Sendable, Hashable, CaseIterable {
    /// Unsigned payloads are refused.
    case required
    /// Both are accepted; a signature that is there must be good.
    case optional
    /// Signed payloads are refused.
    case refused
  }

  /// The kinds that are accepted; nil for SAP's two and every declared kind.
  public var kinds: Set<PayloadKind>?
  /// Kinds of the integrator's own.
  public var customKinds: [CustomKind] = []
  /// The hosts that a payload may connect to; nil for any.
  public var hosts: [HostPattern]?
  /// The ports that a payload may connect to; nil for any. A host pattern with a port does not widen it.
  public var ports: Set<UInt16>?
  /// The schemes of `sapLink` links; nil for SAP's own and those of apps that follow RFC 8252, section 7.1: a domain
  /// name in reverse order, such as `com.example.pump`.
  public var linkSchemes: Set<String>?
  /// True if plain http is accepted beside https.
  public var allowsHTTP = false
  /// The largest payload in bytes. The default is the most that one QR code can hold (7089 digits, ISO/IEC 18004).
  public var maximumBytes = 7089
  /// The keys that sign for this device.
  public var keys: [VerificationKey] = []
  /// The algorithms that are accepted; nil for all that the keys serve.
  public var algorithms: Set<SignatureAlgorithm>?
  /// True if payloads must be signed; nil for: as soon as a key is there.
  public var signatures: Signatures?
  /// The issuers (`iss`) that are accepted; nil for any, and for none.
  public var issuers: Set<String>?
  /// The audiences (`aud`) of which a token must name one; nil when the audience is not looked at.
  public var audiences: Set<String>?
  /// How far the clocks of issuer and device may be apart, in seconds.
  public var clockSkew: Double = 60
  /// True if a token without `exp` is refused.
  public var requiresExpiry = false
  /// How long a token may be valid, in seconds from `iat`, else `nbf`, else now, to `exp`; nil for any time. Implies
  /// `requiresExpiry`.
  public var maximumLifetime: Double?
  /// The claim of a `jwt` that holds the host or address to connect to.
  public var hostClaim: String?

  /// The policy without a policy.
  public init() {}

  /// Returns whether a link of that scheme (in lower case) can be SAP's onboarding link.
  func acceptsLinks(of scheme: String) -> Bool {
    if LinkScheme.isDangerous(scheme) { return false }
    if let linkSchemes { return linkSchemes.contains(scheme) }
    return LinkScheme.isPrivateUse(scheme)
  }

  /// Returns whether a scheme (in lower case) is an app's own: a domain name in reverse order, or declared here.
  func isAppScheme(_ scheme: String) -> Bool {
    if LinkScheme.isPrivateUse(scheme) || linkSchemes?.contains(scheme) == true { return true }
    return customKinds.contains { kind in
      if case .url(let pattern) = kind.form {
        pattern.scheme == scheme && scheme != "https" && scheme != "http"
      } else {
        false
      }
    }
  }

  /// The kinds that are accepted, defaults resolved.
  public var acceptedKinds: Set<PayloadKind> {
    kinds ?? Set([.sapOnboarding, .sapLink] + customKinds.map(\.kind))
  }

  /// The algorithms that are accepted, defaults resolved.
  public var acceptedAlgorithms: Set<SignatureAlgorithm> {
    let served = keys.reduce(into: Set<SignatureAlgorithm>()) { $0.formUnion($1.algorithms) }
    return algorithms ?? (keys.isEmpty ? Set(SignatureAlgorithm.allCases) : served)
  }

  /// True if payloads must be signed, defaults resolved.
  public var acceptedSignatures: Signatures { signatures ?? (keys.isEmpty ? .optional : .required) }
}

extension OnboardingPolicy {
  /// Returns why a device with this policy does not go to a place, in words; nil if it may.
  ///
  /// - Parameter isConnected: true for the host to connect to, which the web's own schemes reach; false for other addresses of a payload.
  func refusal(of endpoint: Payload.Endpoint, isConnected: Bool) -> String? {
    let name = DisplayText.escaped(endpoint.name, limit: 60)
    let scheme = endpoint.scheme
    switch endpoint.host {
    case .failure(let problem): return "\(name): \(problem.message)"
    case .success(let host):
      let isPlain = scheme == "http" || scheme == "ws"
      if isPlain, !allowsHTTP { return "\(name): \(host.ascii) would be reached without encryption" }
      let mayBeFollowed =
        isConnected ? scheme == "https" || scheme == "http" : LinkScheme.mayBeFollowed(scheme)
      guard mayBeFollowed else { return "\(name): addresses of the scheme \"\(scheme)\" are not followed" }
      let port = endpoint.port ?? (isPlain ? 80 : 443)
      guard ports?.contains(port) ?? true else { return "\(name): the port \(port) is not among \"ports\"" }
      guard !host.isLocal || hosts?.contains(where: { $0.isExactly(host) }) ?? false else {
        return
          "\(name): \(host.ascii) is this device or its own network link; only an entry of \"hosts\" of its own allows it"
      }
      if let hosts, !hosts.contains(where: { $0.matches(host, port: port) }) {
        let spelled = host.unicode.map { " (\(DisplayText.escaped($0, limit: 80)))" } ?? ""
        return "\(name): \(endpoint.authority ?? host.ascii)\(spelled) is not on the list"
      }
      return nil
    }
  }

  /// Returns why a device with this policy does not connect to a host, alone or with a port, that another program names; nil if it may.
  package func refusal(ofHost text: String) -> String? {
    let (host, port) = WebAddress.split(text)
    return refusal(of: .init(name: "host", scheme: "https", host: host, port: port), isConnected: true)
  }
}
