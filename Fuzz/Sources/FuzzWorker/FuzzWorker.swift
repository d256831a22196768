import FuzzSupport
import WaymarkBarcodes
import WaymarkGeometry
import WaymarkImage
import WaymarkSystem

@testable import WaymarkWorker

/// What a worker answers that went over to whoever made its picture, and what it is asked.
@main
struct FuzzWorker {
  static func main() { fuzz(seeds: seeds()) { feed($0, $1) } }
}

private func feed(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard count > 0 else { return -1 }
  let all = input(bytes, count)
  let answer = Array(all[1...])
  switch all[0] % 5 {
  case 0: readCodes(answer)
  case 1: readPicture(answer)
  case 2: readError(answer)
  case 3: readLuma(answer)
  default:
    if let request = WorkerRequest(answer) { require(WorkerRequest(request.bytes) == request, "another request") }
  }
  return 0
}

private func readCodes(_ answer: [UInt8]) {
  guard let reply = try? CodeReply(answer) else { return }
  expect(answer) { reply.write(to: &$0) }
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

private func readPicture(_ answer: [UInt8]) {
  var wire = WireReader(answer)
  guard let picture = try? PreparedPicture(&wire), wire.isAtEnd else { return }
  expect(answer) { picture.write(to: &$0) }
}

private func readError(_ answer: [UInt8]) {
  var wire = WireReader(answer)
  guard let error = try? ImageError(&wire), wire.isAtEnd else { return }
  expect(answer) { error.write(to: &$0) }
}

/// There is one way to write a value: what was read is what would have been written.
private func expect(_ bytes: [UInt8], _ write: (inout WireWriter) -> Void) {
  var wire = WireWriter()
  write(&wire)
  require(wire.bytes == bytes, "written otherwise")
}

private func seeds() -> [[UInt8]] {
  let corners = Quadrilateral(
    topLeft: Point2(1, 2), topRight: Point2(30.5, 2), bottomRight: Point2(30, 40), bottomLeft: Point2(-1, 41))
  let reading = ScanReading(
    symbols: [
      Symbol(
        symbology: .qr, text: "Zürich", bytes: Array("Zürich".utf8), charset: .utf8,
        gs1: [GS1Element(identifier: "01", value: "09506000134352")], corners: corners, quality: 7, pass: .turned45),
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
  let order = FrameOrder(width: 640, height: 480, scale: .quarter)
  let requests: [WorkerRequest] = [
    .codes(width: 640, height: 480, .still), .codesInFile(size: 12, .live()), .prepared(size: 9, width: 200),
    .gray(size: 3), .frame(size: 1000, order), .preview(size: 1000, order, .transverse, quality: 80),
  ]
  func written(_ kind: UInt8, _ write: (inout WireWriter) -> Void) -> [UInt8] {
    var wire = WireWriter()
    write(&wire)
    return [kind] + wire.bytes
  }
  var picture = [UInt8](repeating: 0, count: GrayReply.headSize + 12)
  picture.withUnsafeMutableBytes { GrayReply(width: 4, height: 3).write(to: $0) }
  return [
    written(0) { CodeReply(reading, stages).write(to: &$0) },
    written(0) { CodeReply(ScanReading(), StageTimes()).write(to: &$0) },
    written(2) { ImageError(.damagedPicture, "it is cut off", hint: "Take another.").write(to: &$0) },
    [3] + picture,
    written(1) { wire in
      wire.number(PictureFormat.jpeg.place)
      wire.count(4)
      wire.count(3)
      wire.list([[0xFF, 0xD8, 3]]) { $0.raw($1) }
    },
  ] + requests.map { [4] + $0.bytes }
}
