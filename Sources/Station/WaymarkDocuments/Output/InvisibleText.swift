package import WaymarkImage
import WaymarkSystem

/// A word of a page with its position. `InvisibleText` below writes words into a PDF without drawing them.
package struct PageWord: Hashable, Sendable {
  package var text: String
  /// The corners in the order of the upright word, as shares of the page's width and height from its top left.
  package var outline: Quadrilateral

  package init(_ text: String, outline: Quadrilateral) {
    self.text = text
    self.outline = outline
  }
}

/// Text of a page that is not drawn, so that the text in the picture can be searched and copied.
///
/// It uses text rendering mode 3 of ISO 32000-1, 9.3.6. The font has no glyphs and need not be embedded, because it draws
/// nothing (ISO 19005-2, 6.2.11.4.1); its codes are UTF-16 units, as its character map defines.
enum InvisibleText {
  /// The advance of every character, as a share of the font's size.
  private static let advance = 0.5
  /// The height of the baseline above a word's lower edge, as a share of the word's height. Letters such as p extend below the
  /// baseline.
  private static let descent = 0.2

  /// The character map of the font: codes equal characters, in blocks of 256 because no range may cross the end of a block.
  static let characterMap: String = {
    let ranges = (0..<256).map { high in
      let block = high.digits(2, radix: 16, uppercase: true)
      return "<\(block)00> <\(block)FF> <\(block)00>"
    }
    let lists = stride(from: 0, to: ranges.count, by: 64).map { start in
      "64 beginbfrange\n\(ranges[start..<(start + 64)].joined(separator: "\n"))\nendbfrange\n"
    }
    return """
      /CIDInit /ProcSet findresource begin
      12 dict begin
      begincmap
      /CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
      /CMapName /Adobe-Identity-UCS def
      /CMapType 2 def
      1 begincodespacerange
      <0000> <FFFF>
      endcodespacerange
      \(lists.joined())endcmap
      CMapName currentdict /CMap defineresource pop
      end
      end
      """
  }()

  /// The dictionaries of the font's parts. The descendant font and the font refer to objects written before them.
  static let descriptor =
    "/Type /FontDescriptor /FontName /Invisible /Flags 4 /FontBBox [0 -200 500 800] /ItalicAngle 0 /Ascent 800 "
    + "/Descent -200 /CapHeight 800 /StemV 80"

  static func descendant(descriptor: Int) -> String {
    "/Type /Font /Subtype /CIDFontType2 /BaseFont /Invisible /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) "
      + "/Supplement 0 >> /FontDescriptor \(descriptor) 0 R /DW \(Int(advance * 1000))"
  }

  static func font(descendant: Int, map: Int) -> String {
    "/Type /Font /Subtype /Type0 /BaseFont /Invisible /Encoding /Identity-H /DescendantFonts [\(descendant) 0 R] "
      + "/ToUnicode \(map) 0 R"
  }

  /// Returns the operators that write words on a page of a size in points.
  ///
  /// - Parameter number: Formats a number of any sign.
  static func content(_ words: [PageWord], width: Double, height: Double, number: (Double) -> String) -> String {
    func place(_ p: Point2) -> Point2 { Point2(p.x * width, (1 - p.y) * height) }
    var out = ""
    for word in words {
      let units = word.text.utf16.filter { $0 >= 0x20 }
      guard !units.isEmpty, word.outline.isFinite else { continue }
      let (low, up) = (place(word.outline.bottomLeft), place(word.outline.topLeft))
      let rise = up - low
      let run = (place(word.outline.bottomRight) - low) / (advance * Double(units.count))
      guard rise.length > 0.5, run.length > 0.05 else { continue }
      let start = low + rise * descent
      let matrix = [run.x, run.y, rise.x, rise.y, start.x, start.y].map(number).joined(separator: " ")
      let codes = units.map { $0.digits(4, radix: 16, uppercase: true) }.joined()
      out += "\(matrix) Tm <\(codes)> Tj\n"
    }
    return out.isEmpty ? "" : "BT 3 Tr /T 1 Tf\n\(out)ET\n"
  }
}
