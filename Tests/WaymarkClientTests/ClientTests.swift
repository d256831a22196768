import Foundation
import NIOCore
import Testing
import WaymarkProtocol
import WaymarkSystem

@testable import WaymarkClient
@testable import WaymarkServer
@testable import WaymarkService

/// The client of the library against a real service.
@Suite(.serialized) struct ClientTests {
  @Test func requestsAreAnsweredAndEventsCome() async throws {
    let service = try await TestService()
    let client = try await WaymarkClient.connect(to: service.path)
    #expect(client.hello.role == .operator)
    let pong = try await client.send(PingRequest())
    #expect(pong.monotonic > 0)
    let snapshot = try await client.send(SubscribeRequest(events: ["scan.*"]))
    #expect(snapshot.events == ["scan.*"])
    await service.publish(ScanConfirmed(scan: "s1", context: ["a": 1]))
    let received = try #require(try await client.events.next())
    #expect(received.event.body == .scanConfirmed(ScanConfirmed(scan: "s1", context: ["a": 1])))
    #expect(received.line.contains("scan.confirmed"))
    await #expect(throws: ServiceError.self) { try await client.send(method: "nope", params: [:]) }
    await service.stop()
  }

  /// Two hundred requests at once, each with an answer of its own.
  @Test func answersFindTheirRequests() async throws {
    let service = try await TestService()
    let client = try await WaymarkClient.connect(to: service.path)
    let refusals = try await withThrowingTaskGroup(of: (Int, String).self) { group in
      for number in 0..<200 {
        group.addTask {
          do {
            return (number, "\(try await client.send(method: "absent.\(number)", params: [:]))")
          } catch let error as ServiceError { return (number, error.message) }
        }
      }
      return try await group.reduce(into: [Int: String]()) { $0[$1.0] = $1.1 }
    }
    #expect(refusals.count == 200)
    for (number, message) in refusals { #expect(message == "There is no method absent.\(number).") }
    await service.stop()
  }

  /// A service may answer what is quick before what is slow.
  @Test(.timeLimit(.minutes(1))) func answersInAnotherOrderFindTheirRequests() async throws {
    let service = try FakeService()
    let answering = Thread {
      guard let link = try? service.subscriber() else { return }
      let requests = (0..<20).compactMap { _ in link.request() }
      for request in requests.reversed() {
        guard let id = request["id"] as? Int, let method = request["method"] as? String else { return }
        link.send(#"{"id":\#(id),"result":{"method":"\#(method)"}}"#)
      }
      _ = link.request()
    }
    answering.start()
    let client = try await WaymarkClient.connect(to: service.path)
    _ = try await client.send(SubscribeRequest(events: ["scan.*"]))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask {
          let answer = try await client.send(method: "m\(number)", params: [:])
          #expect(answer == ["method": .string("m\(number)")])
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func theEndIsReported() async throws {
    let service = try await TestService()
    let client = try await WaymarkClient.connect(to: service.path)
    await service.stop()
    var names: [String] = []
    do {
      for try await received in client.events { names.append(received.event.body.name) }
      Issue.record("the events ended without a word")
    } catch let error as ClientError { #expect(error.code == "stopping") }
    #expect(names == ["server.stopping", "connection.closed"])
    await #expect(throws: ClientError.self) { try await client.send(PingRequest()) }
  }

  /// A socket takes connections for a process that stands still.
  @Test(.timeLimit(.minutes(1))) func aServiceThatStandsStillIsNotWaitedFor() async throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let silent = try ListeningSocket(path: folder + "/s.sock", mode: 0o660)
    do {
      _ = try await WaymarkClient.connect(to: folder + "/s.sock", greetingWithin: .milliseconds(50))
      Issue.record("it connected")
    } catch let error as ClientError {
      #expect(error.code == "noService")
      #expect(error.message.contains("does not answer"))
    }
    _ = silent
  }

  @Test func withoutAServiceThereIsAWord() async throws {
    do {
      _ = try await WaymarkClient.connect(to: "/nonexistent/s.sock")
      Issue.record("it connected")
    } catch let error as ClientError {
      #expect(error.code == "noService")
      #expect(error.hint.contains("waymark serve"))
    }
  }

  @Test func subscriptionsComeBackAfterALoss() async throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/s.sock"
    var service: TestService? = try await TestService(path: path)
    var connects = 0
    var instances: Set<String> = []
    var losses = 0
    updates: for try await update in WaymarkClient.updates(
      at: path, events: ["scan.*"], backoff: Backoff(first: 0.01, longest: 0.05))
    {
      switch update {
      case .connected(_, let snapshot):
        connects += 1
        instances.insert(snapshot.instance)
        if connects == 2 {
          await service?.publish(ScanConfirmed(scan: "again"))
        } else {
          await service?.stop()
          service = nil
        }
      case .event(let received):
        if case .scanConfirmed(let confirmed) = received.event.body {
          #expect(confirmed.scan == "again")
          break updates
        }
      case .disconnected:
        losses += 1
        if service == nil { service = try await TestService(path: path) }
      }
    }
    #expect(connects == 2)
    #expect(instances.count == 2)
    #expect(losses >= 1)
    await service?.stop()
  }

  @Test func aRefusalIsNotTriedAgain() async throws {
    let service = try await TestService(roles: RolePolicy(operatorUsers: []))
    do {
      for try await _ in WaymarkClient.updates(at: service.path, events: nil) {}
      Issue.record("it ended without a word")
    } catch let error as ClientError { #expect(error.code == "notPermitted") }
    await service.stop()
  }
}
