import WaymarkImage
import WaymarkJSON

/// A signature as it is kept and handed on: everything that was hashed, and the hash.
package struct SignatureRecord: Codable, Hashable, Sendable {
  /// `waymark-signature/1`.
  package let format: String
  /// When it was saved.
  package let time: String
  /// Who signed.
  package let signer: String
  /// What for.
  package let purpose: String
  /// What was signed.
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
    do {
      self = try JSONValueDecoder.decode(Self.self, from: try JSONParser.parse(json))
    } catch {
      throw Signature.bad(.notASignature, "it does not hold what a signature holds")
    }
  }
}

/// What became of looking a signature over.
package struct SignatureFinding: Hashable, Sendable {
  /// The signature that the file holds.
  package let signature: Signature
  /// The hash that the file names.
  package let claimed: String
  /// Whether that is the hash of what it holds.
  package let isUnchanged: Bool
  /// Whether the picture is the one that these strokes and words give; `nil` for a record without a picture.
  package let isItsPicture: Bool?

  /// Whether nothing was changed.
  package var isWhole: Bool { isUnchanged && isItsPicture != false }

  /// Looks over a record, an SVG or a PNG.
  ///
  /// - Parameter pixels: decodes a PNG to the gray values of its pixels, row by row.
  /// - Throws: `notASignature` when it is none of them, or what it holds is none.
  package static func of(
    _ file: [UInt8], pixels: ([UInt8]) -> (width: Int, height: Int, values: [UInt8])?
  ) throws(SignatureError) -> SignatureFinding {
    if file.starts(with: SignaturePNG.mark) {
      guard let json = SignaturePNG.record(in: file) else {
        throw Signature.bad(.notASignature, "the PNG carries no record of strokes")
      }
      let record = try SignatureRecord(json: json)
      let signature = try record.signature()
      let drawn = SignaturePNG.draw(signature)
      let isSame = pixels(file).map {
        $0.width == drawn.width && $0.height == drawn.height && $0.values == SignaturePNG.values(drawn)
      }
      return SignatureFinding(record, signature, isSame ?? false)
    }
    if let json = SignatureSVG.record(in: file) {
      let record = try SignatureRecord(json: json)
      let signature = try record.signature()
      return SignatureFinding(record, signature, Array(SignatureSVG.draw(signature).utf8) == file)
    }
    let record = try SignatureRecord(json: file)
    return SignatureFinding(record, try record.signature(), nil)
  }

  private init(_ record: SignatureRecord, _ signature: Signature, _ isItsPicture: Bool?) {
    self.signature = signature
    claimed = record.hash
    isUnchanged = record.hash == signature.hash
    self.isItsPicture = isItsPicture
  }
}
