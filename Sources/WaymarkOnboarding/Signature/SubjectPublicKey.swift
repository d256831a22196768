/// Finds the public key in an X.509 certificate (RFC 5280, 4.1). Nothing else of the certificate is trusted or
/// checked: the policy trusts the file.
package enum SubjectPublicKey {
  /// The SubjectPublicKeyInfo, in DER; nil when the bytes are not a certificate.
  package static func find(inCertificate der: [UInt8]) -> [UInt8]? {
    guard let certificate = element(der[...]), certificate.tag == 0x30,
      let body = element(certificate.content), body.tag == 0x30
    else { return nil }
    var rest = body.content
    // Version ([0], may be absent), serial number, signature, issuer, validity, subject, then the key.
    if rest.first == 0xA0 {
      guard let version = element(rest) else { return nil }
      rest = version.rest
    }
    for _ in 0..<5 {
      guard let passed = element(rest) else { return nil }
      rest = passed.rest
    }
    guard let info = element(rest), info.tag == 0x30 else { return nil }
    return Array(rest[..<info.rest.startIndex])
  }

  /// One element of DER (X.690, 8.1) and what follows it.
  private static func element(
    _ bytes: ArraySlice<UInt8>
  ) -> (tag: UInt8, content: ArraySlice<UInt8>, rest: ArraySlice<UInt8>)? {
    var position = bytes.startIndex
    guard bytes.count >= 2 else { return nil }
    let tag = bytes[position]
    var length = Int(bytes[position + 1])
    position += 2
    if length >= 0x80 {
      let count = length & 0x7F
      guard (1...3).contains(count), bytes.endIndex - position >= count else { return nil }
      length = bytes[position..<position + count].reduce(0) { $0 << 8 | Int($1) }
      position += count
    }
    guard bytes.endIndex - position >= length else { return nil }
    let end = position + length
    return (tag, bytes[position..<end], bytes[end...])
  }
}
