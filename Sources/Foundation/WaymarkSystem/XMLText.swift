/// Text between the tags and in the attributes of XML 1.0 and HTML, and back.
package enum XMLText {
  private static let entities: [(byte: UInt8, name: String)] = [
    (UInt8(ascii: "&"), "&amp;"), (UInt8(ascii: "<"), "&lt;"), (UInt8(ascii: ">"), "&gt;"),
    (UInt8(ascii: "\""), "&quot;"),
  ]

  /// A string with its markup characters as entities.
  ///
  /// - Parameter unwritable: replaces each control character that XML 1.0 has no way to write (section 2.2).
  package static func escaped(_ text: String, unwritable: String = "\u{FFFD}") -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\u{0}"..."\u{8}", "\u{B}", "\u{C}", "\u{E}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": result += unwritable
      default:
        if let entity = entities.first(where: { $0.byte == scalar.value }) {
          result += entity.name
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result
  }

  /// The bytes that `escaped` was made from; an ampersand that begins none of its entities stays.
  package static func unescaped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var place = bytes.startIndex
    while place < bytes.endIndex {
      if bytes[place] == UInt8(ascii: "&"),
        let entity = entities.first(where: { bytes[place...].starts(with: $0.name.utf8) })
      {
        result.append(entity.byte)
        place += entity.name.utf8.count
      } else {
        result.append(bytes[place])
        place += 1
      }
    }
    return result
  }
}
