import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

extension KioskOptions {
  /// What the page may show, as JSON.
  var shown: String {
    let configuration: [String: any Sendable] = [
      "show": views.map(\.rawValue), "language": language ?? NSNull(), "returnSeconds": returnSeconds,
      "idleSeconds": idleSeconds, "upload": upload, "reach": reach, "keyboard": keyboard,
    ]
    let data = try? JSONSerialization.data(withJSONObject: configuration, options: [.sortedKeys])
    return data.map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }
}

extension KioskServer {
  /// The page, its files and what it may show.
  func addPage(to router: Router<KioskContext>) {
    router.get("/") { request, _ in respond("index.html", to: request) }
    router.get("/assets/**") { request, context in
      respond(context.parameters.getCatchAll().joined(separator: "/"), to: request)
    }
    router.get("/api/config") { _, _ in
      Response(
        status: .ok, headers: [.contentType: "application/json"],
        body: .init(byteBuffer: ByteBuffer(string: options.shown)))
    }
  }

  private func respond(_ name: String, to request: Request) -> Response {
    guard let file = assets[name] else { return Response(status: .notFound) }
    var headers: HTTPFields = [.contentType: file.contentType, .eTag: file.entityTag, .cacheControl: "no-cache"]
    if request.headers[.ifNoneMatch] == file.entityTag {
      return Response(status: .notModified, headers: headers)
    }
    headers[.contentLength] = String(file.bytes.count)
    return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: file.bytes)))
  }
}
