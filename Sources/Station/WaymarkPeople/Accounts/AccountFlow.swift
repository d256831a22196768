/// The state machine of a device's users: onboarding, signing in, changing users, synchronizing, consents.
///
/// A value without clock, files and network: `handle` takes an input and returns effects. One operation runs at a time. If the
/// policy requires a passcode, a user is signed in only after the attempt was stored and the passcode compared. Mandatory consents
/// cannot be skipped, at most one user is signed in, and every state can be left.
///
/// The file is long because all transitions change the same private state.
package struct AccountFlow: Sendable {
  package private(set) var policy: AccountPolicy
  package private(set) var phase: AccountPhase
  /// The reason why the last step failed; nil if it did not.
  package private(set) var problem: AccountProblem?
  /// The users of the device, including users whose onboarding is unfinished, by id.
  package private(set) var accounts: [String: Account]
  private var last: String?
  private var work: AccountOperation?
  private var isProviderConnected = false
  private var tickets = 0
  private var lastRequest = 0.0
  private var isWaiting = false
  private var chance: any RandomNumberGenerator & Sendable
  private var effects: [AccountEffect] = []

  /// The largest number of unfinished onboardings whose choices are kept.
  private static let unfinishedLimit = 100

  /// Restores a device: shows its sign-in screen, or the start of the first onboarding.
  ///
  /// - Parameters:
  ///   - last: The id of the last user.
  ///   - chance: The random number generator for ids of new users.
  package init(
    policy: AccountPolicy, accounts: [Account], last: String?, at now: AccountTime,
    chance: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) {
    self.policy = policy
    self.accounts = Dictionary(accounts.map { ($0.id, $0) }) { $1 }
    self.last = last
    self.chance = chance
    phase = .demo
    for id in self.accounts.keys { self.accounts[id]?.waits.resume(at: now.seconds) }
    start(at: now)
    effects = []
  }

  // MARK: State

  /// The users who can sign in, by name.
  package var users: [Account] {
    accounts.values.filter { $0.isReady && ($0.passcode != nil || !policy.asksPasscode) }
      .sorted { ($0.title, $0.id) < ($1.title, $1.id) }
  }

  /// The kinds of work for which a person waits.
  package enum Working: Sendable { case provider, passcode, storing }

  /// The current work; nil if the device is idle.
  package var working: Working? {
    switch work?.kind {
    case .ask: .provider
    case .hash, .check: .passcode
    case .store: .storing
    case nil: nil
    }
  }

  /// Returns the seconds until a user may try another passcode. While the attempt is being stored, they are 0, because a loss of
  /// power before it is stored would cancel the wait.
  package func wait(of id: String, at now: Double) -> Double {
    if case .store(let account, .check)? = work?.kind, account.id == id { return 0 }
    return accounts[id]?.waits.remaining(at: now, policy.passcode) ?? 0
  }

  /// Returns whether a forgotten passcode of a user can be reset.
  package func canRecover(_ id: String) -> Bool { policy.canRecover && accounts[id]?.subject != nil }

  /// Returns the time at which `tick` is due; `nil` if it is not due.
  package func deadline(at now: Double) -> Double? {
    var times = [work?.deadline].compactMap { $0 }
    if isUnfinished, work == nil { times.append(lastRequest + policy.leaveAfter) }
    if case .signIn(let id) = phase, isWaiting { times.append(now + wait(of: id, at: now)) }
    return times.min()
  }

  /// True if a step was started that the next person must not see.
  private var isUnfinished: Bool {
    switch phase {
    case .onboarding(let onboarding): !(onboarding.purpose == .first && onboarding.isUntouched)
    case .users, .recovering, .renewing, .demo: true
    case .syncing(_, let state, _): if case .running = state { false } else { true }
    case .signIn, .signedIn: false
    }
  }

  // MARK: Inputs

  /// Handles an input and returns its effects.
  package mutating func handle(_ input: AccountInput, at now: AccountTime) -> [AccountEffect] {
    let before = (phase, problem, work?.ticket, isWaiting, users)
    switch input {
    case .request(let request):
      lastRequest = now.seconds
      do throws(AccountRefusal) { try follow(request, now) } catch { effects.append(.refused(error)) }
    case .provider(let isConnected):
      isProviderConnected = isConnected
      if !isConnected, work?.isProvider == true { fail(.init(.providerGone)) }
    case .answered(let ticket, let answer):
      if case .ask(let kind)? = work?.kind, work?.ticket == ticket { answered(kind, answer, now) }
    case .progress(let ticket, let share):
      guard work?.ticket == ticket, case .ask(.sync)? = work?.kind, case .syncing(let id, _, let again) = phase else {
        break
      }
      work?.deadline = now.seconds + policy.syncWithin
      if share.isFinite { phase = .syncing(id, .running(min(1, max(0, share))), again: again) }
    case .hashed(let ticket, let hash): if work?.ticket == ticket, work?.kind == .hash { hashed(hash) }
    case .checked(let ticket, let check): if work?.ticket == ticket, work?.kind == .check { checked(check) }
    case .stored(let ticket, let isDone):
      if case .store(let account, let then)? = work?.kind, work?.ticket == ticket { stored(account, then, isDone, now) }
    case .tick: tick(now)
    case .remove(let id): remove(id, now)
    case .restore(let account): accounts[account.id] = account
    case .unlock(let id):
      unlock(of: id.map { [$0] } ?? accounts.keys.sorted())
    case .configure(let policy):
      guard policy != self.policy else { break }
      let wasSignedIn = if case .signedIn = phase { true } else { false }
      self.policy = policy
      // Steps started under the old policy are not continued; a signed-in user stays signed in.
      if !wasSignedIn { start(at: now) }
    }
    isWaiting = phase.user.map { wait(of: $0, at: now.seconds) > 0 } ?? false
    if before.0 != phase || before.1 != problem || before.2 != work?.ticket || before.3 != isWaiting
      || before.4 != users
    {
      effects.append(.changed)
    }
    defer { effects = [] }
    return effects
  }

  private mutating func tick(_ now: AccountTime) {
    if let deadline = work?.deadline, now.seconds >= deadline {
      fail(.init(.providerSilent))
    } else if isUnfinished, work == nil, now.seconds >= lastRequest + policy.leaveAfter {
      try? leave(now)
    }
  }

  // MARK: Requests

  private mutating func follow(_ request: AccountRequest, _ now: AccountTime) throws(AccountRefusal) {
    // The person may leave a step that waits for the provider. The device's own work is not interrupted, because it ends soon.
    if let work {
      let isEnd = request == .leave || request == .back && phase.isSyncingAgain
      guard isEnd, work.isProvider else { throw .busy }
    }
    if case .onboarding(let onboarding) = phase { return try follow(request, onboarding, now) }
    switch (request, phase) {
    case (.leave, _): try leave(now)
    case (.enterPasscode(let passcode), .signIn(let id)): try tryPasscode(passcode, id, now)
    case (.next, .signIn(let id)) where !policy.asksPasscode: enter(id, now)
    case (.forgot, .signIn(let id)):
      guard canRecover(id) else { throw .notOffered }
      go(.recovering(id, nil))
    case (.switchUser, .signIn(let id)):
      guard policy.mode == .shared else { throw .notOffered }
      go(.users(id))
    case (.select(let id), .users), (.select(let id), .signIn):
      guard policy.mode == .shared else { throw .notOffered }
      guard users.contains(where: { $0.id == id }) else { throw .notFound }
      // In the list, a tap selects a user; going back keeps the selection.
      if case .users = phase { go(.users(id)) } else { go(.signIn(id)) }
    case (.back, .users(let id)):
      if let id { go(.signIn(id)) } else { start(at: now) }
    case (.add, .users), (.add, .signIn):
      guard policy.mode == .shared else { throw .notOffered }
      guard users.count < policy.maximumUsers else { throw .full }
      begin(.add, now)
    case (.submit(let fields), .recovering(let id, nil)):
      try ask(.recover, fields: checked(fields), subject: accounts[id]?.subject, host: accounts[id]?.host, now)
    case (.setPasscode(let passcode), .recovering(let id, let entry?)):
      var entry = entry
      let outcome = try entry.take(passcode, policy.passcode)
      go(.recovering(id, entry))
      handlePasscode(outcome)
    case (.back, .recovering(let id, let entry?)):
      var entry = entry
      try entry.back()
      go(.recovering(id, entry))
    case (.back, .recovering(let id, nil)): go(.signIn(id))
    case (.next, .renewing(let id, var asking)):
      try asking.next()
      go(.renewing(id, asking))
    case (.back, .renewing(let id, var asking)):
      try asking.back()
      go(.renewing(id, asking))
    case (.consent(let consent, let choice, let language), .renewing(let id, let asking)):
      let record = try asking.record(consent, choice, language: language, at: now)
      guard var account = accounts[id] else { throw .notFound }
      account.add(record)
      store(account, .answer(record))
    case (.retry, .syncing(let id, let state, let again)):
      if case .running = state { throw .wrongPhase }
      synchronize(id, again: again, now)
    case (.back, .syncing(let id, _, again: true)):
      drop()
      go(.signedIn(id))
    case (.retry, .signedIn(let id)):
      guard policy.syncs else { throw .notOffered }
      synchronize(id, again: true, now)
    case (.consent(let consent, let choice, let language), .signedIn(let id)):
      try change(consent, choice, language, id, now)
    default: throw .wrongPhase
    }
  }

  private mutating func follow(
    _ request: AccountRequest, _ before: Onboarding, _ now: AccountTime
  ) throws(AccountRefusal) {
    var onboarding = before
    switch (request, onboarding.step) {
    case (.leave, _): return try leave(now)
    case (.next(let agreed), .welcome):
      guard policy.terms == nil || agreed else { throw .badValue("agreed") }
      onboarding.advance(policy)
    case (.next, nil):
      // A failed store is repeated.
      return onboarding.isFinished ? enter(onboarding.account.id, now) : store(onboarding.finished, .finish)
    case (.next, .consents): try onboarding.nextPage()
    case (.back, _): try onboarding.back()
    case (.demo, .welcome):
      guard policy.allowsDemo else { throw .notOffered }
      return go(.demo)
    case (.choose(let method), .activation): try onboarding.choose(method)
    case (.next, .activation):
      guard onboarding.method == .preset else { throw .wrongPhase }
      onboarding.activated(ProviderPerson(host: policy.presetHost), payload: nil)
      onboarding.advance(policy)
    case (.accepted(let method, let host, let payload), .activation):
      guard onboarding.method == method, [.scan, .code].contains(method) else { throw .wrongPhase }
      onboarding.activated(ProviderPerson(host: host), payload: payload)
      onboarding.advance(policy)
    case (.activate(let code), .activation):
      guard let method = onboarding.method, [.code, .email].contains(method) else { throw .wrongPhase }
      guard !code.isEmpty, code.text.utf8.count <= 4096, method != .email || code.text.contains("@") else {
        throw .badValue("code")
      }
      return try ask(method == .email ? .lookup : .activate, code: code, now)
    case (.submit(let fields), .credentials):
      return try ask(
        .verify, code: onboarding.payload, fields: checked(fields), subject: onboarding.account.subject,
        host: onboarding.account.host, now)
    case (.consent(let consent, let choice, let language), .consents):
      let record = try onboarding.asking.record(consent, choice, language: language, at: now)
      return store(onboarding.account(with: record), .answer(record))
    case (.setPasscode(let passcode), .passcode):
      let outcome = try onboarding.take(passcode, policy.passcode)
      go(.onboarding(onboarding))
      return handlePasscode(outcome)
    default: throw .wrongPhase
    }
    advance(onboarding)
  }

  /// Changes a choice of the signed-in user.
  private mutating func change(
    _ consent: String, _ choice: ConsentChoice, _ language: String?, _ id: String, _ now: AccountTime
  ) throws(AccountRefusal) {
    guard policy.modules.contains(.consents), let consent = policy.consents.first(where: { $0.id == consent }) else {
      throw .badValue("consent")
    }
    guard choice != .later else { throw .badValue("choice") }
    guard var account = accounts[id] else { throw .notFound }
    let record = consent.record(choice, language: language, at: now)
    problem = nil
    account.add(record)
    store(account, .answer(record))
  }

  private mutating func handlePasscode(_ outcome: PasscodeEntry.Outcome) {
    switch outcome {
    case .again: break
    case .mismatch: problem = AccountProblem(.mismatch)
    case .whole(let passcode): begin(.hash) { .hash($0, passcode) }
    }
  }

  /// Returns the fields if exactly the policy's fields are filled in, with at most 4096 bytes each.
  ///
  /// - Throws: `badValue` with the name of the first empty field, or with `fields`.
  private func checked(_ fields: [String: Secret]) throws(AccountRefusal) -> [String: Secret] {
    for field in policy.fields where fields[field.name]?.isEmpty ?? true { throw .badValue(field.name) }
    guard fields.count == policy.fields.count, fields.values.allSatisfy({ $0.text.utf8.count <= 4096 }) else {
      throw .badValue("fields")
    }
    return fields
  }

  // MARK: Transitions

  private mutating func go(_ phase: AccountPhase) {
    self.phase = phase
    problem = nil
  }

  /// Shows the next step of an onboarding; after the last step, stores the user.
  private mutating func advance(_ onboarding: Onboarding) {
    go(.onboarding(onboarding))
    if onboarding.step == nil { store(onboarding.finished, .finish) }
  }

  /// Shows the sign-in of the last user, or starts the first onboarding.
  private mutating func start(at now: AccountTime) {
    drop()
    let user = last.flatMap { id in users.first { $0.id == id } } ?? users.first
    if let user { go(.signIn(user.id)) } else { begin(.first, now) }
  }

  private mutating func begin(_ purpose: Onboarding.Purpose, _ now: AccountTime) {
    let unfinished = accounts.values.filter { !$0.isReady }.sorted { ($0.created, $0.id) < ($1.created, $1.id) }
    for old in unfinished.prefix(max(0, unfinished.count - Self.unfinishedLimit + 1)) {
      accounts[old.id] = nil
      effects.append(.erase(old.id))
    }
    let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
    let id = String((0..<16).map { _ in letters[Int.random(in: letters.indices, using: &chance)] })
    let onboarding = Onboarding(purpose, policy, account: Account(id: id, created: now.date))
    advance(onboarding)
  }

  private mutating func leave(_ now: AccountTime) throws(AccountRefusal) {
    switch phase {
    case .signIn: throw .wrongPhase
    case .users(let id?), .recovering(let id, _), .renewing(let id, _), .signedIn(let id):
      drop()
      go(.signIn(id))
    case .syncing(let id, let state, _):
      drop()
      // The user who has to act signs in next.
      if case .userError(let other?, _, _) = state, users.contains(where: { $0.id == other }) {
        go(.signIn(other))
      } else {
        go(.signIn(id))
      }
    case .onboarding(let onboarding) where onboarding.isFinished: enter(onboarding.account.id, now)
    case .onboarding, .users(nil), .demo: start(at: now)
    }
    if let user = phase.user, !users.contains(where: { $0.id == user }) { start(at: now) }
  }

  /// Continues signing in a user: asks for the open consents, then synchronizes if the policy says so, then signs in.
  private mutating func enter(_ id: String, _ now: AccountTime) {
    guard let account = accounts[id], account.isReady else { return start(at: now) }
    if last != id {
      last = id
      effects.append(.remember(id))
    }
    let open = policy.modules.contains(.consents) ? account.unanswered(of: policy.consents) : []
    if !open.isEmpty {
      go(.renewing(id, ConsentFlow(open)))
    } else if policy.syncs {
      synchronize(id, again: false, now)
    } else {
      go(.signedIn(id))
    }
  }

  private mutating func synchronize(_ id: String, again: Bool, _ now: AccountTime) {
    go(.syncing(id, .running(nil), again: again))
    do throws(AccountRefusal) {
      try ask(.sync, subject: accounts[id]?.subject, host: accounts[id]?.host, now)
    } catch {}
  }

  // MARK: Work

  private mutating func begin(_ kind: AccountOperation.Kind, deadline: Double? = nil, _ effect: (Int) -> AccountEffect)
  {
    tickets += 1
    work = AccountOperation(ticket: tickets, kind: kind, deadline: deadline)
    effects.append(effect(tickets))
  }

  private mutating func store(_ account: Account, _ then: AccountOperation.Completion) {
    begin(.store(account, then)) { .store($0, account) }
  }

  private mutating func ask(
    _ kind: ProviderRequest.Kind, code: Secret? = nil, fields: [String: Secret] = [:], subject: String? = nil,
    host: String? = nil, _ now: AccountTime
  ) throws(AccountRefusal) {
    problem = nil
    guard isProviderConnected else { return fail(.init(.noProvider)) }
    begin(.ask(kind), deadline: now.seconds + (kind == .sync ? policy.syncWithin : policy.answerWithin)) {
      .ask(ProviderRequest(ticket: $0, kind: kind, code: code, fields: fields, subject: subject, host: host))
    }
  }

  /// Cancels the current work.
  private mutating func drop() {
    if let work, work.isProvider { effects.append(.withdraw(work.ticket)) }
    work = nil
  }

  /// Returns to the screen before the request to the provider, with the problem.
  private mutating func fail(_ problem: AccountProblem) {
    drop()
    if case .syncing(let id, _, let again) = phase { phase = .syncing(id, .connectionError, again: again) }
    self.problem = problem
  }

  private mutating func answered(_ kind: ProviderRequest.Kind, _ answer: ProviderAnswer, _ now: AccountTime) {
    work = nil
    switch answer {
    case .refused(let text): fail(.init(.refused, text: text))
    case .offline(let text): fail(.init(.offline, text: text))
    case .conflict(let person, let text):
      guard case .syncing(let id, _, let again) = phase else { return fail(.init(.refused, text: text)) }
      let other = person.subject.flatMap { subject in users.first { $0.subject == subject } }
      go(.syncing(id, .userError(id: other?.id, person, text: text), again: again))
    case .accepted(let person):
      switch (phase, kind) {
      case (.onboarding(var onboarding), .activate), (.onboarding(var onboarding), .lookup):
        onboarding.activated(person, payload: nil)
        onboarding.advance(policy)
        advance(onboarding)
      case (.onboarding(var onboarding), .verify):
        let subject = person.subject ?? onboarding.account.subject
        onboarding.verified(
          person, known: subject.flatMap { subject in accounts.values.first { $0.subject == subject } })
        onboarding.advance(policy)
        advance(onboarding)
      case (.recovering(let id, nil), .recover):
        // Credentials of another user are not accepted.
        guard person.subject == nil || person.subject == accounts[id]?.subject else {
          return fail(.init(.refused))
        }
        go(.recovering(id, PasscodeEntry()))
      case (.syncing(let id, _, _), .sync):
        go(.signedIn(id))
        guard var account = accounts[id] else { break }
        account.synced = now.date
        accounts[id] = account
        // The flow does not wait for this; the log reports a failure.
        effects.append(.store(0, account))
      default: break
      }
    }
  }

  // MARK: Passcodes

  private mutating func tryPasscode(_ passcode: Secret, _ id: String, _ now: AccountTime) throws(AccountRefusal) {
    guard var account = accounts[id], policy.asksPasscode else { throw .wrongPhase }
    guard !passcode.isEmpty, passcode.text.utf8.count <= 1024 else { throw .badValue("passcode") }
    let wait = account.waits.remaining(at: now.seconds, policy.passcode)
    guard wait <= 0 else { throw .waiting(wait) }
    problem = nil
    account.waits.count(at: now.seconds)
    accounts[id] = account
    store(account, .check(passcode))
  }

  private mutating func hashed(_ hash: String?) {
    work = nil
    guard let hash else {
      problem = AccountProblem(.failed)
      return
    }
    switch phase {
    case .onboarding(var onboarding):
      onboarding.protected(by: hash)
      onboarding.advance(policy)
      advance(onboarding)
    case .recovering(let id, _):
      guard var account = accounts[id] else { return }
      account.passcode = hash
      account.waits.reset()
      store(account, .signIn)
    default: break
    }
  }

  private mutating func checked(_ check: PasscodeCheck) {
    work = nil
    guard case .signIn(let id) = phase, var account = accounts[id] else { return }
    switch check {
    case .wrong: problem = AccountProblem(.wrongPasscode)
    case .failed: problem = AccountProblem(.failed)
    case .right(let rehashed):
      account.waits.reset()
      account.passcode = rehashed ?? account.passcode
      store(account, .enter)
    }
  }

  // MARK: Stored users

  private mutating func stored(
    _ account: Account, _ then: AccountOperation.Completion, _ isDone: Bool, _ now: AccountTime
  ) {
    work = nil
    if isDone { accounts[account.id] = account }
    switch (then, phase) {
    case (.enter, .signIn(let id)):
      // If the success could not be stored, the failed attempts stay stored, and the user is signed in anyway.
      enter(id, now)
    case _ where !isDone:
      // The choice was not stored; the step is shown again.
      problem = AccountProblem(.notStored)
    case (.answer(let record), .onboarding(var onboarding)):
      effects.append(.recorded(record, user: account.id))
      onboarding.answered(account, record.choice)
      if onboarding.asking.current == nil { onboarding.advance(policy) }
      advance(onboarding)
      if record.choice == .deny { problem = AccountProblem(.consentNeeded) }
    case (.answer(let record), .renewing(let id, var asking)):
      effects.append(.recorded(record, user: account.id))
      asking.answered(record.choice)
      if asking.current == nil { enter(id, now) } else { go(.renewing(id, asking)) }
      if record.choice == .deny { problem = AccountProblem(.consentNeeded) }
    case (.answer(let record), .signedIn(let id)):
      effects.append(.recorded(record, user: id))
      // Without a mandatory consent the user is signed out.
      if account.unanswered(of: policy.consents).contains(where: \.isMandatory) { go(.signIn(id)) }
    case (.finish, .onboarding(var onboarding)):
      onboarding.finish(account)
      go(.onboarding(onboarding))
    case (.check(let passcode), .signIn):
      guard let hash = account.passcode else {
        problem = AccountProblem(.failed)
        return
      }
      begin(.check) { .check($0, passcode, against: hash) }
    case (.signIn, .recovering(let id, _)): go(.signIn(id))
    default: break
    }
  }

  private mutating func unlock(of ids: [String]) {
    for id in ids {
      guard var account = accounts[id] else {
        effects.append(.refused(.notFound))
        continue
      }
      account.waits.reset()
      guard account != accounts[id] else { continue }
      accounts[id] = account
      // The flow does not wait for this: answers with the ticket 0 are ignored.
      effects.append(.store(0, account))
    }
  }

  private mutating func remove(_ id: String, _ now: AccountTime) {
    guard accounts.removeValue(forKey: id) != nil else { return effects.append(.refused(.notFound)) }
    effects.append(.erase(id))
    let draft: String? = if case .onboarding(let onboarding) = phase { onboarding.account.id } else { nil }
    guard phase.user == id || draft == id else { return }
    if last == id { last = nil }
    start(at: now)
    problem = AccountProblem(.removed)
  }
}
