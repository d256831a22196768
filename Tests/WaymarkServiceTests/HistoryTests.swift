import Foundation
import Testing
import WaymarkProtocol
import WaymarkSystem

@testable import WaymarkServer
@testable import WaymarkService

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
    let other = try RawClient(service.path)
    _ = try other.next()
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
    let client = try RawClient(service.path)
    _ = try client.next()
    #expect(try client.ask("config.reload")["result"]?["restart"] == ["socket"])
    #expect(try client.ask("config.reload")["error"]?["code"] == "badConfiguration")
    #expect(try client.ask("config.reload")["result"]?["restart"] == [])
    await service.stop()
  }
}
