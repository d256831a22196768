import WaymarkImage

/// Joins codes of one picture, of any symbology, that carry parts of messages.
struct StructuredAppend {
  /// A code of a picture, with its position and message.
  struct Code {
    var symbology: Symbology
    var message: CodeMessage
    var corners: Quadrilateral
    var pass = ScanPass.modules

    var part: CodeMessage.Fragment? { message.part }

    /// The code as a symbol that is a part of a message; `nil` if it is not a part or is empty.
    var symbol: Symbol? {
      guard let part, var symbol = Symbol(message, symbology: symbology, corners: corners) else { return nil }
      symbol.part = SymbolPart(
        index: part.index + 1, count: part.count, id: part.identifier.isEmpty ? nil : part.identifier)
      symbol.pass = pass
      // Not parsed: an element string may continue in the next part.
      symbol.gs1 = []
      return symbol
    }
  }

  /// The messages, complete or not, that the codes carry.
  struct Outcome {
    /// The complete messages, each as one symbol.
    var whole: [Symbol] = []
    /// The parts of incomplete messages, each as a symbol.
    var parts: [Symbol] = []
    var incomplete: [IncompleteSymbol] = []
  }

  private var codes: [Code] = []
  private(set) var outcome = Outcome()

  /// The outlines of the added codes, in pixels of the picture.
  var places: [Quadrilateral] { codes.map(\.corners) }

  /// The largest number of parts of a message whose missing parts are listed: Macro PDF417 has up to 99,999.
  private static let listed = 128

  /// Adds codes in any order; codes that were added before are ignored.
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

  /// Joins the parts of each message by their indices. Parts of one message have the same identifier, and the same
  /// number of parts if they contain it.
  private func joined() -> Outcome {
    var outcome = Outcome()
    var open = codes
    while let first = open.first, let key = first.part {
      func isOfSame(_ code: Code) -> Bool {
        guard code.symbology == first.symbology, let part = code.part, part.identifier == key.identifier else {
          return false
        }
        return part.count == key.count || key.isCountedOnce
      }
      let own = open.filter(isOfSame)
      open.removeAll(where: isOfSame)
      let count = own.compactMap { $0.part?.count }.first
      var byIndex: [Int: Code] = [:]
      var isAmbiguous = false
      for code in own {
        // If only the last part contains the number of parts, that part may belong to another message with the same identifier.
        guard let part = code.part, count.map({ part.index < $0 }) ?? true else { continue }
        // Two messages have the same identifier: the parts cannot be assigned to them.
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

extension Symbol {
  /// Creates the symbol of a matrix code from its message; `nil` if the message is empty.
  init?(_ message: CodeMessage, symbology: Symbology, corners: Quadrilateral) {
    guard !message.isEmpty else { return nil }
    let (text, charset) = message.decoded
    self.init(
      symbology: symbology, text: text, bytes: message.bytes, charset: charset,
      gs1: message.isGS1 ? GS1Element.parse(text) ?? [] : [], corners: corners, pass: .modules)
  }
}
