import WaymarkCrypto
import WaymarkSystem

/// Reads keys from PEM (RFC 7468): public keys, and of private keys their public half.
package enum PEMKeys {
  /// The public keys in the text, in order.
  package static func keys(_ text: String, id: String?) throws(OnboardingError) -> [VerificationKey] {
    var keys: [VerificationKey] = []
    for block in PEMBlock.all(in: text) {
      if block.label == "EC PARAMETERS" { continue }
      if block.label == "CERTIFICATE" {
        guard let info = subjectKey(inCertificate: block.bytes) else {
          throw OnboardingError(
            .badKey, "A certificate in the key file cannot be read.",
            hint: "Take its key out: openssl x509 -in FILE -pubkey -noout")
        }
        keys.append(try publicKey(info, id: id))
      } else if block.label.hasSuffix("PRIVATE KEY") {
        keys.append(try SigningKey(pem: block, id: id).publicKey)
      } else if block.label == "PUBLIC KEY" || block.label == "RSA PUBLIC KEY" {
        keys.append(try publicKey(block.bytes, id: id))
      }
    }
    guard !keys.isEmpty else {
      throw OnboardingError(
        .badKey, "The key file contains no PEM key.",
        hint: "It should have a line -----BEGIN PUBLIC KEY-----; a JWK set starts with {.")
    }
    return keys
  }

  /// The SubjectPublicKeyInfo of an X.509 certificate (RFC 5280, 4.1), in DER; nil when the bytes are not one. Nothing else of the certificate
  /// is checked: the policy trusts the file.
  private static func subjectKey(inCertificate der: [UInt8]) -> [UInt8]? {
    var file = DERReader(der[...])
    guard var certificate = file.elements(), var body = certificate.elements() else { return nil }
    // Version (may be absent), serial number, signature, issuer, validity, subject, then the key.
    if body.isNext(.context0) { guard body.whole() != nil else { return nil } }
    for _ in 0..<5 { guard body.whole() != nil else { return nil } }
    guard body.isNext(.sequence) else { return nil }
    return body.whole().map { Array($0) }
  }

  /// A SubjectPublicKeyInfo (RFC 5280, 4.1) or, for RSA, a bare key of PKCS #1.
  private static func publicKey(_ der: [UInt8], id: String?) throws(OnboardingError) -> VerificationKey {
    guard let key = try? PublicKey(der: der) else {
      throw OnboardingError(
        .badKey, "A public key in the key file cannot be used.",
        hint: "Keys are EC on P-256, P-384 or P-521, Ed25519, or RSA of at least 2048 bits.")
    }
    return try VerificationKey(key, id: id)
  }
}
