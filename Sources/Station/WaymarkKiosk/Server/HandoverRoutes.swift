import Hummingbird
import NIOCore
import Synchronization
import WaymarkHTTP
import WaymarkSystem

/// Results that leave by a program of the integrator's.
struct HandoverRoutes: Sendable {
  /// The most programs that run at a time.
  private static let programLimit = 4
  /// The largest text that the page hands over, in bytes of JSON, and the largest document.
  private static let (bodyLimit, documentLimit) = (2 << 20, 64 << 20)
  /// The most bytes of a visitor's answer.
  private static let answerLimit = 254

  private let options: KioskOptions
  private let documents: SavedDocuments
  private let running = Running()

  /// How many programs run.
  private final class Running: Sendable {
    let count = Mutex(0)
  }

  init(options: KioskOptions, documents: SavedDocuments) {
    self.options = options
    self.documents = documents
  }

  func add(to router: Router<ConnectionContext>) {
    router.post("/api/handover") { request, _ in
      guard let body = await BodyCollector.collect(request, upTo: Self.bodyLimit, within: options.limits.body) else {
        return KioskAnswer.tooLarge
      }
      guard let asked = asked(try? JSONParser.parse(body)) else {
        return Self.refusal(
          "badRequest", "The body does not hold a result.", "Send way, of, number, and a result.", .badRequest)
      }
      let isFree = running.count.withLock { count in
        guard count < Self.programLimit else { return false }
        count += 1
        return true
      }
      guard isFree else {
        return Self.refusal("busy", "Too many results are on their way.", "Try again later.", .serviceUnavailable)
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

  /// The way, the result and what its program is told; nil for what no page sends.
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
      guard let answer = json["answer"]?.string, (1...Self.answerLimit).contains(answer.utf8.count),
        answer.unicodeScalars.allSatisfy({ $0.value >= 32 && $0.value != 127 })
      else { return nil }
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
      return refusal("later", "The program cannot take it now.", "Try again later.", .serviceUnavailable)
    case .tooLong:
      return refusal("tooLong", "The program took too long.", "The journal of the kiosk says more.", .gatewayTimeout)
    case .failed, .notStarted:
      return refusal("failed", "The program failed.", "The journal of the kiosk says more.", .badGateway)
    }
  }

  private static func refusal(
    _ code: String, _ message: String, _ hint: String, _ status: HTTPResponse.Status
  ) -> Response {
    KioskAnswer.reply(.failure(code: code, message: message, hint: hint), status: status)
  }
}
