import FuzzSupport
import WaymarkBarcodes
import WaymarkFrames
import WaymarkImage
import WaymarkSystem

@testable import WaymarkText
@testable import WaymarkWorker

/// The answers of a worker that is compromised by its input, and the requests it gets.
@main
struct FuzzWorker {
  static func main() { fuzz(seeds: seeds()) { feed($0, $1) } }
}

private func feed(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard count > 0 else { return -1 }
  let all = input(bytes, count)
  let answer = Array(all[1...])
  switch all[0] % 8 {
  case 0: readCodes(answer)
  case 1: _ = read(PreparedPicture.self, answer)
  case 2: _ = read(ImageError.self, answer)
  case 3: readLuma(answer)
  case 4: readPage(answer)
  case 5: _ = read(TextReply.self, answer)
  case 7: _ = read(LatticeReply.self, answer)?.lattice.symbols()
  default:
    _ = read(WorkerRequest.self, answer)
    _ = read(TextRequest.self, answer)
    _ = read(PageRequest.self, answer)
  }
  return 0
}

/// There is one way to write a value: what was read is what would have been written.
private func read<Value: WireValue>(_ type: Value.Type, _ bytes: [UInt8]) -> Value? {
  guard let value = try? Value(wireBytes: bytes) else { return nil }
  require(value.wireBytes == bytes, "written otherwise")
  return value
}

private func readCodes(_ answer: [UInt8]) {
  guard let reply = read(CodeReply.self, answer) else { return }
  let reading = reply.reading
  let places =
    reading.symbols.map(\.corners) + reading.incomplete.flatMap(\.corners) + reading.unread.compactMap(\.corners)
  for corner in places.flatMap(\.corners) {
    require(abs(corner.x) <= 1e6 && abs(corner.y) <= 1e6, "a corner out of reach")
  }
  for place in places { require(place.center.x.isFinite && place.center.y.isFinite, "no center") }
  require(reply.stages.allSatisfy { $0.seconds.isFinite }, "no time")
}

/// The head says how many pixels there are; they must all be in the memory that there is.
private func readLuma(_ answer: [UInt8]) {
  var memory = answer
  memory.withUnsafeMutableBytes { output in
    guard output.count >= GrayReply.headSize, let reply = GrayReply(output, count: output.count) else { return }
    require(reply.pixels(in: output).count == reply.width * reply.height, "other pixels than there are")
    _ = reply.pixels(in: output).reduce(0) { $0 &+ Int($1) }
  }
}

private func readPage(_ answer: [UInt8]) {
  guard case .place(let place?) = read(PageRequest.Result.self, answer) else { return }
  for corner in place.outline.corners { require(abs(corner.x) <= 1e6 && abs(corner.y) <= 1e6, "a corner out of reach") }
}

private func seeds() -> [[UInt8]] {
  let corners = Quadrilateral(
    topLeft: Point2(1, 2), topRight: Point2(30.5, 2), bottomRight: Point2(30, 40), bottomLeft: Point2(-1, 41))
  let reading = ScanReading(
    symbols: [
      Symbol(
        symbology: .qr, text: "Zürich", bytes: Array("Zürich".utf8), charset: .utf8,
        gs1: [GS1Element(identifier: "01", value: "09506000134352")], corners: corners, quality: 7, pass: .equalized),
      Symbol(
        symbology: .aztec, text: "12", bytes: [49, 50], charset: .ascii, corners: corners,
        part: SymbolPart(index: 2, count: 3, id: "name")),
    ], incomplete: [IncompleteSymbol(count: 3, present: [1, 3], missing: [2], corners: [corners])],
    unread: [
      UnreadCode(kind: .qr, corners: corners, advice: .tooBright),
      UnreadCode(kind: .bars, corners: nil, advice: nil),
    ])
  let stages = StageTimes()
  stages.record("probe", 0.001)
  stages.record("strips", 0.002)
  let order = DecodeRequest(width: 640, height: 480, scale: .quarter)
  let page = PageRequest(.jpeg(width: 40), outline: corners, bends: [0, 0.5], turns: 3)
  let requests: [WorkerRequest] = [
    .codes(width: 640, height: 480, .still), .codesInFile(size: 12, .live()), .prepared(size: 9, width: 200),
    .gray(size: 3), .frame(size: 1000, order), .preview(size: 1000, order, .transverse, quality: 80),
    .task(size: 1000, page.wireBytes),
  ]
  var picture = [UInt8](repeating: 0, count: GrayReply.headSize + 12)
  picture.withUnsafeMutableBytes { GrayReply(width: 4, height: 3).write(to: $0) }
  let line = ReadSymbol(
    "A", confidence: 0.9, choices: [ReadSymbol.Choice("B", 0.5)], span: 0.25...0.5, beginsWord: true)
  let size: [UInt8] = [1, 0, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 0xFF, 0xD8, 3]
  let damaged = ImageError(.damagedPicture, "it is cut off", hint: "Take another.")
  let inquiry = TextRequest(width: 60, height: 20, reader: .own, alphabet: .any)
  var seeds: [[UInt8]] = [size]
  // Each behind the number of what it is.
  func add(_ kind: UInt8, _ bytes: [UInt8]) { seeds.append([kind] + bytes) }
  add(0, CodeReply(reading, stages).wireBytes)
  add(0, CodeReply(ScanReading(), StageTimes()).wireBytes)
  add(2, damaged.wireBytes)
  add(3, picture)
  add(4, PageRequest.Result.place(nil).wireBytes)
  add(5, TextReply(symbols: [line]).wireBytes)
  add(6, inquiry.wireBytes)
  add(6, page.wireBytes)
  for request in requests { add(6, request.wireBytes) }
  let column = LineLattice.Column(choices: [.init(label: 1, share: 0.75), .init(label: 0, share: 0.25)])
  add(7, LatticeReply(lattice: LineLattice(alphabet: ["a", "ß"], columns: [column, column])).wireBytes)
  return seeds
}
