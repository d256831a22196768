import Glibc
import WaymarkClient
import WaymarkProtocol
import WaymarkSpool
import WaymarkSystem

/// Stores the service's events in the log, and sends commands to the service.
struct ServiceSubscriber: Sendable {
  let socket: String
  let configuration: BridgeConfiguration
  let format: MessageFormat
  let log: EventLog
  let publisher: BrokerPublisher
  let commands: AsyncStream<CommandFilter.Command>

  /// Stores events and executes commands until its task is cancelled.
  func run() async {
    let client = CurrentClient()
    let commanding = Task {
      for await command in commands { await execute(command, client) }
    }
    defer { commanding.cancel() }
    let feed = SpoolFeed(
      name: "", log: log, events: configuration.selection.subscriptions, position: lastPosition(),
      outage: ServiceOutage(), handlers: handlers(client))
    await feed.run()
  }

  private func handlers(_ current: CurrentClient) -> SpoolFeed.Handlers {
    SpoolFeed.Handlers { [socket] in
      try await WaymarkClient.connect(to: socket)
    } record: { [format, publisher] received, instance, _ in
      guard let line = try? JSONParser.parse(received.line) else { return nil }
      switch format.disposition(of: line, instance: instance) {
      case .none: return nil
      case .publish(let message):
        publisher.publish(message)
        return nil
      case .keep(let record): return record
      }
    } gap: { [format] after, count, end in
      var members: [JSONValue.Member] = [.init("seq", .int(end.seq)), .init("instance", .string(end.instance))]
      if let after {
        members += [.init("after", .int(after.seq)), .init("afterInstance", .string(after.instance))]
      }
      if let count { members.append(.init("count", .int(count))) }
      return format.record(event: MessageFormat.missedEvent, time: WallClock.timestamp, members: members)
    } stored: { [publisher] in
      publisher.wake()
    } connected: { [publisher] client, replayed in
      await current.set(client)
      guard let version = client?.hello.version else { return publisher.serviceChanged(.away) }
      publisher.serviceChanged(.running(version: version))
      JournalLog.write(.info, "\(replayed) events of the service \(version) follow")
    }
  }

  /// Returns the position, among the service's events, of the last event in the log; nil if unknown.
  private func lastPosition() -> SpoolPosition? {
    let last = log.figures.last
    guard last > 0, case .records(let records) = log.read(after: last - 1, count: 1), let record = records.first,
      let message = format.message(of: record, stream: log.stream), let value = try? JSONParser.parse(message.payload),
      let instance = value["instance"]?.string, let seq = value["seq"]?.int
    else { return nil }
    return SpoolPosition(instance: instance, seq: seq)
  }

  private func execute(_ command: CommandFilter.Command, _ current: CurrentClient) async {
    let reply: [UInt8]
    do {
      guard let client = await current.value else {
        throw ServiceError(.stopping, "The service of this device does not run.", hint: "Try again later.")
      }
      let result = try await client.send(method: command.method, params: command.params)
      reply = CommandFilter.reply(to: command, result: result)
    } catch let error as ServiceError {
      reply = CommandFilter.reply(id: command.id, code: error.code.rawValue, message: error.message, hint: error.hint)
    } catch {
      reply = CommandFilter.reply(
        id: command.id, code: "connectionLost", message: "The service disconnected.",
        hint: "The request may or may not have been carried out.")
    }
    publisher.reply(reply)
  }
}

/// The current connection to the service; nil without a connection.
private actor CurrentClient {
  private(set) var value: WaymarkClient?
  func set(_ client: WaymarkClient?) { value = client }
}
