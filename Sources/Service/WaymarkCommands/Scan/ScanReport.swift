import FoundationEssentials
import WaymarkBarcodes
import WaymarkImage
import WaymarkOnboarding
import WaymarkProtocol
import WaymarkService
import WaymarkSystem

/// The result for one input or one of its pages: the object that `--json` prints.
struct ScanReport: Sendable, Encodable {
  enum Outcome: String, Sendable, Encodable {
    case successful
    case invalid
    case unsuccessful
    case error
  }

  let input: String
  /// The number of the page, from 1, in a file with several pages.
  var page: Int?
  var width: Int?
  var height: Int?
  /// The seconds of scanning alone, with the picture already gray in memory.
  var elapsed: Double?
  /// True if the file ended before the picture did.
  var isTruncated = false
  /// True if the scan ended at the limit of work for a picture, so that further codes may be missing.
  var isLimited = false
  var outcome = Outcome.error
  var reason: String?
  /// The reason in words, for people; not in the JSON object.
  var explanation: String?
  var kind: String?
  var connectTo: String?
  var fields: [PayloadField]?
  var missing: [Int] = []
  /// Advice on how to make an unread code readable.
  var advice: UnreadCode.Advice?
  /// The index in `symbols` of the code that the verdict is about.
  var chosen: Int?
  var symbols: [Symbol] = []
  var error: ImageError?
  /// The outlines of codes that were not read, or read only in part; not in the JSON object.
  var unread: [Quadrilateral] = []
  /// The error of writing the annotated picture; not in the JSON object.
  var annotationError: ImageError?

  /// True if the input was found in a folder, not named itself; not in the JSON object.
  var isFound = false

  /// The name of the input or page, for people.
  var name: String { InputPage.name(input, page) }

  /// True if the input is a file that was found in a folder and is not a picture.
  var isNoPicture: Bool {
    isFound && [.unknownFormat, .unsupportedFormat, .emptyFile].contains(error?.code)
  }

  /// The exit status of the command if no other report has a worse one.
  package var exitStatus: ExitStatus {
    let own: ExitStatus =
      switch outcome {
      case .successful: .success
      case .invalid: .invalid
      case .unsuccessful: .nothingFound
      case .error: error?.exitStatus ?? .badData
      }
    return annotationError.map { max(own, $0.exitStatus) } ?? own
  }

  enum Key: String, CodingKey {
    case input, page, width, height, elapsed, truncated, limited, outcome, reason, kind, connectTo, fields, missing,
      advice,
      chosen,
      symbols
    case error
    case symbology, text, bytesBase64, charset, corners, quality, pass, gs1, addOn, part, composite, label
    case identifier, value
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(input, forKey: .input)
    try container.encodeIfPresent(page, forKey: .page)
    try container.encode(width, forKey: .width)
    try container.encode(height, forKey: .height)
    try container.encode(elapsed, forKey: .elapsed)
    if isTruncated { try container.encode(true, forKey: .truncated) }
    if isLimited { try container.encode(true, forKey: .limited) }
    try container.encode(outcome.rawValue, forKey: .outcome)
    try container.encodeIfPresent(reason, forKey: .reason)
    try container.encodeIfPresent(kind, forKey: .kind)
    try container.encodeIfPresent(connectTo, forKey: .connectTo)
    if let fields { try container.encode(Self.object(of: fields), forKey: .fields) }
    if !missing.isEmpty { try container.encode(missing, forKey: .missing) }
    try container.encodeIfPresent(advice?.rawValue, forKey: .advice)
    try container.encodeIfPresent(chosen, forKey: .chosen)
    var list = container.nestedUnkeyedContainer(forKey: .symbols)
    for symbol in symbols { try list.encode(SymbolReport(symbol: symbol)) }
    let reported = error.map { ServiceError(.init(rawValue: $0.code.rawValue), $0.message, hint: $0.hint) }
    try container.encodeIfPresent(reported, forKey: .error)
  }

  /// Returns the fields by name; several fields with one name become a list.
  private static func object(of fields: [PayloadField]) -> JSONValue {
    let grouped = Dictionary(grouping: fields, by: \.name)
    return .object(
      grouped.mapValues { same in
        same.count == 1 ? .string(same[0].value) : .array(same.map { .string($0.value) })
      })
  }
}

/// The JSON object of one code.
private struct SymbolReport: Encodable {
  let symbol: Symbol

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: ScanReport.Key.self)
    try container.encode(symbol.symbology.rawValue, forKey: .symbology)
    try container.encode(symbol.text, forKey: .text)
    try container.encode(Data(symbol.bytes).base64EncodedString(), forKey: .bytesBase64)
    try container.encode(symbol.charset.rawValue, forKey: .charset)
    try container.encode(symbol.corners.corners.map { [$0.x, $0.y] }, forKey: .corners)
    try container.encode(symbol.quality, forKey: .quality)
    try container.encode(symbol.pass.rawValue, forKey: .pass)
    if !symbol.gs1.isEmpty {
      var list = container.nestedUnkeyedContainer(forKey: .gs1)
      for element in symbol.gs1 {
        var object = list.nestedContainer(keyedBy: ScanReport.Key.self)
        try object.encode(element.identifier, forKey: .identifier)
        try object.encode(element.value, forKey: .value)
      }
    }
    try container.encodeIfPresent(symbol.addOn, forKey: .addOn)
    let part = symbol.part.map { MessagePart(index: $0.index, count: $0.count, id: $0.id) }
    try container.encodeIfPresent(part, forKey: .part)
    try container.encodeIfPresent(ScanWire.composite(symbol), forKey: .composite)
    try container.encodeIfPresent(ScanWire.label(symbol), forKey: .label)
  }
}

extension ImageErrorCode: CommandErrorCode {
  package var exitStatus: ExitStatus {
    switch self {
    case .cannotOpen: .cannotOpen
    case .cannotWrite: .cannotWrite
    default: .badData
    }
  }
}

extension ScanReport {
  /// Returns the marks of the report for the annotated picture.
  ///
  /// - Parameter isVerdict: true if the report accepts or refuses one of the codes.
  func marks(isVerdict: Bool) -> [AnnotationMark] {
    let codes = symbols.enumerated().map { index, symbol in
      let colour: Colour =
        if !isVerdict { .green } else if index != chosen { .blue } else {
          outcome == .successful ? .green : .red
        }
      return AnnotationMark(corners: symbol.corners, label: symbol.symbology.displayName, colour: colour)
    }
    return codes + unread.map { AnnotationMark(corners: $0, label: "not read", colour: .orange) }
  }
}
