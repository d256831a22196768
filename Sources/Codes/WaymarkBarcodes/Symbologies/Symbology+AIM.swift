extension Symbology {
  /// The symbology identifier of a code (ISO/IEC 15424, AIM), and its data as the standard wants them behind it.
  ///
  /// - Parameters:
  ///   - isGS1: whether the code declares GS1 element strings.
  ///   - addOn: the digits beside a code of retail.
  package func identified(_ text: String, isGS1: Bool, addOn: String? = nil) -> (identifier: String, data: String) {
    // Annex B.2: thirteen digits and the add-on as one message.
    if let addOn, [.ean13, .upcA, .upcE].contains(self) {
      return ("]E3", identified(text, isGS1: isGS1).data + addOn)
    }
    return switch self {
    // Table 2 and annex B.2: codes of retail are sent as thirteen digits.
    case .ean13: ("]E0", text)
    case .upcA: ("]E0", "0" + text)
    case .upcE: ("]E0", Self.expanded(text).map { "0" + $0 } ?? text)
    case .ean8: ("]E4", text)
    case .code128: (isGS1 ? "]C1" : "]C0", text)
    // Full ASCII is told by a character that Code 39 itself does not have.
    case .code39: (text.allSatisfy(Self.isCode39) ? "]A0" : "]A4", text)
    case .code93: ("]G0", text)
    case .codabar: ("]F0", text)
    case .itf: ("]I0", text)
    case .dataBar, .dataBarExpanded, .dataBarLimited: ("]e0", text)
    case .dataMatrix: (isGS1 ? "]d2" : "]d1", text)
    case .aztec: (isGS1 ? "]z1" : "]z0", text)
    case .qr: (isGS1 ? "]Q3" : "]Q1", text)
    case .microQR: ("]Q1", text)
    case .pdf417, .microPDF417: ("]L2", text)
    // A structured carrier message is what modes 2 and 3 hold.
    case .maxiCode: (text.hasPrefix("[)>\u{1E}01") ? "]U1" : "]U0", text)
    case .sq, .code32, .standard2of5, .telepen, .pharmacode, .ean2, .ean5, .rMQR: (Self.otherIdentifier, text)
    }
  }

  /// The identifier of codes that the standard has none for.
  package static let otherIdentifier = "]X0"

  private static func isCode39(_ character: Character) -> Bool {
    character.isASCII && (character.isNumber || character.isUppercase || " -.$/+%".contains(character))
  }

  /// The twelve digits of UPC-A that the eight of UPC-E stand for (ISO/IEC 15420, 4.4.4).
  private static func expanded(_ text: String) -> String? {
    let digits = Array(text)
    guard digits.count == 8, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
    let body = digits[1...6].map { $0 }
    let middle: String
    switch body[5] {
    case "0", "1", "2": middle = String(body[0...1]) + String(body[5]) + "0000" + String(body[2...4])
    case "3": middle = String(body[0...2]) + "00000" + String(body[3...4])
    case "4": middle = String(body[0...3]) + "00000" + String(body[4])
    default: middle = String(body[0...4]) + "0000" + String(body[5])
    }
    return String(digits[0]) + middle + String(digits[7])
  }
}
