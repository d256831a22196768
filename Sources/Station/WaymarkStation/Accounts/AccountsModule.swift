package import WaymarkOnboarding
package import WaymarkPeople
package import WaymarkProtocol
package import WaymarkServer
package import WaymarkService
import WaymarkSystem

/// `account.*`, `consent.*`, `sync.*`, `authentication.*`: the methods by which people, administrators and the integrator's program reach
/// the `AccountRunner`.
@ServiceActor
package final class AccountsModule: FeatureModule {
  private let runner: AccountRunner

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
    runner = try AccountRunner(hub: hub, settings: settings, folder: folder, cost: cost, clock: clock)
  }

  /// Judges links and codes that were typed, as the scanner judges those it reads.
  package var judge: @ServiceActor () -> OnboardingJudge {
    get { runner.judge }
    set { runner.judge = newValue }
  }

  /// Begins: where nothing is asked for, whose device it is is in at once.
  package func start() { runner.start() }

  package func reload(_ configuration: ServiceConfiguration) throws -> @ServiceActor () -> [String] {
    let new = try AccountSettings.checked(configuration)
    return { [weak self] in
      self?.use(new, folder: AccountSettings.folder(configuration)) == true ? ["accounts"] : []
    }
  }

  /// Takes over other rules.
  ///
  /// - Returns: whether that needs a restart.
  package func use(_ settings: AccountSettings?, folder: String) -> Bool { runner.use(settings, folder: folder) }

  /// The file of a logo.
  package func logo(_ id: String) -> String? { runner.logo(id) }

  /// A confirmed scan activates whose turn it is, by the scanner's own verdict.
  package func confirmed(_ scan: ScanSuccessful) { runner.confirmed(scan) }

  package var features: [String] { runner.flow == nil ? [] : ["accounts"] }

  package func contribute(to snapshot: inout Snapshot) { if runner.flow != nil { snapshot.account = runner.state } }

  package func connectionClosed(_ connection: Connection) { runner.left(connection) }

  package func stop() { runner.stop() }

  // MARK: Methods

  package func register(in methods: inout MethodTable) {
    registerSteps(in: &methods)
    registerAdministration(in: &methods)
    registerProvider(in: &methods)
  }

  private func registerSteps(in methods: inout MethodTable) {
    func step<R: ServedRequest>(_ type: R.Type, _ request: @escaping (R) throws -> AccountRequest)
    where R.Result == AccountState {
      methods.add(type) { [runner] value, _ in
        return try runner.perform(try request(value))
      }
    }
    methods.add(AccountStateRequest.self) { [runner] _, connection in
      connection.role == .observer ? runner.state.forObservers : runner.state
    }
    methods.add(AccountPolicyRequest.self) { [runner] _, _ in AccountWire.policy(runner.settings) }
    step(AccountNextRequest.self) { .next(agreed: $0.agreed ?? false) }
    step(AccountBackRequest.self) { _ in .back }
    step(AccountLeaveRequest.self) { _ in .leave }
    step(AccountDemoRequest.self) { _ in .demo }
    step(AccountSwitchRequest.self) { _ in .switchUser }
    step(AccountSelectRequest.self) { .select($0.user) }
    step(AccountAddRequest.self) { _ in .add }
    step(AccountChooseRequest.self) { .choose(AccountPolicy.ActivationMethod($0.method)) }
    methods.addLater(AccountActivateRequest.self) { [runner] request, _ in
      { try await runner.activate(request.code) }
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
    step(ConsentChooseRequest.self) { .consent($0.consent, ConsentChoice($0.choice), language: $0.language) }
    step(SyncRetryRequest.self) { _ in .retry }
    methods.add(AccountUsersRequest.self) { [runner] _, _ in
      guard let flow = runner.flow else { throw AccountRunner.notConfigured }
      let shown = Set(flow.policy.shown.map(\.rawValue))
      return AccountUsersResult(
        users: flow.users.map { AccountWire.person($0).showing(shown) }, selected: flow.phase.user)
    }
  }

  private func registerAdministration(in methods: inout MethodTable) {
    methods.add(AccountListRequest.self) { [runner] _, _ in
      guard let flow = runner.flow else { throw AccountRunner.notConfigured }
      let now = runner.now
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
        }, damaged: runner.damaged.isEmpty ? nil : runner.damaged.sorted())
    }
    methods.addLater(AccountRemoveRequest.self) { [runner] request, connection in
      let work = try runner.remove(request.user, by: connection.actor)
      return {
        try await work()
        return Empty()
      }
    }
    methods.addLater(AccountUnlockRequest.self) { [runner] request, _ in
      let work = try runner.unlock(request.user)
      return {
        try await work()
        return Empty()
      }
    }
    methods.add(ConsentExportRequest.self) { [runner] request, _ in
      guard let flow = runner.flow else { throw AccountRunner.notConfigured }
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

  private func registerProvider(in methods: inout MethodTable) {
    methods.add(AuthenticationProvideRequest.self) { [runner] request, connection in
      try runner.provide(connection, name: request.name)
      return Empty()
    }
    methods.add(AuthenticationAnswerRequest.self) { [runner] request, connection in
      try runner.answer(request, from: connection)
      return Empty()
    }
    methods.add(SyncProgressRequest.self) { [runner] request, connection in
      try runner.progress(request, from: connection)
      return Empty()
    }
  }
}
