import WaymarkCrypto
import WaymarkHTTP
import WaymarkProtocol

/// The tokens of a gateway, kept as digests.
struct TokenTable: Sendable {
  /// The shortest token that is taken, in bytes.
  static let shortest = 16

  private struct Row: Sendable {
    let digest: [UInt8]
    let caller: Caller
  }

  private let rows: [Row]

  /// A table of tokens and whom each stands for.
  init(_ tokens: [(token: String, caller: Caller)]) {
    rows = tokens.map { Row(digest: Self.digest($0.token), caller: $0.caller) }
  }

  /// The holder of a token; `nil` when it is none. Every row is compared, in a time that does not tell how much of a token was right.
  func caller(of token: String) -> Caller? {
    let offered = Self.digest(token)
    var found: Caller?
    for row in rows where ConstantTime.areEqual(row.digest, offered) { found = row.caller }
    return found
  }

  private static func digest(_ token: String) -> [UInt8] { HashFunction.sha256.hash(Array(token.utf8)) }
}

/// Whoever sends a request.
struct Caller: Hashable, Sendable {
  /// The name of the token, or of the Unix socket.
  let name: String
  /// The most rights that they have.
  let role: Role
}
