import WaymarkImage
import WaymarkSystem

/// The codes of one picture that carry parts of messages, of whatever symbology.
struct StructuredAppend {
  /// One of them.
  struct Code {
    var symbology: Symbology
    var message: CodeMessage
    var corners: Quadrilateral
    var pass = ScanPass.modules

    var part: CodeMessage.Fragment? { message.part }

    /// By itself.
    var symbol: Symbol? {
      guard let part, var symbol = Symbol(message, symbology: symbology, corners: corners) else { return nil }
      symbol.part = SymbolPart(part, of: symbology)
      symbol.pass = pass
      // Element strings may go on in the next part.
      symbol.gs1 = []
      return symbol
    }
  }

  /// The result of joining them.
  struct Outcome {
    /// The messages of which every part was seen.
    var whole: [Symbol] = []
    /// The parts of the others.
    var parts: [Symbol] = []
    /// The symbols of which parts are missing.
    var incomplete: [IncompleteSymbol] = []
  }

  private var codes: [Code] = []
  private(set) var outcome = Outcome()

  /// Where the codes are.
  var places: [Quadrilateral] { codes.map(\.corners) }

  /// Messages of more parts than that are told without the numbers of those that are missing: Macro PDF417 counts up to 99,999.
  private static let listed = 128

  /// Adds what was seen, in whatever order; a code that is known already changes nothing.
  mutating func add(_ found: [Code]) {
    let known = codes.count
    for code in found where code.part != nil {
      let isKnown = codes.contains {
        $0.symbology == code.symbology && $0.message == code.message && $0.corners.overlaps(code.corners)
      }
      if !isKnown { codes.append(code) }
    }
    if codes.count > known { outcome = joined() }
  }

  /// Joins parts by their numbers. Those of one message have the identifier in common, and their number where they tell it.
  private func joined() -> Outcome {
    var outcome = Outcome()
    var open = codes
    while let first = open.first, let key = first.part {
      func isOfSame(_ code: Code) -> Bool {
        guard code.symbology == first.symbology, let part = code.part, part.identifier == key.identifier else {
          return false
        }
        return part.count == key.count || first.symbology.isCountedLast
      }
      let own = open.filter(isOfSame)
      open.removeAll(where: isOfSame)
      let count = own.compactMap { $0.part?.count }.first
      var byIndex: [Int: Code] = [:]
      var isAmbiguous = false
      for code in own {
        // A total that only the last part tells may be of another message with the same name.
        guard let part = code.part, count.map({ part.index < $0 }) ?? true else { continue }
        // Two messages that have nothing to tell them apart: nobody knows which part belongs to which.
        if let other = byIndex[part.index], other.message != code.message { isAmbiguous = true }
        byIndex[part.index] = code
      }
      let ordered = byIndex.keys.sorted().compactMap { byIndex[$0] }
      if let count, ordered.count == count, !isAmbiguous {
        var message = CodeMessage()
        for code in ordered { message.append(code.message) }
        let corners =
          ordered.count == 1 ? ordered[0].corners : Quadrilateral(enclosing: ordered.flatMap(\.corners.corners))
        if var symbol = Symbol(message, symbology: first.symbology, corners: corners) {
          symbol.pass = first.pass
          outcome.whole.append(symbol)
        }
      } else {
        outcome.parts += own.compactMap(\.symbol)
        let present = byIndex.keys.map { $0 + 1 }.sorted()
        let missing = count.map { $0 > Self.listed ? [] : Set(1...max(1, $0)).subtracting(present).sorted() } ?? []
        outcome.incomplete.append(
          IncompleteSymbol(
            symbology: first.symbology, count: count, present: present, missing: missing, corners: own.map(\.corners)))
      }
    }
    return outcome
  }
}

extension Symbology {
  /// True if only some parts of a message say how many there are.
  fileprivate var isCountedLast: Bool { self == .pdf417 || self == .microPDF417 }
}

extension SymbolPart {
  /// The place that a code tells of itself, in the notation of its symbology.
  init(_ part: CodeMessage.Fragment, of symbology: Symbology) {
    let words = part.identifier
    let id: String =
      switch symbology {
      case .pdf417, .microPDF417:
        words.map { $0.digits(3) }.joined()
      case .aztec: String(String.UnicodeScalarView(words.compactMap { Unicode.Scalar(UInt32($0)) }))
      default: words.isEmpty ? "" : String(words.reduce(0) { $0 << 8 | $1 })
      }
    self.init(index: part.index + 1, count: part.count, id: id.isEmpty ? nil : id)
  }
}

extension Symbol {
  /// A matrix code by its message; `nil` where there is nothing in it.
  init?(_ message: CodeMessage, symbology: Symbology, corners: Quadrilateral) {
    guard !message.isEmpty else { return nil }
    let (text, charset) = message.decoded
    self.init(
      symbology: symbology, text: text, bytes: message.bytes, charset: charset,
      gs1: message.isGS1 ? GS1Element.parse(text) ?? [] : [], corners: corners, pass: .modules)
  }
}
