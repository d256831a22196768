import CSignals
import Dispatch
import Glibc
package import Logging
import WaymarkConfiguration
import WaymarkFrames
import WaymarkProtocol
import WaymarkServer
package import WaymarkSystem

/// The service: loads the configuration, runs until a signal ends it, and stops its parts in order.
package struct Daemon: Sendable {
  private let loader: ConfigurationLoader
  private let features: [Feature]
  private let version: String
  private let report: @Sendable (_ socket: String) throws -> ChildProgram.Result
  private let manager: ServiceManager
  private let log: Logger

  /// Creates a service, which `run()` starts.
  ///
  /// - Parameter report: runs the program that prints the report about the service on a socket.
  package init(
    loader: ConfigurationLoader, features: [Feature], version: String,
    report: @escaping @Sendable (_ socket: String) throws -> ChildProgram.Result
  ) {
    self.loader = loader
    self.features = features
    self.version = version
    self.report = report
    manager = ServiceManager(environment: loader.environment)
    ServiceManager.clearEnvironment()
    log = Self.logger("waymark", environment: loader.environment).subsystem(.service)
  }

  /// Creates the logger of a program, which writes to the journal or the terminal.
  ///
  /// - Parameter level: the level to set for all loggers of the process; nil leaves the level unchanged.
  package static func logger(
    _ label: String, level: Logger.Level? = nil, environment: [String: String]
  ) -> Logger {
    if let level { JournalLogHandler.use(LogSettings(level: level)) }
    let isJournal = environment["JOURNAL_STREAM"] != nil
    return Logger(label: label) { JournalLogHandler(label: $0, isJournal: isJournal) }
  }

  /// Runs until a signal ends it.
  ///
  /// - Throws: `ServiceProblem` or `ConfigurationProblem` if the service cannot start.
  package func run() async throws {
    MemoryUse.keepHeapSmall()
    defer { LogWriter.standardError.flush(within: 0.2) }
    let (configuration, problems) = loader.checked(features)
    for problem in problems {
      log.error("\(problem.description)", metadata: ["hint": "\(problem.hint)"])
    }
    if let problem = problems.first { throw problem }
    JournalLogHandler.use(configuration.log)

    let group = configuration.socket.group.flatMap(Accounts.group)
    let socket = try openSocket(configuration, group: group)
    let path = socket.path
    let assembly: Assembly
    do {
      assembly = try await Assembly(
        configuration: configuration, features: features, version: version, socketPath: path,
        socketGroup: group ?? Self.group(of: path), log: log, manager: manager)
    } catch let error as SourceError {
      throw ServiceProblem(code: .init(rawValue: error.code.rawValue), message: error.message, hint: error.hint)
    }
    let reloading = ReloadModule { [self] in
      try await reload(assembly)
    } configuration: { [loader] in
      assembly.configuration(isDefault: loader.named == nil)
    }
    await assembly.hub.add(reloading)
    await assembly.hub.add(
      SetupModule(file: loader.named ?? loader.standardFile) {
        (assembly.configuration, assembly.pendingRestart)
      } check: { [loader, features] in
        loader.checked(features, $0).problems
      } report: { [report] in
        try report(path)
      })
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

  @ServiceActor
  private func reload(_ assembly: Assembly) async throws -> [String] {
    manager.reloading()
    defer { manager.ready(assembly.statusLine) }
    let (configuration, problems) = loader.checked(features)
    for problem in problems { log.error("\(problem.description)", metadata: ["hint": "\(problem.hint)"]) }
    do {
      if let problem = problems.first {
        throw ServiceError(.badConfiguration, problem.description, hint: problem.hint)
      }
      return try await assembly.reload(configuration)
    } catch {
      if problems.isEmpty { log.error("\(error)") }
      log.error("the configuration has problems; the old one stays in effect")
      // Errors that have a reply for clients are sent as they are; others become `badConfiguration`.
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

  /// Returns the id of the group that owns a file; nil if the file does not exist.
  private static func group(of path: String) -> UInt32? {
    var information = stat()
    return stat(path, &information) == 0 ? information.st_gid : nil
  }

  /// Handles the signals of the process: reloads the configuration on SIGHUP, and returns on a signal that ends the service.
  /// Handlers of `CSignals` have received the signals since the process started, so that none was lost or ended the process by its
  /// default action.
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
      // `reload` has logged the problems.
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

  /// The seconds within which the parts of the service must stop. After that, the process exits without them. The limit is far less
  /// than systemd's stop timeout.
  private static let endLimit = 0.9

  /// Stops the service in order, within `endLimit`.
  private func end(_ assembly: Assembly, _ server: SocketServer) async {
    manager.stopping()
    // If a lane is busy or a camera's driver does not answer, the kernel releases their resources. `_exit` is used because the
    // handlers of exit(3) would free memory that running threads still use.
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
