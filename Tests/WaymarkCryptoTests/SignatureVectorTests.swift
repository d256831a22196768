import Testing
import WaymarkCrypto

@Suite("Published signatures")
struct SignatureVectorTests {
  @Test(
    "Ed25519: RFC 8032, section 7.1",
    arguments: [
      (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe"
          + "24655141438e7a100b"
      ),
      (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302a"
          + "eeb00d291612bb0c00"
      ),
      (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed2"
          + "8dc027beceea1ec40a"
      ),
    ])
  func ed25519(_ seed: String, _ point: String, _ message: String, _ signature: String) throws {
    let key = try PrivateKey(der: Vectors.hex("302e020100300506032b657004220420" + seed))
    #expect(key.kind == .ed25519)
    #expect(key.publicKey.numbers == .encoded(Vectors.hex(point)))
    #expect(try key.sign(Vectors.hex(message), hash: nil) == Vectors.hex(signature))
    let publicKey = try PublicKey(.ed25519, .encoded(Vectors.hex(point)))
    #expect(publicKey.isSignature(Vectors.hex(signature), of: Vectors.hex(message), hash: nil))
    #expect(!publicKey.isSignature(Vectors.hex(signature), of: [0], hash: nil))
    // S + L is the same number to arithmetic, and refused (RFC 8032, 5.1.7).
    #expect(!publicKey.isSignature(Self.plusOrder(Vectors.hex(signature)), of: Vectors.hex(message), hash: nil))
  }

  /// The signature with the order of the group added to its second half.
  private static func plusOrder(_ signature: [UInt8]) -> [UInt8] {
    let order = Array(Vectors.hex("1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed").reversed())
    var (result, carry) = (signature, 0)
    for index in 0..<32 {
      let sum = Int(signature[32 + index]) + Int(order[index]) + carry
      result[32 + index] = UInt8(sum & 0xFF)
      carry = sum >> 8
    }
    return result
  }

  private static let payload =
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

  @Test("RS256: RFC 7515, A.2")
  func rs256() throws {
    let modulus = Vectors.url(
      "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZ"
        + "S-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2"
        + "R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcD"
        + "TW9gb54h4FRWyuXpoQ")
    let signature = Vectors.url(
      "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CU"
        + "Ar7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_d"
        + "O--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0ig"
        + "cN_IoypGlUPQGe77Rw")
    let key = try PublicKey(.rsa, .rsa(modulus: [0] + modulus, exponent: [1, 0, 1]))
    #expect(key.numbers == .rsa(modulus: modulus, exponent: [1, 0, 1]))
    let message = Array("eyJhbGciOiJSUzI1NiJ9.\(Self.payload)".utf8)
    #expect(key.isSignature(signature, of: message, hash: .sha256))
    #expect(!key.isSignature(signature, of: message, hash: .sha512))
    #expect(!key.isSignature([0] + signature, of: message, hash: .sha256))
    #expect(!key.isSignature(signature.dropLast(), of: message, hash: .sha256))
  }

  @Test("ES256: RFC 7515, A.3")
  func es256() throws {
    let x = Vectors.url("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU")
    let y = Vectors.url("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")
    let number = Vectors.url("jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI")
    let signature = Vectors.url(
      "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q")
    let key = try PublicKey(.p256, .point(x: x, y: y))
    let message = Array("eyJhbGciOiJFUzI1NiJ9.\(Self.payload)".utf8)
    #expect(key.isSignature(signature, of: message, hash: .sha256))
    // SEC 1 without curve and point: both follow from the number.
    let secret = try PrivateKey(der: [0x30, 0x25, 0x02, 0x01, 0x01, 0x04, 0x20] + number)
    #expect(secret.publicKey.numbers == .point(x: x, y: y))
    #expect(key.isSignature(try secret.sign(message, hash: .sha256), of: message, hash: .sha256))
  }
}
