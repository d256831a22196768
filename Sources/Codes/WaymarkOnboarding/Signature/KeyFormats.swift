import WaymarkCrypto
import WaymarkSystem

/// Reads keys from a JWK set or a single JWK (RFC 7517, 7518, 8037). `PEMKeys` below reads keys from PEM.
package enum JWKSet {
  /// Returns the public keys that can check signatures, and a remark for each entry that was skipped or holds a private key.
  ///
  /// - Throws: `badKey` if the text is not a JWK set or JWK, or a supported key in it is invalid.
  package static func keys(_ text: String) throws(OnboardingError) -> (keys: [VerificationKey], skipped: [String]) {
    let value: JSONValue
    do {
      value = try JSONParser.parse(text)
    } catch {
      throw invalid("The key file is not JSON: \(error.problem) (byte \(error.offset)).")
    }
    guard let entries = value["keys"]?.array ?? (value["kty"] == nil ? nil : [value]) else {
      throw invalid("The key file is JSON but holds neither \"keys\" nor a key.")
    }
    var keys: [VerificationKey] = []
    var skipped: [String] = []
    for entry in entries {
      let id = entry["kid"]?.string
      if let why = reasonToSkip(entry) {
        skipped.append("the key \(VerificationKey.name(id)) is ignored: \(why)")
        continue
      }
      keys.append(try key(entry, id: id))
      if entry["d"] != nil { skipped.append(VerificationKey.privateWarning(id)) }
    }
    return (keys, skipped)
  }

  /// Returns the reason for ignoring an entry (RFC 7517, section 5); nil for a supported key for signatures.
  private static func reasonToSkip(_ entry: JSONValue) -> String? {
    switch entry["kty"]?.string {
    case "EC", "RSA", "OKP": break
    case "oct": return "a shared secret does not identify the signer"
    case let type: return "its type \"\(DisplayText.escaped(type ?? "", limit: 20))\" is not known"
    }
    if let use = entry["use"]?.string, use != "sig" { return "it is not meant for signatures" }
    if let operations = entry["key_ops"]?.array, !operations.contains(.string("verify")),
      !operations.contains(.string("sign"))
    {
      return "it is not meant for signatures"
    }
    if let name = entry["alg"]?.string, SignatureAlgorithm(rawValue: name) == nil {
      return "its algorithm \"\(DisplayText.escaped(name, limit: 20))\" is not supported"
    }
    if entry["kty"]?.string != "RSA", !["P-256", "P-384", "P-521", "Ed25519"].contains(entry["crv"]?.string) {
      return "its curve is not supported"
    }
    return nil
  }

  private static func key(_ entry: JSONValue, id: String?) throws(OnboardingError) -> VerificationKey {
    let name = VerificationKey.name(id)
    let part = { (member: String) throws(OnboardingError) -> [UInt8] in
      guard let text = entry[member]?.string, let bytes = Base64URL.decode(text), !bytes.isEmpty else {
        throw invalid("The key \(name) has no proper \"\(member)\".")
      }
      return bytes
    }
    let kind: KeyKind
    let numbers: PublicKey.Numbers
    if entry["kty"]?.string == "RSA" {
      kind = .rsa
      numbers = .rsa(modulus: try part("n"), exponent: try part("e"))
    } else {
      let x = try part("x")
      let found = KeyKind.allCases.first { $0.curve?.name == entry["crv"]?.string }
      kind = found ?? .ed25519
      if let size = found?.curve?.size {
        let y = try part("y")
        // Both coordinates have their full length (RFC 7518, 6.2.1.2).
        guard x.count == size, y.count == size else {
          throw invalid("The key \(name) has coordinates of the wrong length.")
        }
        numbers = .point(x: x, y: y)
      } else {
        numbers = .encoded(x)
      }
    }
    guard let material = try? PublicKey(kind, numbers) else {
      throw invalid("The key \(name) cannot be used (a point off its curve, or RSA of less than 2048 bits).")
    }
    return try VerificationKey(
      material, id: id, algorithm: entry["alg"]?.string.flatMap(SignatureAlgorithm.init(rawValue:)))
  }

  private static func invalid(_ message: String) -> OnboardingError {
    OnboardingError(.badKey, message, hint: "Use a JWK set of public keys, or a PEM file with one.")
  }
}

// MARK: - PEM

/// Reads public keys from PEM (RFC 7468): from public keys, certificates, and the public halves of private keys.
package enum PEMKeys {
  /// Returns the public keys in a text, in its order; `id` becomes their identifier.
  ///
  /// - Throws: `badKey` if the text has no key, or a key that cannot be read.
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

  /// Returns the SubjectPublicKeyInfo of an X.509 certificate (RFC 5280, 4.1), in DER; nil for other bytes. The rest of the
  /// certificate is not checked, because the policy trusts the file.
  private static func subjectKey(inCertificate der: [UInt8]) -> [UInt8]? {
    var file = DERReader(der[...])
    guard var certificate = file.elements(), var body = certificate.elements() else { return nil }
    // Version (may be absent), serial number, signature, issuer, validity, subject, then the key.
    if body.isNext(.context0) { guard body.whole() != nil else { return nil } }
    for _ in 0..<5 { guard body.whole() != nil else { return nil } }
    guard body.isNext(.sequence) else { return nil }
    return body.whole().map { Array($0) }
  }

  /// Reads, from DER, a SubjectPublicKeyInfo (RFC 5280, 4.1) or an RSA public key of PKCS #1.
  private static func publicKey(_ der: [UInt8], id: String?) throws(OnboardingError) -> VerificationKey {
    guard let key = try? PublicKey(der: der) else {
      throw OnboardingError(
        .badKey, "A public key in the key file cannot be used.",
        hint: "Keys are EC on P-256, P-384 or P-521, Ed25519, or RSA of at least 2048 bits.")
    }
    return try VerificationKey(key, id: id)
  }
}
