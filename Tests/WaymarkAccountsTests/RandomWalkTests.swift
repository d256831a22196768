import Testing

@testable import WaymarkPeople

/// A hundred thousand random inputs in random order against the invariants.
@Suite struct RandomWalkTests {
  static let people = ["ada", "ben", "cem"]
  static let passcodes = ["1111", "2222", "wrong"]

  @Test(arguments: [AccountPolicy.Mode.single, .shared], [true, false])
  func nothingThatMustNotHappenDoes(_ mode: AccountPolicy.Mode, _ syncs: Bool) {
    var chance = SplitMix(state: syncs ? 1 : 2)
    var policy = AccountPolicy.whole(mode)
    policy.syncs = syncs
    policy.leaveAfter = 120
    var device = TestDevice(policy)
    device.isHeld = true
    /// The user of the last right or new passcode; a signed-in user must be this one.
    var proven: String?
    var visits: [String: Int] = [:]
    for step in 0..<25_000 {
      let before = device.phase
      switch Int.random(in: 0..<20, using: &chance) {
      case 0..<8: device.send(.request(request(device, &chance)))
      case 8..<16:
        if !device.waiting.isEmpty {
          let effect = device.waiting.remove(at: Int.random(in: device.waiting.indices, using: &chance))
          if case .check(_, let passcode, let hash) = effect, hash == "h(\(passcode.text))" { proven = before.user }
          device.isDiskFull = Int.random(in: 0..<20, using: &chance) == 0
          device.answer = { _ in Self.answers.randomElement(using: &chance) ?? nil }
          device.run(effect)
        }
      case 16:
        device.now.seconds += Double.random(in: 0..<200, using: &chance)
        device.send(.tick)
      case 17: device.send(.provider(isConnected: Bool.random(using: &chance)))
      case 18:
        // Late, early and made-up answers.
        let ticket = Int.random(in: 0..<60, using: &chance)
        device.send(.answered(ticket, .accepted(ProviderPerson(subject: "mallory"))))
        device.send(.progress(ticket, .nan))
        device.send(.hashed(-1, "h(evil)"))
        device.send(.checked(-1, .right(rehashed: nil)))
        device.send(.stored(-1, true))
      default:
        if Int.random(in: 0..<40, using: &chance) == 0, let id = device.disk.keys.sorted().randomElement(using: &chance)
        {
          device.send(.remove(id))
        } else if Int.random(in: 0..<60, using: &chance) == 0 {
          device.now.seconds = Double.random(in: 0..<2000, using: &chance)
          device.restart()
          proven = nil
        }
      }
      if case .onboarding(let onboarding) = device.phase, onboarding.isFinished { proven = onboarding.account.id }
      check(device, proven, before, step)
      visits[name(device.phase), default: 0] += 1
      device.effects.removeAll()
    }
    // A walk that never got anywhere proves nothing.
    #expect(visits["signedIn", default: 0] > 50, "\(visits)")
    #expect(visits["signIn", default: 0] > 50, "\(visits)")
    if mode == .shared { #expect(visits["users", default: 0] > 50, "\(visits)") }
  }

  static let answers: [ProviderAnswer?] =
    people.map { .accepted(ProviderPerson(subject: $0, title: $0)) }
    + people.map {
      .accepted(ProviderPerson(subject: $0, title: $0))
    } + [.refused(text: nil), .offline(text: nil), .conflict(ProviderPerson(subject: "ben"), text: nil), nil]

  private func name(_ phase: AccountPhase) -> String { String("\(phase)".prefix { $0 != "(" }) }

  private func check(_ device: TestDevice, _ proven: String?, _ before: AccountPhase, _ step: Int) {
    let policy = device.flow.policy
    if case .signedIn(let id) = device.phase {
      #expect(proven == id, "step \(step): in without a right passcode")
      let account = device.flow.accounts[id]
      #expect(account?.isReady == true, "step \(step)")
      #expect(
        account?.unanswered(of: policy.consents).contains { $0.isMandatory } == false, "step \(step): past a consent")
      // Two are never in: one goes before another comes.
      if case .signedIn(let other) = before { #expect(other == id, "step \(step): two at once") }
    }
    if case .syncing(let id, _, _) = device.phase { #expect(proven == id, "step \(step): synchronized unproven") }
    // Every state leads back to a beginning once the current work is done.
    var copy = device
    copy.isHeld = false
    copy.isDiskFull = false
    copy.answer = { _ in .refused(text: nil) }
    copy.run()
    copy.does(.leave)
    copy.run()
    copy.does(.leave)
    switch copy.phase {
    case .signIn: break
    case .onboarding(let onboarding):
      #expect(onboarding.isUntouched || onboarding.isFinished, "step \(step): no way out of \(name(device.phase))")
    case .signedIn, .syncing, .renewing:
      // Leaving the last screen of an onboarding continues; the next state can be left as well.
      copy.does(.leave)
      if case .signIn = copy.phase { break }
      Issue.record("step \(step): no way out of \(name(device.phase)): \(name(copy.phase))")
    default: Issue.record("step \(step): no way out of \(name(device.phase)): \(name(copy.phase))")
    }
  }

  /// A request: half of the time one that has a meaning here.
  private func request(_ device: TestDevice, _ chance: inout SplitMix) -> AccountRequest {
    let passcode = Secret(Self.passcodes.randomElement(using: &chance) ?? "")
    let fields = ["user": Secret(Self.people.randomElement(using: &chance) ?? ""), "password": Secret("p")]
    if Int.random(in: 0..<3, using: &chance) > 0 {
      switch device.phase {
      case .onboarding(let onboarding):
        switch onboarding.step {
        case .welcome: return .next(agreed: true)
        case .activation:
          return onboarding.method == nil
            ? .choose(.preset) : onboarding.method == .preset ? .next(agreed: false) : .back
        case .credentials: return .submit(fields)
        case .consents:
          guard let consent = onboarding.asking.current, onboarding.asking.isLastPage else {
            return .next(agreed: false)
          }
          return .consent(consent.id, .allow, language: nil)
        case .passcode: return .setPasscode(Secret("1111"))
        case nil: return .next(agreed: false)
        }
      case .signIn: return Bool.random(using: &chance) ? .enterPasscode(passcode) : .switchUser
      case .users: return .back
      case .demo: return .leave
      case .renewing(_, let asking): return .consent(asking.current?.id ?? "", .allow, language: nil)
      default: break
      }
    }
    let all: [AccountRequest] = [
      .next(agreed: Bool.random(using: &chance)), .back, .leave, .demo, .choose(.email), .choose(.scan),
      .choose(.preset),
      .activate(Secret("a@b")), .accepted(by: .scan, host: nil, payload: Secret("x")), .submit(fields),
      .setPasscode(passcode), .enterPasscode(passcode), .forgot, .consent("usage", .later, language: "de"),
      .consent("privacy", .deny, language: "en"), .consent("privacy", .allow, language: "en"),
      .consent("usage", .deny, language: "en"), .switchUser,
      .select(device.flow.users.randomElement(using: &chance)?.id ?? "x"), .add, .retry,
    ]
    return all.randomElement(using: &chance) ?? .leave
  }
}
