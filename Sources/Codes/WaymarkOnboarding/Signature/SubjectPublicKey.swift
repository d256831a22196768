import WaymarkCrypto

/// Finds the public key in an X.509 certificate (RFC 5280, 4.1). Nothing else of the certificate is trusted or
/// checked: the policy trusts the file.
package enum SubjectPublicKey {
  /// The SubjectPublicKeyInfo, in DER; nil when the bytes are not a certificate.
  package static func find(inCertificate der: [UInt8]) -> [UInt8]? {
    var file = DERReader(der[...])
    guard var certificate = file.elements(), var body = certificate.elements() else { return nil }
    // Version (may be absent), serial number, signature, issuer, validity, subject, then the key.
    if body.isNext(.context0) { guard body.whole() != nil else { return nil } }
    for _ in 0..<5 { guard body.whole() != nil else { return nil } }
    guard body.isNext(.sequence) else { return nil }
    return body.whole().map { Array($0) }
  }
}
