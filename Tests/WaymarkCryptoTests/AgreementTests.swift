import Foundation
import Testing
import WaymarkCrypto

/// The same with python3-cryptography, in both directions, with keys that are made by either.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "needs python3-cryptography"))
struct AgreementTests {
  /// Reads our private key and checks our signature; prints a signature of its own with that key, then a key of its own and one with it.
  private static let program = """
    import base64, sys
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils
    message, signature, pem = base64.b64decode(sys.argv[2]), base64.b64decode(sys.argv[3]), sys.argv[4].encode()
    key, size = serialization.load_pem_private_key(pem, None), {'p256': 32, 'p384': 48, 'p521': 66}.get(sys.argv[1])
    hash = hashes.SHA384() if size == 48 else hashes.SHA512() if size == 66 else hashes.SHA256()
    def sign(key):
        if sys.argv[1] == 'ed25519': return key.sign(message)
        if sys.argv[1] == 'rsa': return key.sign(message, padding.PKCS1v15(), hash)
        r, s = utils.decode_dss_signature(key.sign(message, ec.ECDSA(hash)))
        return r.to_bytes(size, 'big') + s.to_bytes(size, 'big')
    if sys.argv[1] == 'ed25519':
        other = ed25519.Ed25519PrivateKey.generate()
        key.public_key().verify(signature, message)
    elif sys.argv[1] == 'rsa':
        other = rsa.generate_private_key(3, 3072)
        key.public_key().verify(signature, message, padding.PKCS1v15(), hash)
    else:
        other = ec.generate_private_key(key.curve)
        r, s = (int.from_bytes(half, 'big') for half in (signature[:size], signature[size:]))
        key.public_key().verify(utils.encode_dss_signature(r, s), message, ec.ECDSA(hash))
    form = (serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    for value in (sign(key), other.private_bytes(*form), sign(other)): print(base64.b64encode(value).decode())
    """

  @Test("Each checks the signatures of the other, with keys of either", arguments: KeyKind.allCases)
  func agree(_ kind: KeyKind) throws {
    let key = try PrivateKey(generating: kind)
    let hash: HashFunction? =
      switch kind {
      case .p256, .rsa: .sha256
      case .p384: .sha384
      case .p521: .sha512
      case .ed25519: nil
      }
    let signature = try key.sign(Vectors.message, hash: hash)
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = [
      "-I", "-c", Self.program, "\(kind)", Data(Vectors.message).base64EncodedString(),
      Data(signature).base64EncodedString(), key.pem,
    ]
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    let lines = text.split(separator: "\n").map { Vectors.bytes(String($0)) }
    try #require(lines.count == 3)
    #expect(key.publicKey.isSignature(lines[0], of: Vectors.message, hash: hash))
    let other = try PrivateKey(der: lines[1])
    #expect(other.kind == kind)
    #expect(other.publicKey.isSignature(lines[2], of: Vectors.message, hash: hash))
  }
}
