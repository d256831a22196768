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
  /// GS1 DataBar Omnidirectional, Truncated and Stacked, ISO/IEC 24724.
  case dataBar
  /// GS1 DataBar Expanded, in one row or stacked.
  case dataBarExpanded
  /// GS1 DataBar Limited.
  case dataBarLimited
  /// Code 32, the Italian pharmacode: nine digits as a Code 39 of six characters.
  case code32
  /// Standard (industrial) 2 of 5.
  case standard2of5
  /// Telepen, full ASCII.
  case telepen
  /// Pharmacode (Laetus), one track.
  case pharmacode
  /// The add-on of two digits beside an EAN-13, UPC-A or UPC-E; told as the `addOn` of that symbol.
  case ean2
  /// The add-on of five digits.
  case ean5
  /// Data Matrix ECC 200, ISO/IEC 16022, and its rectangular extension, ISO/IEC 21471.
  case dataMatrix
  /// Aztec Code, ISO/IEC 24778: full, compact, and runes.
  case aztec
  /// PDF417, ISO/IEC 15438, truncated ones included.
  case pdf417
  /// MicroPDF417, ISO/IEC 24728.
  case microPDF417
  /// Micro QR Code, ISO/IEC 18004.
  case microQR
  /// Rectangular Micro QR Code, ISO/IEC 23941.
  case rMQR
  /// MaxiCode, ISO/IEC 16023.
  case maxiCode

  /// Those that are only looked for where they are asked for: hardly anybody prints SQ Codes, and the others check so little
  /// that they are read where there are none.
  public static let onRequest: Set<Symbology> = [.sq, .code32, .standard2of5, .telepen, .pharmacode, .ean2, .ean5]

  /// The symbologies that a still picture is searched for: every one but those on request.
  public static let common: Set<Symbology> = Set(allCases).subtracting(onRequest)

  /// The symbologies of retail, which share bars of the same make.
  public static let retail: Set<Symbology> = [.ean13, .ean8, .upcA, .upcE]

  /// True if its elements lie in a plane rather than along a line.
  public var isMatrix: Bool {
    switch self {
    case .qr, .sq, .dataMatrix, .aztec, .pdf417, .microPDF417, .microQR, .rMQR, .maxiCode: true
    default: false
    }
  }

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
    case .dataBarLimited: "DataBar Limited"
    case .code32: "Code 32"
    case .standard2of5: "Standard 2 of 5"
    case .telepen: "Telepen"
    case .pharmacode: "Pharmacode"
    case .ean2: "EAN-2"
    case .ean5: "EAN-5"
    case .dataMatrix: "Data Matrix"
    case .aztec: "Aztec Code"
    case .pdf417: "PDF417"
    case .microPDF417: "MicroPDF417"
    case .microQR: "Micro QR Code"
    case .rMQR: "rMQR Code"
    case .maxiCode: "MaxiCode"
    }
  }

  /// The symbology that somebody means by a word: case, blanks, hyphens and underscores do not matter.
  public init?(name: String) {
    let key = name.lowercased().filter { $0.isLetter || $0.isNumber }
    let aliases: [String: Symbology] = [
      "qrcode": .qr, "azteccode": .aztec, "microqrcode": .microQR, "rmqrcode": .rMQR, "sqcode": .sq, "nw7": .codabar,
      "i25": .itf, "industrial2of5": .standard2of5, "std2of5": .standard2of5, "italianpharmacode": .code32,
      "interleaved2of5": .itf,
      "databarexp": .dataBarExpanded, "databarltd": .dataBarLimited, "gs1databarlimited": .dataBarLimited,
      "databarexpandedstacked": .dataBarExpanded,
      "aztecrune": .aztec, "aztecrunes": .aztec, "gs1datamatrix": .dataMatrix, "dmre": .dataMatrix,
      "gs1databar": .dataBar, "gs1databarexpanded": .dataBarExpanded, "gs1128": .code128,
    ]
    guard let found = Self.allCases.first(where: { $0.rawValue.lowercased() == key }) ?? aliases[key] else {
      return nil
    }
    self = found
  }
}
