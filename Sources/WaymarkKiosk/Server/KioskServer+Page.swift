import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

extension KioskServer {
  /// The page, its files and what it may show.
  func addPage(to router: Router<KioskContext>) {
    router.get("/") { request, _ in respond("index.html", to: request) }
    router.get("/assets/**") { request, context in
      respond(context.parameters.getCatchAll().joined(separator: "/"), to: request)
    }
    router.get("/api/config") { _, _ in
      let configuration: [String: any Sendable] = [
        "show": options.views.map(\.rawValue), "language": options.language ?? NSNull(),
        "returnSeconds": options.returnSeconds, "idleSeconds": options.idleSeconds, "upload": options.upload,
        "reach": options.reach, "keyboard": options.keyboard,
      ]
      let data = try JSONSerialization.data(withJSONObject: configuration, options: [.sortedKeys])
      return Response(
        status: .ok, headers: [.contentType: "application/json"], body: .init(byteBuffer: ByteBuffer(bytes: data)))
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
