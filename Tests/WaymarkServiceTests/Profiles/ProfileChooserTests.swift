import Testing
import WaymarkSystem

@testable import WaymarkService

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
    // Somebody asks for another one while the code is still there.
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
