/// The onboarding of one person: the current step, and the data collected so far.
///
/// The file also has the states of single steps (`ConsentFlow`, `PasscodeEntry`, `SyncState`), and `AccountPhase`, which includes
/// each of these states.
package struct Onboarding: Hashable, Sendable {
  package enum Purpose: String, Sendable {
    /// The device has no user yet.
    case first
    /// A shared device gets another user.
    case add
  }

  package let purpose: Purpose
  package let steps: [AccountPolicy.Module]
  /// The index of the current step; the number of steps after the last.
  package private(set) var index = 0
  package private(set) var account: Account
  /// The chosen way of activation; nil until the person chooses.
  package private(set) var method: AccountPolicy.ActivationMethod?
  /// The payload of the activation code, for the provider.
  package private(set) var payload: Secret?
  package private(set) var asking = ConsentFlow([])
  package private(set) var entry = PasscodeEntry()
  /// True if the finished account was stored.
  package private(set) var isFinished = false
  private let methods: [AccountPolicy.ActivationMethod]

  package init(_ purpose: Purpose, _ policy: AccountPolicy, account: Account) {
    self.purpose = purpose
    steps = policy.steps
    methods = policy.activation
    self.account = account
    enter(policy)
  }

  /// The current step; nil after the last.
  package var step: AccountPolicy.Module? { steps.indices.contains(index) ? steps[index] : nil }

  /// True if the person has not entered anything.
  var isUntouched: Bool { index == 0 && account.host == nil && payload == nil && method == onlyMethod }

  private var onlyMethod: AccountPolicy.ActivationMethod? { methods.count == 1 ? methods[0] : nil }

  /// Moves to the next step that requires an input.
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

  /// Chooses a way of activation.
  ///
  /// - Throws: `wrongPhase` in another step, `notOffered` if the policy does not offer this way.
  package mutating func choose(_ method: AccountPolicy.ActivationMethod) throws(AccountRefusal) {
    guard step == .activation else { throw .wrongPhase }
    guard methods.contains(method) else { throw .notOffered }
    self.method = method
  }

  /// Adds the result of the activation.
  package mutating func activated(_ person: ProviderPerson, payload: Secret?) {
    self.payload = payload
    account.host = person.host ?? account.host
    know(person)
  }

  // MARK: Identity

  /// Adds the identity from the provider.
  ///
  /// - Parameter known: the account with the same subject. Its choices are kept.
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

  /// The account with a choice added, to be stored.
  package func account(with record: ConsentRecord) -> Account {
    var account = account
    account.add(record)
    return account
  }

  /// Continues after a choice was stored.
  package mutating func answered(_ account: Account, _ choice: ConsentChoice) {
    self.account = account
    asking.answered(choice)
  }

  /// Enters a passcode, or its repetition.
  ///
  /// - Throws: `wrongPhase` at another step, or `rules` if the passcode breaks rules.
  package mutating func take(
    _ passcode: Secret, _ rules: PasscodeRules
  ) throws(AccountRefusal) -> PasscodeEntry.Outcome {
    guard step == .passcode else { throw .wrongPhase }
    return try entry.take(passcode, rules)
  }

  /// Sets the hash of the passcode.
  package mutating func protected(by hash: String) {
    account.passcode = hash
    account.waits.reset()
  }

  /// The account to store after the last step.
  package var finished: Account {
    var account = account
    account.isReady = true
    return account
  }

  /// Ends the onboarding with the stored account.
  package mutating func finish(_ account: Account) {
    self.account = account
    isFinished = true
  }

  // MARK: Screens

  package mutating func nextPage() throws(AccountRefusal) { try asking.next() }

  /// Returns to the previous screen of the same step.
  ///
  /// - Throws: `wrongPhase` without a previous screen.
  package mutating func back() throws(AccountRefusal) {
    switch step {
    case .activation where method != nil && onlyMethod == nil: method = nil
    case .consents: try asking.back()
    case .passcode: try entry.back()
    default: throw .wrongPhase
    }
  }
}

/// Asks for consents in order, screen by screen. The choice is on a consent's last screen.
package struct ConsentFlow: Hashable, Sendable {
  package let consents: [Consent]
  /// The index of the current consent.
  package private(set) var index = 0
  /// The index of its current screen.
  package private(set) var page = 0

  package init(_ consents: [Consent]) { self.consents = consents }

  /// The current consent; nil after the last.
  package var current: Consent? { consents.indices.contains(index) ? consents[index] : nil }

  /// True if the screen with the choice is shown.
  var isLastPage: Bool { current.map { page >= $0.pages.count - 1 } ?? false }

  package mutating func next() throws(AccountRefusal) {
    guard current != nil, !isLastPage else { throw .wrongPhase }
    page += 1
  }

  package mutating func back() throws(AccountRefusal) {
    guard page > 0 else { throw .wrongPhase }
    page -= 1
  }

  /// Makes the record of a choice.
  ///
  /// - Throws: a refusal if another consent is current, its last screen is not shown, or the consent does not offer the choice.
  package func record(
    _ consent: String, _ choice: ConsentChoice, language: String?, at time: AccountTime
  ) throws(AccountRefusal) -> ConsentRecord {
    guard let current, current.id == consent, isLastPage else { throw .wrongPhase }
    guard choice == .allow || choice == (current.isMandatory ? .deny : .later) else { throw .badValue("choice") }
    return current.record(choice, language: language, at: time)
  }

  /// Moves to the next consent after a stored choice, unless a mandatory consent was denied.
  package mutating func answered(_ choice: ConsentChoice) {
    guard choice != .deny else { return }
    index += 1
    page = 0
  }
}

/// The entry of a new passcode, which is typed twice.
package struct PasscodeEntry: Hashable, Sendable {
  private var first: Secret?

  package init() {}

  /// True if the repetition is expected.
  package var isRepeating: Bool { first != nil }

  package enum Outcome: Hashable, Sendable {
    /// The passcode must be repeated.
    case again
    /// The repetition differs; the entry starts again.
    case mismatch
    /// The repetition is the same.
    case whole(Secret)
  }

  /// Enters a passcode or its repetition.
  ///
  /// - Throws: `rules` with the faults if the first passcode breaks rules. The repetition is only compared.
  package mutating func take(_ passcode: Secret, _ rules: PasscodeRules) throws(AccountRefusal) -> Outcome {
    guard let before = first else {
      let faults = rules.faults(of: passcode)
      guard faults.isEmpty else { throw .rules(faults) }
      first = passcode
      return .again
    }
    first = nil
    return PasscodeRules.normalized(before) == PasscodeRules.normalized(passcode) ? .whole(passcode) : .mismatch
  }

  /// Discards the first passcode, so that the entry starts over.
  ///
  /// - Throws: `wrongPhase` if no passcode was entered.
  package mutating func back() throws(AccountRefusal) {
    guard first != nil else { throw .wrongPhase }
    first = nil
  }
}

/// The state of synchronizing a user's data with the provider.
package enum SyncState: Hashable, Sendable {
  /// Synchronizing is running; the value is the completed share, if known.
  case running(Double?)
  /// Synchronizing failed; the reason is in `AccountFlow.problem`.
  case connectionError
  /// Another user has to act first; `id` is nil if the device has no such account.
  case userError(id: String?, ProviderPerson, text: String?)
}

/// The part of the flow that a device is in, with its data. A `String` is the id of a user.
package enum AccountPhase: Hashable, Sendable {
  case onboarding(Onboarding)
  /// The user with this id has to sign in.
  case signIn(String)
  /// The list of users is shown, with the selected one.
  case users(String?)
  /// A forgotten passcode is reset: the credentials are asked for first (`nil`), then the new passcode.
  case recovering(String, PasscodeEntry?)
  /// The user is asked for consents that are new since the last sign-in.
  case renewing(String, ConsentFlow)
  /// The user's data are synchronized; `again` is true if the user is already signed in and stays so.
  case syncing(String, SyncState, again: Bool)
  case signedIn(String)
  case demo

  /// True if a signed-in user synchronizes again.
  var isSyncingAgain: Bool { if case .syncing(_, _, again: true) = self { true } else { false } }

  /// The id of the current user; nil during an onboarding or a demo, and in the list of users without a selection.
  package var user: String? {
    switch self {
    case .signIn(let id), .recovering(let id, _), .renewing(let id, _), .syncing(let id, _, _), .signedIn(let id): id
    case .users(let id): id
    case .onboarding, .demo: nil
    }
  }
}

extension Consent {
  /// Makes the record of a choice.
  ///
  /// - Parameter language: The language in which the consent was shown. If the consent has no text in this language, the default
  ///   language is recorded.
  func record(_ choice: ConsentChoice, language: String?, at time: AccountTime) -> ConsentRecord {
    let shown = language.map { String($0.prefix { $0 != "-" }) }
    let languages = pages.first?.text
    let known = shown.flatMap { languages?.texts[$0] == nil ? nil : $0 } ?? languages?.standard ?? ""
    return ConsentRecord(
      consent: id, version: version, hash: hash(in: known), language: known, choice: choice, time: time.date)
  }
}
