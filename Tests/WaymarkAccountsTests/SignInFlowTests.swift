import Testing

@testable import WaymarkPeople

/// Signing in, waiting, changing users, synchronizing.
@Suite struct SignInFlowTests {
  static func shared() -> (TestDevice, [String]) {
    var device = TestDevice(.whole(.shared))
    device.answer = { question in
      let user = question.fields["user"]?.text ?? question.subject ?? "?"
      return .accepted(ProviderPerson(subject: user, title: user.uppercased()))
    }
    for user in ["ada", "ben", "cem"] {
      if device.onboarding == nil {
        device.does(.switchUser)
        device.does(.add)
      }
      device.onboard(user, passcode: user + "1")
      device.does(.next(agreed: false))
      device.does(.leave)
    }
    return (device, device.flow.users.map(\.id))
  }

  @Test func threeTakeTurns() {
    var (device, ids) = Self.shared()
    #expect(device.flow.users.map(\.title) == ["ADA", "BEN", "CEM"])
    for round in 0..<9 {
      let number = (round * 2) % 3
      device.does(.switchUser)
      device.does(.select(ids[number]))
      // Going back keeps the choice.
      device.does(.back)
      #expect(device.phase == .signIn(ids[number]))
      device.signInStep(["ada1", "ben1", "cem1"][number])
      #expect(device.signedIn == ids[number])
      // One at a time.
      #expect(device.does(.select(ids[(number + 1) % 3])) == .wrongPhase)
      #expect(device.does(.enterPasscode(Secret("ben1"))) == .wrongPhase)
      device.does(.leave)
    }
    // The user who was there last is offered first.
    device.restart()
    #expect(device.phase == .signIn(device.last ?? ""))
  }

  @Test func fiveWrongOnesWaitAndEveryFurtherOneDoublesIt() {
    var (device, ids) = Self.shared()
    device.does(.select(ids[0]))
    for _ in 0..<4 { device.signInStep("wrong") }
    #expect(device.flow.problem?.code == .wrongPasscode)
    #expect(device.flow.wait(of: ids[0], at: device.now.seconds) == 0)
    device.signInStep("wrong")
    #expect(device.flow.wait(of: ids[0], at: device.now.seconds) == 30)
    let asked = device.effects.count
    // Not even the right one is looked at.
    #expect(device.does(.enterPasscode(Secret("ada1"))) == .waiting(30))
    #expect(!device.effects[asked...].contains { if case .check = $0 { true } else { false } })
    for expected in [60.0, 120, 240, 480, 960, 1920, 3600, 3600] {
      device.now.seconds += device.flow.wait(of: ids[0], at: device.now.seconds)
      device.send(.tick)
      device.signInStep("wrong")
      #expect(device.flow.wait(of: ids[0], at: device.now.seconds) == expected)
    }
    // Others do not wait for them.
    device.does(.switchUser)
    device.does(.select(ids[1]))
    device.does(.back)
    device.signInStep("ben1")
    #expect(device.signedIn == ids[1])
    device.does(.leave)
    device.does(.select(ids[0]))
    device.now.seconds += 3600
    device.signInStep("ada1")
    #expect(device.signedIn == ids[0])
    #expect(device.flow.accounts[ids[0]]?.waits.failures == 0)
    #expect(device.disk[ids[0]]?.waits.failures == 0)
  }

  @Test func aWaitIsReportedOnceItsTryIsWrittenDown() {
    var (device, ids) = Self.shared()
    device.does(.select(ids[0]))
    for _ in 0..<4 { device.signInStep("wrong") }
    device.isHeld = true
    device.does(.enterPasscode(Secret("wrong")))
    #expect(device.flow.wait(of: ids[0], at: device.now.seconds) == 0)
    let reported = device.effects.count
    device.run()
    #expect(device.flow.wait(of: ids[0], at: device.now.seconds) == 30)
    #expect(device.effects[reported...].contains(.changed))
    device.isHeld = false
    device.restart()
    #expect(device.flow.wait(of: ids[0], at: device.now.seconds) == 30)
    // Where it cannot be written down they still wait, until the device starts again.
    device.does(.select(ids[0]))
    device.now.seconds += 30
    device.isDiskFull = true
    device.signInStep("wrong")
    #expect(device.flow.wait(of: ids[0], at: device.now.seconds) == 60)
  }

  @Test func aTryIsWrittenDownBeforeItIsLookedAt() {
    var (device, ids) = Self.shared()
    device.does(.select(ids[0]))
    device.isHeld = true
    device.does(.enterPasscode(Secret("wrong")))
    #expect(device.flow.working == .storing)
    #expect(device.does(.enterPasscode(Secret("wrong"))) == .busy)
    #expect(device.does(.leave) == .busy)
    device.run()
    #expect(device.disk[ids[0]]?.waits.failures == 1)
    #expect(device.flow.working == .passcode)
    // The plug is pulled before the passcode was compared: the try is used up.
    device.isHeld = false
    device.restart()
    #expect(device.flow.accounts[ids[0]]?.waits.failures == 1)
    device.isDiskFull = true
    device.does(.select(ids[0]))
    device.signInStep("ada1")
    // A try that cannot be counted is not made.
    #expect(device.flow.problem?.code == .notStored)
    #expect(device.signedIn == nil)
  }

  /// Seconds since the device's start when the wait began, at the restart, and later; and what is left then.
  @Test(arguments: [
    (1000.0, 1010.0, 20.0), (1000.0, 1030.0, 0.0),
    // Another start: what is sure is the time since it.
    (1000.0, 5.0, 25.0), (1000.0, 29.0, 1.0), (1000.0, 31.0, 0.0), (10.0, 12.0, 28.0),
  ])
  func waitsSurviveRestarts(_ began: Double, _ later: Double, _ left: Double) {
    var (device, ids) = Self.shared()
    device.now.seconds = began
    device.does(.select(ids[0]))
    for _ in 0..<5 { device.signInStep("wrong") }
    device.now.seconds = later
    // The wall clock says what it likes.
    device.now.date = later < began ? "1970-01-01T00:00:00Z" : "2099-01-01T00:00:00Z"
    device.restart()
    #expect(device.flow.wait(of: ids[0], at: later) == left)
    // It only ever gets less.
    var before = left
    for seconds in stride(from: later, through: later + 60, by: 0.5) {
      let now = device.flow.wait(of: ids[0], at: seconds)
      #expect(now <= before)
      before = now
    }
    #expect(before == 0)
  }

  @Test func theEndOfAWaitIsReported() {
    var (device, ids) = Self.shared()
    device.does(.select(ids[0]))
    for _ in 0..<5 { device.signInStep("wrong") }
    #expect(device.flow.deadline(at: device.now.seconds) == device.now.seconds + 30)
    device.now.seconds += 30
    let before = device.effects.count
    device.send(.tick)
    #expect(device.effects[before...].contains(.changed))
  }

  @Test func aForgottenPasscodeIsSetAnewByWhoKnowsTheCredentials() {
    var (device, ids) = Self.shared()
    device.does(.select(ids[0]))
    for _ in 0..<5 { device.signInStep("wrong") }
    device.does(.forgot)
    #expect(device.phase == .recovering(ids[0], nil))
    device.answer = { _ in .accepted(ProviderPerson(subject: "ben")) }
    device.does(.submit(TestDevice.fields))
    // Those of another user.
    #expect(device.flow.problem?.code == .refused)
    #expect(device.phase == .recovering(ids[0], nil))
    device.answer = { .accepted(ProviderPerson(subject: $0.subject)) }
    device.does(.submit(TestDevice.fields))
    #expect(device.phase == .recovering(ids[0], PasscodeEntry()))
    device.does(.setPasscode(Secret("neu1")))
    device.does(.setPasscode(Secret("neu1")))
    // This alone does not sign in.
    #expect(device.phase == .signIn(ids[0]))
    #expect(device.flow.wait(of: ids[0], at: device.now.seconds) == 0)
    device.signInStep("neu1")
    #expect(device.signedIn == ids[0])
  }

  @Test func newConsentsAreAskedForBeforeSignIn() {
    var (device, ids) = Self.shared()
    var policy = device.flow.policy
    policy.consents[1].version = "3"
    device.send(.configure(policy))
    device.does(.select(ids[0]))
    device.signInStep("ada1")
    guard case .renewing(ids[0], let asking) = device.phase else {
      Issue.record("\(device.phase)")
      return
    }
    #expect(asking.consents.map(\.id) == ["privacy"])
    device.does(.consent("privacy", .deny, language: nil))
    #expect(device.flow.problem?.code == .consentNeeded)
    #expect(device.does(.next(agreed: true)) == .wrongPhase)
    device.does(.leave)
    #expect(device.phase == .signIn(ids[0]))
    device.signInStep("ada1")
    device.does(.consent("privacy", .allow, language: nil))
    #expect(device.signedIn == ids[0])
    #expect(device.disk[ids[0]]?.consents.map(\.choice) == [.allow, .allow, .deny, .allow])
  }

  @Test func bothErrorsOfSynchronizingAndTheirWaysOut() {
    var (device, ids) = Self.shared()
    device.does(.select(ids[0]))
    device.answer = { _ in .offline(text: "No network.") }
    device.signInStep("ada1")
    #expect(device.phase == .syncing(ids[0], .connectionError, again: false))
    #expect(device.flow.problem == AccountProblem(.offline, text: "No network."))
    device.does(.retry)
    #expect(device.phase == .syncing(ids[0], .connectionError, again: false))
    let ben = ProviderPerson(subject: "ben", title: "BEN")
    device.answer = { _ in .conflict(ben, text: "Ben has unsent changes.") }
    device.does(.retry)
    #expect(
      device.phase == .syncing(ids[0], .userError(id: ids[1], ben, text: "Ben has unsent changes."), again: false))
    // So that this user can.
    device.does(.leave)
    #expect(device.phase == .signIn(ids[1]))
    device.answer = { _ in nil }
    device.signInStep("ben1")
    #expect(device.phase == .syncing(ids[1], .running(nil), again: false))
    let ticket =
      device.effects.compactMap { if case .ask(let question) = $0 { question.ticket } else { nil } }.last ?? 0
    device.send(.progress(ticket, 0.5))
    #expect(device.phase == .syncing(ids[1], .running(0.5), again: false))
    device.now.seconds += 59
    device.send(.progress(ticket, 7))
    #expect(device.phase == .syncing(ids[1], .running(1), again: false))
    device.now.seconds += 59
    device.send(.tick)
    #expect(device.phase == .syncing(ids[1], .running(1), again: false))
    device.now.seconds += 1
    device.send(.tick)
    #expect(device.phase == .syncing(ids[1], .connectionError, again: false))
    #expect(device.flow.problem?.code == .providerSilent)
    device.does(.leave)
    #expect(device.phase == .signIn(ids[1]))
  }

  @Test func whoIsInLooksAtTheirConsentsAndWithdrawsThem() {
    var (device, ids) = Self.shared()
    device.does(.select(ids[0]))
    device.signInStep("ada1")
    #expect(device.does(.consent("usage", .later, language: nil)) == .badValue("choice"))
    #expect(device.does(.consent("other", .deny, language: nil)) == .badValue("consent"))
    // What is not needed: they stay in.
    device.does(.consent("usage", .deny, language: "de-AT"))
    #expect(device.signedIn == ids[0])
    let record = device.disk[ids[0]]?.choice(about: "usage")
    #expect(record?.choice == .deny && record?.language == "de" && record?.version == "1")
    #expect(device.effects.contains { if case .recorded(let one, ids[0]) = $0 { one == record } else { false } })
    // It is not asked for again, and can be allowed once more.
    device.does(.leave)
    device.signInStep("ada1")
    #expect(device.signedIn == ids[0])
    device.does(.consent("usage", .allow, language: "en"))
    #expect(device.disk[ids[0]]?.choice(about: "usage")?.choice == .allow)
    // A choice that could not be stored does not count.
    device.isDiskFull = true
    device.does(.consent("privacy", .deny, language: "en"))
    #expect(device.signedIn == ids[0])
    #expect(device.flow.problem?.code == .notStored)
    #expect(device.flow.accounts[ids[0]]?.choice(about: "privacy")?.choice == .allow)
    device.isDiskFull = false
    // Without a mandatory consent the user is signed out.
    device.does(.consent("privacy", .deny, language: "en"))
    #expect(device.phase == .signIn(ids[0]))
    device.signInStep("ada1")
    guard case .renewing(ids[0], let asking) = device.phase else {
      Issue.record("\(device.phase)")
      return
    }
    #expect(asking.consents.map(\.id) == ["privacy"])
  }

  @Test func whoIsInSynchronizesOnceMoreAndStaysIn() {
    var (device, ids) = Self.shared()
    let accepting = device.answer
    device.does(.select(ids[0]))
    device.now.date = "2026-02-03T04:05:06Z"
    device.signInStep("ada1")
    #expect(device.disk[ids[0]]?.synced == "2026-02-03T04:05:06Z")
    device.now.date = "2026-02-04T00:00:00Z"
    device.does(.retry)
    #expect(device.signedIn == ids[0])
    #expect(device.disk[ids[0]]?.synced == "2026-02-04T00:00:00Z")
    // What fails changes nothing of that, and leads back to where they were.
    for answer in [ProviderAnswer.offline(text: nil), .conflict(ProviderPerson(subject: "ben"), text: nil)] {
      device.now.date = "2026-02-05T00:00:00Z"
      device.answer = { _ in answer }
      device.does(.retry)
      #expect(device.signedIn == nil && device.phase.isSyncingAgain)
      device.does(.back)
      #expect(device.signedIn == ids[0])
    }
    #expect(device.disk[ids[0]]?.synced == "2026-02-04T00:00:00Z")
    // It can be stopped.
    device.answer = { _ in nil }
    device.does(.retry)
    #expect(device.phase == .syncing(ids[0], .running(nil), again: true))
    device.does(.back)
    #expect(device.signedIn == ids[0])
    // Leaving signs out.
    device.does(.retry)
    device.does(.leave)
    #expect(device.phase == .signIn(ids[0]))
    device.answer = accepting
    device.signInStep("ada1")
    // Before they are in nothing leads back to where they were not.
    device.does(.leave)
    device.answer = { _ in nil }
    device.signInStep("ada1")
    #expect(device.does(.back) == .busy)
    device.does(.leave)
    device.answer = accepting
    device.signInStep("ada1")
    #expect(device.signedIn == ids[0])
    // A user who has walked away is signed out.
    device.answer = { _ in .offline(text: nil) }
    device.does(.retry)
    device.now.seconds += device.flow.policy.leaveAfter
    device.send(.tick)
    #expect(device.phase == .signIn(ids[0]))
    var policy = device.flow.policy
    policy.syncs = false
    device.send(.configure(policy))
    device.signInStep("ada1")
    #expect(device.signedIn == ids[0])
    #expect(device.does(.retry) == .notOffered)
  }

  @Test func whoIsRemovedIsGoneWithAllThatIsKept() {
    var (device, ids) = Self.shared()
    device.does(.select(ids[0]))
    device.signInStep("ada1")
    device.send(.remove(ids[0]))
    #expect(device.signedIn == nil)
    #expect(device.flow.problem?.code == .removed)
    #expect(device.disk[ids[0]] == nil)
    #expect(device.flow.users.map(\.id) == [ids[1], ids[2]])
    // Also during a check: a late answer does not sign in.
    device.does(.select(ids[1]))
    device.isHeld = true
    device.does(.enterPasscode(Secret("ben1")))
    device.run()
    device.send(.remove(ids[1]))
    device.isHeld = false
    device.run()
    #expect(device.signedIn == nil)
    #expect(device.phase == .signIn(ids[2]))
    device.send(.remove(ids[2]))
    #expect(device.onboarding?.purpose == .first)
    #expect(device.disk.isEmpty)
    device.send(.remove("nobody"))
    #expect(device.refusals.last == .notFound)
  }

  @Test func aDeviceOfOnePersonOffersNoOtherUser() {
    var device = TestDevice(.whole(.single))
    device.onboard()
    device.does(.next(agreed: false))
    device.does(.leave)
    #expect(device.does(.switchUser) == .notOffered)
    #expect(device.does(.add) == .notOffered)
    #expect(device.does(.leave) == .wrongPhase)
  }

  @Test func aHashOfOldIsReplaced() {
    var (device, ids) = Self.shared()
    device.does(.select(ids[0]))
    device.isHeld = true
    device.does(.enterPasscode(Secret("ada1")))
    device.run()
    device.waiting = []
    let ticket = device.effects.compactMap { if case .check(let ticket, _, _) = $0 { ticket } else { nil } }.last ?? 0
    device.isHeld = false
    device.send(.checked(ticket, .right(rehashed: "new")))
    #expect(device.disk[ids[0]]?.passcode == "new")
    #expect(device.signedIn == ids[0])
  }
}
