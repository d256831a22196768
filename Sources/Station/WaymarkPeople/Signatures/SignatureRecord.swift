import WaymarkImage
import WaymarkSystem

/// A signature as it is kept and handed on: everything that was hashed, and the hash.
package struct SignatureRecord: Codable, Hashable, Sendable {
  /// `waymark-signature/1`.
  package let format: String
  /// When it was saved.
  package let time: String
  /// The signer.
  package let signer: String
  /// The purpose.
  package let purpose: String
  /// The thing signed.
  package let subject: String
  /// The area in pixels.
  package let width: Int
  /// The area in pixels.
  package let height: Int
  /// As on the wire.
  package let strokes: [[Int]]
  /// SHA-256 over all of it.
  package let hash: String

  static let format = "waymark-signature/1"
  /// The most bytes that a record has: all its points and words at their longest.
  static let limit = 2 << 20

  /// The record of a signature.
  package init(_ signature: Signature) {
    format = Self.format
    time = signature.time
    signer = signature.signer
    purpose = signature.purpose
    subject = signature.subject
    width = signature.width
    height = signature.height
    strokes = signature.wireStrokes
    hash = signature.hash
  }

  /// The signature that it holds, whether or not the hash is right.
  package func signature() throws(SignatureError) -> Signature {
    guard format == Self.format else {
      throw Signature.bad(.notASignature, "its format is \(format.prefix(40)), not \(Self.format)")
    }
    return try Signature(
      strokes: try Signature.strokes(fromWire: strokes), width: width, height: height, time: time, signer: signer,
      purpose: purpose, subject: subject)
  }

  /// One line of JSON.
  package var json: String {
    // Whole numbers and words always have a place in JSON.
    String(decoding: (try? JSONLineEncoder.encode(self)) ?? [], as: UTF8.self)
  }

  /// The record in a text of JSON.
  package init(json: some Sequence<UInt8>) throws(SignatureError) {
    guard json.underestimatedCount <= Self.limit else {
      throw Signature.bad(.notASignature, "its record has more than \(Self.limit >> 20) MiB")
    }
    do {
      self = try JSONValueDecoder.decode(Self.self, from: try JSONParser.parse(json))
    } catch {
      throw Signature.bad(.notASignature, "it is not a complete signature")
    }
  }
}
