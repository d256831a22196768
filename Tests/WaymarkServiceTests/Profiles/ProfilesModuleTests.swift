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

  @Test func aProfileIsChosenAndReported() async throws {
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
    // The same profile for another reason is published, and nothing is set again.
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
    let client = try service.client()
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
    let client = try service.client()
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
    let operatorClient = try service.client()
    #expect(try operatorClient.ask("profile.use", #"{"profile":"count"}"#)["result"]?["profile"]?.string == "count")
    operatorClient.shutdownSending()
    let client = try service.client()
    #expect(try client.ask("profile.list", "{}")["result"]?["active"]?["profile"]?.string == "count")
    #expect(await applied.names == ["count"])
    await service.stop()
  }
}

/// Which profile is in use, on a clock of the test's own.
@Suite struct ProfileChooserTests {
  private let noon = LocalMoment(day: .wed, minute: 12 * 60)

  private func profile(_ name: String, _ change: (inout ServiceProfile) -> Void = { _ in }) -> ServiceProfile {
    var profile = ServiceProfile(name)
    change(&profile)
    return profile
  }

  private func chooser() throws -> ProfileChooser {
    let pattern = try RegularExpression("BOX-[0-9]+")
    return ProfileChooser([
      profile("goods-in") { $0.codes = ["P:IN"] },
      profile("count") {
        $0.codePattern = pattern; $0.holdFor = 60
      },
      profile("night") { $0.times = [DayTime(start: 22 * 60, end: 6 * 60)] },
      profile("office") { $0.days = [.mon, .tue, .wed] },
    ])
  }

  @Test func withoutProfilesTheUsualSettingsHold() {
    var chooser = ProfileChooser([])
    #expect(chooser.handle(.tick, at: 0, noon) == nil)
    #expect(chooser.choice == .usual)
    #expect(chooser.deadline(at: 0, noon) == nil)
  }

  @Test func aRequestGoesBeforeTheHour() throws {
    var chooser = try chooser()
    #expect(chooser.handle(.tick, at: 0, noon)?.profile == "office")
    #expect(chooser.choice.reason == .schedule)
    let asked = chooser.handle(.request("night", client: 3, seconds: nil), at: 2, noon)
    #expect(asked == .init(profile: "night", reason: .request(client: 3)))
    #expect(chooser.handle(.request(nil, client: 4, seconds: nil), at: 4, noon)?.reason == .schedule)
  }

  @Test func aRequestMayEndByItself() throws {
    var chooser = try chooser()
    _ = chooser.handle(.tick, at: 0, noon)
    let asked = chooser.handle(.request("night", client: 1, seconds: 30), at: 10, noon)
    #expect(asked?.until == 40)
    #expect(chooser.deadline(at: 10, noon) == 40)
    #expect(chooser.handle(.tick, at: 39.9, noon) == nil)
    #expect(chooser.handle(.tick, at: 40, noon)?.profile == "office")
  }

  @Test func aCodeChoosesOnceWhileItIsInView() throws {
    var chooser = try chooser()
    #expect(chooser.profile(for: "P:IN")?.name == "goods-in")
    #expect(chooser.profile(for: "BOX-12")?.name == "count")
    #expect(chooser.profile(for: "BOX-12x") == nil)
    #expect(chooser.handle(.code("P:IN"), at: 0, noon)?.reason == .code)
    // A client requests another one while the code is still in view.
    _ = chooser.handle(.request("night", client: 1, seconds: nil), at: 1, noon)
    for time in stride(from: 1.5, to: 8, by: 0.5) { #expect(chooser.handle(.code("P:IN"), at: time, noon) == nil) }
    #expect(chooser.handle(.code("P:IN"), at: 12, noon)?.profile == "goods-in")
  }

  @Test func twoCodesInViewDoNotTakeTurns() throws {
    var chooser = try chooser()
    var changes = 0
    for frame in 0..<100 {
      for code in ["P:IN", "BOX-1"] {
        if chooser.handle(.code(code), at: Double(frame) / 30, noon) != nil { changes += 1 }
      }
    }
    #expect(changes == 2)
  }

  @Test func theChoiceByACodeEndsAfterItsTime() throws {
    var chooser = try chooser()
    #expect(chooser.handle(.code("BOX-5"), at: 100, noon)?.until == 160)
    #expect(chooser.handle(.tick, at: 160, noon)?.profile == "office")
  }

  @Test func aReloadKeepsTheChoiceOfAProfileThatIsStillThere() throws {
    var chooser = try chooser()
    _ = chooser.handle(.request("night", client: 1, seconds: nil), at: 0, noon)
    #expect(chooser.handle(.profiles([profile("night"), profile("other")]), at: 1, noon) == nil)
    #expect(chooser.handle(.profiles([profile("other")]), at: 2, noon) == .usual)
    // Nor does it come back with the profile.
    #expect(chooser.handle(.profiles([profile("night")]), at: 3, noon) == nil)
  }

  @Test func aTimeOverMidnightBelongsToTheDayItBeginsOn() throws {
    let night = profile("night") {
      $0.times = [DayTime(start: 22 * 60, end: 6 * 60)]
      $0.days = [.fri]
    }
    #expect(night.isDue(LocalMoment(day: .fri, minute: 22 * 60)))
    #expect(night.isDue(LocalMoment(day: .sat, minute: 5 * 60 + 59)))
    #expect(!night.isDue(LocalMoment(day: .sat, minute: 6 * 60)))
    #expect(!night.isDue(LocalMoment(day: .fri, minute: 5 * 60)))
    #expect(!night.isDue(LocalMoment(day: .sat, minute: 22 * 60)))
  }

  @Test func theHourIsLookedAtWithEveryMinute() throws {
    let chooser = try chooser()
    #expect(chooser.deadline(at: 50, LocalMoment(day: .mon, minute: 0, second: 41)) == 69)
    // A leap second is the last of its minute.
    #expect(chooser.deadline(at: 50, LocalMoment(day: .mon, minute: 0, second: 60)) == 51)
  }
}
