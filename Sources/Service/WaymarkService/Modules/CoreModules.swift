import WaymarkFrames
import WaymarkImage
package import WaymarkProtocol
package import WaymarkServer
import WaymarkSystem
import WaymarkWorker

/// Serves `ping`, `status`, `subscribe`, `unsubscribe` and `role.lower`. The file also has `ReloadModule` for
/// `config.reload`, and `StatisticsModule` for `statistics`.
@ServiceActor
final class CoreModule: ServiceModule {
  private unowned let hub: Hub

  init(hub: Hub) { self.hub = hub }

  func register(in methods: inout MethodTable) {
    let hub = hub
    methods.add(PingRequest.self) { _, _ in
      PingResult(time: WallClock.timestamp, monotonic: MonotonicClock.now)
    }
    methods.add(StatusRequest.self) { _, connection in Self.status(of: hub, for: connection.role) }
    methods.addTaking(SubscribeRequest.self) { request, incoming, connection in
      try Self.subscribe(connection, to: request.events ?? ["*"])
      for action in hub.onSubscriptionsChanged { action() }
      var snapshot = Self.snapshot(of: hub, for: connection)
      var missing: [EncodedEvent] = []
      if let after = request.after {
        let (events, isComplete) = hub.missed(by: connection, after: after.seq, of: after.instance)
        missing = events
        snapshot.replayed = missing.count
        snapshot.missed = isComplete ? nil : true
      }
      connection.send(ReplyLine(id: incoming.id, result: snapshot))
      for event in missing { connection.deliver(event) }
    }
    methods.add(UnsubscribeRequest.self) { request, connection in
      if let events = request.events { connection.patterns.remove(events) } else { connection.patterns.removeAll() }
      for action in hub.onSubscriptionsChanged { action() }
      return UnsubscribeResult(events: connection.patterns.patterns)
    }
    methods.add(RoleLowerRequest.self) { request, connection in
      if request.role == .operator, connection.role != .operator {
        throw ServiceError(
          .notPermitted, "An observer cannot become an operator.",
          hint: "Open another connection: rights that were given up do not come back.")
      }
      if request.role == .observer { connection.becomeObserver() }
      return RoleLowerResult(role: connection.role)
    }
  }

  private static func subscribe(_ connection: Connection, to events: [String]) throws {
    guard connection.carriesEvents else {
      throw ServiceError(
        .wrongConnection, "This connection streams pictures.", hint: "Open another one for events.")
    }
    if let fault = events.lazy.compactMap({ EventPatterns.fault(of: $0) }).first {
      throw ServiceError(.badParams, "subscribe: \(fault.message).", hint: fault.hint)
    }
    var patterns = connection.patterns
    patterns.add(events)
    guard patterns.patterns.count <= EventPatterns.maximum else {
      throw ServiceError(
        .badParams, "A connection holds at most \(EventPatterns.maximum) patterns.", hint: "Use families: scan.*")
    }
    connection.patterns = patterns
  }

  private static func snapshot(of hub: Hub, for connection: Connection) -> Snapshot {
    var snapshot = Snapshot(
      seq: hub.seq, instance: hub.instance, events: connection.patterns.patterns,
      scanner: ScannerStatus(status: .idle),
      camera: CameraStatus(status: .closed))
    for case let module as any ServiceModule in hub.modules { module.contribute(to: &snapshot) }
    if connection.role == .observer {
      snapshot.scan = snapshot.scan?.forObservers
      snapshot.document = snapshot.document?.forObservers
      snapshot.text = snapshot.text?.forObservers
      snapshot.profile = snapshot.profile?.forObservers
      snapshot.account = snapshot.account?.forObservers
      snapshot.codes = snapshot.codes?.map(\.forObservers)
      snapshot.count = snapshot.count?.forObservers
      snapshot.anchors = snapshot.anchors.map(\.forObservers)
      snapshot.scene = snapshot.scene?.forObservers
      snapshot.cameras = snapshot.cameras?.map(\.forObservers)
    }
    return snapshot
  }

  private static func status(of hub: Hub, for role: Role) -> StatusResult {
    let statistics = Statistics(
      uptime: 0, frames: FrameStatistics(captured: 0, bad: 0, lost: 0), lanes: [], clients: hub.connections.count,
      events: hub.published, dropped: hub.dropped, memory: 0, cpu: 0)
    var status = StatusResult(
      version: hub.version, instance: hub.instance, started: hub.started, socket: hub.socketPath,
      scanner: ScannerStatus(status: .idle), camera: CameraStatus(status: .closed), statistics: statistics)
    for case let module as any ServiceModule in hub.modules { module.contribute(to: &status) }
    if role == .observer {
      status.configuration = nil
      status.scan = status.scan?.forObservers
      status.text = status.text?.forObservers
      status.cameras = status.cameras?.map(\.forObservers)
    }
    return status
  }
}

// MARK: - Reloading

/// Serves `config.reload`: reloads the configuration as SIGHUP does, for clients that may not send signals, and replies with the
/// result.
@ServiceActor
final class ReloadModule: ServiceModule {
  private let reload: @ServiceActor () async throws -> [String]
  private let configuration: @ServiceActor () -> ConfigurationInUse
  /// The reload in progress, or the last one.
  private var current: Task<[String], any Error>?
  /// The reload that waits for `current`. It serves all requests that arrive before it starts, because it reads the file after
  /// them.
  private var next: Task<[String], any Error>?

  /// Creates the module with the functions that do its work.
  ///
  /// - Parameters:
  ///   - reload: applies the configuration, and returns the sections that need a restart.
  ///   - configuration: returns the configuration that runs.
  nonisolated init(
    reload: @escaping @ServiceActor () async throws -> [String],
    configuration: @escaping @ServiceActor () -> ConfigurationInUse = { ConfigurationInUse(isDefault: true) }
  ) {
    self.configuration = configuration
    self.reload = reload
  }

  func contribute(to status: inout StatusResult) { status.configuration = configuration() }

  func register(in methods: inout MethodTable) {
    methods.addLater(ConfigReloadRequest.self) { _, _ in
      { ConfigReloadResult(restart: try await self.run()) }
    }
  }

  /// Reloads the configuration. Requests that arrive during a reload share one further reload, so that any number of simultaneous
  /// requests causes at most two.
  ///
  /// - Throws: the error of the reload that serves the request.
  func run() async throws -> [String] {
    if let next { return try await next.value }
    let task = Task { @ServiceActor [current, reload] in
      _ = await current?.result
      self.current = self.next
      self.next = nil
      return try await reload()
    }
    next = task
    return try await task.value
  }
}

// MARK: - Statistics

/// Publishes `statistics`: the counts and times of all cameras, lanes and workers.
@ServiceActor
package final class StatisticsModule: ServiceModule {
  private unowned let hub: Hub
  let cameras: ByCamera<CaptureModule>
  private let startTime = MonotonicClock.now
  private var isReporting = false
  private var isStopped = false

  package init(hub: Hub, cameras: ByCamera<CaptureModule>) {
    self.hub = hub
    self.cameras = cameras
    hub.onSubscriptionsChanged.append { [weak self] in self?.reviewReports() }
  }

  package func stop() { isStopped = true }

  package func contribute(to status: inout StatusResult) { status.statistics = statistics() }

  package func statistics() -> Statistics {
    let (frames, lanes) = cameras.first.pipeline.statistics
    return Statistics(
      uptime: MonotonicClock.now - startTime, frames: frames, lanes: lanes,
      clients: hub.connections.count, events: hub.published, dropped: hub.dropped, memory: ProcessUsage.memory,
      cpu: ProcessUsage.processorTime,
      workers: cameras.first.isolation.figures.map {
        WorkerStatistics(
          starts: $0.starts, crashes: $0.crashes, hangs: $0.hangs, lost: $0.lost,
          failures: $0.failures.isEmpty ? nil : $0.failures)
      },
      cameras: cameras.areSeveral
        ? cameras.parts.map { name, capture in
          let (frames, lanes) = capture.pipeline.statistics
          return CameraStatistics(name: name, frames: frames, lanes: lanes)
        } : nil)
  }

  /// Starts the reports, one per second, while a client subscribes to them.
  private func reviewReports() {
    guard !isReporting, !isStopped, hub.isWanted(Statistics.event) else { return }
    isReporting = true
    report()
  }

  private func report() {
    guard !isStopped, hub.isWanted(Statistics.event) else {
      isReporting = false
      return
    }
    hub.publish(statistics())
    ServiceActor.schedule(after: 1) { [weak self] in self?.report() }
  }
}
