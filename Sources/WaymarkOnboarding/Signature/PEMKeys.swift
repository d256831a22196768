import Crypto
import CryptoExtras
import FoundationEssentials
import WaymarkSystem

/// Reads keys from PEM (RFC 7468): public keys, and of private keys their public half.
package enum PEMKeys {
  /// The public keys in the text, in order.
  package static func keys(_ text: String, id: String?) throws(OnboardingError) -> [VerificationKey] {
    var keys: [VerificationKey] = []
    for block in PEMBlock.all(in: text) {
      if block.label == "EC PARAMETERS" { continue }
      if block.label == "CERTIFICATE" {
        guard let info = SubjectPublicKey.find(inCertificate: block.bytes) else {
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

  /// A SubjectPublicKeyInfo (RFC 5280, 4.1) or, for RSA, a bare key of PKCS #1.
  private static func publicKey(_ der: [UInt8], id: String?) throws(OnboardingError) -> VerificationKey {
    if let key = try? P256.Signing.PublicKey(derRepresentation: der) { return try VerificationKey(.p256(key), id: id) }
    if let key = try? P384.Signing.PublicKey(derRepresentation: der) { return try VerificationKey(.p384(key), id: id) }
    if let key = try? P521.Signing.PublicKey(derRepresentation: der) { return try VerificationKey(.p521(key), id: id) }
    // RFC 8410, section 4: the whole structure but the 32 bytes of the key is fixed.
    let prefix: [UInt8] = [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00]
    if der.count == 44, der.starts(with: prefix),
      let key = try? Curve25519.Signing.PublicKey(rawRepresentation: der[12...])
    {
      return try VerificationKey(.ed25519(key), id: id)
    }
    if let key = try? _RSA.Signing.PublicKey(derRepresentation: der) { return try VerificationKey(.rsa(key), id: id) }
    throw OnboardingError(
      .badKey, "A public key in the key file cannot be used.",
      hint: "Keys are EC on P-256, P-384 or P-521, Ed25519, or RSA of at least 2048 bits.")
  }
}
