import WaymarkGeometry

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
      <title>\(escaped(border.lines.joined(separator: " ")))</title>
      <metadata id="waymark-signature">\(escaped(SignatureRecord(signature).json))</metadata>
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
      svg += "<text x=\"\(border.margin)\" y=\"\(two(y))\" xml:space=\"preserve\">\(escaped(line))</text>\n"
    }
    return svg + "</g>\n</svg>\n"
  }

  /// The record in a text that is such an SVG.
  static func record(in file: [UInt8]) -> [UInt8]? {
    guard file.starts(with: Array("<?xml".utf8)) else { return nil }
    let open = Array("<metadata id=\"waymark-signature\">".utf8)
    let close = Array("</metadata>".utf8)
    guard let start = first(open, in: file[...]), let end = first(close, in: file[(start + open.count)...]) else {
      return nil
    }
    return unescaped(file[(start + open.count)..<end])
  }

  private static func first(_ wanted: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
    guard bytes.count >= wanted.count else { return nil }
    return (bytes.startIndex...(bytes.endIndex - wanted.count)).first { bytes[$0...].starts(with: wanted) }
  }

  /// Hundredths, written the same everywhere.
  private static func two(_ value: Double) -> String {
    let whole = Int((value * 100).rounded())
    let (units, rest) = (abs(whole) / 100, abs(whole) % 100)
    let sign = whole < 0 ? "-" : ""
    return rest == 0 ? "\(sign)\(units)" : "\(sign)\(units).\(rest < 10 ? "0" : "")\(rest)"
  }

  private static let entities: [(Character, String)] = [
    ("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;"),
  ]

  /// Text for XML 1.0, which has no place for most control characters.
  private static func escaped(_ text: String) -> String {
    var out = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": out += "&amp;"
      case "<": out += "&lt;"
      case ">": out += "&gt;"
      case "\"": out += "&quot;"
      case "\u{0}"..."\u{8}", "\u{B}", "\u{C}", "\u{E}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": out += "\u{FFFD}"
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out
  }

  private static func unescaped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count)
    var rest = bytes
    while let byte = rest.first {
      if byte == UInt8(ascii: "&"), let entity = entities.first(where: { rest.starts(with: Array($0.1.utf8)) }) {
        out += Array(String(entity.0).utf8)
        rest = rest.dropFirst(entity.1.utf8.count)
      } else {
        out.append(byte)
        rest = rest.dropFirst()
      }
    }
    return out
  }
}
