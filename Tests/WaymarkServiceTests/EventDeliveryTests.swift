import Foundation
import Testing
import WaymarkProtocol
import WaymarkSystem

@testable import WaymarkServer
@testable import WaymarkService

@Suite(.serialized, .ownThread) struct EventDeliveryTests {
  private func subscribed(_ service: TestService, _ events: String) throws -> RawClient {
    try service.client(subscribing: "{\"events\":\(events)}")
  }

  @Test func onlyWhatWasAskedForComes() async throws {
    let service = try await TestService()
    let scans = try subscribed(service, #"["scan.*"]"#)
    let all = try subscribed(service, #"["*"]"#)
    await service.publish(AnchorLost(anchor: "a", lastSeen: 1))
    await service.publish(ScanConfirmed(scan: "s1"))
    #expect(try scans.next()["event"] == "scan.confirmed")
    #expect(try all.next()["event"] == "anchor.lost")
    #expect(try all.next()["seq"] == 2)
    _ = try all.ask("unsubscribe", #"{"events":["*"]}"#)
    await service.publish(ScanConfirmed(scan: "s2"))
    #expect(try scans.next()["scan"] == "s2")
    #expect(try all.ask("ping", id: 77)["id"] == 77)
    await service.stop()
  }

  @Test func statisticsComeOnlyByName() async throws {
    let service = try await TestService()
    let client = try subscribed(service, #"["*"]"#)
    await service.publish(Samples.statistics)
    await service.publish(ScanConfirmed(scan: "s1"))
    #expect(try client.next()["event"] == "scan.confirmed")
    await service.stop()
  }

  @Test func badPatternsAreRefused() async throws {
    let service = try await TestService()
    let client = try service.client()
    for bad in [
      #"[""]"#, #"["scan.*.x"]"#, #"["**"]"#, #"["scän"]"#,
      "[" + (0..<65).map { "\"a\(String(repeating: "b", count: $0))\"" }.joined(separator: ",") + "]",
    ] {
      #expect(try client.ask("subscribe", "{\"events\":\(bad)}")["error"]?["code"] == "badParams")
    }
    await service.stop()
  }

  /// A slip in a name must not widen what is asked for.
  @Test func unknownParametersAreRefused() async throws {
    let service = try await TestService()
    let client = try service.client()
    for (method, params, path, nearest) in [
      ("subscribe", #"{"evnts":["scan.*"]}"#, "evnts", "events"), ("ping", #"{"a":1}"#, "a", nil),
      ("subscribe", #"{"events":["scan.*"],"":1}"#, "", nil),
      ("subscribe", "{\"" + String(repeating: "x", count: 5000) + "\":1}", "xxx", nil),
    ] as [(String, String, String, String?)] {
      let error = try client.ask(method, params)["error"]
      #expect(error?["code"] == "badParams", "\(method) \(path)")
      let message = error?["message"]?.string ?? ""
      #expect(message.contains("\"\(path)") && message.count < 200, "\(message)")
      if let nearest { #expect(error?["hint"]?.string?.hasPrefix("Did you mean \(nearest)?") == true) }
    }
    // A null stands for a parameter that is left out, and the connection stays open.
    #expect(try client.ask("subscribe", #"{"events":null}"#)["error"] == nil)
    await service.stop()
  }

  @Test func everyClientGetsEveryEventInOrder() async throws {
    let service = try await TestService()
    let clients = try (0..<50).map { _ in try subscribed(service, #"["anchor.*"]"#) }
    for index in 1...60 { await service.publish(AnchorLost(anchor: "a\(index)", lastSeen: Double(index))) }
    for client in clients {
      for index in 1...60 { #expect(try client.next()["anchor"] == .string("a\(index)")) }
    }
    await service.stop()
  }

  /// Events at the end of a connection come after the event whose delivery ended it, for everybody.
  @Test func whatADeliveryCausesComesAfterIt() async throws {
    let service = try await TestService(modules: { [Farewells(hub: $0)] })
    let clients = try (0..<12).map { _ in try subscribed(service, #"["scan.*"]"#) }
    for round in 1...4 {
      let gone = try subscribed(service, #"["scan.*"]"#)
      await Self.publish("s\(round)", while: gone.descriptor, leaves: service.hub)
      for client in clients {
        #expect(try client.next()["scan"] == .string("s\(round)"))
        #expect(try client.next()["scan"] == "farewell")
      }
    }
    await service.stop()
  }

  /// In one turn of the loop: the service hears of the end when it writes.
  @ServiceActor
  private static func publish(_ scan: String, while descriptor: CInt, leaves hub: Hub) {
    shutdown(descriptor, CInt(SHUT_RDWR))
    hub.publish(ScanConfirmed(scan: scan))
  }

  @ServiceActor
  private final class Farewells: ServiceModule {
    private unowned let hub: Hub
    init(hub: Hub) { self.hub = hub }
    func connectionClosed(_ connection: Connection) { hub.publish(ScanConfirmed(scan: "farewell")) }
  }

  @Test func whoNeverReadsIsLetGoAndCostsOthersNothing() async throws {
    var limits = ConnectionLimits()
    limits.outbox = 100_000
    limits.slowAfter = 0.2
    let service = try await TestService(limits: limits)
    let slow = try subscribed(service, #"["scan.*"]"#)
    let good = try subscribed(service, #"["scan.*"]"#)
    let text = String(repeating: "x", count: 20_000)
    for index in 0..<60 {
      await service.publish(
        ScanSuccessful(scan: "s\(index)", symbology: "qr", text: text, corners: []))
      #expect(try good.next()["scan"] == .string("s\(index)"))
    }
    try await service.until { $0.connections.count == 1 }
    #expect(try good.ask("ping")["result"] != nil)
    // Lines written before still arrive; then the connection ends.
    let lines = try slow.rest()
    #expect(lines.count < 60)
    await service.stop()
  }

  @Test func aResumingClientLearnsWhatWasLost() async throws {
    var limits = ConnectionLimits()
    limits.outbox = 200_000
    limits.slowAfter = 60
    let service = try await TestService(limits: limits)
    let client = try subscribed(service, #"["scan.*"]"#)
    let text = String(repeating: "x", count: 20_000)
    for index in 1...60 {
      await service.publish(ScanSuccessful(scan: "s\(index)", symbology: "qr", text: text, corners: []))
    }
    var last = 0
    var gap: JSONValue?
    while gap == nil {
      let event = try client.next()
      if event["event"] == "stream.dropped" {
        gap = event
      } else {
        let seq = try #require(event["seq"]?.int)
        #expect(seq == last + 1)
        last = seq
      }
    }
    #expect(gap?["sinceSeq"] == .int(last))
    #expect(gap?["count"] == .int(60 - last))
    await service.publish(ScanConfirmed(scan: "after"))
    #expect(try client.next()["scan"] == "after")
    await service.stop()
  }

  @Test func aSlowReaderLearnsWhyItIsClosed() async throws {
    var limits = ConnectionLimits()
    (limits.outbox, limits.slowAfter) = (100_000, 0.1)
    let service = try await TestService(limits: limits)
    let client = try subscribed(service, #"["scan.*"]"#)
    let text = String(repeating: "x", count: 20_000)
    for index in 1...60 {
      await service.publish(ScanSuccessful(scan: "s\(index)", symbology: "qr", text: text, corners: []))
    }
    // It has been given up by now, and what was on its way to it still is.
    try await service.until { $0.connections.values.allSatisfy(\.isClosing) }
    let lines = try client.rest()
    let last = try JSONParser.parse(Array(try #require(lines.last).utf8))
    #expect(last["event"] == "connection.closed")
    #expect(last["reason"] == "slowConsumer")
    await service.stop()
  }

  @Test func patternsThatMatchNothingAreRefused() async throws {
    let service = try await TestService()
    let client = try service.client()
    for bad in ["scan", "SCAN.*", "scan.succesful", "shelf.counted"] {
      let error = try client.ask("subscribe", #"{"events":["scan.*","\#(bad)"]}"#)["error"]
      #expect(error?["code"] == "badParams" && error?["message"]?.string == "subscribe: there is no event \"\(bad)\".")
    }
    #expect(try client.ask("subscribe", #"{"events":["statistics","hello"]}"#)["result"]?["events"]?.array?.count == 2)
    await service.stop()
  }

  @Test func whatCoalescesIsNeverAReasonToLetGo() async throws {
    var limits = ConnectionLimits()
    limits.outbox = 100_000
    limits.slowAfter = 0.1
    let service = try await TestService(limits: limits)
    let client = try subscribed(service, #"["anchors.updated"]"#)
    for _ in 0..<2000 { await service.publish(AnchorsUpdated(anchors: Array(repeating: Samples.anchor, count: 3))) }
    await service.publish(AnchorsUpdated(anchors: []))
    var newest: JSONValue = nil
    var last = 0
    while newest["anchors"]?.array?.isEmpty != true {
      newest = try client.next()
      let seq = newest["seq"]?.int ?? 0
      #expect(seq > last)
      last = seq
    }
    #expect(last == 2001)
    await service.stop()
  }

  @Test func theEndIsAnnounced() async throws {
    let service = try await TestService()
    let client = try service.client()
    await service.stop()
    #expect(try client.next()["event"] == "server.stopping")
    #expect(try client.next()["reason"] == "stopping")
    #expect(try client.line() == nil)
    #expect(!FileManager.default.fileExists(atPath: service.path))
  }
}

/// The replies to clients that come back.
@Suite(.serialized, .ownThread) struct HistoryTests {
  private func service(keeping count: Int) async throws -> TestService {
    var limits = ConnectionLimits()
    limits.history = count
    return try await TestService(limits: limits)
  }

  private func returning(
    to service: TestService, after seq: Int, instance: String? = nil, events: String = #"["scan.*"]"#
  ) throws -> (client: RawClient, answer: JSONValue?) {
    let client = try RawClient(service.path)
    let hello = try client.next()
    let instance = instance ?? hello["instance"]?.string ?? ""
    let answer = try client.ask(
      "subscribe", #"{"events":\#(events),"after":{"instance":"\#(instance)","seq":\#(seq)}}"#)
    return (client, answer["result"])
  }

  @Test func whatWasMissedFollowsTheAnswer() async throws {
    let service = try await service(keeping: 100)
    for number in 1...5 {
      await service.publish(ScanConfirmed(scan: "s\(number)"))
      await service.publish(AnchorsUpdated(anchors: []))
    }
    let (client, answer) = try returning(to: service, after: 3)
    #expect(answer?["replayed"] == 3)
    #expect(answer?["missed"] == nil)
    #expect(try (3...5).map { _ in try client.next()["scan"] } == ["s3", "s4", "s5"])
    await service.publish(ScanConfirmed(scan: "s6"))
    #expect(try client.next()["scan"] == "s6")
    // Nothing is asked for, nothing follows.
    let other = try service.client()
    #expect(try other.ask("subscribe", #"{"events":["*"]}"#)["result"]?["replayed"] == nil)
    await service.stop()
  }

  @Test func whatIsGoneIsSaid() async throws {
    let service = try await service(keeping: 3)
    for number in 1...5 { await service.publish(ScanConfirmed(scan: "s\(number)")) }
    let (client, answer) = try returning(to: service, after: 1)
    #expect(answer?["missed"] == true)
    #expect(answer?["replayed"] == 3)
    #expect(try client.next()["scan"] == "s3")
    #expect(try returning(to: service, after: 2).answer?["missed"] == nil)
    // The numbers of another run mean nothing.
    #expect(try returning(to: service, after: 5, instance: "before").answer?["missed"] == true)
    await service.stop()
  }

  @Test func withoutAHistoryItIsStillKnownWhetherSomethingHappened() async throws {
    let service = try await service(keeping: 0)
    await service.publish(ScanConfirmed(scan: "s1"))
    await service.publish(AnchorsUpdated(anchors: []))
    #expect(try returning(to: service, after: 1).answer?["missed"] == nil)
    #expect(try returning(to: service, after: 0).answer?["missed"] == true)
    await service.stop()
  }

  @Test func observersGetWhatObserversMaySee() async throws {
    var limits = ConnectionLimits()
    limits.history = 10
    let service = try await TestService(
      limits: limits, roles: RolePolicy(operatorUsers: [], observerUsers: [UInt32(geteuid())]))
    await service.publish(ScanSuccessful(scan: "s1", symbology: "qr", text: "secret", corners: []))
    let (client, _) = try returning(to: service, after: 0)
    let event = try client.next()
    #expect(event["scan"] == "s1")
    #expect(event["text"] == nil)
    await service.stop()
  }

  @Test func aReloadIsAnsweredAndOneFollowsTheOther() async throws {
    let service = try await TestService(modules: { _ in
      var calls = 0
      return [
        ReloadModule {
          calls += 1
          if calls == 2 { throw ServiceError(.badConfiguration, "waymark.yaml:1: brokn", hint: "Correct it.") }
          return calls == 1 ? ["socket"] : []
        }
      ]
    })
    let client = try service.client()
    #expect(try client.ask("config.reload")["result"]?["restart"] == ["socket"])
    #expect(try client.ask("config.reload")["error"]?["code"] == "badConfiguration")
    #expect(try client.ask("config.reload")["result"]?["restart"] == [])
    await service.stop()
  }
}
