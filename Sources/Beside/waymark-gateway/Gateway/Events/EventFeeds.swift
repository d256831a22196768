import WaymarkProtocol

/// The events of each role, from one ring.
struct EventFeeds: Sendable {
  private let ofOperator: EventFeed
  private let ofObserver: EventFeed

  /// Feeds from the service that listens at `path`; each goes on where its webhook that has had least is.
  init(path: String, ring: EventRing, webhooks: [WebhookSender]) {
    func feed(_ role: Role) -> EventFeed {
      let own = webhooks.filter { $0.settings.role == role }
      // The one that has had least says where the service goes on; the others leave out what they have.
      let positions = own.compactMap(\.position)
      let position = positions.count == own.count ? positions.min { $0.seq < $1.seq } : nil
      return EventFeed(role: role, path: path, ring: ring, position: position) { name, line, id in
        for webhook in own { webhook.take(name: name, line: line, id: id) }
      }
    }
    ofOperator = feed(.operator)
    ofObserver = feed(.observer)
  }

  var all: [EventFeed] { [ofOperator, ofObserver] }

  /// The events of a role.
  func of(_ role: Role) -> EventFeed { role == .operator ? ofOperator : ofObserver }
}
