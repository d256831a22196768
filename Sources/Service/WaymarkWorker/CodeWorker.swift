package import WaymarkBarcodes
import WaymarkFrames
package import WaymarkImage

/// Reads the codes of pictures with one scanner, which it keeps while the configuration stays the same. Not thread-safe.
/// `CodeWorker` below does this in a worker process; the file also has the worker's answers and their encodings.
final class CodeReader {
  private var scanner: BarcodeScanner?
  /// Receives the times of a reading's stages.
  private let stages: StageTimes?

  init(stages: StageTimes? = nil) { self.stages = stages }

  /// Reads the codes in a picture; empty if the configuration has no symbologies.
  func read(_ view: ImageView, _ configuration: ScanConfiguration) -> ScanReading {
    prepare(configuration)
    return scanner?.scan(view) ?? ScanReading()
  }

  /// Decodes a picture file and reads its codes.
  ///
  /// - Throws: `ImageError` if the file is not a picture, or is damaged.
  func read(
    _ file: UnsafeRawBufferPointer, _ configuration: ScanConfiguration
  ) throws(ImageError) -> (image: GrayImage, reading: ScanReading) {
    prepare(configuration)
    guard let found = try scanner?.scan(file) else { return (try PictureDecoder().gray(file).image, ScanReading()) }
    return (found.picture.image, found.reading)
  }

  private func prepare(_ configuration: ScanConfiguration) {
    guard scanner?.configuration != configuration else { return }
    scanner = try? BarcodeScanner(configuration)
    // Set only for a new scanner: assigning a class instance through an optional of a noncopyable type retains the instance each
    // time without a release.
    scanner?.stages = stages
  }
}

/// Reads the codes of live frames in a persistent worker. Not thread-safe; the caller waits at most `limit` seconds for an answer.
final class CodeWorker {
  private let persistent: PersistentWorker
  private let limit: Double
  private let stages: StageTimes?
  /// The names of the stages received so far, at most `CodeReply.stageLimit`, so that a compromised worker cannot use up the
  /// service's memory with names.
  private var known: Set<String> = []

  /// Creates a reader whose worker starts with the first frame.
  ///
  /// - Parameters:
  ///   - limit: the maximum seconds to wait for an answer.
  ///   - stages: receives the times of a reading's stages.
  init(_ launcher: WorkerLauncher, _ ledger: WorkerMonitor, limit: Double, stages: StageTimes? = nil) {
    persistent = PersistentWorker(launcher, ledger)
    self.limit = limit
    self.stages = stages
  }

  var process: Int32? { persistent.process }

  /// Reads the codes in a frame; nil if the worker failed or is resting.
  func read(_ frame: Frame, _ configuration: ScanConfiguration) -> ScanReading? {
    persistent.use { worker throws(WorkerFailure) in try ask(worker, frame, configuration) }
  }

  private func ask(
    _ worker: borrowing WorkerProcess, _ frame: Frame, _ configuration: ScanConfiguration
  ) throws(WorkerFailure) -> ScanReading {
    let count = frame.width * frame.height
    guard count <= WorkerArena.inputLimit else { throw .tooLarge }
    guard count > 0 else { return ScanReading() }
    worker.arena.input.copyMemory(
      from: UnsafeRawBufferPointer(start: frame.image.unsafeView.base, count: count))
    let request = WorkerRequest.codes(width: frame.width, height: frame.height, configuration)
    let answer = try worker.ask(request, for: CodeReply.self, byteLimit: CodeReply.byteLimit, limit: limit)
    // Reading a frame's pixels has no errors, so an answer with an error is malformed.
    guard case .success(let reply) = answer else { throw .malformedAnswer }
    for stage in reply.stages where known.contains(stage.name) || known.count < CodeReply.stageLimit {
      known.insert(stage.name)
      stages?.record(stage.name, stage.seconds)
    }
    return reply.reading
  }
}

/// A worker's answer about the codes of a frame.
struct CodeReply: Equatable {
  struct Stage: Equatable {
    let name: String
    let seconds: Double
  }

  static let byteLimit = 8 << 20
  static let stageLimit = 12

  let reading: ScanReading
  let stages: [Stage]

  init(_ reading: ScanReading, _ stages: [Stage]) {
    self.reading = reading
    self.stages = stages
  }

  init(_ reading: ScanReading, _ stages: StageTimes) {
    // With a single frame, the median is its time.
    self.init(reading, stages.summary.map { Stage(name: $0.name, seconds: $0.median) })
  }
}

/// A worker's answer about the codes of a picture file.
struct FileCodesReply: Equatable {
  let size: ArenaPictureSize
  let reading: ScanReading
}

// MARK: - Encodings

extension CodeReply: WireValue {
  private static let fields = inOrder(ScanReading.wire, Stage.wire.list(upTo: stageLimit))
  package static let wire: Wire<CodeReply> = fields.map({ CodeReply($0.0, $0.1) }, { ($0.reading, $0.stages) })
}

extension CodeReply.Stage: WireValue {
  /// The maximum time of a stage in seconds, longer than the service waits for any worker.
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
  /// The maximum number of codes in a picture.
  fileprivate static let countLimit = 4096
  private static let fields = inOrder(
    Symbol.wire.list(upTo: countLimit), IncompleteSymbol.wire.list(upTo: countLimit),
    UnreadCode.wire.list(upTo: countLimit), Wire<Bool>.flag)

  package static let wire: Wire<ScanReading> = fields.map(
    { ScanReading(symbols: $0.0, incomplete: $0.1, unread: $0.2, limited: $0.3) },
    { ($0.symbols, $0.incomplete, $0.unread, $0.limited) })
}

extension Symbol: WireValue {
  /// The largest number of bytes of a message, more than the parts in one picture can contain (ISO/IEC 15438: 2,710 digits per
  /// PDF417 symbol; ISO/IEC 18004: 2,953 bytes per QR code, in at most sixteen parts).
  private static let byteLimit = 1 << 18
  fileprivate static let longText: Wire<String> = Wire<String>.text(upTo: 4 * byteLimit)
  private static let element: Wire<GS1Element> = inOrder(Wire<String>.text(upTo: 8), longText)
    .map({ GS1Element(identifier: $0.0, value: $0.1) }, { ($0.identifier, $0.value) })
  private static let fields = inOrder(
    Wire<Symbology>.choice, longText, Wire<[UInt8]>.raw(upTo: byteLimit), Wire<Charset>.choice,
    element.list(upTo: ScanReading.countLimit), Quadrilateral.wire, Wire<Int>.count(upTo: Int(Int32.max)),
    Wire<ScanPass>.choice, Wire<String>.text(upTo: 5), SymbolPart.wire.optional, SymbolComposite.wire.optional)

  package static let wire: Wire<Symbol> = fields.map(
    { fields -> Symbol? in
      let (symbology, text, bytes, charset, gs1, corners, quality, pass, addOn, part, composite) = fields
      return Symbol(
        symbology: symbology, text: text, bytes: bytes, charset: charset, gs1: gs1, corners: corners, quality: quality,
        pass: pass, addOn: addOn.isEmpty ? nil : addOn, part: part, composite: composite)
    },
    { symbol in
      (
        symbol.symbology, symbol.text, symbol.bytes, symbol.charset, symbol.gs1, symbol.corners, symbol.quality,
        symbol.pass, symbol.addOn ?? "", symbol.part, symbol.composite
      )
    })
}

extension SymbolComposite: WireValue {
  package static let wire: Wire<SymbolComposite> = Symbol.longText.optional.map(
    { SymbolComposite(text: $0) }, { $0.text })
}

extension SymbolPart: WireValue {
  /// The number of a part, which has at most five digits (ISO/IEC 15438).
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
  /// A coordinate of a corner in pixels, with a bound that no corner reaches.
  private static let reach: Wire<Double> = Wire<Double>.real(within: -1e6...1e6)
  private static let point: Wire<Point2> = inOrder(reach, reach).map({ Point2($0.0, $0.1) }, { ($0.x, $0.y) })

  package static let wire: Wire<Quadrilateral> = inOrder(point, point, point, point).map(
    { Quadrilateral(topLeft: $0.0, topRight: $0.1, bottomRight: $0.2, bottomLeft: $0.3) },
    { ($0.topLeft, $0.topRight, $0.bottomRight, $0.bottomLeft) })
}
