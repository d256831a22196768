import Glibc
package import Logging
package import NIOCore
package import WaymarkProtocol
import WaymarkSystem

/// The server: its connections, modules and methods, and the numbering of events.
@ServiceActor
package final class Hub: ConnectionOwner {
  /// The id of this run of the service, in which events are numbered.
  package nonisolated let instance: String
  /// The version in `hello`.
  package nonisolated let version: String
  package nonisolated let started: String
  package var socketPath = ""
  package var limits: ConnectionLimits {
    didSet { history.limit = limits.history }
  }
  package private(set) var roles: RolePolicy
  /// The log of connections and requests.
  package nonisolated let log: Logger
  /// The number of the last event.
  package private(set) var seq = 0
  package private(set) var published = 0
  /// The number of events that slow clients lost.
  package private(set) var dropped = 0
  package private(set) var connections: [Int: Connection] = [:]
  package private(set) var modules: [any ServerModule] = []
  /// The handlers that are called after subscriptions have changed.
  package var onSubscriptionsChanged: [@ServiceActor () -> Void] = []
  /// The scheduler for pictures that clients send or request.
  package nonisolated let pictures: PictureScheduler
  /// Returns the time of the wall clock, in seconds since 1970.
  package nonisolated let wall: @Sendable () -> Double
  private let turns = RequestScheduler()
  private var methods = MethodTable()
  private var lastNumber = 0
  /// The number of connections of each user.
  private var shares: [UInt32: Int] = [:]
  /// The number of refused connections that are still open so that the client can read the reason.
  private var refusalsLingering = 0
  private var isStopping = false
  /// The recent events, for clients that reconnect.
  private var history = EventHistory()
  /// The events being delivered. Closing a connection during delivery may publish further events, which are delivered to all
  /// connections afterwards.
  private var outgoing: [(event: EncodedEvent, isForAll: Bool)] = []
  private var isDelivering = false

  package init(
    version: String, roles: RolePolicy, limits: ConnectionLimits = ConnectionLimits(), log: Logger,
    pictures: PictureScheduler.Limits = PictureScheduler.Limits(),
    wall: @escaping @Sendable () -> Double = { WallClock.now }
  ) {
    self.wall = wall
    self.pictures = PictureScheduler(limits: pictures)
    self.version = version
    self.roles = roles
    self.limits = limits
    history.limit = limits.history
    self.log = log
    instance = String(UInt64.random(in: .min ... .max), radix: 36)
    started = WallClock.timestamp
  }

  package func add(_ module: any ServerModule) {
    modules.append(module)
    module.register(in: &methods)
  }

  /// Returns the actor for the number of a connection, which may be closed; nil for the service itself.
  package func actor(_ number: Int?) -> Actor? {
    number.map { number in
      connections[number]?.actor ?? Actor(client: number, user: nil)
    }
  }

  // MARK: Events

  /// Sends an event to all subscribers; observers receive it without its private fields.
  package func publish(_ payload: some EventPayload, camera: String? = nil, frame: FrameReference? = nil) {
    seq += 1
    published += 1
    // The key contains the camera, so that an event does not replace the event of another camera.
    let key = (payload as? any CoalescingEvent)?.coalescingKey.map { key in camera.map { "\(key) \($0)" } ?? key }
    let counts = key == nil
    let isWanted = connections.values.contains { $0.patterns.match(type(of: payload).event) }
    guard isWanted || counts && history.limit > 0, let event = encoded(payload, key: key, camera: camera, frame: frame)
    else {
      if counts { history.pass(seq) }
      return
    }
    if counts { history.append(event) }
    deliver(event, isForAll: false)
  }

  /// Sends an event to all connections, regardless of subscriptions.
  func announce(_ payload: some EventPayload) {
    seq += 1
    published += 1
    guard let event = encoded(payload, key: nil, camera: nil, frame: nil) else { return history.pass(seq) }
    history.append(event)
    deliver(event, isForAll: true)
  }

  private func deliver(_ event: EncodedEvent, isForAll: Bool) {
    outgoing.append((event, isForAll))
    guard !isDelivering else { return }
    isDelivering = true
    var next = 0
    while next < outgoing.count {
      let (event, isForAll) = outgoing[next]
      next += 1
      for connection in connections.values {
        if isForAll { connection.deliverAlways(event) } else { connection.deliver(event) }
      }
    }
    outgoing.removeAll(keepingCapacity: true)
    isDelivering = false
  }

  private func encoded<Payload: EventPayload>(
    _ payload: Payload, key: String?, camera: String?, frame: FrameReference?
  ) -> EncodedEvent? {
    let time = WallClock.timestamp
    guard let full = encode(EventLine(seq: seq, time: time, camera: camera, frame: frame, payload: payload)) else {
      return nil
    }
    var redacted: ByteBuffer?
    if history.limit > 0 || connections.values.contains(where: { $0.role == .observer }) {
      let seen = payload.forObservers
      if seen != payload {
        redacted = encode(EventLine(seq: seq, time: time, camera: camera, frame: frame, payload: seen))
        if redacted == nil { return nil }
      }
    }
    return EncodedEvent(name: Payload.event, seq: seq, key: key, full: full, redacted: redacted)
  }

  /// Encodes a value as a line of JSON; `nil`, with an error in the log, if that fails.
  package func encode(_ value: some Encodable) -> ByteBuffer? {
    do {
      return ByteBuffer(bytes: try JSONLineEncoder.line(value))
    } catch {
      log.error("a message cannot be encoded", metadata: ["type": "\(type(of: value))", "error": "\(error)"])
      return nil
    }
  }

  func countDropped() { dropped += 1 }

  func wantsTurn(_ connection: Connection) { turns.add(connection) }

  /// Returns the stored events with a number above `seq` that match a connection's subscriptions, and whether the events are
  /// complete.
  ///
  /// - Parameter run: the instance in which `seq` was numbered. If it is another instance than this, all stored events are
  ///   returned.
  package func missed(by connection: Connection, after seq: Int, of run: String) -> (
    events: [EncodedEvent], isComplete: Bool
  ) {
    let (events, isComplete) = history.after(run == instance ? seq : 0)
    return (events.filter { connection.patterns.match($0.name) }, isComplete)
  }

  /// Returns whether any connection subscribes to `event`.
  package func isWanted(_ event: String) -> Bool {
    connections.values.contains { $0.patterns.match(event) }
  }

  // MARK: Connections

  /// Applies other roles, and closes the connections of users whose role has changed; they can connect again if the roles
  /// allow it.
  package func use(_ roles: RolePolicy) {
    self.roles = roles
    for connection in connections.values where roles.role(of: connection.peer) != connection.admittedRole {
      connection.close(.roleChanged)
    }
  }

  /// Accepts a new connection, or sends the reason for the refusal and returns nil.
  func accept(_ channel: any Channel, peer: Peer?) -> Connection? {
    let refusal: CloseReason
    if isStopping {
      refusal = .stopping
    } else if let peer, let role = roles.role(of: peer) {
      // Root and the service's own user have reserved connections, because they can change the service itself.
      let isPrivileged = peer.user == 0 || peer.user == geteuid()
      if limits.admits(
        isOperator: role == .operator, isPrivileged: isPrivileged, all: connections.count,
        own: shares[peer.user, default: 0])
      {
        return welcome(channel, peer, role)
      }
      refusal = .tooManyClients
    } else {
      refusal = .notPermitted
    }
    log.notice(
      "a connection is refused",
      metadata: ["reason": "\(refusal.rawValue)", "uid": "\(peer.map { String($0.user) } ?? "unknown")"])
    if refusalsLingering < Self.refusalsLingeringLimit,
      let line = encode(EventLine(time: WallClock.timestamp, payload: ConnectionClosed(reason: refusal)))
    {
      refusalsLingering += 1
      // Only the output is closed, and bytes that the client still sends are dropped, so that the client can read the reason.
      channel.writeAndFlush(line).whenComplete { _ in channel.close(mode: .output, promise: nil) }
      ServiceActor.schedule(after: ConnectionLimits.linger) {
        self.refusalsLingering -= 1
        channel.close(promise: nil)
      }
    } else {
      channel.close(promise: nil)
    }
    return nil
  }

  /// The largest number of refused connections that are kept open so that the client can read the reason. There is a limit because
  /// they use descriptors, too.
  private static let refusalsLingeringLimit = 64

  private func welcome(_ channel: any Channel, _ peer: Peer, _ role: Role) -> Connection {
    lastNumber += 1
    let connection = Connection(
      number: lastNumber, peer: peer, role: role, channel: channel, limits: limits, owner: self)
    connections[lastNumber] = connection
    shares[peer.user, default: 0] += 1
    connection.send(
      EventLine(
        payload: Hello(
          version: version, instance: instance, role: role, client: lastNumber,
          features: modules.flatMap(\.features).sorted())))
    log.debug("a client connected", metadata: ["client": "\(lastNumber)", "uid": "\(peer.user)", "role": "\(role)"])
    return connection
  }

  func closed(_ connection: Connection) {
    guard connections.removeValue(forKey: connection.number) != nil else { return }
    connection.closed()
    pictures.left(connection)
    shares[connection.peer.user] = shares[connection.peer.user].flatMap { $0 > 1 ? $0 - 1 : nil }
    for module in modules { module.connectionClosed(connection) }
    for action in onSubscriptionsChanged { action() }
  }

  func handle(_ line: ByteBufferView, from connection: Connection) {
    switch IncomingRequest.parse(line) {
    case .failure(let refusal): connection.send(ErrorLine(id: refusal.id, error: refusal.error))
    case .success(let request): run(request, from: connection)
    }
  }

  /// Returns the hint for an unknown method: the nearest known one. If methods share the part before its dot, that is the nearest of
  /// these, or the list of all of them.
  private static func hint(_ method: String, among known: [String]) -> String {
    let family = method.prefix { $0 != "." } + "."
    let relatives = known.filter { $0.hasPrefix(family) }
    guard !relatives.isEmpty else {
      return NearestWord.hint(method, among: known) ?? "docs/protocol.md lists the methods."
    }
    let near = NearestWord.of(
      String(method.dropFirst(family.count)), among: relatives.map { $0.dropFirst(family.count) }.map(String.init))
    return near.map { "Did you mean \(family)\($0)?" } ?? "There are \(relatives.joined(separator: ", "))."
  }

  private func run(_ request: IncomingRequest, from connection: Connection) {
    var upload: RequestBody?
    do {
      upload = try methods.methods[request.method]?.upload(request).map { connection.expectBody($0) }
      guard let method = methods.methods[request.method] else {
        if let package = ProtocolCatalog.packages[request.method] {
          throw ServiceError(
            .unknownMethod, "\(request.method) comes with the package \(package).",
            hint: "apt install ./\(package)_VERSION_ARCHITECTURE.deb in place of waymark.")
        }
        let shown = request.method.unicodeScalars.prefix(64).map { $0.isASCII && $0.value >= 32 ? Character($0) : "?" }
        throw ServiceError(
          .unknownMethod, "There is no method \(String(shown)).",
          hint: Self.hint(request.method, among: methods.methods.keys.sorted()))
      }
      guard method.allowsObservers || connection.role == .operator else {
        throw ServiceError(
          .notPermitted, "An observer may not use \(request.method).",
          hint:
            "Connect as a user or group that the configuration names under roles.operators; at the gateway, use an operator's token."
        )
      }
      switch try method.run(request, connection, upload) {
      case .result(let result): reply(result, to: request.id, connection)
      case .taken: break
      case .later(let work):
        connection.countInFlight(1)
        Task { @ServiceActor in
          do {
            self.reply(try await work(), to: request.id, connection)
          } catch {
            self.fail(request, connection, error)
          }
          connection.countInFlight(-1)
        }
      }
    } catch {
      fail(request, connection, error)
      // The bytes of a refused picture are skipped, since they are not requests.
      upload?.skip()
    }
  }

  private func reply(_ result: some Encodable, to id: JSONValue, _ connection: Connection) {
    connection.send(ReplyLine(id: id, result: result))
  }

  /// Replies to a request with an error. An error that is not meant for clients is logged, and sent as `internalError`.
  package func fail(_ request: IncomingRequest, _ connection: Connection, _ error: any Error) {
    let reported: ServiceError
    switch error {
    case let error as ServiceError: reported = error
    case let error as MethodTable.EndlessUpload: reported = error.error
    case let error as any Replyable: reported = error.reply
    default:
      log.error("a request failed", metadata: ["method": "\(request.method)", "error": "\(error)"])
      reported = ServiceError(
        .internalError, "\(request.method) failed in the service.", hint: "See the service's log.")
    }
    connection.send(ErrorLine(id: request.id, error: reported))
    if error is MethodTable.EndlessUpload { connection.close(.lineTooLong) }
  }

  // MARK: Stopping

  /// Sends all connections the reason, and closes them.
  package func stop(reason: String) {
    guard !isStopping else { return }
    isStopping = true
    for module in modules { module.stop() }
    announce(ServerStopping(reason: reason))
    for connection in connections.values { connection.close(.stopping) }
  }
}
