/// The kinds of code that can be read.
public enum Symbology: String, Hashable, Sendable, CaseIterable, Codable {
  /// QR Code, ISO/IEC 18004.
  case qr
  /// SQ Code, a 2-D code of a Brazilian payment service.
  case sq
  /// EAN-13, ISO/IEC 15420.
  case ean13
  /// EAN-8.
  case ean8
  /// UPC-A: an EAN-13 with a leading zero, twelve digits.
  case upcA
  /// UPC-E: a zero-suppressed UPC-A, eight digits with number system and check digit.
  case upcE
  /// Code 128, ISO/IEC 15417; GS1-128 where its first character is FNC1.
  case code128
  /// Code 39, ISO/IEC 16388.
  case code39
  /// Code 93.
  case code93
  /// Codabar (NW-7).
  case codabar
  /// Interleaved 2 of 5, ISO/IEC 16390.
  case itf
  /// GS1 DataBar Omnidirectional and Truncated, ISO/IEC 24724.
  case dataBar
  /// GS1 DataBar Expanded.
  case dataBarExpanded

  /// Every symbology but SQ Code, which hardly anybody prints: what a still picture is searched for.
  public static let common: Set<Symbology> = Set(allCases).subtracting([.sq])

  /// The symbologies of retail, which share bars of the same make.
  public static let retail: Set<Symbology> = [.ean13, .ean8, .upcA, .upcE]

  /// Whether its elements lie in a plane rather than along a line.
  public var isMatrix: Bool { self == .qr || self == .sq }

  /// The name people know.
  public var displayName: String {
    switch self {
    case .qr: "QR Code"
    case .sq: "SQ Code"
    case .ean13: "EAN-13"
    case .ean8: "EAN-8"
    case .upcA: "UPC-A"
    case .upcE: "UPC-E"
    case .code128: "Code 128"
    case .code39: "Code 39"
    case .code93: "Code 93"
    case .codabar: "Codabar"
    case .itf: "ITF"
    case .dataBar: "DataBar"
    case .dataBarExpanded: "DataBar Expanded"
    }
  }

  /// The symbology that somebody means by a word: case, blanks, hyphens and underscores do not matter.
  public init?(name: String) {
    let key = name.lowercased().filter { $0.isLetter || $0.isNumber }
    let aliases: [String: Symbology] = [
      "qrcode": .qr, "sqcode": .sq, "nw7": .codabar, "i25": .itf, "interleaved2of5": .itf,
      "databarexp": .dataBarExpanded,
      "gs1databar": .dataBar, "gs1databarexpanded": .dataBarExpanded, "gs1128": .code128,
    ]
    guard let found = Self.allCases.first(where: { $0.rawValue.lowercased() == key }) ?? aliases[key] else {
      return nil
    }
    self = found
  }
}
