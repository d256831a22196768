import HTTPTypes
import Hummingbird
import NIOCore
import WaymarkHTTP
import WaymarkSystem

/// The page, its files and what it may show.
struct PageRoutes: Sendable {
  private let assets: Assets
  /// The settings that the page may know, as JSON.
  private let settings: String

  /// Routes to the files of the page.
  ///
  /// - Throws: `KioskError` when they are missing.
  init(options: KioskOptions) throws(KioskError) {
    settings = options.shown
    assets = try Assets(
      folder: options.assets, configuration: settings, style: options.page.style,
      adding: options.page.logo.map { [$0.name: $0.file] } ?? [:])
  }

  func add(to router: Router<ConnectionContext>) {
    for method in [HTTPRequest.Method.get, .head] {
      router.on("/", method: method) { request, _ in respond("index.html", to: request) }
      router.on("/assets/**", method: method) { request, context in
        respond(context.parameters.getCatchAll().joined(separator: "/"), to: request)
      }
    }
    router.get("/api/config") { _, _ in
      Response(
        status: .ok, headers: [.contentType: "application/json"],
        body: .init(byteBuffer: ByteBuffer(string: settings)))
    }
  }

  private func respond(_ name: String, to request: Request) -> Response {
    guard let file = assets[name] else { return Response(status: .notFound) }
    let response = StaticAnswer(file: file).response(to: request)
    return request.method == .head ? response.createHeadResponse() : response
  }
}

extension KioskOptions {
  /// The settings that the page may know, as JSON.
  var shown: String {
    let configuration: JSONValue = [
      "fixed": .bool(isFixed), "idleSeconds": .double(idleSeconds), "keyboard": .bool(keyboard),
      "language": language.map(JSONValue.string) ?? .null, "page": page.json, "pickup": .bool(pickup != nil),
      "reach": .double(reach),
      "returnSeconds": .double(returnSeconds), "show": .array(views.map { .string($0.rawValue) }),
      "upload": .bool(upload),
    ]
    return configuration.compactText
  }
}
