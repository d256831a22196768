import HTTPTypes
import Hummingbird
import NIOCore
import WaymarkHTTP

/// The answer to a request for a file of the page: in the coding that the client takes, the part that it asks for, or word that it has the file already.
///
/// Only what is the same for everybody is compressed. The length of a compressed answer tells what repeats in it, so that one that holds a secret
/// beside words of a stranger's choice gives the secret away (BREACH); no other route of the kiosk compresses.
struct StaticAnswer {
  let file: Assets.File

  func response(to request: Request) -> Response {
    let codings = AcceptedCodings(request.headers[.acceptEncoding])
    var headers: HTTPFields = [.contentType: file.contentType, .cacheControl: "no-cache", .acceptRanges: "bytes"]
    var bytes = file.bytes
    var tag = file.entityTag
    if let compressed = file.compressed {
      headers[.vary] = "Accept-Encoding"
      if codings.prefersGzip {
        headers[.contentEncoding] = "gzip"
        bytes = compressed
        tag = file.compressedTag
      }
    }
    guard headers[.contentEncoding] != nil || codings.takesIdentity else {
      return Response(status: .notAcceptable, headers: [.vary: "Accept-Encoding"])
    }
    headers[.eTag] = tag
    if Self.names(request.headers[.ifNoneMatch], tag) {
      headers[.contentEncoding] = nil
      return Response(status: .notModified, headers: headers)
    }
    switch wanted(by: request, tag: tag, size: bytes.count) {
    case .whole:
      headers[.contentLength] = String(bytes.count)
      return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    case .part(let range):
      headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(bytes.count)"
      headers[.contentLength] = String(range.count)
      return Response(
        status: .partialContent, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: bytes[range])))
    case .outside:
      return Response(status: .rangeNotSatisfiable, headers: [.contentRange: "bytes */\(bytes.count)"])
    }
  }

  /// The part that a request asks for. One of another edition than the client has would not fit what it has (`If-Range`).
  private func wanted(by request: Request, tag: String, size: Int) -> RequestedRange {
    if let condition = request.headers[.ifRange], condition != tag { return .whole }
    return request.method == .get ? RequestedRange(request.headers[.range], size: size) : .whole
  }

  /// Returns true if a list of validators names the tag, weak or strong, or everything.
  private static func names(_ list: String?, _ tag: String) -> Bool {
    (list ?? "").split(separator: ",").contains { entry in
      let entry = entry.drop { $0 == " " }.prefix { $0 != " " }
      return entry == "*" || (entry.hasPrefix("W/") ? entry.dropFirst(2) : entry) == tag
    }
  }
}
