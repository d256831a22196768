import WaymarkPeople
import WaymarkProtocol
package import WaymarkServer
import WaymarkService
import WaymarkSystem

/// The methods `account.*`, `authentication.*`, `consent.*` and `sync.*`. They pass the requests of clients to the flow.
extension AccountsModule {
  package func register(in methods: inout MethodTable) {
    registerSteps(in: &methods)
    registerAdministration(in: &methods)
    registerProvider(in: &methods)
  }

  private func registerSteps(in methods: inout MethodTable) {
    func step<R: ServedRequest>(_ type: R.Type, _ request: @escaping (R) throws -> AccountRequest)
    where R.Result == AccountState {
      methods.add(type) { [self] value, _ in
        return try perform(try request(value))
      }
    }
    methods.add(AccountStateRequest.self) { [self] _, connection in
      connection.role == .observer ? state.forObservers : state
    }
    methods.add(AccountPolicyRequest.self) { [self] _, _ in AccountWire.policy(settings) }
    step(AccountNextRequest.self) { .next(agreed: $0.agreed ?? false) }
    step(AccountBackRequest.self) { _ in .back }
    step(AccountLeaveRequest.self) { _ in .leave }
    step(AccountDemoRequest.self) { _ in .demo }
    step(AccountSwitchRequest.self) { _ in .switchUser }
    step(AccountSelectRequest.self) { .select($0.user) }
    step(AccountAddRequest.self) { _ in .add }
    step(AccountChooseRequest.self) { .choose(AccountPolicy.ActivationMethod($0.method)) }
    methods.addLater(AccountActivateRequest.self) { [self] request, _ in
      { try await self.activate(request.code) }
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
    methods.add(AccountUsersRequest.self) { [self] _, _ in
      guard let flow else { throw Self.notConfigured }
      let shown = Set(flow.policy.shown.map(\.rawValue))
      return AccountUsersResult(
        users: flow.users.map { AccountWire.person($0).showing(shown) }, selected: flow.phase.user)
    }
  }

  private func registerAdministration(in methods: inout MethodTable) {
    methods.add(AccountListRequest.self) { [self] _, _ in
      guard let flow else { throw Self.notConfigured }
      let now = now
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
        }, damaged: damaged.isEmpty ? nil : damaged.sorted())
    }
    methods.addLater(AccountRemoveRequest.self) { [self] request, connection in
      try remove(request.user, by: connection.actor)
    }
    methods.addLater(AccountUnlockRequest.self) { [self] request, _ in try unlock(request.user) }
    methods.add(ConsentExportRequest.self) { [self] request, _ in
      guard let flow else { throw Self.notConfigured }
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
    methods.add(AuthenticationProvideRequest.self) { [self] request, connection in
      try provide(connection, name: request.name)
      return Empty()
    }
    methods.add(AuthenticationAnswerRequest.self) { [self] request, connection in
      try answer(request, from: connection)
      return Empty()
    }
    methods.add(SyncProgressRequest.self) { [self] request, connection in
      try progress(request, from: connection)
      return Empty()
    }
  }
}
