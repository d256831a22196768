import WaymarkOnboarding
import WaymarkPeople
import WaymarkProtocol
import WaymarkSystem

extension ProviderAnswer {
  /// Checks an answer, whose texts are stored and shown.
  ///
  /// The fuzzer compiles this file by itself.
  ///
  /// - Throws: `ServiceError` with `badParams` that names the member.
  init(_ request: AuthenticationAnswerRequest) throws(ServiceError) {
    for (name, text, limit) in [
      ("subject", request.subject, 1000), ("title", request.title, 1000), ("subtitle", request.subtitle, 1000),
      ("host", request.host, 2000), ("text", request.text, 2000),
    ] where text?.utf8.count ?? 0 > limit {
      throw ServiceError(.badParams, "\(name) has more than \(limit) bytes.", hint: "Make it shorter.")
    }
    for (name, text) in [("title", request.title), ("subtitle", request.subtitle), ("subject", request.subject)] {
      guard let text, !DisplayText.isPlain(text) else { continue }
      throw ServiceError(
        .badParams, "\(name) holds a control or invisible character.", hint: "Send plain text of one line.")
    }
    if let text = request.text, DisplayText.lines(text) != text {
      throw ServiceError(.badParams, "text holds a control or invisible character.", hint: "Send plain text.")
    }
    // The subject identifies a user, so all users with an empty subject would be the same.
    if let subject = request.subject, subject.allSatisfy(\.isWhitespace) {
      throw ServiceError(
        .badParams, "subject is empty.", hint: "Send the user's permanent id, or leave subject out if there is no id."
      )
    }
    if let host = request.host, !HostName.isAuthority(host) {
      throw ServiceError(
        .badParams, "host is not a host name.", hint: "Send a host, or host:port, without scheme and path.")
    }
    let person = ProviderPerson(
      subject: request.subject, title: request.title, subtitle: request.subtitle, host: request.host)
    switch request.outcome {
    case .accepted: self = .accepted(person)
    case .refused: self = .refused(text: request.text)
    case .offline: self = .offline(text: request.text)
    case .conflict: self = .conflict(person, text: request.text)
    }
  }
}
