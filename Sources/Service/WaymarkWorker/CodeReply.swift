package import WaymarkBarcodes
package import WaymarkImage

/// A worker's answer about the codes of a frame.
struct CodeReply: Equatable {
  /// How long a stage of the reading took.
  struct Stage: Equatable {
    let name: String
    let seconds: Double
  }

  /// The most bytes of an answer.
  static let byteLimit = 8 << 20
  /// The stages that are told apart within a reading.
  static let stageLimit = 12

  let reading: ScanReading
  let stages: [Stage]

  init(_ reading: ScanReading, _ stages: [Stage]) {
    self.reading = reading
    self.stages = stages
  }

  init(_ reading: ScanReading, _ stages: StageTimes) {
    // One frame's times: the median is all there is.
    self.init(reading, stages.summary.map { Stage(name: $0.name, seconds: $0.median) })
  }
}

/// A worker's answer about the codes of a picture file.
struct FileCodesReply: Equatable {
  let size: ArenaPictureSize
  let reading: ScanReading
}

// MARK: - How they pass

extension CodeReply: WireValue {
  private static let fields = inOrder(ScanReading.wire, Stage.wire.list(upTo: stageLimit))
  package static let wire: Wire<CodeReply> = fields.map({ CodeReply($0.0, $0.1) }, { ($0.reading, $0.stages) })
}

extension CodeReply.Stage: WireValue {
  /// No stage takes longer, in seconds: no worker is waited for as long.
  private static let longest = 3600.0
  private static let word: Wire<String> = Wire<String>.text(upTo: 16).when { text in
    text.utf8.allSatisfy { (0x61...0x7A).contains($0) }
  }

  package static let wire: Wire<CodeReply.Stage> = inOrder(word, Wire<Double>.real(within: 0...longest))
    .map({ CodeReply.Stage(name: $0.0, seconds: $0.1) }, { ($0.name, $0.seconds) })
}

extension FileCodesReply: WireValue {
  package static let wire: Wire<FileCodesReply> = inOrder(ArenaPictureSize.wire, ScanReading.wire)
    .map({ FileCodesReply(size: $0.0, reading: $0.1) }, { ($0.size, $0.reading) })
}

extension ScanReading: WireValue {
  /// No picture holds more codes than this.
  fileprivate static let countLimit = 4096
  private static let fields = inOrder(
    Symbol.wire.list(upTo: countLimit), IncompleteSymbol.wire.list(upTo: countLimit),
    UnreadCode.wire.list(upTo: countLimit), Wire<Bool>.flag)

  package static let wire: Wire<ScanReading> = fields.map(
    { ScanReading(symbols: $0.0, incomplete: $0.1, unread: $0.2, limited: $0.3) },
    { ($0.symbols, $0.incomplete, $0.unread, $0.limited) })
}

extension Symbol: WireValue {
  /// More than any message holds whose parts find room in one picture (ISO/IEC 15438: 2,710 digits a PDF417 symbol, ISO/IEC 18004: 2,953
  /// bytes a QR code, sixteen of them at most).
  private static let byteLimit = 1 << 18
  private static let longText: Wire<String> = Wire<String>.text(upTo: 4 * byteLimit)
  private static let element: Wire<GS1Element> = inOrder(Wire<String>.text(upTo: 8), longText)
    .map({ GS1Element(identifier: $0.0, value: $0.1) }, { ($0.identifier, $0.value) })
  private static let fields = inOrder(
    Wire<Symbology>.choice, longText, Wire<[UInt8]>.raw(upTo: byteLimit), Wire<Charset>.choice,
    element.list(upTo: ScanReading.countLimit), Quadrilateral.wire, Wire<Int>.count(upTo: Int(Int32.max)),
    Wire<ScanPass>.choice, Wire<String>.text(upTo: 5), SymbolPart.wire.optional)

  package static let wire: Wire<Symbol> = fields.map(
    { fields -> Symbol? in
      let (symbology, text, bytes, charset, gs1, corners, quality, pass, addOn, part) = fields
      return Symbol(
        symbology: symbology, text: text, bytes: bytes, charset: charset, gs1: gs1, corners: corners, quality: quality,
        pass: pass, addOn: addOn.isEmpty ? nil : addOn, part: part)
    },
    { symbol in
      (
        symbol.symbology, symbol.text, symbol.bytes, symbol.charset, symbol.gs1, symbol.corners, symbol.quality,
        symbol.pass, symbol.addOn ?? "", symbol.part
      )
    })
}

extension SymbolPart: WireValue {
  /// No message has more parts (ISO/IEC 15438: they are numbered with five digits).
  fileprivate static let number: Wire<Int> = Wire<Int>.count(upTo: 100_000)

  package static let wire: Wire<SymbolPart> = inOrder(
    number, number.optional, Wire<String>.text(upTo: 1 << 16).optional
  )
  .map({ SymbolPart(index: $0.0, count: $0.1, id: $0.2) }, { ($0.index, $0.count, $0.id) })
}

extension IncompleteSymbol: WireValue {
  private static let numbers: Wire<[Int]> = SymbolPart.number.list(upTo: ScanReading.countLimit)
  private static let fields = inOrder(
    Wire<Symbology>.choice, SymbolPart.number.optional, numbers, numbers,
    Quadrilateral.wire.list(upTo: ScanReading.countLimit))

  package static let wire: Wire<IncompleteSymbol> = fields.map(
    { IncompleteSymbol(symbology: $0.0, count: $0.1, present: $0.2, missing: $0.3, corners: $0.4) },
    { ($0.symbology, $0.count, $0.present, $0.missing, $0.corners) })
}

extension UnreadCode: WireValue {
  private static let kinds: Wire<Kind> = Wire<Kind>.choice([.qr, .bars, .matrix])
  private static let advices: Wire<Advice> = Wire<Advice>.choice([
    .tooSmall, .tooClose, .blurred, .cutOff, .tooDark, .tooBright,
  ])

  package static let wire: Wire<UnreadCode> = inOrder(kinds, Quadrilateral.wire.optional, advices.optional)
    .map({ UnreadCode(kind: $0.0, corners: $0.1, advice: $0.2) }, { ($0.kind, $0.corners, $0.advice) })
}

extension Quadrilateral: WireValue {
  /// No corner lies as far from its picture's, in pixels.
  private static let reach: Wire<Double> = Wire<Double>.real(within: -1e6...1e6)
  private static let point: Wire<Point2> = inOrder(reach, reach).map({ Point2($0.0, $0.1) }, { ($0.x, $0.y) })

  package static let wire: Wire<Quadrilateral> = inOrder(point, point, point, point).map(
    { Quadrilateral(topLeft: $0.0, topRight: $0.1, bottomRight: $0.2, bottomLeft: $0.3) },
    { ($0.topLeft, $0.topRight, $0.bottomRight, $0.bottomLeft) })
}
