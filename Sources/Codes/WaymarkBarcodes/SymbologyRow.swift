import CZBar
import WaymarkSystem

/// The constant properties of a symbology, its rules and its readers, as a row of a table. The rows are below, with the types of
/// their columns: `AIMIdentifier`, `MatrixReader`, and `LinearRules`, the evidence that a 1-D code requires.
struct SymbologyRow {
  let name: String
  /// Other names that `Symbology(name:)` accepts, in small letters and digits, separated by blanks.
  var aliases = ""
  var isOnRequest = false
  let aim: AIMIdentifier
  /// The type in libzbar; nil if libzbar does not decode the symbology.
  let zbar: zbar_symbol_type_t?
  let kind: Kind

  /// The rules and the reader, by the arrangement of the elements.
  enum Kind {
    /// A matrix symbology: the sizes of its symbols in modules, and its reader. QR codes are found by `QRSearch`.
    case matrix(grids: @Sendable () -> [(columns: Int, rows: Int)], MatrixReader?)
    case linear(LinearRules)

    /// Returns the kind of a four-state postal symbology; the readers of all these share one search for rows of bars.
    ///
    /// - Parameter order: the position of the reader's detections among the detections of all readers.
    static func fourState(_ symbology: Symbology, order: Int) -> Kind {
      .matrix(
        grids: { [] },
        MatrixReader(order: order, turn: 6) { FourStateReader.detections(&$0, symbology) })
    }
  }

  var linear: LinearRules? { if case .linear(let rules) = kind { rules } else { nil } }

  var reader: MatrixReader? { if case .matrix(_, let reader) = kind { reader } else { nil } }
}

/// The symbology identifier of ISO/IEC 15424, such as `]C1`.
enum AIMIdentifier {
  case always(String)
  /// One identifier for GS1 element strings, and `plain` for other content.
  case gs1(String, plain: String)
  /// An identifier and data that depend on the text and the add-on.
  case computed((_ text: String, _ addOn: String?) -> (identifier: String, data: String))
}

/// The reader of a matrix symbology, with its position in the order of reports and its turn in live frames.
struct MatrixReader: Sendable {
  /// The position of this reader's detections among the detections of all readers.
  let order: Int
  /// The index of the reader's turn in live frames. Readers with the same index share a search.
  let turn: Int
  let detections: @Sendable (inout MatrixSearch) -> [MatrixDetection]
}

/// The evidence that is required to accept a 1-D code, and the readers of single lines.
struct LinearRules {
  /// Returns the number of scan lines that must agree on a content of `length` bytes: in one pass, or in several passes together.
  let lines: (_ length: Int) -> (inOnePass: Int, together: Int)
  /// The quiet zone required on both sides, if a part of a symbol may be a valid symbol; nil if start and stop characters or a check refute
  /// parts.
  var quietZone: QuietZone?
  /// The width of the area on both sides that must be inside the picture, as a share of the length of the bars. It is wider than
  /// any space of a symbol, because bars at the border may be a part of another symbol.
  var inside = 0.0
  /// Returns whether the standard prescribes the length of a content: a content of another length may be a part of a longer symbol.
  var hasNamedLength: (String) -> Bool = { _ in true }
  /// The strength of the symbology's structure, 0 to 2. If two contents claim the same bars, the content of lower strength is
  /// dropped.
  let strength: Int
  /// The least number of bytes from which the symbology's check rarely passes by accident; nil without a check.
  var checkedFrom: Int?
  /// Returns whether a content has a valid length and check digit.
  var isPlausible: (String) -> Bool = { _ in true }
  var isRetail = false
  /// True if every symbol contains GS1 element strings.
  var isGS1 = false
  /// Decodes a scan line; nil if libzbar or a reader of whole strips decodes the symbology instead.
  var read: ((LinearLine) -> LinearRead?)?
  /// False if a symbol does not show its direction of reading: a line is then decoded only from left to right, or upwards if it is
  /// vertical.
  var readsBothWays = true
  /// Decodes a line that lacks quiet zones or is blurred, if libzbar reads nothing.
  var readCrowded: ((LinearLine) -> LinearRead?)?

  /// Returns the quiet zone required on both sides of a content; nil if none is required.
  func zone(of bytes: [UInt8]) -> QuietZone? {
    var zone = quietZone
    if let named = zone?.named, hasNamedLength(String(decoding: bytes, as: UTF8.self)) { zone?.modules = named }
    return zone
  }

  /// The rules of EAN and UPC-A: a check digit, and the number of lines that libzbar requires for EAN at full density.
  static var checkedRetail: LinearRules {
    LinearRules(
      lines: { _ in (4, 3) }, strength: 2, checkedFrom: 0, isPlausible: { GTIN.hasValidCheckDigit($0) }, isRetail: true)
  }

  /// Returns the rules of DataBar with one GTIN: a checksum modulo 79 or 89.
  static func dataBar(reading read: ((LinearLine) -> LinearRead?)? = nil) -> LinearRules {
    LinearRules(
      lines: { _ in (4, 4) }, strength: 2, checkedFrom: 0,
      isPlausible: { GTIN.hasValidCheckDigit($0.hasPrefix("01") && $0.count == 16 ? String($0.dropFirst(2)) : $0) },
      isGS1: true, read: read)
  }
}

extension Symbology {
  /// Returns the symbology identifier of a code (ISO/IEC 15424, AIM), and the data that the standard prescribes after it.
  ///
  /// - Parameters:
  ///   - isGS1: true if the code declares GS1 element strings.
  ///   - addOn: the digits of the add-on beside a retail code.
  ///   - component: the element strings of the 2-D component above a linear code.
  package func identified(
    _ text: String, isGS1: Bool, addOn: String? = nil, component: String? = nil
  ) -> (identifier: String, data: String) {
    if let component {
      return ("]e0", GS1Element.concatenated(elements(text, component: component)))
    }
    return switch row.aim {
    case .always(let identifier): (identifier, text)
    case .gs1(let identifier, let plain): (isGS1 ? identifier : plain, text)
    case .computed(let identify): identify(text, addOn)
    }
  }

  /// Returns the elements of a linear GS1 code, then the elements of its 2-D component. The digits of a retail code become the
  /// element 01, a GTIN of fourteen digits.
  func elements(_ text: String, component: String) -> [GS1Element] {
    var string = text
    if row.linear?.isRetail == true {
      let digits = self == .upcE ? RetailPattern.expanded(text) ?? text : text
      string = "01" + digits.zeroPadded(to: 14)
    }
    return [string, component].flatMap { GS1Element.parse($0) ?? [] }
  }

  /// The row of the symbology. Every property of `Symbology` derives from it.
  var row: SymbologyRow {
    switch self {
    case .qr:
      SymbologyRow(
        name: "QR Code", aliases: "qrcode", aim: .gs1("]Q3", plain: "]Q1"), zbar: ZBAR_QRCODE,
        kind: .matrix(grids: { Self.squares((1...40).map { 17 + 4 * $0 }) }, nil))
    case .sq:
      SymbologyRow(
        name: "SQ Code", aliases: "sqcode", isOnRequest: true, aim: .always(Self.otherIdentifier), zbar: ZBAR_SQCODE,
        kind: .matrix(grids: { [] }, nil))
    case .ean13:
      SymbologyRow(
        name: "EAN-13", aim: .computed { Self.retail($0, addOn: $1) }, zbar: ZBAR_EAN13, kind: .linear(.checkedRetail))
    case .ean8:
      SymbologyRow(name: "EAN-8", aim: .always("]E4"), zbar: ZBAR_EAN8, kind: .linear(.checkedRetail))
    case .upcA:
      SymbologyRow(
        name: "UPC-A", aim: .computed { Self.retail("0" + $0, addOn: $1) }, zbar: ZBAR_UPCA,
        kind: .linear(.checkedRetail))
    case .upcE:
      // The check digit has no bars; the parities of the six digits encode it. The quiet zone is seven modules wide at least.
      SymbologyRow(
        name: "UPC-E", aim: .computed { Self.retail(RetailPattern.expanded($0).map { "0" + $0 } ?? $0, addOn: $1) },
        zbar: ZBAR_UPCE,
        kind: .linear(
          LinearRules(
            lines: { _ in (10, 10) }, inside: 7 / 51.0, strength: 1, isRetail: true)))
    case .code128:
      // A check character modulo 103. Any bars may look like symbols of fewer than three characters.
      SymbologyRow(
        name: "Code 128", aliases: "gs1128", aim: .gs1("]C1", plain: "]C0"), zbar: ZBAR_CODE128,
        kind: .linear(
          LinearRules(
            lines: { $0 > 2 ? (2, 2) : (8, 8) }, strength: 2, checkedFrom: 4,
            readCrowded: { Code128Line.read($0, characters: 3) })))
    case .code39:
      // The only check is the parity of each character: the fewer characters, the more lines must agree.
      SymbologyRow(
        name: "Code 39", aim: .computed { text, _ in (Code39.isPlain(text) ? "]A0" : "]A4", text) }, zbar: ZBAR_CODE39,
        kind: .linear(
          LinearRules(
            lines: { $0 < 3 ? (14, 14) : $0 < 6 ? (6, 5) : $0 < 10 ? (3, 3) : (2, 2) }, strength: 1,
            readCrowded: Code39.read)))
    case .code93:
      // Two check characters modulo 47.
      SymbologyRow(
        name: "Code 93", aim: .always("]G0"), zbar: ZBAR_CODE93,
        kind: .linear(LinearRules(lines: { _ in (2, 2) }, strength: 2, checkedFrom: 0)))
    case .codabar:
      // The length includes the start and stop characters. Any stripes may look like fewer than three digits.
      SymbologyRow(
        name: "Codabar", aliases: "nw7", aim: .always("]F0"), zbar: ZBAR_CODABAR,
        kind: .linear(
          LinearRules(
            lines: { _ in (4, 4) }, strength: 0, isPlausible: { $0.count >= 5 })))
    case .itf:
      // In an ITF, any part with an even number of digits is a valid ITF, so a short content may be a part.
      SymbologyRow(
        name: "ITF", aliases: "i25 interleaved2of5", aim: .always("]I0"), zbar: ZBAR_I25,
        kind: .linear(
          LinearRules(
            lines: { _ in (10, 14) }, quietZone: QuietZone(modules: 10, named: 4),
            hasNamedLength: { $0.count == 14 && GTIN.hasValidCheckDigit($0) }, strength: 0,
            isPlausible: { $0.count >= 6 && $0.count.isMultiple(of: 2) },
            readCrowded: TwoOfFive.interleaved)))
    case .dataBar:
      SymbologyRow(
        name: "DataBar", aliases: "gs1databar", aim: .always("]e0"), zbar: ZBAR_DATABAR, kind: .linear(.dataBar()))
    case .dataBarExpanded:
      // libzbar finds its segments separately and may join segments of two rows or two codes.
      SymbologyRow(
        name: "DataBar Expanded", aliases: "databarexp gs1databarexpanded databarexpandedstacked", aim: .always("]e0"),
        zbar: ZBAR_DATABAR_EXP,
        kind: .linear(LinearRules(lines: { _ in (8, 8) }, strength: 2, checkedFrom: 0, isGS1: true)))
    case .dataBarLimited:
      SymbologyRow(
        name: "DataBar Limited", aliases: "databarltd gs1databarlimited", aim: .always("]e0"), zbar: nil,
        kind: .linear(.dataBar(reading: DataBarLimitedReader.read)))
    case .code32:
      // libzbar reads it as Code 39.
      SymbologyRow(
        name: "Code 32", aliases: "italianpharmacode", isOnRequest: true, aim: .always(Self.otherIdentifier), zbar: nil,
        kind: .linear(LinearRules(lines: { _ in (2, 2) }, strength: 2)))
    case .standard2of5:
      // Any bars may look like one or two digits.
      SymbologyRow(
        name: "Standard 2 of 5", aliases: "industrial2of5 std2of5", isOnRequest: true,
        aim: .always(Self.otherIdentifier), zbar: nil,
        kind: .linear(
          LinearRules(
            lines: { _ in (8, 10) }, quietZone: QuietZone(modules: 10), strength: 0, isPlausible: { $0.count >= 4 },
            read: PlainTwoOfFive.industrial)))
    case .iata2of5:
      SymbologyRow(
        name: "IATA 2 of 5", aliases: "airline2of5", isOnRequest: true, aim: .always("]R0"), zbar: nil,
        kind: .linear(
          LinearRules(
            lines: { _ in (8, 10) }, quietZone: QuietZone(modules: 10), strength: 0, read: PlainTwoOfFive.iata)))
    case .matrix2of5:
      SymbologyRow(
        name: "Matrix 2 of 5", isOnRequest: true, aim: .always(Self.otherIdentifier), zbar: nil,
        kind: .linear(
          LinearRules(
            lines: { _ in (8, 10) }, quietZone: QuietZone(modules: 10), strength: 0, read: PlainTwoOfFive.matrix)))
    case .code11:
      SymbologyRow(
        name: "Code 11", aliases: "usd8", isOnRequest: true, aim: .computed { text, _ in Code11.identified(text) },
        zbar: nil,
        kind: .linear(
          LinearRules(lines: { _ in (6, 8) }, quietZone: QuietZone(modules: 10), strength: 1, read: Code11.read)))
    case .code11Unchecked:
      SymbologyRow(
        name: "Code 11, unchecked", isOnRequest: true, aim: .always(Self.otherIdentifier), zbar: nil,
        kind: .linear(
          LinearRules(lines: { _ in (8, 10) }, quietZone: QuietZone(modules: 10), strength: 0, read: Code11.unchecked)))
    case .msi:
      SymbologyRow(
        name: "MSI", aliases: "msiplessey modifiedplessey", isOnRequest: true, aim: .always("]M0"), zbar: nil,
        kind: .linear(
          LinearRules(
            lines: { _ in (6, 8) }, quietZone: QuietZone(modules: 12, narrowest: 4), strength: 1, read: MSI.read)))
    case .msiUnchecked:
      // Any digits fit; MSI, with a right check digit, is stronger.
      SymbologyRow(
        name: "MSI, unchecked", isOnRequest: true, aim: .always(Self.otherIdentifier), zbar: nil,
        kind: .linear(
          LinearRules(
            lines: { _ in (8, 10) }, quietZone: QuietZone(modules: 12, narrowest: 4), strength: 0, read: MSI.unchecked))
      )
    case .telepen:
      // A check byte modulo 127, and the parity of each byte.
      SymbologyRow(
        name: "Telepen", isOnRequest: true, aim: .always(Self.otherIdentifier), zbar: nil,
        kind: .linear(
          LinearRules(lines: { _ in (2, 2) }, quietZone: QuietZone(modules: 10), strength: 2, read: Telepen.read)))
    case .pharmacode:
      SymbologyRow(
        name: "Pharmacode", isOnRequest: true, aim: .always(Self.otherIdentifier), zbar: nil,
        kind: .linear(
          LinearRules(
            lines: { _ in (8, 10) }, quietZone: QuietZone(modules: 4), strength: 0, read: Pharmacode.read,
            readsBothWays: false)))
    case .pharmacode2:
      SymbologyRow(
        name: "Pharmacode, two tracks", aliases: "pharmacodetwotracks twotrackpharmacode", isOnRequest: true,
        aim: .always(Self.otherIdentifier), zbar: nil,
        kind: .linear(LinearRules(lines: { _ in (2, 2) }, strength: 0)))
    case .ean2:
      // An add-on becomes a property of another symbol, never a symbol.
      SymbologyRow(
        name: "EAN-2", isOnRequest: true, aim: .always(Self.otherIdentifier), zbar: nil,
        kind: .linear(LinearRules(lines: { _ in (2, 2) }, strength: 2, isPlausible: { _ in false })))
    case .ean5:
      SymbologyRow(
        name: "EAN-5", isOnRequest: true, aim: .always(Self.otherIdentifier), zbar: nil,
        kind: .linear(LinearRules(lines: { _ in (2, 2) }, strength: 2, isPlausible: { _ in false })))
    case .dataMatrix:
      SymbologyRow(
        name: "Data Matrix", aliases: "gs1datamatrix dmre", aim: .gs1("]d2", plain: "]d1"), zbar: nil,
        kind: .matrix(
          grids: { DataMatrixSize.all.map { ($0.columns, $0.rows) } },
          MatrixReader(order: 0, turn: 0, detections: DataMatrixReader.detections)))
    case .aztec:
      SymbologyRow(
        name: "Aztec Code", aliases: "azteccode aztecrune aztecrunes", aim: .gs1("]z1", plain: "]z0"), zbar: nil,
        kind: .matrix(
          grids: { Self.squares(AztecDecoder.sides) },
          MatrixReader(order: 1, turn: 2, detections: AztecReader.detections)))
    case .pdf417:
      SymbologyRow(
        name: "PDF417", aim: .always("]L2"), zbar: nil,
        kind: .matrix(grids: { [] }, MatrixReader(order: 6, turn: 1, detections: PDF417Reader.detections)))
    case .microPDF417:
      SymbologyRow(
        name: "MicroPDF417", aim: .always("]L2"), zbar: nil,
        kind: .matrix(grids: { [] }, MatrixReader(order: 5, turn: 4, detections: MicroPDF417Reader.detections)))
    case .microQR:
      SymbologyRow(
        name: "Micro QR Code", aliases: "microqrcode", aim: .always("]Q1"), zbar: nil,
        kind: .matrix(
          grids: { Self.squares([11, 13, 15, 17]) },
          MatrixReader(order: 3, turn: 3, detections: MicroQRReader.detections)))
    case .rMQR:
      SymbologyRow(
        name: "rMQR Code", aliases: "rmqrcode", aim: .always(Self.otherIdentifier), zbar: nil,
        kind: .matrix(grids: { [] }, MatrixReader(order: 4, turn: 3, detections: RMQRReader.detections)))
    case .maxiCode:
      // Modes 2 and 3 hold a structured carrier message.
      SymbologyRow(
        name: "MaxiCode", aim: .computed { text, _ in (text.hasPrefix("[)>\u{1E}01") ? "]U1" : "]U0", text) },
        zbar: nil,
        kind: .matrix(grids: { [] }, MatrixReader(order: 2, turn: 2, detections: MaxiCodeReader.detections)))
    case .dotCode:
      SymbologyRow(
        name: "DotCode", aliases: "gs1dotcode", isOnRequest: true, aim: .gs1("]J1", plain: "]J0"), zbar: nil,
        kind: .matrix(grids: { [] }, MatrixReader(order: 7, turn: 5, detections: DotCodeReader.detections)))
    case .intelligentMail:
      SymbologyRow(
        name: "Intelligent Mail", aliases: "intelligentmailbarcode imb imail onecode usps4cb", isOnRequest: true,
        aim: .always(Self.otherIdentifier), zbar: nil, kind: .fourState(.intelligentMail, order: 8))
    case .rm4scc:
      SymbologyRow(
        name: "RM4SCC", aliases: "royalmail royalmail4scc royalmail4statecustomercode cbc", isOnRequest: true,
        aim: .always(Self.otherIdentifier), zbar: nil, kind: .fourState(.rm4scc, order: 9))
    case .mailmark:
      SymbologyRow(
        name: "Mailmark", aliases: "royalmailmailmark mailmark4state", isOnRequest: true,
        aim: .always(Self.otherIdentifier), zbar: nil, kind: .fourState(.mailmark, order: 10))
    case .kix:
      SymbologyRow(
        name: "KIX", aliases: "kixcode", isOnRequest: true, aim: .always(Self.otherIdentifier), zbar: nil,
        kind: .fourState(.kix, order: 11))
    case .australiaPost:
      SymbologyRow(
        name: "Australia Post", aliases: "auspost", isOnRequest: true, aim: .always(Self.otherIdentifier), zbar: nil,
        kind: .fourState(.australiaPost, order: 12))
    case .japanPost:
      SymbologyRow(
        name: "Japan Post", isOnRequest: true, aim: .always(Self.otherIdentifier), zbar: nil,
        kind: .fourState(.japanPost, order: 13))
    case .hanXin:
      SymbologyRow(
        name: "Han Xin Code", aliases: "hanxincode chinesesensiblecode", isOnRequest: true, aim: .always("]h0"),
        zbar: nil,
        kind: .matrix(
          grids: { Self.squares(HanXinLayout.versions.map(HanXinLayout.side)) },
          MatrixReader(order: 14, turn: 7, detections: HanXinReader.detections)))
    }
  }

  private static func squares(_ sides: [Int]) -> [(columns: Int, rows: Int)] { sides.map { ($0, $0) } }

  /// Returns the identifier and the data of a retail code: its thirteen digits, followed by the digits of the add-on (ISO/IEC
  /// 15424, table 2 and annex B.2).
  private static func retail(_ digits: String, addOn: String?) -> (identifier: String, data: String) {
    addOn.map { ("]E3", digits + $0) } ?? ("]E0", digits)
  }
}
