import Testing
import WaymarkCrypto
import WaymarkSystem

/// Keys of another implementation, as they are and spoilt.
@Suite("Keys")
struct KeyTests {
  /// A private key in each of its encodings, its public one, and what it signed.
  private struct Example {
    let kind: KeyKind
    let privates: [String]
    let publics: [String]
    let signatures: [(HashFunction?, String)]
  }

  private static let examples = [
    Example(
      kind: .p256, privates: [Vectors.p256PKCS8, Vectors.p256SEC1], publics: [Vectors.p256Public],
      signatures: [(.sha256, Vectors.p256Signature)]),
    Example(
      kind: .p384, privates: [Vectors.p384PKCS8, Vectors.p384SEC1], publics: [Vectors.p384Public],
      signatures: [(.sha384, Vectors.p384Signature)]),
    Example(
      kind: .p521, privates: [Vectors.p521PKCS8, Vectors.p521SEC1], publics: [Vectors.p521Public],
      signatures: [(.sha512, Vectors.p521Signature)]),
    Example(
      kind: .ed25519, privates: [Vectors.ed25519PKCS8], publics: [Vectors.ed25519Public],
      signatures: [(nil, Vectors.ed25519Signature)]),
    Example(
      kind: .rsa, privates: [Vectors.rsaPKCS8, Vectors.rsaPKCS1], publics: [Vectors.rsaPublic, Vectors.rsaPublicPKCS1],
      signatures: [
        (.sha256, Vectors.rsaSignature256), (.sha384, Vectors.rsaSignature384), (.sha512, Vectors.rsaSignature512),
      ]),
  ]

  /// PEM in lines of 64, as RFC 7468 generates it.
  private static func armoured(_ base64: String, _ label: String) -> String {
    let text = Array(base64.filter { !$0.isWhitespace })
    let lines = stride(from: 0, to: text.count, by: 64).map { String(text[$0..<min(text.count, $0 + 64)]) }
    return (["-----BEGIN \(label)-----"] + lines + ["-----END \(label)-----", ""]).joined(separator: "\n")
  }

  @Test("Keys are read from every encoding, written as the other implementation writes them, and check its signatures")
  func read() throws {
    for example in Self.examples {
      for text in example.publics {
        let key = try PublicKey(der: Vectors.bytes(text))
        #expect(key.kind == example.kind)
        #expect(key.pem == Self.armoured(example.publics[0], "PUBLIC KEY"))
        #expect(try PublicKey(key.kind, key.numbers).pem == key.pem)
        for (hash, signature) in example.signatures {
          #expect(key.isSignature(Vectors.bytes(signature), of: Vectors.message, hash: hash))
        }
      }
      for text in example.privates {
        let key = try PrivateKey(der: Vectors.bytes(text))
        #expect(key.kind == example.kind)
        #expect(key.pem == Self.armoured(example.privates[0], "PRIVATE KEY"))
        #expect(key.publicKey.pem == Self.armoured(example.publics[0], "PUBLIC KEY"))
      }
    }
  }

  @Test("New keys sign what they check, whatever the message; no other key does", arguments: KeyKind.allCases)
  func generated(_ kind: KeyKind) throws {
    let hashes: [HashFunction?] = kind == .ed25519 ? [nil] : [.sha256, .sha384, .sha512]
    let (key, other) = (try PrivateKey(generating: kind), try PrivateKey(generating: kind))
    #expect(key.publicKey.numbers != other.publicKey.numbers)
    for hash in hashes {
      for message in [[], [0], [UInt8](repeating: 7, count: 10_000)] {
        let signature = try key.sign(message, hash: hash)
        #expect(key.publicKey.isSignature(signature, of: message, hash: hash))
        #expect(!other.publicKey.isSignature(signature, of: message, hash: hash))
        #expect(!key.publicKey.isSignature(signature, of: message + [0], hash: hash))
      }
    }
    // Each kind of hash belongs to some keys alone, and SHA-1 to none.
    for hash in kind == .ed25519 ? [.sha1, .sha256] : [nil, HashFunction.sha1] {
      #expect(throws: CryptoError.self) { try key.sign([], hash: hash) }
      #expect(!key.publicKey.isSignature(try key.sign([], hash: hashes[0]), of: [], hash: hash))
    }
  }

  @Test("No bit of a signature or a message may differ")
  func tampered() throws {
    for example in Self.examples {
      let key = try PublicKey(der: Vectors.bytes(example.publics[0]))
      let (hash, text) = example.signatures[0]
      let signature = Vectors.bytes(text)
      for bit in 0..<8 * signature.count {
        var changed = signature
        changed[bit / 8] ^= 1 << (bit % 8)
        #expect(!key.isSignature(changed, of: Vectors.message, hash: hash), "\(example.kind), bit \(bit)")
      }
      for bit in 0..<8 * Vectors.message.count {
        var changed = Vectors.message
        changed[bit / 8] ^= 1 << (bit % 8)
        #expect(!key.isSignature(signature, of: changed, hash: hash))
      }
      for odd in [
        [], Array(signature.dropLast()), signature + [0], [0] + signature,
        [UInt8](repeating: 0, count: signature.count), [UInt8](repeating: 0xFF, count: signature.count),
      ] {
        #expect(!key.isSignature(odd, of: Vectors.message, hash: hash))
      }
    }
    let rsa = try PublicKey(der: Vectors.bytes(Vectors.rsaPublic))
    #expect(!rsa.isSignature(Vectors.bytes(Vectors.rsaPSSSignature), of: Vectors.message, hash: .sha256))
  }

  @Test("ECDSA: a signature whose s is negated is one, too; numbers of the order and more are refused")
  func negated() throws {
    let key = try PublicKey(der: Vectors.bytes(Vectors.p256Public))
    let signature = Vectors.bytes(Vectors.p256Signature)
    let order = Vectors.hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
    var (negated, borrow) = ([UInt8](repeating: 0, count: 32), 0)
    for index in (0..<32).reversed() {
      let difference = Int(order[index]) - Int(signature[32 + index]) - borrow
      negated[index] = UInt8(difference & 0xFF)
      borrow = difference < 0 ? 1 : 0
    }
    let (r, s) = (Array(signature.prefix(32)), Array(signature.suffix(32)))
    #expect(key.isSignature(r + negated, of: Vectors.message, hash: .sha256))
    let zero = [UInt8](repeating: 0, count: 32)
    for odd in [order + s, r + order, zero + s, r + zero] {
      #expect(!key.isSignature(odd, of: Vectors.message, hash: .sha256))
    }
  }

  @Test("Points off the curve, coordinates past the field, and coordinates of another length are refused")
  func points() throws {
    for example in Self.examples.prefix(3) {
      guard case .point(let x, let y) = try PublicKey(der: Vectors.bytes(example.publics[0])).numbers else {
        Issue.record("\(example.kind) has no point")
        continue
      }
      for bit in 0..<8 * y.count {
        var changed = y
        changed[bit / 8] ^= 1 << (bit % 8)
        #expect(throws: CryptoError.self) { try PublicKey(example.kind, .point(x: x, y: changed)) }
      }
      let zero = [UInt8](repeating: 0, count: x.count)
      let most = [UInt8](repeating: 0xFF, count: x.count)
      for (x, y) in [
        (zero, zero), (most, most), (x, most), (y, x), (x, [0] + y), ([0] + x, y), (Array(x.dropLast()), y), ([], []),
      ] {
        #expect(throws: CryptoError.self) { try PublicKey(example.kind, .point(x: x, y: y)) }
      }
      for kind in KeyKind.allCases where kind != example.kind {
        #expect(throws: CryptoError.self) { try PublicKey(kind, .point(x: x, y: y)) }
      }
    }
    for count in [0, 31, 33, 64] {
      #expect(throws: CryptoError.self) { try PublicKey(.ed25519, .encoded([UInt8](repeating: 1, count: count))) }
    }
  }

  @Test("Private numbers of 0, the order and more are refused; the one before is not")
  func scalars() throws {
    let orders: [(KeyKind, String)] = [
      (.p256, "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"),
      (.p384, "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973"),
      (
        .p521,
        "01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa"
          + "51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409"
      ),
    ]
    for (kind, text) in orders {
      let order = Vectors.hex(text)
      let key = { (number: [UInt8]) in
        try PrivateKey(
          der: [0x30, UInt8(5 + number.count), 0x02, 0x01, 0x01, 0x04, UInt8(number.count)] + number)
      }
      for bad in [[UInt8](repeating: 0, count: order.count), order, [UInt8](repeating: 0xFF, count: order.count)] {
        #expect(throws: CryptoError.self) { try key(bad) }
      }
      var last = order
      last[last.count - 1] -= 1
      #expect(try key(last).kind == kind)
      #expect(throws: CryptoError.self) { try key([0] + last) }
      #expect(throws: CryptoError.self) { try key(Array(last.dropLast())) }
    }
  }

  @Test("RSA: of 2048 to 8192 bits, with an odd exponent of 2 to 33 bits")
  func rsaBounds() throws {
    guard case .rsa(let modulus, let exponent) = try PublicKey(der: Vectors.bytes(Vectors.rsaPublic)).numbers else {
      Issue.record("no numbers of RSA")
      return
    }
    let key = { try PublicKey(.rsa, .rsa(modulus: $0, exponent: $1)) }
    #expect(try key(modulus, exponent).kind == .rsa)
    for good in [[3], [0, 0, 3], [1, 0, 0, 0, 1], [1, 0xFF, 0xFF, 0xFF, 0xFF]] as [[UInt8]] {
      #expect(try key(modulus, good).kind == .rsa)
    }
    for bad in [[], [0], [1], [2], [1, 0, 0], [2, 0, 0, 0, 1], modulus] as [[UInt8]] {
      #expect(throws: CryptoError.self) { try key(modulus, bad) }
    }
    let one = [1] as [UInt8]
    for (bits, isGood) in [(2047, false), (2048, true), (8192, true), (8193, false), (16384, false)] {
      // 2 to the power of bits - 1, plus 1: what it is made of is not looked at.
      let number = [UInt8(1) << ((bits - 1) % 8)] + [UInt8](repeating: 0, count: (bits - 1) / 8 - 1) + one
      #expect(((try? key(number, exponent)) != nil) == isGood, "\(bits) bits")
    }
    #expect(throws: CryptoError.self) { try key(modulus.dropLast() + [modulus[255] & 0xFE], exponent) }
    #expect(throws: CryptoError.self) { try key([], exponent) }
  }

  @Test("RSA: private numbers that do not belong together are refused")
  func rsaNumbers() throws {
    let der = Vectors.bytes(Vectors.rsaPKCS1)
    var inside = DERReader(der[...])
    let elements = inside.elements()
    var numbers = try #require(elements)
    _ = numbers.natural()
    while let whole = numbers.whole() {
      var changed = der
      changed[whole.endIndex - 2] ^= 1
      #expect(throws: CryptoError.self, "the number that ends at \(whole.endIndex)") { try PrivateKey(der: changed) }
    }
    // Two for the version: a key of more primes.
    var several = der
    several[6] = 1
    #expect(der[4...6] == [2, 1, 0])
    #expect(throws: CryptoError.self) { try PrivateKey(der: several) }
  }

  @Test("Other kinds of keys, weak ones, compressed points and curves that are written out are refused")
  func refused() {
    for text in [
      Vectors.secp256k1Public, Vectors.p256Compressed, Vectors.x25519Public, Vectors.rsa1024Public, Vectors.p256PKCS8,
      Vectors.ed25519PKCS8, "",
    ] {
      let error = #expect(throws: CryptoError.self) { try PublicKey(der: Vectors.bytes(text)) }
      #expect(error?.code == .badKey)
    }
    for text in [
      Vectors.secp256k1PKCS8, Vectors.secp256k1SEC1, Vectors.p256Explicit, Vectors.x25519PKCS8, Vectors.rsa1024PKCS8,
      Vectors.p256Public, Vectors.rsaPublicPKCS1, "",
    ] {
      let error = #expect(throws: CryptoError.self) { try PrivateKey(der: Vectors.bytes(text)) }
      #expect(error?.code == .badKey)
    }
  }

  @Test("A key that is cut off, goes on behind its end, or is BER but not DER is refused")
  func encodings() throws {
    for example in Self.examples {
      for text in example.publics + example.privates {
        let der = Vectors.bytes(text)
        let isPublic = example.publics.contains(text)
        let read = { (bytes: [UInt8]) in
          isPublic ? try PublicKey(der: bytes).numbers : try PrivateKey(der: bytes).publicKey.numbers
        }
        for count in 0..<der.count { #expect((try? read(Array(der.prefix(count)))) == nil) }
        #expect((try? read(der + [0])) == nil)
        // The same in BER: a length with a byte more than it takes, and one without end.
        let length = der[1] < 0x80 ? 0 : Int(der[1] & 0x7F)
        let body = Array(der[(2 + length)...])
        let size = [UInt8(body.count >> 8), UInt8(body.count & 0xFF)]
        #expect((try? read([0x30, 0x83, 0] + size + body)) == nil)
        #expect((try? read([0x30, 0x80] + body + [0, 0])) == nil)
      }
    }
  }

  @Test("Several threads use one key")
  func threads() async throws {
    let keys = try KeyKind.allCases.map { try PrivateKey(generating: $0) }
    await withTaskGroup(of: Bool.self) { group in
      for index in 0..<60 {
        let key = keys[index % keys.count]
        group.addTask {
          let hash: HashFunction? = key.kind == .ed25519 ? nil : .sha256
          let message = [UInt8(index)]
          guard let signature = try? key.sign(message, hash: hash) else { return false }
          return key.publicKey.isSignature(signature, of: message, hash: hash)
        }
      }
      for await isGood in group { #expect(isGood) }
    }
  }
}

@Suite("DER")
struct DERReaderTests {
  @Test("Natural numbers have one spelling (X.690, 8.3.2)")
  func naturals() {
    let cases: [([UInt8], [UInt8]?)] = [
      ([2, 1, 0], []), ([2, 1, 5], [5]), ([2, 1, 0x7F], [0x7F]), ([2, 2, 0, 0x80], [0x80]), ([2, 2, 1, 0], [1, 0]),
      ([2, 0], nil), ([2, 1, 0x80], nil), ([2, 1, 0xFF], nil), ([2, 2, 0, 0x7F], nil), ([2, 2, 0, 0], nil),
      ([3, 1, 0], nil),
    ]
    for (bytes, number) in cases {
      var reader = DERReader(bytes[...])
      #expect(reader.natural() == number, "\(bytes)")
    }
  }

  @Test("Lengths have one spelling, and reach no further than the bytes")
  func lengths() {
    let long = [UInt8](repeating: 9, count: 300)
    let good: [([UInt8], Int)] = [
      ([4, 0], 0), ([4, 0x7F] + long.prefix(127), 127), ([4, 0x81, 0x80] + long.prefix(128), 128),
      ([4, 0x82, 1, 0x2C] + long, 300),
    ]
    for (bytes, count) in good {
      var reader = DERReader((bytes + [1])[...])
      #expect(reader.next(.octetString)?.count == count)
      #expect(!reader.isAtEnd)
    }
    let bad: [[UInt8]] = [
      [], [4], [4, 1], [4, 0x80], [4, 0x81], [4, 0x81, 0x7F] + long, [4, 0x82, 0, 0x80] + long,
      [4, 0x82, 1, 0x2D] + long,
      [4, 0x84, 0, 0, 0, 1, 9], [4, 0xFF] + long,
    ]
    for bytes in bad {
      var reader = DERReader(bytes[...])
      #expect(reader.next(.octetString) == nil, "\(bytes.prefix(4))")
      #expect(reader.whole() == nil)
    }
    var tagged = DERReader([0x1F, 0x24, 0][...])
    #expect(tagged.whole() == nil)
  }

  @Test("Elements come one after the other, and one of another kind stays")
  func elements() {
    var reader = DERReader([0x30, 3, 2, 1, 7, 4, 1, 8][...])
    #expect(reader.next(.integer) == nil)
    var inner = reader.elements()
    #expect(inner?.natural() == [7])
    #expect(inner?.isAtEnd == true)
    #expect(reader.isNext(.octetString))
    #expect(reader.whole().map { Array($0) } == [4, 1, 8])
    #expect(reader.isAtEnd)
  }
}
