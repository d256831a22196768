import WaymarkProtocol
import WaymarkSystem

/// `ping`, `status`, `subscribe`, `unsubscribe`.
@ServiceActor
final class CoreModule: ServiceModule {
  private unowned let hub: Hub

  /// The module of `hub`.
  init(hub: Hub) { self.hub = hub }

  func register(in methods: inout MethodTable) {
    let hub = hub
    methods.add(PingRequest.self, observers: true) { _, _ in
      PingResult(time: WallClock.timestamp, monotonic: MonotonicClock.now)
    }
    methods.add(StatusRequest.self, observers: true) { _, connection in hub.status(for: connection.role) }
    methods.addTaking(SubscribeRequest.self, observers: true) { request, incoming, connection in
      try Self.subscribe(connection, to: request.events ?? ["*"])
      for action in hub.onSubscriptionsChanged { action() }
      var snapshot = hub.snapshot(for: connection)
      var missing: [EncodedEvent] = []
      if let after = request.after {
        // Numbers of another run mean nothing here: all of this one is news.
        let (events, isComplete) = hub.history.after(after.instance == hub.instance ? after.seq : 0)
        missing = events.filter { connection.patterns.match($0.name) }
        snapshot.replayed = missing.count
        snapshot.missed = isComplete ? nil : true
      }
      connection.send(ReplyLine(id: incoming.id, result: snapshot))
      for event in missing { connection.deliver(event) }
    }
    methods.add(UnsubscribeRequest.self, observers: true) { request, connection in
      if let events = request.events { connection.patterns.remove(events) } else { connection.patterns.removeAll() }
      for action in hub.onSubscriptionsChanged { action() }
      return UnsubscribeResult(events: connection.patterns.patterns)
    }
  }

  private static func subscribe(_ connection: Connection, to events: [String]) throws {
    guard connection.carriesEvents else {
      throw ServiceError(
        .wrongConnection, "This connection streams pictures.", hint: "Open another one for events.")
    }
    if let bad = events.first(where: { !EventPatterns.isValid($0) }) {
      let shown = bad.unicodeScalars.prefix(64).map { $0.isASCII && $0.value >= 32 ? Character($0) : "?" }
      throw ServiceError(
        .badParams, "\"\(String(shown))\" is not a pattern of events.",
        hint: "Use names (scan.successful), families (scan.*) or *.")
    }
    var patterns = connection.patterns
    patterns.add(events)
    guard patterns.patterns.count <= EventPatterns.maximum else {
      throw ServiceError(
        .badParams, "A connection holds at most \(EventPatterns.maximum) patterns.", hint: "Use families: scan.*")
    }
    connection.patterns = patterns
  }
}
