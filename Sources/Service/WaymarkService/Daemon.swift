import CSignals
import Dispatch
import Glibc
import Logging
import WaymarkConfiguration
import WaymarkProtocol
import WaymarkServer
import WaymarkSystem

/// The service as a whole: from its configuration to its end.
package struct Daemon: Sendable {
  private let loader: ConfigurationLoader
  private let version: String
  private let manager: ServiceManager
  private let log: Logger

  /// A service that `run` starts.
  package init(loader: ConfigurationLoader, version: String) {
    self.loader = loader
    self.version = version
    manager = ServiceManager(environment: loader.environment)
    ServiceManager.clearEnvironment()
    let isJournal = loader.environment["JOURNAL_STREAM"] != nil
    log = Logger(label: "waymark") { JournalLogHandler(label: $0, isJournal: isJournal) }.subsystem(.service)
  }

  /// Runs until a signal ends it.
  ///
  /// - Throws: `ServiceProblem` or `ConfigurationProblem` when it cannot start.
  package func run() async throws {
    MemoryUse.keepHeapSmall()
    defer { LogWriter.standardError.flush(within: 0.2) }
    let (configuration, problems) = loader.load()
    for problem in problems {
      log.error("\(problem.description)", metadata: ["hint": "\(problem.hint)"])
    }
    if let problem = problems.first { throw problem }
    JournalLogHandler.use(configuration.log)

    let group = try configuration.socket.group.map { name in
      guard let id = Accounts.group(name) else {
        throw ServiceProblem(
          code: "unknownGroup", message: "There is no group \(name) for the socket.",
          hint: "Create it (packaging does, by sysusers.d), or correct socket.group.")
      }
      return id
    }
    let socket = try openSocket(configuration, group: group)
    let path = socket.path
    let assembly = try await Assembly(
      configuration: configuration, version: version, socketPath: path,
      socketGroup: group ?? Self.group(of: path), log: log, manager: manager)
    let reloading = ReloadModule { [loader, log, manager] in
      try await Self.reload(assembly, loader: loader, manager: manager, log: log)
    }
    await assembly.hub.add(reloading)
    let server = try await SocketServer.start(socket, hub: assembly.hub)
    try await assembly.start()
    log.notice("listening", metadata: ["socket": "\(path)", "version": "\(version)"])
    manager.ready(await assembly.statusLine)
    MemoryUse.releaseCodePages()

    let watchdog = Task { await feedWatchdog(of: assembly) }
    await serve(reloading)
    watchdog.cancel()
    await end(assembly, server)
    log.notice("stopped")
  }

  /// Reloads the configuration.
  @ServiceActor
  private static func reload(
    _ assembly: Assembly, loader: ConfigurationLoader, manager: ServiceManager, log: Logger
  ) async throws -> [String] {
    manager.reloading()
    defer { manager.ready(assembly.statusLine) }
    let (configuration, problems) = loader.load()
    for problem in problems { log.error("\(problem.description)", metadata: ["hint": "\(problem.hint)"]) }
    do {
      if let problem = problems.first {
        throw ServiceError(.badConfiguration, problem.description, hint: problem.hint)
      }
      return try await assembly.reload(configuration)
    } catch {
      if problems.isEmpty { log.error("\(error)") }
      log.error("the configuration has problems; the old one stays in effect")
      // An error that knows its own words for the client uses them.
      guard !(error is ServiceError), !(error is any Replyable), let error = error as? any ExplainedError else {
        throw error
      }
      let message = (error as? ConfigurationProblem)?.description ?? error.message
      throw ServiceError(.badConfiguration, message, hint: error.hint)
    }
  }

  private func openSocket(_ configuration: ServiceConfiguration, group: UInt32?) throws -> ListeningSocket {
    let environment = loader.environment
    let isExplicit = loader.flags["socket.path"] != nil || environment["WAYMARK_SOCKET"]?.isEmpty == false
    if !isExplicit, let (descriptor, path) = manager.listeningSocket() {
      return ListeningSocket(inherited: descriptor, path: path)
    }
    let path =
      configuration.socket.path ?? SocketPath.standard(environment: environment, isSystem: loader.isSystem)
    return try ListeningSocket(path: path, mode: configuration.socket.mode, group: group)
  }

  /// The group of a file; `nil` when there is none.
  private static func group(of path: String) -> UInt32? {
    var information = stat()
    return stat(path, &information) == 0 ? information.st_gid : nil
  }

  /// Does what the signals of the process ask for until one ends it. `CSignals` looks after them from its first instruction on: there is no
  /// moment in between at which they would end the process as they do by default, or be lost.
  private func serve(_ reloading: ReloadModule) async {
    let descriptor = csignals_take_over()
    guard descriptor >= 0 else { return log.critical("signals cannot be received") }
    let (signals, continuation) = AsyncStream.makeStream(of: UInt8.self)
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())
    source.setEventHandler {
      var signal: UInt8 = 0
      while read(descriptor, &signal, 1) == 1 { continuation.yield(signal) }
    }
    source.resume()
    defer { source.cancel() }
    for await signal in signals {
      guard Int(signal) == CSIGNALS_RELOAD else { return }
      // The log has the problems.
      Task { _ = try? await reloading.run() }
    }
  }

  /// Feeds systemd's watchdog as long as the loop answers and no lane hangs.
  private func feedWatchdog(of assembly: Assembly) async {
    guard let interval = manager.watchdogInterval else { return }
    while !Task.isCancelled {
      if await assembly.isWell { manager.alive() }
      try? await Task.sleep(for: .seconds(interval))
    }
  }

  /// How long the parts of the service may take to end, in seconds: less than a person waits, and far less than systemd does.
  private static let endLimit = 0.9

  /// Ends the service in order.
  private func end(_ assembly: Assembly, _ server: SocketServer) async {
    manager.stopping()
    // A lane that is deep in a picture, or a camera's driver that does not answer: the kernel takes back what they hold. Not by
    // way of exit(3), which would take memory from under a thread that runs.
    let giveUp: @Sendable () -> Void = { [log] in
      log.warning("parts of the service did not stop in time")
      LogWriter.standardError.flush(within: 0.2)
      _exit(0)
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.endLimit, execute: giveUp)
    await assembly.stop(reason: "The service is stopping.")
    await server.stop()
    if await !assembly.finish() { giveUp() }
  }
}
