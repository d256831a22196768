import FoundationEssentials
import Logging
import NIOCore
import NIOPosix
import WaymarkConfiguration
package import WaymarkOnboarding
package import WaymarkPeople
package import WaymarkProtocol
package import WaymarkServer
package import WaymarkService
import WaymarkSystem

/// `account.*`, `consent.*`, `sync.*`, `authentication.*`: runs an `AccountFlow` with clock, files, hashes and the provider.
@ServiceActor
package final class AccountsModule: FeatureModule {
  private unowned let hub: Hub
  private let log: Logger
  private let providerConnection: ProviderConnection
  private let clock: @Sendable () -> AccountTime
  private let cost: PasscodeHash.Cost
  private(set) var settings: AccountSettings?
  private var accountIO: AccountIO?
  /// The folder of users that this process has opened.
  private var openFolder: String?
  private(set) var flow: AccountFlow?
  private var timer: Scheduled<Void>?
  /// The ids of users with damaged files, who can only be removed.
  private(set) var damaged: Set<String> = []
  /// The current writes by user, for which `account.remove` and `account.unlock` wait.
  private var writing: [String: Task<Void, any Error>] = [:]
  private var last = AccountState(phase: .off)
  /// Returns the judge of typed links and codes, which follows the same rules as for scanned codes.
  package var judge: @ServiceActor () -> OnboardingJudge = { OnboardingJudge() }

  /// Creates the module of `hub`.
  ///
  /// - Parameters:
  ///   - settings: the settings; nil if accounts are not configured: methods then throw `notConfigured` or return the phase `off`.
  ///   - folder: the folder of the users, unless the settings name another folder.
  /// - Throws: `accountStore` if the folder cannot be used.
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

  /// Signs in the last user if the policy asks for no passcode.
  package func start() {
    guard let flow else { return }
    if !flow.policy.asksPasscode, case .signIn = flow.phase { send(.request(.next(agreed: false))) }
    review()
  }

  package func reload(_ configuration: ServiceConfiguration) throws -> @ServiceActor () -> [String] {
    let new = try AccountSettings.checked(configuration)
    return { [weak self] in
      self?.use(new, folder: AccountSettings.folder(configuration)) == true ? ["accounts"] : []
    }
  }

  /// Applies new settings.
  ///
  /// - Returns: true if that needs a restart.
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

  package var features: [String] { flow == nil ? [] : ["accounts"] }

  package func contribute(to snapshot: inout Snapshot) { if flow != nil { snapshot.account = state } }

  /// Returns the path of the logo with the resource id `id`, such as `logo/0`; nil if the settings have no such logo.
  package func logo(_ id: String) -> String? {
    settings?.logos.enumerated().first { AccountWire.logo($0.offset) == id }?.element
  }

  package func connectionClosed(_ connection: Connection) {
    guard providerConnection.left(connection) else { return }
    send(.provider(isConnected: false))
    // Clients are informed of the disconnection also if no request was pending.
    publish()
  }

  package func stop() { timer?.cancel() }

  /// The state as clients see it.
  var state: AccountState {
    guard let flow else { return AccountState(phase: .off) }
    return AccountWire.state(flow, isProviderConnected: providerConnection.isConnected, at: clock().seconds)
  }

  /// The current time in seconds of the flow's clock.
  var now: Double { clock().seconds }

  // MARK: The flow

  /// Performs a request that a person made on a page.
  ///
  /// - Throws: a `ServiceError` if the flow refuses the request.
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

  /// Writes a user's file after the earlier writes of the same user.
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
      // A little later, so that the deadline has passed.
      ServiceActor.schedule(after: due - now + 0.01) { [weak self] in
        self?.send(.tick)
        self?.publish()
      }
    }
  }

  // MARK: Activation

  /// Activates with the code of a confirmed scan, which the scanner has already judged.
  package func confirmed(_ scan: ScanSuccessful) {
    guard case .onboarding(let onboarding)? = flow?.phase, onboarding.step == .activation,
      onboarding.method == .scan, let text = scan.text
    else { return }
    send(.request(.accepted(by: .scan, host: scan.connectTo, payload: Secret(text))))
  }

  /// Activates with a typed text: an onboarding code is judged here, a short word by the provider.
  ///
  /// - Throws: `codeRefused` if the judge refuses the code, `replayed` if it was already used, or the refusal of the flow.
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
    // The code is used only after it was accepted.
    let isFirst = try await BlockingWork.records.runIfActive { try judge.confirm(verdict) }
    guard isFirst else { throw ServiceError(.replayed, "The code was used before.", hint: "Ask for a new code.") }
    return try perform(.accepted(by: .code, host: verdict.connectTo, payload: Secret(code)))
  }

  /// Returns whether a text is a short code, as opposed to a link or a document.
  nonisolated private static func isWord(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D
          || $0 == 0x20
      }
  }

  // MARK: Administration

  /// Removes a user, or the damaged files of a user.
  ///
  /// - Returns: the work to wait for.
  /// - Throws: `notConfigured` without accounts, `notFound` if there is no such user.
  func remove(_ user: String, by actor: Actor) throws -> @ServiceActor () async throws -> Empty {
    if flow?.accounts[user] == nil, damaged.contains(user) { return { try await self.removeDamaged(user, by: actor) } }
    guard let flow else { throw Self.notConfigured }
    guard let account = flow.accounts[user] else { throw AccountWire.error(.notFound) }
    send(.remove(user))
    let writing = writing[user]
    return { try await self.removed(account, writing, by: actor) }
  }

  /// Resets the number of wrong passcodes of a user; of all users if `user` is nil.
  ///
  /// - Returns: the work to wait for.
  /// - Throws: `notConfigured` without accounts, `notFound` if there is no such user.
  func unlock(_ user: String?) throws -> @ServiceActor () async throws -> Empty {
    guard let flow else { throw Self.notConfigured }
    if let user, flow.accounts[user] == nil { throw AccountWire.error(.notFound) }
    send(.unlock(user))
    let writing = writing
    return {
      for id in user.map({ [$0] }) ?? Array(writing.keys) { try await Self.written(writing[id]) }
      return Empty()
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

  // MARK: The provider

  func provide(_ connection: Connection, name: String?) throws {
    guard flow != nil else { throw Self.notConfigured }
    try providerConnection.take(connection, name: name)
    send(.provider(isConnected: true))
    publish()
  }

  func answer(_ request: AuthenticationAnswerRequest, from connection: Connection) throws {
    try providerConnection.check(connection)
    let answer = try ProviderAnswer(request)
    // The provider may name only hosts that are allowed in codes as well.
    if let problem = request.host.flatMap(judge().policy.refusal(ofHost:)) {
      throw ServiceError(
        .badParams, "host is not allowed: \(problem).", hint: "Add it to onboarding.hosts, or answer another.")
    }
    send(.answered(request.request, answer))
  }

  func progress(_ request: SyncProgressRequest, from connection: Connection) throws {
    try providerConnection.check(connection)
    send(.progress(request.request, request.progress))
  }
}

extension Feature {
  /// The feature of the device's users: onboarding, consents and signing in.
  package static let accounts: Feature = {
    var feature = Feature()
    feature.sectionKeys = AccountSettings.keys
    feature.problems = { configuration in
      guard let document = configuration.document else { return [] }
      let (accounts, problems) = AccountSettings.read(document)
      return problems
        + (accounts.map {
          configuration.folderProblems("accounts.folder", at: $0.folder ?? AccountSettings.folder(configuration))
        } ?? [])
        + (accounts?.logos ?? []).filter { FileKind($0) != .regular }.map { logo in
          document.problem(
            "there is no picture \(logo)", "accounts.logos", document.checked.at("accounts.logos"),
            hint: "Put it there, or correct the path.")
        }
    }
    feature.make = { context in
      let accounts = try AccountsModule(
        hub: context.hub, settings: try AccountSettings.checked(context.configuration),
        folder: AccountSettings.folder(context.configuration))
      let scans = context.cameras.first.scans
      accounts.judge = { scans.rules.judge }
      for camera in context.cameras.all { camera.scans.onConfirmed { accounts.confirmed($0) } }
      context.media.resources.append { accounts.logo($0) }
      return accounts
    }
    return feature
  }()
}

extension AccountSettings {
  /// Reads the settings from a configuration; nil without the section `accounts`.
  ///
  /// - Throws: the first problem of the settings.
  static func checked(_ configuration: ServiceConfiguration) throws -> AccountSettings? {
    guard let document = configuration.document else { return nil }
    let (settings, problems) = read(document)
    if let problem = problems.first { throw problem }
    return settings
  }

  /// The default folder of users.
  static func folder(_ configuration: ServiceConfiguration) -> String { configuration.stateFolder + "/accounts" }
}
