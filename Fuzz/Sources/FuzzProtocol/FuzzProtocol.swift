import FuzzSupport
import NIOCore
import WaymarkSystem

@testable import WaymarkProtocol

/// A client's bytes: cut into lines in pieces of odd sizes, parsed, and decoded as every kind of request.
@main
struct FuzzProtocol {
  static func main() { fuzz(seeds: []) { feed($0, $1) } }
}

private func feed(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard count > 1 else { return 0 }
  let all = input(bytes, count)
  var framer = LineFramer(limit: 4096)
  let step = Int(all[0]) + 1
  var start = 1
  while start < count {
    var piece = ByteBuffer(bytes: all[start..<min(count, start + step)])
    start += step
    framer.append(&piece)
    while let next = framer.next() {
      guard case .line(let line) = next else { return 0 }
      require(line.count <= 4096, "a line beyond the limit")
      take(line)
    }
  }
  return 0
}

private func take(_ line: ByteBufferView) {
  if let value = try? JSONParser.parse(line) {
    let encoded = try? JSONLineEncoder.encode(value)
    if let encoded { require((try? JSONParser.parse(encoded)) == value, "JSON does not survive its own text") }
  }
  guard case .success(let request) = IncomingRequest.parse(line) else { return }
  func decode<R: ServedRequest>(_ type: R.Type) { _ = try? request.decode(type) }
  for type in ProtocolCatalog.requests { decode(type) }
  _ = try? JSONValueDecoder.decode(Snapshot.self, from: request.params)
}
