import FoundationEssentials
import Logging
import NIOCore
import NIOPosix
package import WaymarkAccounts
import WaymarkJSON
package import WaymarkOnboarding
package import WaymarkProtocol
package import WaymarkServer
import WaymarkSystem

/// `account.*`, `consent.*`, `sync.*`, `authentication.*`: clock, files, hashes and the integrator's program around `AccountFlow`.
@ServiceActor
package final class AccountsModule: ServiceModule {
  private unowned let hub: Hub
  private let log: Logger
  private let providerConnection: ProviderConnection
  private let clock: @Sendable () -> AccountTime
  private let cost: PasscodeHash.Cost
  private var settings: AccountSettings?
  private var accountIO: AccountIO?
  /// Where users are kept as long as this process runs.
  private var openFolder: String?
  private var flow: AccountFlow?
  private var timer: Scheduled<Void>?
  /// Users whose files are damaged: nobody can be them, but they can be removed.
  private var damaged: Set<String> = []
  /// The writes under way, by user: `account.remove` and `account.unlock` answer when it is done.
  private var writing: [String: Task<Void, any Error>] = [:]
  private var last = AccountState(phase: .off)
  /// Judges links and codes that were typed, as the scanner judges those it reads.
  package var judge: @ServiceActor () -> OnboardingJudge = { OnboardingJudge() }

  /// The module of `hub`.
  ///
  /// - Parameters:
  ///   - settings: `nil` where no accounts are configured: then there are only methods that say so.
  ///   - folder: where users are kept, unless the settings say otherwise.
  /// - Throws: when the folder cannot be used.
  package init(
    hub: Hub, settings: AccountSettings?, folder: String, cost: PasscodeHash.Cost = .standard,
    clock: @escaping @Sendable () -> AccountTime = {
      AccountTime(seconds: BootClock.now, date: WallClock.timestamp)
    }
  ) throws {
    self.hub = hub
    self.clock = clock
    self.cost = cost
    log = hub.log.subsystem(.accounts)
    providerConnection = ProviderConnection(log: log)
    guard let settings else { return }
    try open(settings, folder: folder)
  }

  private func open(_ settings: AccountSettings, folder: String) throws {
    let store = try AccountStore(folder: settings.folder ?? folder)
    openFolder = settings.folder ?? folder
    for warning in store.warnings { log.warning("\(warning)") }
    self.settings = settings
    damaged = store.damaged
    accountIO = AccountIO(store: store, cost: cost)
    flow = AccountFlow(policy: settings.policy, accounts: store.accounts, last: store.last, at: clock())
    last = state
  }

  /// Begins: where nothing is asked for, whose device it is is in at once.
  package func start() {
    guard let flow else { return }
    if !flow.policy.asksPasscode, case .signIn = flow.phase { send(.request(.next(agreed: false))) }
    review()
  }

  /// Takes over other rules.
  ///
  /// - Returns: whether that needs a restart.
  package func use(_ settings: AccountSettings?, folder: String) -> Bool {
    guard let settings else { return flow != nil }
    if flow == nil {
      do { try open(settings, folder: folder) } catch {
        log.error("\((error as? ServiceProblem)?.message ?? "\(error)")")
        return true
      }
      hub.publish(state)
    } else {
      let isElsewhere = settings.folder ?? folder != openFolder
      self.settings = settings
      send(.configure(settings.policy))
      if isElsewhere { return true }
    }
    return false
  }

  /// The file of a logo.
  package func logo(_ id: String) -> String? {
    settings?.logos.enumerated().first { AccountWire.logo($0.offset) == id }?.element
  }

  // MARK: ServiceModule

  package var features: [String] { flow == nil ? [] : ["accounts"] }

  package func contribute(to snapshot: inout Snapshot) { if flow != nil { snapshot.account = state } }

  package func connectionClosed(_ connection: Connection) {
    guard providerConnection.left(connection) else { return }
    send(.provider(isConnected: false))
    // That it is gone is told also where nothing waited for it.
    publish()
  }

  package func stop() { timer?.cancel() }

  private var state: AccountState {
    guard let flow else { return AccountState(phase: .off) }
    return AccountWire.state(flow, isProviderConnected: providerConnection.isConnected, at: clock().seconds)
  }

  // MARK: The flow

  /// Hands in what a person does; a refusal is thrown.
  private func perform(_ request: AccountRequest) throws -> AccountState {
    guard flow != nil else { throw Self.notConfigured }
    for case .refused(let refusal) in send(.request(request)) { throw AccountWire.error(refusal) }
    return state
  }

  nonisolated private static let notConfigured = ServiceError(
    .notConfigured, "No accounts are configured.",
    hint: "Add the section accounts to the configuration: docs/accounts.md.")

  @discardableResult
  private func send(_ input: AccountInput) -> [AccountEffect] {
    guard let effects = flow?.handle(input, at: clock()) else { return [] }
    for effect in effects { run(effect) }
    review()
    return effects
  }

  private func run(_ effect: AccountEffect) {
    guard let accountIO, let settings else { return }
    switch effect {
    case .changed: publish()
    case .refused: break
    case .ask(let request):
      log.debug("a request to the provider", metadata: ["kind": "\(request.kind.rawValue)"])
      providerConnection.ask(
        request, timeout: request.kind == .sync ? settings.policy.syncWithin : settings.policy.answerWithin)
    case .withdraw(let ticket): providerConnection.withdraw(ticket)
    case .hash(let ticket, let passcode):
      Task { @ServiceActor in self.send(.hashed(ticket, await accountIO.hash(passcode))) }
    case .check(let ticket, let passcode, let hash):
      Task { @ServiceActor in
        let check = await accountIO.check(passcode, against: hash)
        if check == .wrong { self.log.notice("a wrong passcode") }
        self.send(.checked(ticket, check))
      }
    case .store(let ticket, let account): write(account.id, ticket) { try await accountIO.save(account) }
    case .erase(let id): write(id, nil) { try await accountIO.erase(id) }
    case .remember(let id): Task { await accountIO.remember(id) }
    case .recorded(let record, let user):
      hub.publish(ConsentRecorded(user: user, record: AccountWire.entry(record)))
    }
  }

  /// Writes in the order of the calls: the thread behind it takes one after the other.
  private func write(_ id: String, _ ticket: Int?, _ work: @escaping @Sendable () async throws -> Void) {
    let before = writing[id]
    let task = Task { @ServiceActor in
      _ = await before?.result
      do {
        try await work()
        if let ticket { self.send(.stored(ticket, true)) }
      } catch {
        self.log.error("\((error as? ServiceProblem)?.message ?? "\(error)")")
        if let ticket { self.send(.stored(ticket, false)) }
        throw error
      }
    }
    writing[id] = task
    Task { @ServiceActor in
      _ = await task.result
      if self.writing[id] == task { self.writing[id] = nil }
    }
  }

  private func publish() {
    let now = state
    guard now != last else { return }
    last = now
    hub.publish(now)
  }

  private func review() {
    timer?.cancel()
    let now = clock().seconds
    timer = flow?.deadline(at: now).map { due in
      // A little later, so that it is over when it is looked at.
      ServiceActor.schedule(after: due - now + 0.01) { [weak self] in
        self?.send(.tick)
        self?.publish()
      }
    }
  }

  // MARK: Activation

  /// A confirmed scan activates whose turn it is, by the scanner's own verdict.
  package func confirmed(_ scan: ScanSuccessful) {
    guard case .onboarding(let onboarding)? = flow?.phase, onboarding.step == .activation,
      onboarding.method == .scan, let text = scan.text
    else { return }
    send(.request(.accepted(by: .scan, host: scan.connectTo, payload: Secret(text))))
  }

  /// Takes a typed text: an onboarding code is judged here, any other word of a few characters by the integrator's program.
  private func activate(_ code: String) async throws -> AccountState {
    guard case .onboarding(let onboarding)? = flow?.phase, onboarding.step == .activation, onboarding.method == .code
    else { return try perform(.activate(Secret(code))) }
    if Self.isWord(code) { return try perform(.activate(Secret(code))) }
    let judge = judge()
    let verdict = judge.verdict(for: code, now: hub.date)
    guard verdict.isSuccessful else {
      throw ServiceError(
        .codeRefused, "This code does not activate the device: \(verdict.reason ?? verdict.word).",
        hint: "docs/onboarding.md lists what is accepted.")
    }
    // Only now is it used up.
    let isFirst = try await BlockingWork.records.runIfActive { try judge.confirm(verdict) }
    guard isFirst else { throw ServiceError(.replayed, "The code was used before.", hint: "Ask for a new code.") }
    return try perform(.accepted(by: .code, host: verdict.connectTo, payload: Secret(code)))
  }

  /// Returns whether it is a code as people are sent them, and no link and no document.
  nonisolated private static func isWord(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D
          || $0 == 0x20
      }
  }

  // MARK: Methods

  package func register(in methods: inout MethodTable) {
    registerSteps(in: &methods)
    registerAdministration(in: &methods)
    registerProvider(in: &methods)
  }

  private func registerSteps(in methods: inout MethodTable) {
    func step<R: ServiceRequest>(_ type: R.Type, _ request: @escaping (R) throws -> AccountRequest)
    where R.Result == AccountState {
      methods.add(type) { [weak self] value, _ in
        guard let self else { throw ServiceError.stopping }
        return try self.perform(try request(value))
      }
    }
    methods.add(AccountStateRequest.self, observers: true) { [weak self] _, connection in
      let state = self?.state ?? AccountState(phase: .off)
      return connection.role == .observer ? state.forObservers : state
    }
    methods.add(AccountPolicyRequest.self) { [weak self] _, _ in AccountWire.policy(self?.settings) }
    step(AccountNextRequest.self) { .next(agreed: $0.agreed ?? false) }
    step(AccountBackRequest.self) { _ in .back }
    step(AccountLeaveRequest.self) { _ in .leave }
    step(AccountDemoRequest.self) { _ in .demo }
    step(AccountSwitchRequest.self) { _ in .switchUser }
    step(AccountSelectRequest.self) { .select($0.user) }
    step(AccountAddRequest.self) { _ in .add }
    step(AccountChooseRequest.self) { request in
      guard let method = AccountPolicy.ActivationMethod(rawValue: request.method) else {
        throw AccountWire.error(.badValue("method"))
      }
      return .choose(method)
    }
    methods.addLater(AccountActivateRequest.self) { [weak self] request, _ in
      guard let self else { throw ServiceError.stopping }
      return { try await self.activate(request.code) }
    }
    step(AuthenticationSubmitRequest.self) { request in
      guard let members = request.fields.members else { throw AccountWire.error(.badValue("fields")) }
      var fields: [String: Secret] = [:]
      for member in members {
        guard let text = member.value.string else { throw AccountWire.error(.badValue("fields")) }
        fields[member.name] = Secret(text)
      }
      return .submit(fields)
    }
    step(AuthenticationSetPasscodeRequest.self) { .setPasscode(Secret($0.passcode)) }
    step(AuthenticationSignInRequest.self) { .enterPasscode(Secret($0.passcode)) }
    step(AuthenticationForgotRequest.self) { _ in .forgot }
    step(ConsentChooseRequest.self) { request in
      guard let choice = ConsentChoice(rawValue: request.choice) else { throw AccountWire.error(.badValue("choice")) }
      return .consent(request.consent, choice, language: request.language)
    }
    step(SyncRetryRequest.self) { _ in .retry }
    methods.add(AccountUsersRequest.self) { [weak self] _, _ in
      guard let flow = self?.flow else { throw Self.notConfigured }
      let shown = Set(flow.policy.shown.map(\.rawValue))
      return AccountUsersResult(
        users: flow.users.map { AccountWire.person($0).showing(shown) }, selected: flow.phase.user)
    }
  }

  private func registerAdministration(in methods: inout MethodTable) {
    methods.add(AccountListRequest.self) { [weak self] _, _ in
      guard let self, let flow = self.flow else { throw Self.notConfigured }
      let now = self.clock().seconds
      let all =
        flow.users
        + flow.accounts.values.filter { one in !flow.users.contains { $0.id == one.id } }
        .sorted { $0.id < $1.id }
      return AccountListResult(
        users: all.map { one in
          AccountSummary(
            id: one.id, subject: one.subject, title: one.title, subtitle: one.subtitle, host: one.host,
            created: one.created, ready: one.isReady, failures: one.waits.failures,
            wait: flow.wait(of: one.id, at: now),
            consents: one.consents.count)
        }, damaged: self.damaged.isEmpty ? nil : self.damaged.sorted())
    }
    methods.addLater(AccountRemoveRequest.self) { [weak self] request, connection in
      if let self, self.flow?.accounts[request.user] == nil, self.damaged.contains(request.user) {
        let actor = connection.actor
        return { try await self.removeDamaged(request.user, by: actor) }
      }
      guard let self, let account = self.flow?.accounts[request.user] else {
        throw self?.flow == nil ? Self.notConfigured : AccountWire.error(.notFound)
      }
      self.send(.remove(request.user))
      let writing = self.writing[request.user]
      let actor = connection.actor
      return { try await self.removed(account, writing, by: actor) }
    }
    methods.addLater(AccountUnlockRequest.self) { [weak self] request, _ in
      guard let self, let flow = self.flow else { throw Self.notConfigured }
      if let user = request.user, flow.accounts[user] == nil { throw AccountWire.error(.notFound) }
      self.send(.unlock(request.user))
      let writing = self.writing
      return {
        for id in request.user.map({ [$0] }) ?? Array(writing.keys) { try await Self.written(writing[id]) }
        return Empty()
      }
    }
    methods.add(ConsentExportRequest.self) { [weak self] request, _ in
      guard let flow = self?.flow else { throw Self.notConfigured }
      if let user = request.user, flow.accounts[user] == nil { throw AccountWire.error(.notFound) }
      let wanted = flow.accounts.values.filter { request.user == nil || $0.id == request.user }
        .sorted { ($0.title, $0.id) < ($1.title, $1.id) }
      return ConsentExportResult(
        users: wanted.map { one in
          ConsentExportEntry(
            user: one.id, subject: one.subject, title: one.title, records: one.consents.map(AccountWire.entry))
        })
    }
  }

  private func removeDamaged(_ id: String, by actor: Actor) async throws -> Empty {
    guard let accountIO else { throw Self.notConfigured }
    write(id, nil) { try await accountIO.erase(id) }
    try await Self.written(writing[id])
    damaged.remove(id)
    log.notice("a damaged user was removed")
    hub.publish(AccountRemoved(user: id, by: actor))
    return Empty()
  }

  private func removed(_ account: Account, _ writing: Task<Void, any Error>?, by actor: Actor) async throws -> Empty {
    do { try await Self.written(writing) } catch {
      send(.restore(account))
      throw error
    }
    log.notice("a user was removed")
    hub.publish(AccountRemoved(user: account.id, by: actor))
    return Empty()
  }

  nonisolated private static func written(_ writing: Task<Void, any Error>?) async throws {
    do { try await writing?.value } catch {
      throw ServiceError(
        .internalError, "The folder of users could not be written.", hint: "See the service's log.")
    }
  }

  private func registerProvider(in methods: inout MethodTable) {
    methods.add(AuthenticationProvideRequest.self) { [weak self] request, connection in
      guard let self, self.flow != nil else { throw Self.notConfigured }
      try self.providerConnection.take(connection, name: request.name)
      self.send(.provider(isConnected: true))
      self.publish()
      return Empty()
    }
    methods.add(AuthenticationAnswerRequest.self) { [weak self] request, connection in
      guard let self else { throw ServiceError.stopping }
      try self.providerConnection.check(connection)
      self.send(.answered(request.request, try ProviderAnswer(request)))
      return Empty()
    }
    methods.add(SyncProgressRequest.self) { [weak self] request, connection in
      guard let self else { throw ServiceError.stopping }
      try self.providerConnection.check(connection)
      self.send(.progress(request.request, request.progress))
      return Empty()
    }
  }
}
