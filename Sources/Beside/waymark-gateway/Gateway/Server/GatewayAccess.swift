import WaymarkCrypto
import WaymarkHTTP
import WaymarkProtocol

/// Decides which requests to a listener are accepted. The file also has the tokens (`TokenTable`), the sender of a request
/// (`Caller`) and the quotas of senders (`GatewayRooms`).
///
/// A request must pass the `AccessGuard` and contain a token. A Unix socket needs no token, because the permissions of its file
/// control access, and browsers cannot connect to it.
struct GatewayAccess: Sendable {
  enum Decision: Equatable, Sendable {
    case allowed(Caller)
    case refused(AccessRefusal)
  }

  /// The prefix of a token among the subprotocols of a WebSocket. It is needed because browsers cannot set `Authorization` for a
  /// WebSocket.
  private static let bearerProtocol = "bearer."
  /// The subprotocol of a WebSocket: lines as at the service's socket.
  static let lineProtocol = "waymark.v1"

  private let access: AccessGuard
  private let origins: Set<String>
  private let tokens: TokenTable
  private let anonymous: Caller?

  /// - Parameters:
  ///   - authorities: the accepted values of `Host`; nil to accept any value.
  ///   - isSecure: true if the listener encrypts, which is a part of the origin of the gateway's own page.
  ///   - origins: further pages that may send requests.
  ///   - anonymous: the sender of requests without a token; nil to refuse such requests.
  init(authorities: Set<String>?, isSecure: Bool, origins: Set<String>, tokens: TokenTable, anonymous: Caller?) {
    access = AccessGuard { host in
      guard let authorities else { return origins }
      guard let host, authorities.contains(host) else { return nil }
      return origins.union([(isSecure ? "https://" : "http://") + host])
    } admitsCrossSite: {
      // The guard has checked that the origin is listed.
      $0.origin != nil
    }
    self.origins = origins
    self.tokens = tokens
    self.anonymous = anonymous
  }

  /// Returns whether pages of an origin are listed in the configuration.
  func lists(origin: String) -> Bool { origins.contains(origin.lowercased()) }

  /// Returns whether a request names a host of the gateway; its origin is not checked.
  func serves(_ claims: AccessClaims) -> Bool {
    var claims = claims
    (claims.origin, claims.fetchSite) = (nil, nil)
    return access.refusal(of: claims) == nil
  }

  /// Returns the reason to refuse a request by its host and origin; nil if both are accepted.
  func refusal(of claims: AccessClaims) -> AccessRefusal? { access.refusal(of: claims) }

  func decide(_ claims: AccessClaims) -> Decision {
    if let refusal = refusal(of: claims) { return .refused(refusal) }
    // A wrong token is refused even where no token is needed.
    let caller = if let token = Self.token(of: claims) { tokens.caller(of: token) } else { anonymous }
    return caller.map { .allowed($0) } ?? .refused(.noToken)
  }

  private static func token(of claims: AccessClaims) -> String? {
    if let authorization = claims.authorization {
      let parts = authorization.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, parts[0].lowercased() == "bearer" else { return "" }
      return String(parts[1].trimmingPrefix { $0 == " " })
    }
    return claims.webSocketProtocols?.split(separator: ",").lazy
      .map { $0.trimmingPrefix { $0 == " " } }
      .first { $0.hasPrefix(bearerProtocol) }
      .map { String($0.dropFirst(bearerProtocol.count).prefix { $0 != " " }) }
  }
}

// MARK: - Tokens

/// The tokens of a gateway, kept as digests.
struct TokenTable: Sendable {
  /// The shortest valid token, in bytes.
  static let shortest = 16

  private struct Row: Sendable {
    let digest: [UInt8]
    let caller: Caller
  }

  private let rows: [Row]

  /// Creates a table of tokens and their holders.
  init(_ tokens: [(token: String, caller: Caller)]) {
    rows = tokens.map { Row(digest: Self.digest($0.token), caller: $0.caller) }
  }

  /// Returns the holder of a token; nil if the token is invalid. Every row is compared, in constant time.
  func caller(of token: String) -> Caller? {
    let offered = Self.digest(token)
    var found: Caller?
    for row in rows where ConstantTime.areEqual(row.digest, offered) { found = row.caller }
    return found
  }

  private static func digest(_ token: String) -> [UInt8] { HashFunction.sha256.hash(Array(token.utf8)) }
}

/// The sender of a request.
struct Caller: Hashable, Sendable {
  /// The name of the token, or of the Unix socket.
  let name: String
  /// The highest role of its requests.
  let role: Role

  /// The holder of the quotas for requests of this caller.
  var holder: Room.Holder { Room.Holder(name: name, isOperator: role == .operator) }
}

// MARK: - Quotas

/// The quotas of the resources that the gateway's clients share: each in total, for one token, and reserved for operators.
struct GatewayRooms: Sendable {
  /// The bytes of pictures in bodies and answers.
  let pictures: Room
  /// The bytes of parameters in bodies.
  let parameters = Room("requests", total: 4 << 20, share: 1 << 20, reserve: 1 << 20, waiting: 32)
  let sessions = Room("sessions", total: 64, share: 24, reserve: 16)
  let eventStreams: Room
  // Together, sessions, WebSockets and live pictures stay within the number of connections that the service accepts from one user.
  let webSockets = Room("WebSockets", total: 32, share: 16, reserve: 8)
  let previews = Room("live pictures", total: 8, share: 4, reserve: 2)

  /// - Parameter streams: the most streams of events at a time.
  init(limits: HTTPLimits, streams: Int) {
    pictures = Room(
      "bodies and pictures", total: limits.pictures, share: limits.pictures / 3 * 2, reserve: limits.pictures / 3 * 2,
      waiting: limits.waiting)
    eventStreams = Room("streams", total: streams, share: max(1, streams / 2), reserve: streams / 4)
  }

  /// All quotas, for `/metrics`.
  var all: [Room] { [pictures, parameters, sessions, eventStreams, webSockets, previews] }
}
