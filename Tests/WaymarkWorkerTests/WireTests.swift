import Testing
import WaymarkBarcodes
import WaymarkDocuments
import WaymarkFrames
import WaymarkImage

@testable import WaymarkStation
@testable import WaymarkWorker

struct WireTests {
  private static let corners = Quadrilateral(
    topLeft: Point2(1, 2), topRight: Point2(30.5, 2), bottomRight: Point2(30, 40), bottomLeft: Point2(-1, 41))
  private static let full = ScanReading(
    symbols: [
      Symbol(
        symbology: .qr, text: "Zürich 日本", bytes: [0, 1, 255], charset: .shiftJIS,
        gs1: [GS1Element(identifier: "01", value: "09506000134352")], corners: corners, quality: 7, pass: .equalized,
        addOn: "52495"),
      Symbol(symbology: .itf, text: "12", bytes: [49, 50], charset: .ascii, corners: corners),
      Symbol(
        symbology: .pdf417, text: "12", bytes: [49, 50], charset: .ascii, corners: corners,
        part: SymbolPart(index: 99_999, count: nil, id: "012345")),
      Symbol(
        symbology: .maxiCode, text: "12", bytes: [49, 50], charset: .ascii, corners: corners,
        part: SymbolPart(index: 1, count: 8, id: nil)),
      Symbol(
        symbology: .ean8, text: "12", bytes: [49, 50], charset: .ascii, corners: corners,
        composite: SymbolComposite(text: "10A\u{1D}21B")),
      Symbol(
        symbology: .dataBar, text: "12", bytes: [49, 50], charset: .ascii, corners: corners,
        composite: SymbolComposite()),
    ],
    incomplete: [
      IncompleteSymbol(count: 3, present: [1, 3], missing: [2], corners: [corners]),
      IncompleteSymbol(count: nil, present: [], missing: [], corners: []),
      IncompleteSymbol(symbology: .aztec, count: 26, present: [25], missing: [17, 26], corners: [corners]),
      IncompleteSymbol(symbology: .pdf417, count: 99_999, present: [99_998], missing: [], corners: [corners]),
    ],
    unread: [
      UnreadCode(kind: .qr, corners: corners, advice: .tooBright), UnreadCode(kind: .bars, corners: nil, advice: nil),
    ], limited: true)

  @Test func readingsComeBackAsTheyWere() throws {
    #expect(try ScanReading(wireBytes: Self.full.wireBytes) == Self.full)
    #expect(throws: WireReader.Malformed.self) { try ScanReading(wireBytes: Self.full.wireBytes + [0]) }
  }

  @Test func requestsComeBackAsTheyWere() throws {
    var first = ScanConfiguration.still
    first.stopsAtFirst = true
    for configuration in [
      ScanConfiguration.still, .live(), first, .live(Set(Symbology.allCases)),
      ScanConfiguration(symbologies: [.sq, .dataBar], effort: .plain, withheld: [.half]),
    ] {
      for request in [
        WorkerRequest.codes(width: 640, height: 480, configuration), .codesInFile(size: 12, configuration),
      ] { #expect(try WorkerRequest(wireBytes: request.wireBytes) == request) }
    }
    let order = DecodeRequest(width: 1280, height: 719, scale: .quarter)
    for request in [
      WorkerRequest.prepared(size: 9, width: nil), .prepared(size: 9, width: 200, asJPEG: true), .gray(size: 3),
      .frame(size: 100_000, order), .preview(size: 100_000, order, .transverse, quality: 80),
      .task(size: 9, [1, 2, 3]),
    ] {
      #expect(try WorkerRequest(wireBytes: request.wireBytes) == request)
    }
    for task in [
      PageRequest(.place(near: nil)), PageRequest(.place(near: Self.corners)),
      PageRequest(.settled(near: Self.corners)), PageRequest(.settled(near: nil)),
      PageRequest(.adjusted(Self.corners, snaps: true)),
      PageRequest(.jpeg(width: 40), outline: Self.corners, filter: .photo, turns: 3),
      PageRequest(.jpeg(width: nil), outline: Self.corners, bends: [0, 0.5, -0.5, 1]),
      PageRequest(.png), PageRequest(.coded),
    ] { #expect(try PageRequest(wireBytes: task.wireBytes) == task) }
    #expect(throws: WireReader.Malformed.self) { try WorkerRequest(wireBytes: [1, 2, 3]) }
    #expect(throws: WireReader.Malformed.self) { try WorkerRequest(wireBytes: [UInt8](repeating: 99, count: 24)) }
  }

  /// No request may be longer than what a worker reads of one.
  @Test func theLongestRequestsFit() {
    let everything = ScanConfiguration(
      symbologies: Set(Symbology.allCases), effort: .still, withheld: Set(ScanPass.allCases))
    let order = PageRequest(
      .place(near: Self.corners), outline: Self.corners,
      bends: [Double](repeating: 1, count: PageBends.numberLimit), turns: 3)
    #expect(WorkerRequest.codesInFile(size: 12, everything).wireBytes.count <= WorkerEndpoint.requestLimit)
    #expect(WorkerRequest.task(size: 12, order.wireBytes).wireBytes.count <= WorkerEndpoint.requestLimit)
    #expect(order.wireBytes.count <= WorkerEndpoint.taskLimit)
  }

  @Test func whatIsMadeOfPagesComesBackAsItWas() throws {
    let page = CodedPage(coding: .colour, width: 4, height: 3, bytes: [1, 2, 3])
    for result in [
      PageRequest.Result.place(nil), .picture(page, paper: PDFWriter.PaperSize(format: nil, width: 40, height: 30)),
    ] { #expect(try PageRequest.Result(wireBytes: result.wireBytes) == result) }
  }

  /// A worker that went over to the enemy may write anything: it must be refused or be a reading, and end nothing.
  @Test func noBytesEndTheReader() {
    let good = Self.full.wireBytes
    var generator = SplitMix(state: 5)
    for length in 0..<good.count {
      #expect(throws: WireReader.Malformed.self) { try ScanReading(wireBytes: Array(good[..<length])) }
    }
    for _ in 0..<20_000 {
      var bytes = good
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      guard let reading = try? ScanReading(wireBytes: bytes) else { continue }
      for symbol in reading.symbols { #expect(symbol.corners.corners.allSatisfy { $0.x.isFinite && $0.y.isFinite }) }
    }
  }

  @Test func numbersThatCannotBeMeantAreRefused() {
    for value in [Double.nan, .infinity, -.infinity, -1.5, 2.5, 1e300] {
      var wire = WireWriter()
      wire.real(value)
      var reader = WireReader(wire.bytes)
      #expect(throws: WireReader.Malformed.self, "\(value)") { try reader.real(within: -1...2) }
    }
  }

  /// Their sums and products are to stay numbers.
  @Test func noCornerIsOutOfReach() throws {
    let far = Point2(-1e300, 1e300)
    let written = ScanReading(
      symbols: [], incomplete: [],
      unread: [
        UnreadCode(
          kind: .qr, corners: Quadrilateral(topLeft: far, topRight: far, bottomRight: far, bottomLeft: far), advice: nil
        )
      ]
    ).wireBytes
    #expect(try ScanReading(wireBytes: written).unread[0].corners?.corners.first == Point2(-1e6, 1e6))
    // The first corner's x, written by hand.
    var bytes = written
    bytes.replaceSubrange(20..<28, with: withUnsafeBytes(of: (-1e300).bitPattern.littleEndian, Array.init))
    #expect(throws: WireReader.Malformed.self) { try ScanReading(wireBytes: bytes) }
  }

  @Test func stagesAreFewAndTheirTimesAreTimes() throws {
    func bytes(_ stages: [(String, Double)]) -> [UInt8] {
      var wire = WireWriter()
      ScanReading.wire.write(Self.full, &wire)
      wire.count(stages.count)
      for (name, seconds) in stages {
        wire.raw(name.utf8)
        wire.real(seconds)
      }
      return wire.bytes
    }
    let reply = try CodeReply(wireBytes: bytes([("probe", 0.001), ("strips", 0)]))
    #expect(reply.reading == Self.full)
    #expect(reply.stages == [.init(name: "probe", seconds: 0.001), .init(name: "strips", seconds: 0)])
    #expect(reply.wireBytes == bytes([("probe", 0.001), ("strips", 0)]))
    let refused: [[(String, Double)]] = [
      [("probe", -1)], [("probe", 1e308)], [("Probe", 1)], [("a b", 1)],
      Array(repeating: ("probe", 1), count: CodeReply.stageLimit + 1),
    ]
    for stages in refused {
      #expect(throws: WireReader.Malformed.self, "\(stages)") { try CodeReply(wireBytes: bytes(stages)) }
    }
    #expect(throws: WireReader.Malformed.self) { try CodeReply(wireBytes: bytes([]) + [0]) }
  }
}
