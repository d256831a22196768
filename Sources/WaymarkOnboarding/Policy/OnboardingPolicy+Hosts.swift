import WaymarkSystem

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
