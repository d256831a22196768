import FoundationEssentials
import WaymarkCrypto
import WaymarkSystem

/// Reads keys from a JWK set or a single JWK (RFC 7517, 7518, 8037).
package enum JWKSet {
  /// The public keys that can check signatures, and a word for each entry that was skipped or holds a private
  /// key.
  package static func keys(_ text: String) throws(OnboardingError) -> (keys: [VerificationKey], skipped: [String]) {
    let value: JSONValue
    do {
      value = try JSONParser.parse(text)
    } catch {
      throw error_("The key file is not JSON: \(error.problem) (byte \(error.offset)).")
    }
    guard let entries = value["keys"]?.array ?? (value["kty"] == nil ? nil : [value]) else {
      throw error_("The key file is JSON but holds neither \"keys\" nor a key.")
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

  /// RFC 7517, section 5: entries that are not understood, or not meant for this, are ignored.
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
        throw error_("The key \(name) has no proper \"\(member)\".")
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
      switch entry["crv"]?.string {
      case "P-256": (kind, numbers) = (.p256, try point(x, try part("y"), 32, name))
      case "P-384": (kind, numbers) = (.p384, try point(x, try part("y"), 48, name))
      case "P-521": (kind, numbers) = (.p521, try point(x, try part("y"), 66, name))
      default: (kind, numbers) = (.ed25519, .encoded(x))
      }
    }
    guard let material = try? PublicKey(kind, numbers) else {
      throw error_("The key \(name) cannot be used (a point off its curve, or RSA of less than 2048 bits).")
    }
    return try VerificationKey(
      material, id: id, algorithm: entry["alg"]?.string.flatMap(SignatureAlgorithm.init(rawValue:)))
  }

  /// Both coordinates at full length (RFC 7518, 6.2.1.2).
  private static func point(
    _ x: [UInt8], _ y: [UInt8], _ size: Int, _ name: String
  ) throws(OnboardingError) -> PublicKey.Numbers {
    guard x.count == size, y.count == size else { throw error_("The key \(name) has coordinates of the wrong length.") }
    return .point(x: x, y: y)
  }

  private static func error_(_ message: String) -> OnboardingError {
    OnboardingError(.badKey, message, hint: "Use a JWK set of public keys, or a PEM file with one.")
  }
}
