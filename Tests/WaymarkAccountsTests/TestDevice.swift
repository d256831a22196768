import WaymarkPeople

/// A device around the flow: its effects are done at once, or kept back where a test wants to come in between.
struct TestDevice {
  var flow: AccountFlow
  var now = AccountTime(seconds: 1000, date: "2026-01-02T03:04:05Z")
  /// The contents of the disk.
  var disk: [String: Account] = [:]
  var last: String?
  var isDiskFull = false
  /// True if effects wait until `run`.
  var isHeld = false
  var waiting: [AccountEffect] = []
  /// Everything that was to be done.
  var effects: [AccountEffect] = []
  /// The passcodes in the clear, as only a test knows them: a hash is `h(PASSCODE)`.
  var answer: (ProviderRequest) -> ProviderAnswer? = { question in
    .accepted(
      ProviderPerson(
        subject: question.subject ?? question.fields["user"]?.text ?? "subject", title: "Ada Lovelace",
        subtitle: "Plant 1000"))
  }

  init(_ policy: AccountPolicy, accounts: [Account] = [], last: String? = nil, hasProvider: Bool = true) {
    flow = AccountFlow(policy: policy, accounts: accounts, last: last, at: now, chance: SplitMix(state: 7))
    for account in accounts { disk[account.id] = account }
    if hasProvider { send(.provider(isConnected: true)) }
  }

  var phase: AccountPhase { flow.phase }
  var refusals: [AccountRefusal] {
    effects.compactMap { if case .refused(let refusal) = $0 { refusal } else { nil } }
  }

  mutating func send(_ input: AccountInput) { take(flow.handle(input, at: now)) }

  /// Does what a person does, and says why it was refused.
  @discardableResult
  mutating func does(_ request: AccountRequest) -> AccountRefusal? {
    let before = effects.count
    send(.request(request))
    for case .refused(let refusal) in effects[before...] { return refusal }
    return nil
  }

  mutating func take(_ new: [AccountEffect]) {
    effects += new
    for effect in new {
      if isHeld, effect.isWork { waiting.append(effect) } else { run(effect) }
    }
  }

  /// Does what was held back.
  mutating func run() {
    let all = waiting
    waiting = []
    for effect in all { run(effect) }
  }

  mutating func run(_ effect: AccountEffect) {
    switch effect {
    case .store(let ticket, let account):
      if !isDiskFull { disk[account.id] = account }
      send(.stored(ticket, !isDiskFull))
    case .erase(let id): disk[id] = nil
    case .remember(let id): last = id
    case .hash(let ticket, let passcode): send(.hashed(ticket, "h(\(passcode.text))"))
    case .check(let ticket, let passcode, let hash):
      send(.checked(ticket, hash == "h(\(passcode.text))" ? .right(rehashed: nil) : .wrong))
    case .ask(let question): if let answer = answer(question) { send(.answered(question.ticket, answer)) }
    case .changed, .refused, .withdraw, .recorded: break
    }
  }

  /// As after a restart of the service.
  mutating func restart() {
    waiting = []
    flow = AccountFlow(
      policy: flow.policy, accounts: Array(disk.values), last: last, at: now, chance: SplitMix(state: 8))
    send(.provider(isConnected: true))
  }
}

extension AccountEffect {
  /// True if an answer to it is waited for.
  var isWork: Bool {
    switch self {
    case .ask, .hash, .check, .store: true
    case .changed, .refused, .withdraw, .erase, .remember, .recorded: false
    }
  }
}

extension LocalizedText {
  init(_ text: String) { self.init(["en": text, "de": text + " (de)"], standard: "en") }
}

extension AccountPolicy {
  static let usage = Consent(
    id: "usage", version: "1",
    pages: [
      .init(title: LocalizedText("Usage"), text: LocalizedText("We count.")), .init(text: LocalizedText("May we?")),
    ])
  static let privacy = Consent(
    id: "privacy", version: "2", isMandatory: true, pages: [.init(text: LocalizedText("We need this."))])

  /// With every step.
  static func whole(_ mode: Mode) -> AccountPolicy {
    var policy = AccountPolicy()
    policy.mode = mode
    policy.modules = Set(Module.allCases)
    policy.terms = LocalizedText("I accept.")
    policy.allowsDemo = true
    policy.activation = ActivationMethod.allCases
    policy.presetHost = "preset.example.com"
    policy.fields = [
      .init(name: "user", label: LocalizedText("User")),
      .init(name: "password", label: LocalizedText("Password"), kind: .password),
    ]
    policy.consents = [usage, privacy]
    policy.passcode.minimum = 4
    policy.syncs = true
    return policy
  }
}

extension TestDevice {
  static let fields = ["user": Secret("ada"), "password": Secret("difference")]

  mutating func signInStep(_ passcode: String) { does(.enterPasscode(Secret(passcode))) }

  /// From the first screen to the last.
  mutating func onboard(_ user: String = "ada", passcode: String = "1234") {
    does(.next(agreed: true))
    does(.choose(.preset))
    does(.next(agreed: false))
    does(.submit(["user": Secret(user), "password": Secret("difference")]))
    for consent in flow.policy.consents {
      for _ in consent.pages.dropFirst() { does(.next(agreed: false)) }
      does(.consent(consent.id, .allow, language: "en"))
    }
    does(.setPasscode(Secret(passcode)))
    does(.setPasscode(Secret(passcode)))
  }

  var onboarding: Onboarding? { if case .onboarding(let onboarding) = phase { onboarding } else { nil } }
  var signedIn: String? { if case .signedIn(let id) = phase { id } else { nil } }
}
