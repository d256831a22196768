import WaymarkSystem

/// The policy by which a device accepts codes for onboarding.
///
/// The default accepts SAP mobile onboarding JSON and its link, unsigned, over https, to any host; a person checks `connectTo`
/// before continuing.
public struct OnboardingPolicy: Sendable {
  /// The policy for signatures of payloads.
  public enum Signatures: String, Sendable, Hashable, CaseIterable {
    /// Unsigned payloads are refused.
    case required
    /// Signed and unsigned payloads are accepted; a signature must be valid.
    case optional
    /// Signed payloads are refused.
    case refused
  }

  /// The kinds that are accepted; nil for SAP's two and every declared kind.
  public var kinds: Set<PayloadKind>?
  /// The kinds that the integrator declares.
  public var customKinds: [CustomKind] = []
  /// The hosts that a payload may connect to; nil for any.
  public var hosts: [HostPattern]?
  /// The ports that a payload may connect to; nil for any. They must include a port in a host pattern.
  public var ports: Set<UInt16>?
  /// The schemes of `sapLink` links; nil for SAP's own schemes and the schemes of apps that follow RFC 8252, section 7.1: a domain
  /// name in reverse order, such as `com.example.pump`.
  public var linkSchemes: Set<String>?
  /// True if plain http is accepted as well as https.
  public var allowsHTTP = false
  /// The largest payload in bytes. The default is the most that one QR code can hold (7089 digits, ISO/IEC 18004).
  public var maximumBytes = 7089
  /// The public keys of the issuers whose signatures this device accepts.
  public var keys: [VerificationKey] = []
  /// The algorithms that are accepted; nil for all algorithms of the keys.
  public var algorithms: Set<SignatureAlgorithm>?
  /// The policy for signatures; nil to require them as soon as there is a key.
  public var signatures: Signatures?
  /// The kinds whose unsigned payloads are refused where signatures are optional.
  public var signedKinds: Set<PayloadKind> = []
  /// The issuers (`iss`) that are accepted; nil to accept any issuer, and tokens without an issuer.
  public var issuers: Set<String>?
  /// The audiences (`aud`): a token must name at least one of them. Nil to ignore the audience.
  public var audiences: Set<String>?
  /// How far the clocks of issuer and device may be apart, in seconds.
  public var clockSkew: Double = 60
  /// True if a token without `exp` is refused.
  public var requiresExpiry = false
  /// The longest validity of a token in seconds, from `iat` (else `nbf`, else now) to `exp`; nil for no limit. With a limit, a token
  /// without `exp` is refused.
  public var maximumLifetime: Double?
  /// The claim of a `jwt` that holds the host or address to connect to; nil if no claim does.
  public var hostClaim: String?

  /// The default policy.
  public init() {}

  /// Returns whether a link of that scheme (in lower case) can be SAP's onboarding link.
  func acceptsLinks(of scheme: String) -> Bool {
    if LinkScheme.isDangerous(scheme) { return false }
    if let linkSchemes { return linkSchemes.contains(scheme) }
    return LinkScheme.isPrivateUse(scheme)
  }

  /// Returns whether a scheme (in lower case) is an app's own scheme: a domain name in reverse order, or declared here.
  func isAppScheme(_ scheme: String) -> Bool {
    if LinkScheme.isPrivateUse(scheme) || linkSchemes?.contains(scheme) == true { return true }
    return customKinds.contains { kind in
      if case .url(let pattern) = kind.form {
        pattern.scheme == scheme && !WebAddress.isWeb(scheme)
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

  /// The policy for signatures, defaults resolved.
  public var acceptedSignatures: Signatures { signatures ?? (keys.isEmpty ? .optional : .required) }

  /// Returns whether unsigned payloads of a kind are refused.
  func requiresSignature(of kind: PayloadKind) -> Bool {
    acceptedSignatures == .required || signedKinds.contains(kind)
  }
}

extension OnboardingPolicy {
  /// The warnings about rules that accept too much on a device for strangers, such as every host, each with a remedy.
  package var cautions: [(message: String, hint: String)] {
    var cautions: [(message: String, hint: String)] = []
    if hosts == nil {
      cautions.append(("Onboarding codes may name every host.", "List the hosts under onboarding.hosts."))
    }
    if !acceptedKinds.allSatisfy(requiresSignature) {
      cautions.append(
        ("Unsigned onboarding codes are accepted.", "Name the issuers' public keys under onboarding.keyFiles."))
    }
    return cautions
  }

  /// Returns the reason why a device with this policy does not connect to an endpoint; nil if it may connect.
  ///
  /// - Parameter isConnected: true for the host to connect to, whose scheme must be http or https; false for all other addresses of
  ///   a payload.
  func refusal(of endpoint: Payload.Endpoint, isConnected: Bool) -> HostRefusal? {
    let name = DisplayText.escaped(endpoint.name, limit: 60)
    let refuse = { (finding: String, expected: [String]?, hint: String) in
      HostRefusal(field: name, finding: "\(name): \(finding)", expected: expected, hint: hint)
    }
    let scheme = endpoint.scheme
    switch endpoint.host {
    case .failure(let problem): return refuse(problem.message, nil, "")
    case .success(let host):
      let isPlain = scheme == "http" || scheme == "ws"
      if isPlain, !allowsHTTP { return refuse("\(host.ascii) would be reached without encryption", nil, "") }
      guard isConnected ? WebAddress.isWeb(scheme) : LinkScheme.mayBeFollowed(scheme) else {
        return refuse("addresses of the scheme \"\(scheme)\" are not followed", nil, "")
      }
      let port = endpoint.port ?? (isPlain ? 80 : 443)
      guard ports?.contains(port) ?? true else {
        return refuse("the port \(port) is not among \"ports\"", ports?.map { String($0) }, "")
      }
      guard !host.isLocal || hosts?.contains(where: { $0.isExactly(host) }) ?? false else {
        return refuse(
          "\(host.ascii) is this device or its own network link; only an entry of \"hosts\" of its own allows it", nil,
          "")
      }
      if let hosts, !hosts.contains(where: { $0.matches(host, port: port) }) {
        let spelled = host.unicode.map { " (\(DisplayText.escaped($0, limit: 80)))" } ?? ""
        let isParent = hosts.contains { $0.isBelow(host) }
        return refuse(
          "\(endpoint.authority ?? host.ascii)\(spelled) is not on the list", hosts.map(\.description),
          isParent ? "; *.\(host.ascii) is every name below \(host.ascii), not \(host.ascii) itself" : "")
      }
      return nil
    }
  }

  /// The refusal of a host, with the values that the policy allows.
  struct HostRefusal {
    /// The name of the field or member with the host.
    var field: String
    /// The fault in words.
    var finding: String
    /// The values that the policy allows; nil if the policy does not list them.
    var expected: [String]?
    /// A remark on `expected`; empty for none.
    var hint: String
  }

  /// Returns the reason why a device with this policy does not connect to `text`, a host with or without a port; nil if it may
  /// connect.
  package func refusal(ofHost text: String) -> String? {
    refusal(of: .init(name: "host", scheme: "https", authority: text), isConnected: true)?.finding
  }
}
