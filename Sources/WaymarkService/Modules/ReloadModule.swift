import WaymarkProtocol

/// `config.reload`: what SIGHUP does, for clients that may not send signals, and with an answer.
@ServiceActor
package final class ReloadModule: ServiceModule {
  private let reload: @ServiceActor () async throws -> [String]
  private var last: Task<[String], any Error>?

  /// - Parameter reload: takes the configuration over, and gives the sections that need a restart.
  package nonisolated init(reload: @escaping @ServiceActor () async throws -> [String]) { self.reload = reload }

  package func register(in methods: inout MethodTable) {
    methods.addLater(ConfigReloadRequest.self) { _, _ in
      { ConfigReloadResult(restart: try await self.run()) }
    }
  }

  /// Takes the configuration over, after whoever began before.
  package func run() async throws -> [String] {
    let task = Task { @ServiceActor [last, reload] in
      _ = try? await last?.value
      return try await reload()
    }
    last = task
    return try await task.value
  }
}
