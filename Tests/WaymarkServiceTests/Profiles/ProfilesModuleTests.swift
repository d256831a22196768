import Foundation
import Testing
import WaymarkProtocol
import WaymarkSystem

@testable import WaymarkServer
@testable import WaymarkService

/// `profile.*` through the socket.
@Suite(.serialized, .ownThread) struct ProfilesModuleTests {
  /// The names that were applied, in order.
  @ServiceActor
  private final class Applied {
    var names: [String?] = []
    var module: ProfilesModule?
  }

  private func service(_ profiles: [ServiceProfile], _ applied: Applied, observer: Bool = false) async throws
    -> TestService
  {
    let user = UInt32(geteuid())
    let roles = observer ? RolePolicy(operatorUsers: [], observerUsers: [user]) : RolePolicy(operatorUsers: [user])
    return try await TestService(roles: roles) { hub in
      let module = ProfilesModule(hub: hub, profiles: profiles)
      module.onChange = { applied.names.append($0) }
      applied.module = module
      module.start()
      return [module]
    }
  }

  private var profiles: [ServiceProfile] {
    var one = ServiceProfile("goods-in")
    one.codes = ["P:IN"]
    one.cues = ["read"]
    return [one, ServiceProfile("count")]
  }

  @Test func aProfileIsChosenAndTold() async throws {
    let applied = Applied()
    let service = try await service(profiles, applied)
    let client = try RawClient(service.path)
    #expect(try client.next()["features"]?.array?.contains("profiles") == true)
    let snapshot = try client.ask("subscribe", #"{"events":["profile.*"]}"#)
    #expect(snapshot["result"]?["profile"]?["reason"]?.string == "none")
    try client.send("{\"id\":2,\"method\":\"profile.use\",\"params\":{\"profile\":\"goods-in\",\"seconds\":600}}\n")
    let event = try client.next()
    #expect(event["event"]?.string == "profile.changed" && event["profile"]?.string == "goods-in")
    #expect(event["reason"]?.string == "request" && event["until"]?.string != nil)
    #expect(event["cues"]?.array == ["read"] && event["by"]?["client"] != nil)
    #expect(try client.next()["result"]?["profile"]?.string == "goods-in")
    // The same profile for another reason is told, and nothing is set again.
    #expect(await Self.take(applied, "P:IN"))
    let second = try client.next()
    #expect(second["reason"]?.string == "code" && second["profile"]?.string == "goods-in")
    #expect(await applied.names == ["goods-in"])
    let list = try client.ask("profile.list", "{}", id: 5)
    #expect(list["result"]?["profiles"]?.array?.map { $0["profile"]?.string } == ["goods-in", "count"])
    #expect(list["result"]?["profiles"]?.array?.first?["codes"] == true)
    #expect(list["result"]?["active"]?["reason"]?.string == "code")
    await service.stop()
  }

  @Test func anUnknownNameIsRefusedWithTheNearest() async throws {
    let applied = Applied()
    let service = try await service(profiles, applied)
    let client = try RawClient(service.path)
    _ = try client.next()
    let error = try client.ask("profile.use", #"{"profile":"goods-on"}"#)["error"]
    #expect(error?["code"]?.string == "notFound" && error?["hint"]?.string == "Did you mean goods-in?")
    await service.stop()
    let none = try await self.service([], applied)
    let other = try RawClient(none.path)
    #expect(try other.next()["features"]?.array?.contains("profiles") == false)
    #expect(try other.ask("profile.use", #"{"profile":"x"}"#)["error"]?["code"]?.string == "notConfigured")
    #expect(try other.ask("subscribe", "{}", id: 2)["result"]?["profile"] == nil)
    await none.stop()
  }

  @Test func anObserverSeesTheChoiceAndChoosesNothing() async throws {
    let applied = Applied()
    let service = try await service(profiles, applied, observer: true)
    let client = try RawClient(service.path)
    _ = try client.next()
    #expect(try client.ask("profile.use", #"{"profile":"count"}"#)["error"]?["code"]?.string == "notPermitted")
    #expect(await Self.take(applied, "P:IN"))
    let list = try client.ask("profile.list", "{}", id: 3)["result"]
    #expect(list?["active"]?["profile"]?.string == "goods-in")
    let snapshot = try client.ask("subscribe", "{}", id: 4)["result"]
    #expect(snapshot?["profile"]?["profile"]?.string == "goods-in")
    await service.stop()
  }

  @Test func aCodeOfAProfileIsTakenAndOthersAreNot() async throws {
    let applied = Applied()
    let service = try await service(profiles, applied)
    #expect(await Self.take(applied, "P:IN"))
    #expect(await !Self.take(applied, "4006381333931"))
    #expect(await applied.names == ["goods-in"])
    // A code that a reload leaves out no longer chooses a profile.
    #expect(await Self.use(applied, [ServiceProfile("count")]) == nil)
    #expect(await !Self.take(applied, "P:IN"))
    #expect(await applied.names == ["goods-in"])
    await service.stop()
  }

  @ServiceActor
  private static func take(_ applied: Applied, _ code: String) -> Bool { applied.module?.take(code) ?? false }

  @ServiceActor
  private static func use(_ applied: Applied, _ profiles: [ServiceProfile]) -> String? { applied.module?.use(profiles) }

  @Test func aChoiceStaysWhenItsClientLeaves() async throws {
    let applied = Applied()
    let service = try await service(profiles, applied)
    let operatorClient = try RawClient(service.path)
    _ = try operatorClient.next()
    #expect(try operatorClient.ask("profile.use", #"{"profile":"count"}"#)["result"]?["profile"]?.string == "count")
    operatorClient.shutdownSending()
    let client = try RawClient(service.path)
    _ = try client.next()
    #expect(try client.ask("profile.list", "{}")["result"]?["active"]?["profile"]?.string == "count")
    #expect(await applied.names == ["count"])
    await service.stop()
  }
}
