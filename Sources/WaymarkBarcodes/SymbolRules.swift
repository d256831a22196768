/// What a read must show before it is believed, where the symbology itself checks little.
enum SymbolRules {
  /// Whether a read has the length, the check digit and the agreement of scan lines that its symbology needs.
  static func isPlausible(_ symbol: Symbol) -> Bool {
    let text = symbol.text
    switch symbol.symbology {
    case .qr, .sq: return true
    case .ean13, .ean8, .upcA: return GTIN.hasValidCheckDigit(text) && symbol.quality >= 4
    case .upcE: return symbol.quality >= 4
    case .dataBar, .dataBarExpanded: return symbol.quality >= 3
    // A check character modulo 103, but one character can come out of any few bars.
    case .code128: return text.count > 1 || symbol.quality >= 4
    case .code93: return symbol.quality >= 2
    // No check but the parity of each character: the fewer there are, the more lines must agree.
    case .code39: return symbol.quality >= (text.count < 3 ? 8 : text.count < 6 ? 3 : text.count < 10 ? 2 : 1)
    case .codabar: return text.count >= 5 && symbol.quality >= 4
    // Part of an ITF is an ITF: even digits, at least six, and more than a few lines.
    case .itf: return text.count >= 6 && text.count.isMultiple(of: 2) && symbol.quality >= 4
    }
  }
}
