/// The kinds of keys that sign.
package enum KeyKind: Sendable, CaseIterable {
  case p256
  case p384
  case p521
  case ed25519
  case rsa

  /// The bits of a modulus of RSA that is accepted: fewer can be factored, more take too long.
  static let modulusBits = 2048...8192

  /// The curve by its name at NIST and the bytes of a coordinate; nil for what is not ECDSA.
  var curve: (name: String, size: Int)? {
    switch self {
    case .p256: ("P-256", 32)
    case .p384: ("P-384", 48)
    case .p521: ("P-521", 66)
    case .ed25519, .rsa: nil
    }
  }

  /// The curve's object identifier (RFC 5480, 2.1.1.1), without its tag.
  var curveIdentifier: [UInt8]? {
    switch self {
    case .p256: [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
    case .p384: [0x2B, 0x81, 0x04, 0x00, 0x22]
    case .p521: [0x2B, 0x81, 0x04, 0x00, 0x23]
    case .ed25519, .rsa: nil
    }
  }

  /// The kind that an AlgorithmIdentifier names (RFC 3279, 5480 and 8410); nil for any other, and for curves that are written out.
  init?(algorithm content: ArraySlice<UInt8>) {
    let content = Array(content)
    guard let kind = Self.allCases.first(where: { $0.algorithm == content }) else { return nil }
    self = kind
  }

  /// The content of its AlgorithmIdentifier.
  private var algorithm: [UInt8] {
    switch self {
    case .rsa: [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00]
    case .ed25519: [0x06, 0x03, 0x2B, 0x65, 0x70]
    case .p256, .p384, .p521:
      [0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, UInt8((curveIdentifier ?? []).count)]
        + (curveIdentifier ?? [])
    }
  }
}
