import WaymarkGeometry

/// The parts of a structured append that were found in one picture.
enum QRAppend {
  /// Joins them by their numbers; parts of one message carry the same parity byte (ISO/IEC 18004 clause 8.3).
  ///
  /// - Returns: the whole messages, and what is missing of the others.
  static func join(_ candidates: [QRReader.Candidate]) -> (symbols: [Symbol], incomplete: [IncompleteSymbol]) {
    var messages: [(key: Message.Part, parts: [QRReader.Candidate])] = []
    for candidate in candidates {
      guard var key = candidate.message?.part else { continue }
      key.index = 0
      if let i = messages.firstIndex(where: { $0.key == key }) {
        messages[i].parts.append(candidate)
      } else {
        messages.append((key, [candidate]))
      }
    }
    var symbols: [Symbol] = []
    var incomplete: [IncompleteSymbol] = []
    for (key, parts) in messages {
      var byIndex: [Int: Message] = [:]
      for message in parts.compactMap(\.message) { if let part = message.part { byIndex[part.index] = message } }
      let corners = parts.map(\.grid.corners)
      let count = key.count ?? 1
      let ordered = (0..<count).compactMap { byIndex[$0] }
      if ordered.count == count, var whole = ordered.first {
        for next in ordered.dropFirst() { whole.append(next) }
        let around = corners.count == 1 ? corners[0] : Quadrilateral(enclosing: corners.flatMap(\.corners))
        if let symbol = Symbol(qr: whole, corners: around) { symbols.append(symbol) }
      } else {
        let present = byIndex.keys.map { $0 + 1 }.sorted()
        incomplete.append(
          IncompleteSymbol(
            count: count, present: present, missing: Set(1...count).subtracting(present).sorted(), corners: corners))
      }
    }
    return (symbols, incomplete)
  }
}

extension Symbol {
  /// A QR code by its message; `nil` where there is nothing in it.
  init?(qr message: Message, corners: Quadrilateral) {
    guard !message.isEmpty else { return nil }
    let (text, charset) = message.decoded
    self.init(
      symbology: .qr, text: text, bytes: message.bytes, charset: charset,
      gs1: message.isGS1 ? GS1Element.parse(text) ?? [] : [], corners: corners, pass: .modules)
  }
}
