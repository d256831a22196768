import Testing
import WaymarkCrypto
import WaymarkSystem

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
