/// A kind of code that can be read.
public enum Symbology: String, Hashable, Sendable, CaseIterable, Codable {
  /// QR Code, ISO/IEC 18004.
  case qr
  /// SQ Code, a 2-D code of a Brazilian payment service.
  case sq
  /// EAN-13, ISO/IEC 15420.
  case ean13
  /// EAN-8, ISO/IEC 15420: eight digits.
  case ean8
  /// UPC-A: an EAN-13 with a leading zero, twelve digits.
  case upcA
  /// UPC-E: a zero-suppressed UPC-A, eight digits with its check digit and number system 0, the one that ISO/IEC 15420 defines.
  case upcE
  /// Code 128, ISO/IEC 15417; GS1-128 if its first character is FNC1.
  case code128
  /// Code 39, ISO/IEC 16388.
  case code39
  /// Code 93, which has two check characters.
  case code93
  /// Codabar (NW-7); its start and stop characters are part of the text.
  case codabar
  /// Interleaved 2 of 5, ISO/IEC 16390: six digits and more.
  case itf
  /// GS1 DataBar Omnidirectional, Truncated and Stacked, ISO/IEC 24724.
  case dataBar
  /// GS1 DataBar Expanded, in one row or stacked.
  case dataBarExpanded
  /// GS1 DataBar Limited, ISO/IEC 24724.
  case dataBarLimited
  /// Code 32, the Italian pharmacode: nine digits encoded as a Code 39 of six characters.
  case code32
  /// Standard (industrial) 2 of 5.
  case standard2of5
  /// IATA 2 of 5, of air cargo: the digits of Standard 2 of 5 between the guards of ITF.
  case iata2of5
  /// Matrix 2 of 5: three bars and two spaces per digit, with a narrow space between digits.
  case matrix2of5
  /// Code 11 (USD-8) with one or two check characters.
  case code11
  /// Code 11 with any or no check characters; reported as ``code11`` if that is also requested and the check characters are
  /// right.
  case code11Unchecked
  /// MSI (modified Plessey) with a check digit.
  case msi
  /// MSI with any or no check digit; reported as ``msi`` if that is also requested and the check digit is right.
  case msiUnchecked
  /// Telepen, full ASCII.
  case telepen
  /// Pharmacode (Laetus), one track.
  case pharmacode
  /// Pharmacode (Laetus), two tracks, of six to sixteen bars, read upright.
  case pharmacode2
  /// The add-on of two digits beside an EAN-13, UPC-A or UPC-E; reported as the `addOn` of that symbol.
  case ean2
  /// The add-on of five digits, reported like ``ean2``.
  case ean5
  /// Data Matrix ECC 200, ISO/IEC 16022, and its rectangular extension, ISO/IEC 21471.
  case dataMatrix
  /// Aztec Code, ISO/IEC 24778: full, compact, and runes.
  case aztec
  /// PDF417, ISO/IEC 15438, including truncated symbols.
  case pdf417
  /// MicroPDF417, ISO/IEC 24728.
  case microPDF417
  /// Micro QR Code, ISO/IEC 18004.
  case microQR
  /// Rectangular Micro QR Code, ISO/IEC 23941.
  case rMQR
  /// MaxiCode, ISO/IEC 16023.
  case maxiCode
  /// DotCode, AIM ISS DotCode Rev. 4: dots on a chequerboard, as ink jets print them.
  case dotCode
  /// Intelligent Mail of the United States, USPS-B-3200: tracking code and ZIP code.
  case intelligentMail
  /// The four-state customer code of Royal Mail (RM4SCC); the text is without the check character.
  case rm4scc
  /// Royal Mail Mailmark, four-state barcodes C and L; the postcode in the text has nine characters, padded with blanks.
  case mailmark
  /// KIX of PostNL: a Dutch postcode and house number, without a check.
  case kix
  /// Australia Post: format control code, delivery point identifier, and the customer information undecoded, a digit 0 to 3
  /// per bar.
  case australiaPost
  /// The customer barcode of Japan Post: postcode, and numbers and letters of the address.
  case japanPost
  /// Han Xin Code, ISO/IEC 20830.
  case hanXin

  /// The symbologies that are read only on request. SQ Code is rare; DotCode, Han Xin Code and postal codes take time in every
  /// picture; all others have such weak checks that they would be read in pictures without codes.
  public static let onRequest: Set<Symbology> = Set(allCases.filter(\.row.isOnRequest))

  /// The symbologies that a still picture is searched for by default: all except those on request.
  public static let common: Set<Symbology> = Set(allCases).subtracting(onRequest)

  /// The retail symbologies EAN and UPC, whose bars have the same structure.
  public static let retail: Set<Symbology> = Set(allCases.filter { $0.row.linear?.isRetail == true })

  /// True if the elements of a symbol are arranged in two dimensions rather than along a line.
  public var isMatrix: Bool { row.linear == nil }

  /// The name for display.
  public var displayName: String { row.name }

  /// Creates the symbology with a name or alias; case, blanks, hyphens and underscores are ignored.
  public init?(name: String) {
    let key = name.lowercased().filter { $0.isLetter || $0.isNumber }
    let found = Self.allCases.first { $0.rawValue.lowercased() == key }
    guard
      let found = found ?? Self.allCases.first(where: { $0.row.aliases.split(separator: " ").contains { $0 == key } })
    else { return nil }
    self = found
  }

  /// Returns every symbology for `all`, including those on request, or the symbology with this name or alias; nil if no symbology
  /// has the name.
  public static func named(_ word: String) -> Set<Symbology>? {
    word.lowercased() == "all" ? Set(allCases) : Symbology(name: word).map { [$0] }
  }

  /// The symbology identifier (ISO/IEC 15424) of symbologies for which the standard defines none.
  package static let otherIdentifier = "]X0"

  /// The possible sizes of a symbol in modules, without its quiet zone; empty for 1-D symbologies, and for symbologies without
  /// sizes in `SymbologyRow`, such as PDF417.
  package var moduleGrids: [(columns: Int, rows: Int)] {
    if case .matrix(let grids, _) = row.kind { grids() } else { [] }
  }
}
