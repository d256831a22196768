import FoundationEssentials

/// One `-----BEGIN …-----` block (RFC 7468).
package struct PEMBlock: Sendable, Hashable {
  package let label: String
  package let bytes: [UInt8]

  /// The blocks of a text whose content decodes; text around them is skipped.
  package static func all(in text: String) -> [PEMBlock] {
    var blocks: [PEMBlock] = []
    var label: String?
    var content = ""
    for line in text.split(whereSeparator: \.isNewline) {
      let line = line.filter { !$0.isWhitespace || $0 == " " }
      if line.hasPrefix("-----BEGIN "), line.hasSuffix("-----") {
        label = String(line.dropFirst(11).dropLast(5))
        content = ""
      } else if let open = label, line == "-----END \(open)-----" {
        if let data = Data(base64Encoded: content) { blocks.append(PEMBlock(label: open, bytes: Array(data))) }
        label = nil
      } else if label != nil {
        content += line.filter { $0 != " " }
      }
    }
    return blocks
  }
}
