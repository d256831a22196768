import Testing
import WaymarkCrypto

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
