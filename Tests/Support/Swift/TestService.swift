import Foundation
import Logging
import WaymarkProtocol
import WaymarkSystem

@testable import WaymarkServer
@testable import WaymarkService

/// A service in this process on a socket of its own, and what a test needs around it.
final class TestService: Sendable {
  let folder: String
  let path: String
  let hub: Hub
  private let server: SocketServer

  init(
    limits: ConnectionLimits = ConnectionLimits(),
    roles: RolePolicy = RolePolicy(operatorUsers: [UInt32(geteuid())]), mode: UInt32 = 0o660, path: String? = nil,
    pictures: PictureScheduler.Limits = PictureScheduler.Limits(),
    log: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
    modules: @ServiceActor @Sendable (Hub) throws -> [any ServerModule] = { _ in [] }
  ) async throws {
    folder = try TestFolder.make()
    self.path = path ?? folder + "/s.sock"
    hub = await Hub(version: "0.0.0", roles: roles, limits: limits, log: log, pictures: pictures)
    let hub = hub
    try await Self.fill(hub, modules)
    server = try await SocketServer.start(ListeningSocket(path: self.path, mode: mode), hub: hub)
  }

  @ServiceActor
  private static func fill(
    _ hub: Hub, _ modules: @ServiceActor @Sendable (Hub) throws -> [any ServerModule]
  ) throws {
    hub.add(CoreModule(hub: hub))
    for module in try modules(hub) { hub.add(module) }
  }

  func publish(_ payload: some EventPayload) async {
    let hub = hub
    await Self.publish(payload, hub)
  }

  @ServiceActor
  private static func publish(_ payload: some EventPayload, _ hub: Hub) { hub.publish(payload) }

  @ServiceActor
  private static func count(_ hub: Hub) -> Int { hub.connections.count }

  var connectionCount: Int { get async { await Self.count(hub) } }

  /// Waits until a condition on the service holds; the condition is asked again whenever the loop has turned.
  func until(_ condition: @escaping @ServiceActor @Sendable (Hub) -> Bool) async throws {
    let deadline = MonotonicClock.now + 180
    let hub = hub
    while await !Self.ask(hub, condition) {
      guard MonotonicClock.now < deadline else { throw TestFailure("the condition did not come true") }
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  @ServiceActor
  private static func ask(_ hub: Hub, _ condition: @ServiceActor (Hub) -> Bool) -> Bool { condition(hub) }

  func stop() async {
    await Self.stop(hub)
    await server.stop()
    try? FileManager.default.removeItem(atPath: folder)
  }

  @ServiceActor
  private static func stop(_ hub: Hub) { hub.stop(reason: "test") }
}

struct TestFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

enum TestFolder {
  /// A new folder that every user may enter; short, because a socket's path is.
  static func make() throws -> String {
    let path = "/tmp/wm-" + String(UInt64.random(in: .min ... .max), radix: 36)
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
    return path
  }
}
