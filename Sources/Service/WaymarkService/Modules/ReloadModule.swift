import WaymarkProtocol
import WaymarkServer

/// `config.reload`: what SIGHUP does, for clients that may not send signals, and with an answer.
@ServiceActor
final class ReloadModule: ServiceModule {
  private let reload: @ServiceActor () async throws -> [String]
  /// The one that runs, or ran last.
  private var current: Task<[String], any Error>?
  /// The one that has not begun: whoever asks now is answered by it, since it reads the file later than they asked.
  private var next: Task<[String], any Error>?

  /// - Parameter reload: takes the configuration over, and gives the sections that need a restart.
  nonisolated init(reload: @escaping @ServiceActor () async throws -> [String]) { self.reload = reload }

  func register(in methods: inout MethodTable) {
    methods.addLater(ConfigReloadRequest.self) { _, _ in
      { ConfigReloadResult(restart: try await self.run()) }
    }
  }

  /// Takes the configuration over: after the one that runs, and together with all who ask meanwhile, so that a storm of requests costs
  /// two reloads and each request has its answer.
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
