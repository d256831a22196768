import WaymarkProtocol

/// Results that answer several methods: an example for each of these.
extension Samples {
  static let allResults = results + accountResults + sharedResults

  private static let sharedResults: [(method: String, result: any Codable & Sendable)] =
    [
      "scan.confirm", "codes.follow", "codes.unfollow", "count.end", "document.mode", "document.capture",
      "document.retake",
      "document.discard", "document.end", "text.cancel", "scene.unload", "account.remove", "account.unlock",
      "authentication.provide", "authentication.answer", "sync.progress",
    ].map { ($0, Empty()) }
    + ["count.begin", "count.reset"].map { ($0, counted) }
    + ["document.pages", "document.filter", "document.reorder", "document.delete", "document.restore"].map {
      ($0, document)
    }
    + [
      ("document.rotate", page), ("session.scan", SessionResult(phase: .scanning)),
      ("session.coach", SessionResult(phase: .coaching)), ("session.exit", SessionResult(phase: .inactive)),
      ("annotation.next", AnnotationResult(id: "valve", open: false)),
      ("annotation.previous", AnnotationResult(id: "seal", open: false)),
      ("annotation.clear", AnnotationResult(id: nil, open: false)),
      ("card.open", AnnotationResult(id: "seal", open: true)),
      ("card.close", AnnotationResult(id: "seal", open: false)),
    ]
    + [
      "account.state", "account.next", "account.back", "account.leave", "account.demo", "account.choose",
      "account.activate", "account.switch", "account.select", "account.add", "authentication.submit",
      "authentication.setPasscode", "authentication.signIn", "authentication.forgot", "consent.choose", "sync.retry",
    ].map { ($0, accountState) }
}
