import Foundation
import WaymarkBarcodes
import WaymarkImage
import WaymarkOnboarding
import WaymarkProtocol
import WaymarkSystem

/// The result for one input, or one page of it: the object that `--json` prints.
struct ScanReport: Sendable, Encodable {
  enum Outcome: String, Sendable, Encodable {
    case successful
    case invalid
    case unsuccessful
    case error
  }

  let input: String
  /// The page of a file of several, from 1.
  let page: Int?
  var width: Int?
  var height: Int?
  /// Seconds of decoding alone, the picture being gray in memory.
  var elapsed: Double?
  /// The file ended before the picture did.
  var isTruncated = false
  /// The picture would have cost more work than one may: what was found by then stands, and there may be more.
  var isLimited = false
  var outcome = Outcome.error
  var reason: String?
  /// Why, in words for a person; not in the object.
  var explanation: String?
  var kind: String?
  var connectTo: String?
  var fields: [PayloadField]?
  var missing: [Int] = []
  /// An advice that would make a code readable that could not be read.
  var advice: UnreadCode.Advice?
  /// Which of the symbols the verdict is about.
  var chosen: Int?
  var symbols: [Symbol] = []
  var error: ImageError?
  /// Where a code is that could not be read, or only in part; not in the object.
  var unread: [Quadrilateral] = []
  /// Why the annotated picture could not be written; not in the object.
  var annotationError: ImageError?

  /// True if it was found below a folder instead of being named; not in the object.
  let isFound: Bool

  init(input: String, page: Int? = nil, isFound: Bool = false) {
    self.input = input
    self.page = page
    self.isFound = isFound
  }

  /// The name of what was read, for people.
  var name: String { InputPage.name(input, page) }

  /// True if it is a file that happens to lie among pictures.
  var isNoPicture: Bool {
    isFound && [.unknownFormat, .unsupportedFormat, .emptyFile].contains(error?.code)
  }

  /// How the command ends if there is nothing worse.
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
    case symbology, text, bytesBase64, charset, corners, quality, pass, gs1, addOn, part, index, count, id
    case identifier, value
    case code, message, hint
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
    if let error {
      var object = container.nestedContainer(keyedBy: Key.self, forKey: .error)
      try object.encode(error.code.rawValue, forKey: .code)
      try object.encode(error.message, forKey: .message)
      try object.encode(error.hint, forKey: .hint)
    }
  }

  /// Fields by name; several of one name become a list.
  private static func object(of fields: [PayloadField]) -> JSONValue {
    let grouped = Dictionary(grouping: fields, by: \.name)
    return .object(
      grouped.mapValues { same in
        same.count == 1 ? .string(same[0].value) : .array(same.map { .string($0.value) })
      })
  }
}

/// One code in the object that `--json` prints.
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
    if let part = symbol.part {
      var object = container.nestedContainer(keyedBy: ScanReport.Key.self, forKey: .part)
      try object.encode(part.index, forKey: .index)
      try object.encodeIfPresent(part.count, forKey: .count)
      try object.encodeIfPresent(part.id, forKey: .id)
    }
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
  /// The marks that the annotated picture shows of it.
  ///
  /// - Parameter isVerdict: whether it says of one of the codes if it is accepted.
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
