import Glibc
package import Logging
package import NIOCore
package import WaymarkProtocol
import WaymarkSystem

/// Where everything meets: connections, methods, and the one counter of events.
@ServiceActor
package final class Hub: ConnectionOwner {
  /// This run of the service.
  package nonisolated let instance: String
  /// The version that `hello` tells.
  package nonisolated let version: String
  /// When the service started.
  package nonisolated let started: String
  /// Where it listens.
  package var socketPath = ""
  /// The limits of one connection.
  package var limits: ConnectionLimits {
    didSet { history.limit = limits.history }
  }
  /// The roles of users.
  package private(set) var roles: RolePolicy
  /// The log of connections and requests.
  package nonisolated let log: Logger
  /// The last event.
  package private(set) var seq = 0
  /// Events published.
  package private(set) var published = 0
  /// Events that slow clients lost.
  package private(set) var dropped = 0
  /// Open connections by number.
  package private(set) var connections: [Int: Connection] = [:]
  /// The parts of the server.
  package private(set) var modules: [any ServerModule] = []
  /// Called when `statistics` gets its first subscriber or loses its last.
  package var onSubscriptionsChanged: [@ServiceActor () -> Void] = []
  /// Pictures that clients send and ask for.
  package nonisolated let pictures: PictureScheduler
  /// The time of day, in seconds since 1970.
  package nonisolated let wall: @Sendable () -> Double
  private let turns = RequestScheduler()
  private var methods = MethodTable()
  private var lastNumber = 0
  /// Connections by user.
  private var shares: [UInt32: Int] = [:]
  /// Connections that are refused, until they have read why.
  private var refusalsLingering = 0
  private var isStopping = false
  /// The recent events, for clients that come back.
  private var history = EventHistory()
  /// Events on their way to the connections. Whoever is let go by one makes parts of the service publish others: these come after it, for
  /// everybody.
  private var outgoing: [(event: EncodedEvent, isForAll: Bool)] = []
  private var isDelivering = false

  /// A hub without connections.
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

  /// Adds a part.
  package func add(_ module: any ServerModule) {
    modules.append(module)
    module.register(in: &methods)
  }

  /// Returns how events name the client of a connection, which may be gone; nil for the service itself.
  package func actor(_ number: Int?) -> Actor? {
    number.map { number in
      connections[number]?.actor ?? Actor(client: number, user: nil)
    }
  }

  // MARK: Events

  /// Sends an event to all who want it: to observers what they may see of it.
  ///
  /// - Parameter camera: the camera that it is of, where there are several.
  package func publish(_ payload: some EventPayload, camera: String? = nil, frame: FrameReference? = nil) {
    seq += 1
    published += 1
    // The newest of one camera does not replace that of another.
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

  /// Sends an event to all, wanted or not.
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

  /// A line of JSON; `nil`, with a word in the log, when a value has no place in JSON.
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

  /// Returns the kept events after a number that a connection wants, and whether all that counted since are kept.
  ///
  /// - Parameter run: the instance that counted; numbers of another run mean nothing here, so that all of this one is news.
  package func missed(by connection: Connection, after seq: Int, of run: String) -> (
    events: [EncodedEvent], isComplete: Bool
  ) {
    let (events, isComplete) = history.after(run == instance ? seq : 0)
    return (events.filter { connection.patterns.match($0.name) }, isComplete)
  }

  /// Returns whether anybody wants `event`.
  package func isWanted(_ event: String) -> Bool {
    connections.values.contains { $0.patterns.match(event) }
  }

  // MARK: Connections

  /// Lets other people in. Who may do something else now than when they came is sent away, to come again if they may.
  package func use(_ roles: RolePolicy) {
    self.roles = roles
    for connection in connections.values where roles.role(of: connection.peer) != connection.admittedRole {
      connection.close(.roleChanged)
    }
  }

  /// Takes a new connection, or says why not.
  func accept(_ channel: any Channel, peer: Peer?) -> Connection? {
    let refusal: CloseReason
    if isStopping {
      refusal = .stopping
    } else if let peer, let role = roles.role(of: peer) {
      // Root and the service's own user can do what they want with it in any case.
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
      // Bytes that the client sends meanwhile are taken and dropped, so that it comes to read why.
      channel.writeAndFlush(line).whenComplete { _ in channel.close(mode: .output, promise: nil) }
      ServiceActor.schedule(after: limits.linger) {
        self.refusalsLingering -= 1
        channel.close(promise: nil)
      }
    } else {
      channel.close(promise: nil)
    }
    return nil
  }

  /// Refused connections that are told why at a time: they hold descriptors, too.
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

  /// Handles one line.
  func handle(_ line: ByteBufferView, from connection: Connection) {
    switch IncomingRequest.parse(line) {
    case .failure(let refusal): connection.send(ErrorLine(id: refusal.id, error: refusal.error))
    case .success(let request): run(request, from: connection)
    }
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
          .unknownMethod, "There is no method \(String(shown)).", hint: "docs/protocol.md lists the methods.")
      }
      guard method.allowsObservers || connection.role == .operator else {
        throw ServiceError(
          .notPermitted, "An observer may not use \(request.method).",
          hint: "Connect as a user or group that the configuration names under roles.operators.")
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
      // The bytes of a picture that is refused are not requests.
      upload?.skip()
    }
  }

  private func reply(_ result: some Encodable, to id: JSONValue, _ connection: Connection) {
    connection.send(ReplyLine(id: id, result: result))
  }

  /// Answers a request with an error.
  package func fail(_ request: IncomingRequest, _ connection: Connection, _ error: any Error) {
    let told: ServiceError
    switch error {
    case let error as ServiceError: told = error
    case let error as MethodTable.EndlessUpload: told = error.error
    case let error as any Replyable: told = error.reply
    default:
      log.error("a request failed", metadata: ["method": "\(request.method)", "error": "\(error)"])
      told = ServiceError(
        .internalError, "\(request.method) failed in the service.", hint: "See the service's log.")
    }
    connection.send(ErrorLine(id: request.id, error: told))
    if error is MethodTable.EndlessUpload { connection.close(.lineTooLong) }
  }

  // MARK: The end

  /// Tells everybody, closes every connection.
  package func stop(reason: String) {
    guard !isStopping else { return }
    isStopping = true
    for module in modules { module.stop() }
    announce(ServerStopping(reason: reason))
    for connection in connections.values { connection.close(.stopping) }
  }
}
