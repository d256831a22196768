import HTTPTypes
package import Hummingbird
import NIOCore

/// Takes whole bodies: as large and as slow as they may be, and no more.
package enum BodyCollector {
  /// A whole body, or `nil` when it is too large or too slow.
  package static func collect(_ request: Request, upTo limit: Int, within deadline: Duration) async -> [UInt8]? {
    if let length = request.headers[.contentLength].flatMap(Int.init), length > limit { return nil }
    return await withTaskGroup(of: [UInt8]?.self) { group in
      group.addTask {
        var request = request
        guard let buffer = try? await request.collectBody(upTo: limit) else { return nil }
        return Array(buffer.readableBytesView)
      }
      group.addTask {
        try? await Task.sleep(for: deadline)
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
    }
  }
}
