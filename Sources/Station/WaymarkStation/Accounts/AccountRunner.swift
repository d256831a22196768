import FoundationEssentials
import Logging
import NIOCore
import NIOPosix
import WaymarkOnboarding
import WaymarkPeople
import WaymarkProtocol
import WaymarkServer
import WaymarkService
import WaymarkSystem

/// Clock, files, hashes and the integrator's program around `AccountFlow`.
@ServiceActor
final class AccountRunner {
  private unowned let hub: Hub
  private let log: Logger
  private let providerConnection: ProviderConnection
  private let clock: @Sendable () -> AccountTime
  private let cost: PasscodeHash.Cost
  private(set) var settings: AccountSettings?
  private var accountIO: AccountIO?
  /// Where users are kept as long as this process runs.
  private var openFolder: String?
  private(set) var flow: AccountFlow?
  private var timer: Scheduled<Void>?
  /// Users whose files are damaged: nobody can be them, but they can be removed.
  private(set) var damaged: Set<String> = []
  /// The writes under way, by user: `account.remove` and `account.unlock` answer when it is done.
  private var writing: [String: Task<Void, any Error>] = [:]
  private var last = AccountState(phase: .off)
  /// Judges links and codes that were typed, as the scanner judges those it reads.
  var judge: @ServiceActor () -> OnboardingJudge = { OnboardingJudge() }

  /// The users of the device of `hub`.
  ///
  /// - Parameters:
  ///   - settings: `nil` where no accounts are configured: then nobody gets anywhere.
  ///   - folder: where users are kept, unless the settings say otherwise.
  /// - Throws: when the folder cannot be used.
  init(
    hub: Hub, settings: AccountSettings?, folder: String, cost: PasscodeHash.Cost,
    clock: @escaping @Sendable () -> AccountTime
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
  func start() {
    guard let flow else { return }
    if !flow.policy.asksPasscode, case .signIn = flow.phase { send(.request(.next(agreed: false))) }
    review()
  }

  /// Takes over other rules.
  ///
  /// - Returns: whether that needs a restart.
  func use(_ settings: AccountSettings?, folder: String) -> Bool {
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
  func logo(_ id: String) -> String? {
    settings?.logos.enumerated().first { AccountWire.logo($0.offset) == id }?.element
  }

  /// A client is gone; it may be the provider.
  func left(_ connection: Connection) {
    guard providerConnection.left(connection) else { return }
    send(.provider(isConnected: false))
    // That it is gone is told also where nothing waited for it.
    publish()
  }

  func stop() { timer?.cancel() }

  /// As clients are told it.
  var state: AccountState {
    guard let flow else { return AccountState(phase: .off) }
    return AccountWire.state(flow, isProviderConnected: providerConnection.isConnected, at: clock().seconds)
  }

  /// Seconds of the flow's clock.
  var now: Double { clock().seconds }

  // MARK: The flow

  /// Hands in what a person does; a refusal is thrown.
  func perform(_ request: AccountRequest) throws -> AccountState {
    guard flow != nil else { throw Self.notConfigured }
    for case .refused(let refusal) in send(.request(request)) { throw AccountWire.error(refusal) }
    return state
  }

  nonisolated static let notConfigured = ServiceError(
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
  func confirmed(_ scan: ScanSuccessful) {
    guard case .onboarding(let onboarding)? = flow?.phase, onboarding.step == .activation,
      onboarding.method == .scan, let text = scan.text
    else { return }
    send(.request(.accepted(by: .scan, host: scan.connectTo, payload: Secret(text))))
  }

  /// Takes a typed text: an onboarding code is judged here, any other word of a few characters by the integrator's program.
  func activate(_ code: String) async throws -> AccountState {
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

  // MARK: Administration

  /// Takes a user, or the damaged files of one, off the device.
  ///
  /// - Returns: the work that is done when nothing is left.
  func remove(_ user: String, by actor: Actor) throws -> @ServiceActor () async throws -> Void {
    if flow?.accounts[user] == nil, damaged.contains(user) { return { try await self.removeDamaged(user, by: actor) } }
    guard let flow else { throw Self.notConfigured }
    guard let account = flow.accounts[user] else { throw AccountWire.error(.notFound) }
    send(.remove(user))
    let writing = writing[user]
    return { try await self.removed(account, writing, by: actor) }
  }

  /// Forgets the wrong passcodes of a user, or of all.
  ///
  /// - Returns: the work that is done when that is written.
  func unlock(_ user: String?) throws -> @ServiceActor () async throws -> Void {
    guard let flow else { throw Self.notConfigured }
    if let user, flow.accounts[user] == nil { throw AccountWire.error(.notFound) }
    send(.unlock(user))
    let writing = writing
    return { for id in user.map({ [$0] }) ?? Array(writing.keys) { try await Self.written(writing[id]) } }
  }

  private func removeDamaged(_ id: String, by actor: Actor) async throws {
    guard let accountIO else { throw Self.notConfigured }
    write(id, nil) { try await accountIO.erase(id) }
    try await Self.written(writing[id])
    damaged.remove(id)
    log.notice("a damaged user was removed")
    hub.publish(AccountRemoved(user: id, by: actor))
  }

  private func removed(_ account: Account, _ writing: Task<Void, any Error>?, by actor: Actor) async throws {
    do { try await Self.written(writing) } catch {
      send(.restore(account))
      throw error
    }
    log.notice("a user was removed")
    hub.publish(AccountRemoved(user: account.id, by: actor))
  }

  nonisolated private static func written(_ writing: Task<Void, any Error>?) async throws {
    do { try await writing?.value } catch {
      throw ServiceError(
        .internalError, "The folder of users could not be written.", hint: "See the service's log.")
    }
  }

  // MARK: The provider

  /// A connection becomes the provider.
  func provide(_ connection: Connection, name: String?) throws {
    guard flow != nil else { throw Self.notConfigured }
    try providerConnection.take(connection, name: name)
    send(.provider(isConnected: true))
    publish()
  }

  /// The provider answers.
  func answer(_ request: AuthenticationAnswerRequest, from connection: Connection) throws {
    try providerConnection.check(connection)
    let answer = try ProviderAnswer(request)
    // A provider leads the device no further than a code could.
    if let problem = request.host.flatMap(judge().policy.refusal(ofHost:)) {
      throw ServiceError(
        .badParams, "host is not allowed: \(problem).", hint: "Add it to onboarding.hosts, or answer another.")
    }
    send(.answered(request.request, answer))
  }

  /// The provider tells how far a synchronization is.
  func progress(_ request: SyncProgressRequest, from connection: Connection) throws {
    try providerConnection.check(connection)
    send(.progress(request.request, request.progress))
  }
}
