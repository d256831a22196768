import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import WaymarkCrypto
import WaymarkHTTP
import WaymarkSystem

/// Hands results over to programs of the integrator. `PickupRoutes` below lets phones fetch them.
struct HandoverRoutes: Sendable {
  /// The largest number of programs that run at a time.
  private static let programLimit = 4
  /// The largest text that the page hands over, in bytes of JSON, and the largest document.
  private static let (bodyLimit, documentLimit) = (2 << 20, 64 << 20)

  private let options: KioskOptions
  private let documents: SavedDocuments
  private let running = Running()

  /// The number of running programs.
  private final class Running: Sendable {
    let count = Mutex(0)
  }

  init(options: KioskOptions, documents: SavedDocuments) {
    self.options = options
    self.documents = documents
    HandoverProgram.sweep()
  }

  func add(to router: Router<ConnectionContext>) {
    router.post("/api/handover") { request, _ in
      guard let body = await BodyCollector.collect(request, upTo: Self.bodyLimit, within: options.limits.body) else {
        return KioskAnswer.tooLarge
      }
      guard let asked = asked(try? JSONParser.parse(body)) else {
        return KioskAnswer.refusal(
          "badRequest", "The body does not hold a result.", "Send way, of, number, and a result.", .badRequest)
      }
      let isFree = running.count.withLock { count in
        guard count < Self.programLimit else { return false }
        count += 1
        return true
      }
      guard isFree else {
        return KioskAnswer.refusal(
          "busy", "Too many results are on their way.", "Try again later.", .serviceUnavailable)
      }
      let outcome = await run(asked)
      running.count.withLock { $0 -= 1 }
      return Self.answer(outcome)
    }
  }

  private struct Asked: Sendable {
    let way: HandoverWay
    let result: HandedResult
    let number: String
    let description: [JSONValue.Member]
  }

  /// Reads the way, the result and its description from a request; nil if it is invalid.
  private func asked(_ json: JSONValue?) -> Asked? {
    guard let json, let way = options.page.ways.first(where: { $0.name == json["way"]?.string }),
      let kind = json["of"]?.string.flatMap(HandoverWay.Kind.init), way.kinds.contains(kind),
      let number = json["number"]?.string, number.wholeMatch(of: /[0-9A-Z]{4}-[0-9A-Z]{4}/) != nil
    else { return nil }
    var description = [JSONValue.Member("of", .string(kind.rawValue))]
    for (name, pattern) in [("language", /[a-z]{2,3}/), ("form", /[^\u{0}-\u{1F}\u{7F}]{1,64}/)] {
      guard let text = json[name]?.string else { continue }
      guard text.wholeMatch(of: pattern) != nil else { return nil }
      description.append(JSONValue.Member(name, .string(text)))
    }
    if way.asks {
      guard let answer = json["answer"]?.string, way.accepts(answer: answer) else { return nil }
      description.append(JSONValue.Member("answer", .string(answer)))
    }
    let result: HandedResult? =
      if let path = json["document"]?.string {
        HandedResult.document(path) { documents.read($0, limit: Self.documentLimit) }
      } else {
        HandedResult.text(json)
      }
    return result.map { Asked(way: way, result: $0, number: number, description: description) }
  }

  private func run(_ asked: Asked) async -> HandoverProgram.Outcome {
    let (outcome, output) = await HandoverProgram(way: asked.way).run(
      asked.result, number: asked.number, description: asked.description)
    if outcome != .done {
      JournalLog.write(
        .warning,
        "handover \(asked.way.name), number \(asked.number): \(outcome); its output: \(output.prefix(500))")
    }
    return outcome
  }

  private static func answer(_ outcome: HandoverProgram.Outcome) -> Response {
    switch outcome {
    case .done: return KioskAnswer.reply(CommandReply(succeeded: true, json: Array(#"{"result":{}}"#.utf8)))
    case .later:
      return KioskAnswer.refusal("later", "The program cannot take it now.", "Try again later.", .serviceUnavailable)
    case .tooLong:
      return KioskAnswer.refusal(
        "tooLong", "The program took too long.", "The journal of the kiosk says more.", .gatewayTimeout)
    case .failed, .notStarted:
      return KioskAnswer.refusal("failed", "The program failed.", "The journal of the kiosk says more.", .badGateway)
    }
  }
}

/// Lets visitors take results home: the page stores a result, and a phone fetches it once under its secret address.
///
/// Opening the address only shows a page, because phones also open links for previews. The button on this page fetches the result.
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
        return KioskAnswer.refusal(
          "badRequest", "The body does not hold a result.", "Send type and text, or document.", .badRequest)
      }
      guard let address = pickups.keep(item) else {
        return KioskAnswer.refusal(
          "full", "Too many results wait to be taken.", "Try again later.", .serviceUnavailable)
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
      // The time limit for connections without access must not end a slow download.
      connections.authenticated(context.channel)
      return Response(
        status: .ok,
        headers: [
          .contentType: item.contentType, .contentDisposition: "attachment; filename=\"\(item.name)\"",
          .contentLength: String(item.bytes.count),
        ], body: .init(byteBuffer: ByteBuffer(bytes: item.bytes)))
    }
  }

  /// Reads the result from a request: a text, or a document that the service saved; nil if it is invalid.
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

  /// The page on which a phone fetches a result. It has no script; its button posts to the page's own address.
  private static func page(_ words: PickupWords, code: String, name: String) -> Response {
    let digest = Data(HashFunction.sha256.hash(Array(style.utf8))).base64EncodedString()
    return Response(
      status: .ok,
      headers: [
        .contentType: "text/html; charset=utf-8",
        .contentSecurityPolicy:
          "default-src 'none'; style-src 'sha256-\(digest)'; form-action 'self'; base-uri 'none'; "
          + "frame-ancestors 'none'",
        // Without this policy, a browser would send the form with `Origin: null`, which `KioskAccess` refuses.
        .referrerPolicy: "same-origin",
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
