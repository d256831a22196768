package import WaymarkPeople
import WaymarkSystem

/// The report of `waymark signature verify`: the object of `--json`, and the text for a person.
package struct SignatureReport: Encodable {
  let input: String
  /// True if the file is intact, and an expected hash and subject match.
  package let whole: Bool
  let hash: String
  /// True if the hash in the file fits its strokes and text.
  let unchanged: Bool
  /// True if the file equals a picture rendered again from its strokes and text; nil for a record without a picture.
  let picture: Bool?
  /// True if the hash, or the subject, equals the expected one; nil without an expected value.
  let expected, subject: Bool?
  let time, signer, purpose: String
  let strokes, points: Int
  let seconds: Double
  private let signed: String

  private enum CodingKeys: CodingKey {
    case input, whole, hash, unchanged, picture, expected, subject, time, signer, purpose, strokes, points, seconds
  }

  /// Checks a file of a signature.
  ///
  /// - Parameters:
  ///   - input: the name of the file.
  ///   - expectedHash: the hash that it should have; nil for any.
  ///   - expectedSubject: the text that should have been signed; nil for any.
  /// - Throws: `SignatureError` if the file contains no signature, or an invalid one.
  package init(
    _ file: [UInt8], input: String, expectedHash: String?, expectedSubject: String?
  ) throws(SignatureError) {
    let finding = try SignatureFinding.of(file)
    let signature = finding.signature
    self.input = input
    hash = signature.hash
    unchanged = finding.isUnchanged
    picture = finding.matchesPicture
    expected = expectedHash.map { $0.lowercased() == signature.hash }
    subject = expectedSubject.map { $0 == signature.subject }
    whole = finding.isWhole && expected != false && subject != false
    (time, signer, purpose) = (signature.time, signature.signer, signature.purpose)
    signed = signature.subject
    strokes = signature.strokes.count
    points = signature.strokes.reduce(0) { $0 + $1.count }
    seconds = Double(signature.strokes.last?.last?.time ?? 0) / 1000
  }

  /// The report as lines of text.
  package var text: String {
    func shown(_ text: String) -> String { DisplayText.escaped(text) }
    var lines = [whole ? "unchanged" : "changed"]
    if !unchanged { lines.append("  the strokes or the text do not match the hash") }
    if picture == false { lines.append("  the file differs from one made from these strokes and this text") }
    if expected == false { lines.append("  the hash differs from --hash") }
    if subject == false { lines.append("  something else was signed: \(shown(signed))") }
    lines.append("  signed \(shown(time))\(signer.isEmpty ? "" : " by \(shown(signer))")")
    if !purpose.isEmpty { lines.append("  for \(shown(purpose))") }
    lines.append("  \(strokes) strokes, \(points) points in \(seconds) s")
    lines.append("  SHA-256 \(hash)")
    return lines.joined(separator: "\n")
  }
}
