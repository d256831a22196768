import WaymarkImage
import WaymarkSystem

/// A signature as SVG: curves, the border's words, and the record of strokes as metadata.
///
/// The same signature always gives the same text, so that whoever has one can tell whether it was changed.
package enum SignatureSVG {
  /// The whole text.
  package static func draw(_ signature: Signature) -> String {
    let border = SignatureBorder(signature)
    let margin = Double(border.margin)
    var svg = """
      <?xml version="1.0" encoding="UTF-8"?>
      <svg xmlns="http://www.w3.org/2000/svg" width="\(border.width)" height="\(border.height)" \
      viewBox="0 0 \(border.width) \(border.height)" role="img">
      <title>\(XMLText.escaped(border.lines.joined(separator: " ")))</title>
      <metadata id="waymark-signature">\(XMLText.escaped(portable(SignatureRecord(signature).json)))</metadata>
      <rect width="\(border.width)" height="\(border.height)" fill="#fff"/>
      <rect x="\(border.margin)" y="\(border.margin)" width="\(signature.width)" height="\(signature.height)" \
      fill="none" stroke="#999"/>
      <svg x="\(border.margin)" y="\(border.margin)" width="\(signature.width)" height="\(signature.height)">
      <g fill="none" stroke="#000" stroke-linecap="round" stroke-linejoin="round">

      """
    for piece in SignatureCurve(signature).pieces {
      let p = piece.points
      svg += "<path d=\"M\(two(p[0].x)) \(two(p[0].y))"
      svg += "C\(two(p[1].x)) \(two(p[1].y)) \(two(p[2].x)) \(two(p[2].y)) \(two(p[3].x)) \(two(p[3].y))\""
      svg += " stroke-width=\"\(two((piece.from + piece.to) / 2))\"/>\n"
    }
    svg += "</g>\n</svg>\n<g font-family=\"monospace\" font-size=\"\(two(border.letters))\" fill=\"#444\">\n"
    for (index, line) in border.lines.enumerated() {
      let y = Double(signature.height) + margin * 1.5 + Double(border.lineHeight * index) + border.letters
      svg += "<text x=\"\(border.margin)\" y=\"\(two(y))\" xml:space=\"preserve\">\(XMLText.escaped(line))</text>\n"
    }
    return svg + "</g>\n</svg>\n"
  }

  /// The record in a text that is such an SVG.
  static func record(in file: [UInt8]) -> [UInt8]? {
    guard file.starts(with: Array("<?xml".utf8)) else { return nil }
    let open = Array("<metadata id=\"waymark-signature\">".utf8)
    let close = Array("</metadata>".utf8)
    // Before it stand the size and the title, which is short; an escaped record is up to six times as long as a plain one.
    guard let start = first(open, in: file.prefix(1 << 17)) else { return nil }
    let rest = file[(start + open.count)...].prefix(6 * SignatureRecord.limit)
    guard let end = first(close, in: rest) else { return nil }
    return XMLText.unescaped(rest[..<end])
  }

  private static func first(_ wanted: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
    guard bytes.count >= wanted.count else { return nil }
    return (bytes.startIndex...(bytes.endIndex - wanted.count)).first {
      bytes[$0] == wanted[0] && bytes[$0..<($0 + wanted.count)].elementsEqual(wanted)
    }
  }

  /// Hundredths, written the same everywhere.
  private static func two(_ value: Double) -> String {
    let whole = Int((value * 100).rounded())
    let (units, rest) = (abs(whole) / 100, abs(whole) % 100)
    let sign = whole < 0 ? "-" : ""
    return rest == 0 ? "\(sign)\(units)" : "\(sign)\(units).\(rest.digits(2))"
  }

  /// JSON in which the characters that XML has no place for are written as escapes: the same value.
  private static func portable(_ json: String) -> String {
    json.replacing("\u{FFFE}", with: "\\ufffe").replacing("\u{FFFF}", with: "\\uffff")
  }
}
