import Testing
import WaymarkPeople

/// The onboarding of one person, transition by transition.
@Suite struct OnboardingFlowTests {
  @Test func fromTheFirstScreenToTheLast() {
    var device = TestDevice(.whole(.single))
    #expect(device.onboarding?.step == .welcome)
    #expect(device.does(.next(agreed: false)) == .badValue("agreed"))
    device.does(.next(agreed: true))
    #expect(device.onboarding?.step == .activation)
    #expect(device.onboarding?.method == nil)
    device.does(.choose(.preset))
    device.does(.next(agreed: false))
    #expect(device.onboarding?.step == .credentials)
    #expect(device.onboarding?.account.host == "preset.example.com")
    #expect(device.does(.submit(["user": Secret("ada")])) == .badValue("password"))
    #expect(device.does(.submit(["user": Secret("ada"), "password": Secret("")])) == .badValue("password"))
    #expect(
      device.does(.submit(TestDevice.fields.merging(["more": Secret("x")]) { $1 })) == .badValue("fields"))
    device.does(.submit(TestDevice.fields))
    #expect(device.onboarding?.step == .consents)
    #expect(device.onboarding?.account.title == "Ada Lovelace")
    // Two screens: the choice is on the last.
    #expect(device.does(.consent("usage", .allow, language: "en")) == .wrongPhase)
    device.does(.next(agreed: false))
    #expect(device.does(.next(agreed: false)) == .wrongPhase)
    device.does(.back)
    #expect(device.onboarding?.asking.page == 0)
    device.does(.next(agreed: false))
    #expect(device.does(.consent("usage", .deny, language: "en")) == .badValue("choice"))
    #expect(device.does(.consent("privacy", .allow, language: "en")) == .wrongPhase)
    device.does(.consent("usage", .later, language: "de-AT"))
    #expect(device.onboarding?.asking.current?.id == "privacy")
    #expect(device.does(.consent("privacy", .later, language: "en")) == .badValue("choice"))
    device.does(.consent("privacy", .deny, language: "en"))
    #expect(device.flow.problem?.code == .consentNeeded)
    #expect(device.onboarding?.asking.current?.id == "privacy")
    device.does(.consent("privacy", .allow, language: "en"))
    #expect(device.onboarding?.step == .passcode)
    #expect(device.does(.setPasscode(Secret("123"))) == .rules([.tooShort]))
    device.does(.setPasscode(Secret("1234")))
    #expect(device.onboarding?.entry.isRepeating == true)
    device.does(.setPasscode(Secret("4321")))
    #expect(device.flow.problem?.code == .mismatch)
    #expect(device.onboarding?.entry.isRepeating == false)
    device.does(.setPasscode(Secret("1234")))
    device.does(.back)
    #expect(device.onboarding?.entry.isRepeating == false)
    device.does(.setPasscode(Secret("1234")))
    device.does(.setPasscode(Secret("1234")))
    #expect(device.onboarding?.isFinished == true)
    #expect(device.onboarding?.step == nil)
    device.does(.next(agreed: false))
    let id = device.signedIn
    #expect(id != nil)
    let kept = device.disk[id ?? ""]
    #expect(kept?.isReady == true)
    #expect(kept?.passcode == "h(1234)")
    #expect(kept?.consents.map(\.choice) == [.later, .deny, .allow])
    #expect(kept?.consents.first?.language == "de")
    #expect(kept?.consents.first?.hash == AccountPolicy.usage.hash(in: "de"))
    #expect(kept?.consents.first?.hash != AccountPolicy.usage.hash(in: "en"))
    // Done once.
    device.restart()
    #expect(device.phase == .signIn(id ?? ""))
  }

  /// The input of each way of activation, and the screen it leads to.
  @Test(arguments: [
    (
      AccountPolicy.ActivationMethod.scan,
      AccountRequest.accepted(by: .scan, host: "a.example.com", payload: Secret("p"))
    ),
    (.code, .accepted(by: .code, host: "a.example.com", payload: Secret("p"))),
    (.code, .activate(Secret("WM-1234"))), (.email, .activate(Secret("ada@example.com"))),
  ])
  func everyWayOfActivation(_ method: AccountPolicy.ActivationMethod, _ request: AccountRequest) {
    var device = TestDevice(.whole(.single))
    device.answer = { _ in .accepted(ProviderPerson(host: "a.example.com")) }
    device.does(.next(agreed: true))
    #expect(device.does(request) == .wrongPhase)
    device.does(.choose(method))
    #expect(device.onboarding?.method == method)
    device.does(.back)
    #expect(device.onboarding?.method == nil)
    device.does(.choose(method))
    #expect(device.does(request) == nil)
    #expect(device.onboarding?.step == .credentials)
    #expect(device.onboarding?.account.host == "a.example.com")
  }

  @Test func oneWayAloneIsNoChoice() {
    var policy = AccountPolicy.whole(.single)
    policy.activation = [.email]
    var device = TestDevice(policy)
    device.does(.next(agreed: true))
    #expect(device.onboarding?.method == .email)
    #expect(device.does(.back) == .wrongPhase)
    #expect(device.does(.activate(Secret("nobody"))) == .badValue("code"))
    #expect(device.does(.choose(.scan)) == .notOffered)
  }

  /// The answers of the provider, and the problem that the screen shows.
  @Test(arguments: [
    (ProviderAnswer.refused(text: "Wrong password."), AccountProblem.Code.refused), (.offline(text: nil), .offline),
    (.conflict(ProviderPerson(subject: "other"), text: "Busy."), .refused),
  ])
  func theProviderSaysNo(_ answer: ProviderAnswer, _ code: AccountProblem.Code) {
    var device = TestDevice(.whole(.single))
    device.answer = { $0.kind == .verify ? answer : .accepted(ProviderPerson()) }
    device.does(.next(agreed: true))
    device.does(.choose(.preset))
    device.does(.next(agreed: false))
    device.does(.submit(TestDevice.fields))
    #expect(device.flow.problem?.code == code)
    #expect(device.onboarding?.step == .credentials)
    device.answer = { _ in .accepted(ProviderPerson(subject: "ada")) }
    device.does(.submit(TestDevice.fields))
    #expect(device.flow.problem == nil)
    #expect(device.onboarding?.step == .consents)
  }

  @Test func aProviderThatIsNotThereGoneOrSilent() {
    var device = TestDevice(.whole(.single), hasProvider: false)
    device.does(.next(agreed: true))
    device.does(.choose(.email))
    device.does(.activate(Secret("ada@example.com")))
    #expect(device.flow.problem?.code == .noProvider)
    device.send(.provider(isConnected: true))
    device.answer = { _ in nil }
    device.does(.activate(Secret("ada@example.com")))
    #expect(device.flow.working == .provider)
    #expect(device.does(.activate(Secret("ada@example.com"))) == .busy)
    device.send(.provider(isConnected: false))
    #expect(device.flow.problem?.code == .providerGone)
    #expect(device.flow.working == nil)
    device.send(.provider(isConnected: true))
    device.does(.activate(Secret("ada@example.com")))
    let due = device.flow.deadline(at: device.now.seconds)
    #expect(due == device.now.seconds + device.flow.policy.answerWithin)
    device.now.seconds += 14.9
    device.send(.tick)
    #expect(device.flow.problem == nil)
    device.now.seconds += 0.1
    device.send(.tick)
    #expect(device.flow.problem?.code == .providerSilent)
    // The answer comes late and is ignored.
    device.send(.answered(2, .accepted(ProviderPerson(host: "late.example.com"))))
    #expect(device.onboarding?.account.host == nil)
    #expect(device.onboarding?.step == .activation)
  }

  @Test func everyStepCanBeLeft() {
    let ways: [[AccountRequest]] = [
      [.next(agreed: true)], [.choose(.scan)], [.accepted(by: .scan, host: nil, payload: Secret("p"))],
      [.submit(TestDevice.fields)],
      [.next(agreed: false), .consent("usage", .allow, language: nil), .consent("privacy", .deny, language: nil)],
      [.consent("privacy", .allow, language: nil)], [.setPasscode(Secret("1234"))],
    ]
    for count in 1...ways.count {
      var device = TestDevice(.whole(.single))
      for request in ways.prefix(count).joined() { #expect(device.does(request) == nil) }
      #expect(device.does(.leave) == nil)
      #expect(device.onboarding?.step == .welcome)
      #expect(device.onboarding?.account.host == nil)
      #expect(device.onboarding?.account.title == "")
      // No user can sign in.
      #expect(device.flow.users.isEmpty)
    }
  }

  @Test func leavingWhileTheProviderWorksWithdrawsTheQuestion() {
    var device = TestDevice(.whole(.single))
    device.answer = { _ in nil }
    device.does(.next(agreed: true))
    device.does(.choose(.code))
    device.does(.activate(Secret("WM-1")))
    device.does(.leave)
    #expect(device.effects.contains(.withdraw(1)))
    #expect(device.onboarding?.step == .welcome)
  }

  @Test func anAbandonedStepIsLeft() {
    var device = TestDevice(.whole(.single))
    #expect(device.flow.deadline(at: device.now.seconds) == nil)
    device.does(.next(agreed: true))
    device.now.seconds += 300
    device.send(.tick)
    #expect(device.onboarding?.step == .welcome)
  }

  @Test func aFullDiskLosesNothingAndSaysSo() {
    var device = TestDevice(.whole(.single))
    device.does(.next(agreed: true))
    device.does(.choose(.preset))
    device.does(.next(agreed: false))
    device.does(.submit(TestDevice.fields))
    device.does(.next(agreed: false))
    device.isDiskFull = true
    device.does(.consent("usage", .allow, language: "en"))
    #expect(device.flow.problem?.code == .notStored)
    #expect(device.onboarding?.asking.current?.id == "usage")
    #expect(!device.effects.contains { if case .recorded = $0 { true } else { false } })
    device.isDiskFull = false
    device.does(.consent("usage", .allow, language: "en"))
    device.does(.consent("privacy", .allow, language: "en"))
    device.does(.setPasscode(Secret("1234")))
    device.isDiskFull = true
    device.does(.setPasscode(Secret("1234")))
    #expect(device.flow.problem?.code == .notStored)
    #expect(device.onboarding?.isFinished == false)
    device.isDiskFull = false
    device.does(.next(agreed: false))
    #expect(device.onboarding?.isFinished == true)
    #expect(device.flow.problem == nil)
  }

  @Test func whoComesAgainIsTheSameUser() {
    var device = TestDevice(.whole(.shared))
    device.onboard()
    device.does(.next(agreed: false))
    let id = device.signedIn
    device.does(.leave)
    device.does(.switchUser)
    device.does(.add)
    device.does(.next(agreed: true))
    device.does(.choose(.preset))
    device.does(.next(agreed: false))
    device.does(.submit(TestDevice.fields))
    // They were asked already.
    #expect(device.onboarding?.step == .passcode)
    device.does(.setPasscode(Secret("9999")))
    device.does(.setPasscode(Secret("9999")))
    #expect(device.flow.users.map(\.id) == [id])
    #expect(device.disk[id ?? ""]?.passcode == "h(9999)")
  }

  @Test func demoLeadsBackToTheBeginning() {
    var device = TestDevice(.whole(.single))
    device.does(.demo)
    #expect(device.phase == .demo)
    device.does(.leave)
    #expect(device.onboarding?.step == .welcome)
    var policy = AccountPolicy.whole(.single)
    policy.allowsDemo = false
    device = TestDevice(policy)
    #expect(device.does(.demo) == .notOffered)
  }

  @Test func onlyTheStepsOfThePolicyAreTaken() {
    for count in 0..<(1 << 5) {
      let modules = AccountPolicy.Module.allCases.enumerated().filter { count >> $0.offset & 1 == 1 }.map(\.element)
      guard !modules.isEmpty else { continue }
      var policy = AccountPolicy.whole(.single)
      policy.modules = Set(modules)
      policy.activation = [.preset]
      policy.syncs = false
      var device = TestDevice(policy)
      var seen: [AccountPolicy.Module] = []
      while let step = device.onboarding?.step, seen.count < 6 {
        seen.append(step)
        switch step {
        case .welcome, .activation: device.does(.next(agreed: true))
        case .credentials: device.does(.submit(TestDevice.fields))
        case .consents:
          device.does(.next(agreed: false))
          device.does(.consent("usage", .later, language: nil))
          device.does(.consent("privacy", .allow, language: nil))
        case .passcode:
          device.does(.setPasscode(Secret("1234")))
          device.does(.setPasscode(Secret("1234")))
        }
      }
      #expect(seen == modules)
      device.does(.next(agreed: false))
      #expect(device.signedIn != nil)
    }
  }
}
