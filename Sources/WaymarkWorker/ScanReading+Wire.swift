import WaymarkBarcodes
import WaymarkGeometry

extension ScanReading {
  /// No picture holds more codes than this.
  private static let countLimit = 4096
  /// No message of sixteen QR codes holds more bytes than this (ISO/IEC 18004: 2,953 bytes each).
  private static let byteLimit = 1 << 16
  /// No message has more parts (ISO/IEC 15438: they are numbered with five digits).
  private static let partLimit = 100_000
  /// No corner of a code lies as far from its picture's, in pixels.
  private static let reach = -1e6...1e6
  private static let charsets = Charset.allCases
  private static let kinds: [UnreadCode.Kind] = [.qr, .bars, .matrix]
  private static let advices: [UnreadCode.Advice] = [.tooSmall, .tooClose, .blurred, .cutOff, .tooDark, .tooBright]

  func write(to wire: inout WireWriter) {
    wire.list(symbols) { wire, symbol in
      wire.number(symbol.symbology.place)
      wire.text(symbol.text)
      wire.raw(symbol.bytes)
      wire.count(Self.charsets.firstIndex(of: symbol.charset) ?? 0)
      wire.list(symbol.gs1) { wire, element in
        wire.text(element.identifier)
        wire.text(element.value)
      }
      Self.write(symbol.corners, to: &wire)
      wire.count(symbol.quality)
      wire.number(symbol.pass.place)
      wire.text(symbol.addOn ?? "")
      wire.list(symbol.part.map { [$0] } ?? []) { wire, part in
        wire.count(part.index)
        wire.count(part.count ?? 0)
        wire.text(part.id ?? "")
      }
    }
    wire.list(incomplete) { wire, part in
      wire.number(part.symbology.place)
      wire.count((part.count ?? -1) + 1)
      wire.list(part.present) { $0.count($1) }
      wire.list(part.missing) { $0.count($1) }
      wire.list(part.corners) { Self.write($1, to: &$0) }
    }
    wire.list(unread) { wire, code in
      wire.count(Self.kinds.firstIndex(of: code.kind) ?? 0)
      wire.list(code.corners.map { [$0] } ?? []) { Self.write($1, to: &$0) }
      wire.count(code.advice.flatMap { Self.advices.firstIndex(of: $0) }.map { $0 + 1 } ?? 0)
    }
    wire.count(limited ? 1 : 0)
  }

  init(_ wire: inout WireReader) throws(WireReader.Malformed) {
    let symbols = try wire.list(upTo: Self.countLimit) { wire throws(WireReader.Malformed) in
      let symbology = try wire.choice(Symbology.self)
      let text = try wire.text(upTo: 4 * Self.byteLimit)
      let bytes = try wire.raw(upTo: Self.byteLimit)
      let charset = Self.charsets[try wire.count(upTo: Self.charsets.count - 1)]
      let gs1 = try wire.list(upTo: Self.countLimit) { wire throws(WireReader.Malformed) in
        GS1Element(identifier: try wire.text(upTo: 8), value: try wire.text(upTo: 4 * Self.byteLimit))
      }
      let corners = try Self.corners(&wire)
      let quality = try wire.count(upTo: Int(Int32.max))
      let pass = try wire.choice(ScanPass.self)
      let addOn = try wire.text(upTo: 5)
      let part = try wire.list(upTo: 1) { wire throws(WireReader.Malformed) in try Self.part(&wire) }
      return Symbol(
        symbology: symbology, text: text, bytes: bytes, charset: charset, gs1: gs1, corners: corners, quality: quality,
        pass: pass, addOn: addOn.isEmpty ? nil : addOn, part: part.first)
    }
    let incomplete = try wire.list(upTo: Self.countLimit) { wire throws(WireReader.Malformed) in
      let symbology = try wire.choice(Symbology.self)
      let count = try wire.count(upTo: Self.partLimit + 1)
      let numbers = { (wire: inout WireReader) throws(WireReader.Malformed) in
        try wire.list(upTo: Self.countLimit) { wire throws(WireReader.Malformed) in
          try wire.count(upTo: Self.partLimit)
        }
      }
      let present = try numbers(&wire)
      let missing = try numbers(&wire)
      return IncompleteSymbol(
        symbology: symbology, count: count == 0 ? nil : count - 1, present: present, missing: missing,
        corners: try wire.list(upTo: Self.countLimit) { wire throws(WireReader.Malformed) in try Self.corners(&wire) })
    }
    let unread = try wire.list(upTo: Self.countLimit) { wire throws(WireReader.Malformed) in
      let kind = Self.kinds[try wire.count(upTo: Self.kinds.count - 1)]
      let corners = try wire.list(upTo: 1) { wire throws(WireReader.Malformed) in try Self.corners(&wire) }
      let advice = try wire.count(upTo: Self.advices.count)
      return UnreadCode(kind: kind, corners: corners.first, advice: advice == 0 ? nil : Self.advices[advice - 1])
    }
    let limited = try wire.count(upTo: 1) == 1
    self.init(symbols: symbols, incomplete: incomplete, unread: unread, limited: limited)
  }

  private static func part(_ wire: inout WireReader) throws(WireReader.Malformed) -> SymbolPart {
    let index = try wire.count(upTo: partLimit)
    let count = try wire.count(upTo: partLimit)
    let id = try wire.text(upTo: byteLimit)
    return SymbolPart(index: index, count: count == 0 ? nil : count, id: id.isEmpty ? nil : id)
  }

  private static func write(_ corners: Quadrilateral, to wire: inout WireWriter) {
    for corner in corners.corners {
      wire.real(min(max(corner.x, reach.lowerBound), reach.upperBound))
      wire.real(min(max(corner.y, reach.lowerBound), reach.upperBound))
    }
  }

  private static func corners(_ wire: inout WireReader) throws(WireReader.Malformed) -> Quadrilateral {
    var points: [Point2] = []
    for _ in 0..<4 {
      let x = try wire.real(within: reach)
      points.append(Point2(x, try wire.real(within: reach)))
    }
    return Quadrilateral(topLeft: points[0], topRight: points[1], bottomRight: points[2], bottomLeft: points[3])
  }
}
