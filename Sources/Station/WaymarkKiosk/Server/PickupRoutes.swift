import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import WaymarkCrypto
import WaymarkHTTP
import WaymarkSystem

/// Results that a visitor takes home: the page hands one over, and a phone that has its address takes it, once.
///
/// An address is opened by a phone's preview of links, too, so that opening it takes nothing; pressing the button does.
struct PickupRoutes: Sendable {
  /// The largest text that the page hands over, in bytes of JSON.
  private static let bodyLimit = 2 << 20

  let options: KioskOptions
  let pickups: Pickups
  let connections: Connections

  func add(to router: Router<ConnectionContext>) {
    router.post("/api/pickup") { request, _ in
      guard let body = await BodyCollector.collect(request, upTo: Self.bodyLimit, within: options.limits.body) else {
        return KioskAnswer.tooLarge
      }
      guard let item = item(try? JSONParser.parse(body)) else {
        return KioskAnswer.reply(
          .failure(
            code: "badRequest", message: "The body does not hold a result.", hint: "Send type and text, or document."),
          status: .badRequest)
      }
      guard let address = pickups.keep(item) else {
        return KioskAnswer.reply(
          .failure(code: "full", message: "Too many results wait to be taken.", hint: "Try again later."),
          status: .serviceUnavailable)
      }
      let answer: JSONValue = ["result": ["address": .string(address), "seconds": .double(pickups.life)]]
      return KioskAnswer.reply(CommandReply(succeeded: true, json: Array(answer.compactText.utf8)))
    }
    router.get("\(Pickups.path):code") { _, context in
      guard let code = context.parameters.get("code"), let item = pickups.look(code) else { return Self.gone }
      return Self.page(item.words, code: code, name: item.name)
    }
    router.post("\(Pickups.path):code") { _, context in
      guard let code = context.parameters.get("code"), let item = pickups.take(code) else { return Self.gone }
      // A phone may take its time over a large file.
      connections.authenticated(context.channel)
      return Response(
        status: .ok,
        headers: [
          .contentType: item.contentType, .contentDisposition: "attachment; filename=\"\(item.name)\"",
          .contentLength: String(item.bytes.count),
        ], body: .init(byteBuffer: ByteBuffer(bytes: item.bytes)))
    }
  }

  /// The result that the page hands over: a text of its own, or a document that the service saved.
  private func item(_ json: JSONValue?) -> PickupStore.Item? {
    let words = PickupWords(json?["words"])
    let path = json?["document"]?.string
    let result = path.map { HandedResult.document($0, read: pickups.document) } ?? HandedResult.text(json)
    return result.map { result in
      PickupStore.Item(
        name: "\(path == nil ? "result" : "document").\(result.ending)", contentType: result.contentType,
        bytes: result.bytes, words: words)
    }
  }

  private static var gone: Response {
    Response(
      status: .notFound, headers: [.contentType: "text/plain; charset=utf-8"],
      body: .init(
        byteBuffer: ByteBuffer(
          string: "It was taken already, or its time is over.\nEs wurde schon abgeholt, oder die Zeit dafür ist um.\n"))
    )
  }

  private static let style =
    "body{font:1.125rem/1.5 system-ui,sans-serif;margin:0 auto;padding:2rem 1.25rem;max-width:32rem;"
    + "color:#1b1a22;background:#f6f4ef}button{font:inherit;font-weight:600;padding:.9rem 2rem;border:0;border-radius:2rem;"
    + "color:#fff;background:#4534a8}@media(prefers-color-scheme:dark){body{color:#f3f1f8;background:#14131b}}"

  /// The page on which a phone takes a result. It has no script, and sends its one button to where it came from.
  private static func page(_ words: PickupWords, code: String, name: String) -> Response {
    let digest = Data(HashFunction.sha256.hash(Array(style.utf8))).base64EncodedString()
    return Response(
      status: .ok,
      headers: [
        .contentType: "text/html; charset=utf-8",
        .contentSecurityPolicy:
          "default-src 'none'; style-src 'sha256-\(digest)'; form-action 'self'; base-uri 'none'; "
          + "frame-ancestors 'none'",
        // Without a referrer to its own address, a browser does not say that its form came from here.
        RequestGuard.referrerPolicy: "same-origin",
      ],
      body: .init(
        byteBuffer: ByteBuffer(
          string: "<!doctype html><html lang=\"\(words.language)\"><meta charset=\"utf-8\">"
            + "<meta name=\"viewport\" content=\"width=device-width\"><meta name=\"color-scheme\" content=\"light dark\">"
            + "<title>\(XMLText.escaped(words.title))</title><style>\(style)</style><h1>\(XMLText.escaped(words.title))</h1>"
            + "<p>\(XMLText.escaped(words.help))</p><form method=\"post\" action=\"\(Pickups.path)\(code)\">"
            + "<button>\(XMLText.escaped(words.button))</button></form></html>\n")))
  }
}
