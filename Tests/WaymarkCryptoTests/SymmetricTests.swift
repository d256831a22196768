import Foundation
import Testing
import WaymarkCrypto
import WaymarkSystem

@Suite("Hashes, HMAC and scrypt")
struct HashTests {
  /// FIPS 180-4, the examples "abc" and of two blocks.
  private static let examples: [(HashFunction, String, String)] = [
    (.sha1, "a9993e364706816aba3e25717850c26c9cd0d89d", "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
    (
      .sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      .sha384, "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7",
      "3391fdddfc8dc7393707a65b1b4709397cf8b1d162af05abfe8f450de5f36bc6b0455a8520bc4e6f5fe95b1fe3c8452b"
    ),
    (
      .sha512,
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
      "204a8fc6dda82f0a0ced7beb8e08a41657c16ef468b228a8279be331a703c33596fd15c13b1b07f9aa1d3bea57789ca0"
        + "31ad85c7a71dd70354ec631238ca3445"
    ),
  ]

  @Test("The examples of FIPS 180, at once and in pieces")
  func hashes() {
    let long = Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8)
    for (function, short, two) in Self.examples {
      #expect(function.hash(Array("abc".utf8)) == Vectors.hex(short))
      #expect(function.hash(long) == Vectors.hex(two))
      for size in [1, 7, 55] {
        let hasher = PieceHasher(function)
        hasher.update([])
        for start in stride(from: 0, to: long.count, by: size) {
          hasher.update(Array(long[start..<min(long.count, start + size)]))
        }
        #expect(hasher.finish() == Vectors.hex(two))
      }
    }
    #expect(
      HashFunction.sha256.hash([]) == Vectors.hex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"))
  }

  @Test("HMAC-SHA256: RFC 4231, and a key and a message without bytes")
  func authenticationCodes() {
    let cases: [([UInt8], [UInt8], String)] = [
      (
        [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8),
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
      ),
      (
        Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      ),
      (
        [UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50),
        "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
      ),
      (
        [UInt8](repeating: 0xAA, count: 131), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
      ),
      // Python: hmac.new(b"", b"", "sha256").
      ([], [], "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
    ]
    for (key, message, code) in cases {
      #expect(SymmetricKey(key).authenticationCode(for: message) == Vectors.hex(code))
    }
  }

  @Test("scrypt: RFC 7914, section 12; an empty password is one of a zero")
  func scrypt() throws {
    let cases: [(String, String, Int, Int, Int, String)] = [
      (
        "", "", 16, 1, 1,
        "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
          + "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"
      ),
      (
        "password", "NaCl", 1024, 8, 16,
        "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
          + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
      ),
      (
        "pleaseletmein", "SodiumChloride", 16384, 8, 1,
        "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
          + "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"
      ),
    ]
    for (password, salt, rounds, blocks, lanes, hash) in cases {
      let derived = try Scrypt.derive(
        Array(password.utf8), salt: Array(salt.utf8), rounds: rounds, blocks: blocks, lanes: lanes, count: 64)
      #expect(derived == Vectors.hex(hash))
    }
    let costs = [(2, 16, 4), (1 << 10, 11, 1), (1 << 10, 16, 1)]
    for (rounds, blocks, lanes) in costs {
      let derive = { password in
        try Scrypt.derive(password, salt: [1, 2], rounds: rounds, blocks: blocks, lanes: lanes, count: 16)
      }
      #expect(try derive([]) == derive([0]))
      #expect(try derive([1]) != derive([0]))
    }
  }

  @Test(
    "scrypt refuses a cost that RFC 7914 does not allow",
    arguments: [(0, 8, 1), (1, 8, 1), (3, 8, 1), (-2, 8, 1), (16, 0, 1), (16, 8, 0), (1 << 30, 8, 1)])
  func impossibleCost(_ rounds: Int, _ blocks: Int, _ lanes: Int) {
    #expect(throws: CryptoError.self) {
      try Scrypt.derive([1], salt: [2], rounds: rounds, blocks: blocks, lanes: lanes, count: 16)
    }
  }
}

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

@Suite("Sealing with AES-256-GCM")
struct SealTests {
  private static let key = SymmetricKey(Vectors.hex("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"))
  private static let text = Vectors.hex(
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525"
      + "b16aedf5aa0de657ba637b391aafd255")
  private static let context = Vectors.hex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
  /// Test case 16: nonce, 60 bytes of ciphertext, tag.
  private static let sealed = Vectors.hex(
    "cafebabefacedbaddecaf888"
      + "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838"
      + "c5f61e6393ba7a0abcc9f662" + "76fc6ece0f4e1768cddf8853bb2d551b")

  @Test("The test cases 13 to 16 of the specification that NIST took")
  func published() throws {
    let zero = SymmetricKey([UInt8](repeating: 0, count: 32))
    let nonce = [UInt8](repeating: 0, count: 12)
    #expect(try zero.open(nonce + Vectors.hex("530f8afbc74536b9a963b4f1c4cb738b"), authenticating: []).isEmpty)
    #expect(
      try zero.open(
        nonce + Vectors.hex("cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"), authenticating: [])
        == [UInt8](repeating: 0, count: 16))
    let whole = Vectors.hex(
      "cafebabefacedbaddecaf888"
        + "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838"
        + "c5f61e6393ba7a0abcc9f662898015ad" + "b094dac5d93471bdec1a502270e3cc6c")
    #expect(try Self.key.open(whole, authenticating: []) == Self.text)
    #expect(try Self.key.open(Self.sealed, authenticating: Self.context) == Array(Self.text.prefix(60)))
  }

  @Test("No bit may differ, of nonce, text, tag, context or key, and nothing may be missing")
  func tampered() {
    for bit in 0..<8 * Self.sealed.count {
      var changed = Self.sealed
      changed[bit / 8] ^= 1 << (bit % 8)
      #expect(throws: CryptoError.self) { try Self.key.open(changed, authenticating: Self.context) }
    }
    for count in 0..<Self.sealed.count {
      #expect(throws: CryptoError.self) {
        try Self.key.open(Array(Self.sealed.prefix(count)), authenticating: Self.context)
      }
    }
    #expect(throws: CryptoError.self) { try Self.key.open(Self.sealed + [0], authenticating: Self.context) }
    #expect(throws: CryptoError.self) { try Self.key.open(Self.sealed, authenticating: Self.context + [0]) }
    #expect(throws: CryptoError.self) { try Self.key.open(Self.sealed, authenticating: []) }
    let other = SymmetricKey([UInt8](repeating: 1, count: 32))
    #expect(throws: CryptoError.self) { try other.open(Self.sealed, authenticating: Self.context) }
  }

  @Test("Everything that is sealed can be opened, and is sealed under another nonce each time")
  func roundTrips() throws {
    var nonces: Set<[UInt8]> = []
    for count in [0, 1, 15, 16, 17, 4096, 1 << 20] {
      let text = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      let sealed = try Self.key.seal(text, authenticating: Self.context)
      #expect(sealed.count == count + 28)
      #expect(try Self.key.open(sealed, authenticating: Self.context) == text)
      nonces.insert(Array(sealed.prefix(12)))
    }
    #expect(nonces.count == 7)
  }

  @Test("Keys of another length than 32 bytes do not seal", arguments: [0, 16, 24, 31, 33, 64])
  func otherKeys(_ count: Int) {
    let key = SymmetricKey([UInt8](repeating: 7, count: count))
    let error = #expect(throws: CryptoError.self) { try key.seal([1], authenticating: []) }
    #expect(error?.code == .badKey)
    #expect(throws: CryptoError.self) { try key.open(Self.sealed, authenticating: Self.context) }
  }
}
