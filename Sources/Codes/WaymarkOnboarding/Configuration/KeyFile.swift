import WaymarkSystem

/// Key files: PEM, or a JWK set.
package enum KeyFile {
  /// The public keys in a file, and a word for each entry that was skipped or is private.
  package static func publicKeys(_ path: String) throws(OnboardingError) -> (keys: [VerificationKey], skipped: [String])
  {
    let text = try text(path)
    if text.utf8.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") { return try JWKSet.keys(text) }
    let hasPrivate = PEMBlock.all(in: text).contains { $0.label.hasSuffix("PRIVATE KEY") }
    return (try PEMKeys.keys(text, id: nil), hasPrivate ? [VerificationKey.privateWarning(nil)] : [])
  }

  /// The private key in a PEM file.
  package static func privateKey(_ path: String, id: String?) throws(OnboardingError) -> SigningKey {
    try SigningKey(pem: try text(path), id: id)
  }

  private static func text(_ path: String) throws(OnboardingError) -> String {
    guard let bytes = try? WholeFile.read(path, limit: 1 << 20) else {
      throw OnboardingError(
        .cannotOpen, "The key file \(path) cannot be read.",
        hint: "Check the path and who may read it; a key file has at most one megabyte.")
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
