/// The result of checking a signature.
package struct SignatureFinding: Hashable, Sendable {
  /// The signature that the file holds.
  package let signature: Signature
  /// The hash that the file names.
  package let claimed: String
  /// True if that is the hash of what it holds.
  package let isUnchanged: Bool
  /// True when the file is the one that these strokes and words give, byte for byte; `nil` for a record without a picture.
  package let matchesPicture: Bool?

  /// True if nothing was changed.
  package var isWhole: Bool { isUnchanged && matchesPicture != false }

  /// Looks over a record, an SVG or a PNG.
  ///
  /// A picture is drawn and written again, and every byte of the file is compared: so nothing can be added that a viewer might
  /// show or a program might read, be it another colour, another chunk, or bytes behind the end.
  ///
  /// - Throws: `notASignature` when it has another format or holds no signature.
  package static func of(_ file: [UInt8]) throws(SignatureError) -> SignatureFinding {
    if file.starts(with: SignaturePNG.mark) {
      guard let json = SignaturePNG.record(in: file) else {
        throw Signature.bad(.notASignature, "the PNG carries no record of strokes")
      }
      let record = try SignatureRecord(json: json)
      let signature = try record.signature()
      return SignatureFinding(record, signature, (try? SignaturePNG.encode(signature)) == file)
    }
    if let json = SignatureSVG.record(in: file) {
      let record = try SignatureRecord(json: json)
      let signature = try record.signature()
      return SignatureFinding(record, signature, Array(SignatureSVG.draw(signature).utf8) == file)
    }
    let record = try SignatureRecord(json: file)
    return SignatureFinding(record, try record.signature(), nil)
  }

  private init(_ record: SignatureRecord, _ signature: Signature, _ matchesPicture: Bool?) {
    self.signature = signature
    claimed = record.hash
    isUnchanged = record.hash == signature.hash
    self.matchesPicture = matchesPicture
  }
}
