import Glibc
import WaymarkClient
import WaymarkProtocol
import WaymarkSpool
import WaymarkSystem

/// Takes the service's events into the log, and commands to the service.
struct ServiceSubscriber: Sendable {
  let socket: String
  let configuration: BridgeConfiguration
  let format: MessageFormat
  let log: EventLog
  let courier: BrokerPublisher
  let commands: AsyncStream<CommandFilter.Command>

  /// Runs until its task is cancelled.
  func run() async {
    let client = CurrentClient()
    let commanding = Task {
      for await command in commands { await execute(command, client) }
    }
    defer { commanding.cancel() }
    var backoff = Backoff(first: 0.2, longest: 5)
    // Where the log ends is where the service goes on.
    var position = lastPosition()
    var isOutageLogged = false
    while !Task.isCancelled {
      do {
        let connection = try await WaymarkClient.connect(to: socket)
        let after = position.map { EventPosition(instance: $0.instance, seq: $0.seq) }
        let snapshot = try await connection.send(
          SubscribeRequest(events: configuration.selection.subscriptions, after: after))
        backoff.reset()
        isOutageLogged = false
        await client.set(connection)
        courier.serviceChanged(.running(version: connection.hello.version))
        JournalLog.write(
          .info, "the service \(connection.hello.version) is there, \(snapshot.replayed ?? 0) events follow")
        if snapshot.missed == true, let position { reportMissed(position, snapshot) }
        for try await received in connection.events {
          take(received, instance: snapshot.instance)
          if let seq = received.event.seq { position = (snapshot.instance, seq) }
        }
      } catch {
        if Task.isCancelled { break }
        if !isOutageLogged { JournalLog.write(.warning, "the service is away: \(error)") }
        isOutageLogged = true
      }
      await client.set(nil)
      courier.serviceChanged(.away)
      try? await Task.sleep(for: .seconds(backoff.next()))
    }
  }

  private func take(_ received: ReceivedEvent, instance: String) {
    guard let line = try? JSONParser.parse(received.line) else { return }
    switch format.disposition(of: line, instance: instance) {
    case .none: break
    case .publish(let message): courier.publish(message)
    case .keep(let record): append(record)
    }
  }

  private func append(_ record: [UInt8]) {
    do {
      try log.append([record])
    } catch {
      JournalLog.write(.error, "an event is lost: \(error.message)")
    }
    courier.wake()
  }

  private func reportMissed(_ position: (instance: String, seq: Int), _ snapshot: Snapshot) {
    JournalLog.write(.warning, "events of the service were missed while the bridge was away")
    append(
      format.record(
        event: "bridge.missed", time: WallClock.timestamp,
        members: [
          .init("seq", .int(snapshot.seq - (snapshot.replayed ?? 0))), .init("instance", .string(snapshot.instance)),
          .init("after", .int(position.seq)), .init("afterInstance", .string(position.instance)),
        ]))
  }

  /// The service's number of the last event that is in the log.
  private func lastPosition() -> (instance: String, seq: Int)? {
    let last = log.figures.last
    guard last > 0, case .records(let records) = log.read(after: last - 1, count: 1), let record = records.first,
      let message = format.message(of: record, stream: log.stream), let value = try? JSONParser.parse(message.payload),
      let instance = value["instance"]?.string, let seq = value["seq"]?.int
    else { return nil }
    return (instance, seq)
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
    courier.reply(reply)
  }
}

/// The connection of the moment.
private actor CurrentClient {
  private(set) var value: WaymarkClient?
  func set(_ client: WaymarkClient?) { value = client }
}
