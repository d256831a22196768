/// The onboarding of one person: the current step, and the data collected so far.
package struct Onboarding: Hashable, Sendable {
  /// The purpose of the onboarding.
  package enum Purpose: String, Sendable {
    /// Nobody uses the device yet.
    case first
    /// One more on a shared device.
    case add
  }

  /// The purpose of the code.
  package let purpose: Purpose
  /// The steps, in their order.
  package let steps: [AccountPolicy.Module]
  /// Which of them is at hand; their number when all are done.
  package private(set) var index = 0
  /// The person.
  package private(set) var account: Account
  /// The way of activation that was chosen.
  package private(set) var method: AccountPolicy.ActivationMethod?
  /// The payload of the activation's code, for the provider.
  package private(set) var payload: Secret?
  /// The consents they are asked for.
  package private(set) var asking = ConsentFlow([])
  /// Their passcode on its way.
  package private(set) var entry = PasscodeEntry()
  /// True if all is done and written down.
  package private(set) var isFinished = false
  private let methods: [AccountPolicy.ActivationMethod]

  /// The beginning of an onboarding.
  package init(_ purpose: Purpose, _ policy: AccountPolicy, account: Account) {
    self.purpose = purpose
    steps = policy.steps
    methods = policy.activation
    self.account = account
    enter(policy)
  }

  /// The step at hand; `nil` once all are done.
  package var step: AccountPolicy.Module? { steps.indices.contains(index) ? steps[index] : nil }

  /// True if nothing was done yet.
  var isUntouched: Bool { index == 0 && account.host == nil && payload == nil && method == onlyMethod }

  private var onlyMethod: AccountPolicy.ActivationMethod? { methods.count == 1 ? methods[0] : nil }

  /// Goes on to the next step that has something to ask.
  package mutating func advance(_ policy: AccountPolicy) {
    index += 1
    enter(policy)
  }

  private mutating func enter(_ policy: AccountPolicy) {
    switch step {
    case .activation: method = onlyMethod
    case .consents:
      asking = ConsentFlow(account.unanswered(of: policy.consents))
      if asking.current == nil { advance(policy) }
    case .passcode: entry = PasscodeEntry()
    case .welcome, .credentials, nil: break
    }
  }

  // MARK: Activation

  /// Takes one of several ways.
  package mutating func choose(_ method: AccountPolicy.ActivationMethod) throws(AccountRefusal) {
    guard step == .activation else { throw .wrongPhase }
    guard methods.contains(method) else { throw .notOffered }
    self.method = method
  }

  /// The device is activated.
  package mutating func activated(_ person: ProviderPerson, payload: Secret?) {
    self.payload = payload
    account.host = person.host ?? account.host
    know(person)
  }

  // MARK: Who it is

  /// The provider knows who it is. `known` is who used the device under this name before: it is the same person, who keeps what
  /// they chose.
  mutating func verified(_ person: ProviderPerson, known: Account?) {
    if var known {
      known.host = account.host ?? known.host
      account = known
    }
    payload = nil
    know(person)
  }

  private mutating func know(_ person: ProviderPerson) {
    account.subject = person.subject ?? account.subject
    account.title = person.title ?? account.title
    account.subtitle = person.subtitle ?? account.subtitle
    account.host = person.host ?? account.host
  }

  // MARK: Consents and passcode

  /// A choice is to be written down: the person with it.
  package func account(with record: ConsentRecord) -> Account {
    var account = account
    account.add(record)
    return account
  }

  /// A choice was written down.
  package mutating func answered(_ account: Account, _ choice: ConsentChoice) {
    self.account = account
    asking.answered(choice)
  }

  /// Takes a passcode, or its repetition.
  package mutating func take(
    _ passcode: Secret, _ rules: PasscodeRules
  ) throws(AccountRefusal) -> PasscodeEntry.Outcome {
    guard step == .passcode else { throw .wrongPhase }
    return try entry.take(passcode, rules)
  }

  /// The hash of the passcode is there.
  package mutating func protected(by hash: String) {
    account.passcode = hash
    account.waits.reset()
  }

  /// The person as they are kept once all is done.
  package var finished: Account {
    var account = account
    account.isReady = true
    return account
  }

  /// They were written down as such.
  package mutating func finish(_ account: Account) {
    self.account = account
    isFinished = true
  }

  // MARK: Screens

  /// The next screen of a consent.
  package mutating func nextPage() throws(AccountRefusal) { try asking.next() }

  /// The screen before, where there is one.
  package mutating func back() throws(AccountRefusal) {
    switch step {
    case .activation where method != nil && onlyMethod == nil: method = nil
    case .consents: try asking.back()
    case .passcode: try entry.back()
    default: throw .wrongPhase
    }
  }
}
