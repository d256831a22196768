import Logging
import WaymarkPeople
import WaymarkProtocol
import WaymarkServer
import WaymarkSystem

/// Converts an `AccountFlow` to messages. `ProviderConnection` below exchanges messages with the provider.
enum AccountWire {
  static func state(_ flow: AccountFlow, isProviderConnected: Bool, at now: Double) -> AccountState {
    var state = AccountState(phase: .off, provider: isProviderConnected)
    state.working = flow.working.map(AccountWork.init)
    state.problem = flow.problem.map { AccountTrouble(code: AccountFault($0.code), text: $0.text) }
    state.shown = Set(flow.policy.shown.map(\.rawValue))
    var isKnown = false
    switch flow.phase {
    case .onboarding(let onboarding): describe(onboarding, &state)
    case .signIn(let id):
      state.phase = .signIn
      let wait = flow.wait(of: id, at: now)
      state.wait = wait > 0 ? wait : nil
      state.canRecover = flow.canRecover(id)
    case .users: state.phase = .users
    case .recovering(_, let entry):
      state.purpose = .recover
      state.phase = entry == nil ? .credentials : .passcode
      state.repeats = entry?.isRepeating
    case .renewing(_, let asking):
      (state.phase, state.purpose, state.consent) = (.consents, .renew, step(asking))
      isKnown = true
    case .syncing(_, let sync, let again):
      (state.phase, state.sync) = (.sync, status(sync, flow))
      state.purpose = again ? .renew : nil
      isKnown = true
    case .signedIn(let id):
      state.phase = .signedIn
      state.synced = flow.accounts[id]?.synced
      if flow.policy.modules.contains(.consents) {
        state.choices = flow.policy.consents.compactMap { flow.accounts[id]?.choice(about: $0.id) }.map(entry)
      }
      isKnown = true
    case .demo: state.phase = .demo
    }
    state.user = flow.phase.user.flatMap { flow.accounts[$0] }.map {
      isKnown ? person($0) : person($0).showing(state.shown)
    }
    return state
  }

  private static func describe(_ onboarding: Onboarding, _ state: inout AccountState) {
    state.purpose = onboarding.purpose == .first ? .first : .add
    switch onboarding.step {
    case .welcome: state.phase = .welcome
    case .activation:
      state.phase = .activation
      state.method = onboarding.method.map(ActivationWay.init)
    case .credentials: state.phase = .credentials
    case .consents:
      state.phase = .consents
      state.consent = step(onboarding.asking)
    case .passcode:
      state.phase = .passcode
      state.repeats = onboarding.entry.isRepeating
    case nil: state.phase = .ready
    }
  }

  private static func step(_ asking: ConsentFlow) -> ConsentStep? {
    asking.current.map { ConsentStep(id: $0.id, page: asking.page, pages: $0.pages.count) }
  }

  private static func status(_ sync: SyncState, _ flow: AccountFlow) -> SyncStatus {
    switch sync {
    case .running(let share): return SyncStatus(state: .running, progress: share)
    case .connectionError: return SyncStatus(state: .connectionError, text: flow.problem?.text)
    case .userError(let id, let other, let text):
      let known = id.flatMap { flow.accounts[$0] }
      let title = other.title ?? known?.title ?? ""
      let user = AccountPerson(
        id: id, title: title, subtitle: other.subtitle ?? known?.subtitle, initials: Account.initials(of: title))
      return SyncStatus(state: .userError, user: user, text: text)
    }
  }

  static func person(_ account: Account) -> AccountPerson {
    AccountPerson(id: account.id, title: account.title, subtitle: account.subtitle, initials: account.initials)
  }

  static func entry(_ record: ConsentRecord) -> ConsentEntry {
    ConsentEntry(
      consent: record.consent, version: record.version, hash: record.hash, language: record.language,
      choice: record.choice.rawValue, time: record.time)
  }

  /// Returns the texts and rules of the screens; nil settings give the mode `off` without any.
  static func policy(_ settings: AccountSettings?) -> AccountPolicyResult {
    guard let settings else {
      return AccountPolicyResult(
        mode: .off, modules: [], words: .object([:]), logos: [], links: .array([]), demo: false, activation: [],
        fields: .array([]), consents: .array([]), passcode: .object([:]), shown: [])
    }
    let policy = settings.policy
    let rules = policy.passcode
    return AccountPolicyResult(
      mode: AccountMode(policy.mode), language: settings.language, modules: policy.steps.map(AccountStep.init),
      words: .object(
        policy.words.mapValues { words in object([("title", text(words.title)), ("text", text(words.text))]) }),
      logos: settings.logos.indices.map { logo($0) },
      links: .array(
        policy.links.map { object([("title", text($0.title)), ("url", .string($0.url)), ("text", text($0.text))]) }),
      terms: text(policy.terms), demo: policy.allowsDemo, activation: policy.activation.map(ActivationWay.init),
      fields: .array(
        policy.fields.map {
          object([("name", .string($0.name)), ("label", text($0.label)), ("kind", .string($0.kind.rawValue))])
        }),
      consents: .array(
        policy.consents.map { consent in
          let pages = consent.pages.map {
            object([("title", text($0.title)), ("text", text($0.text)), ("more", text($0.more))])
          }
          return object([
            ("id", .string(consent.id)), ("version", .string(consent.version)),
            ("mandatory", .bool(consent.isMandatory)),
            ("pages", .array(pages)),
          ])
        }),
      passcode: object([
        ("minimum", .int(rules.minimum)), ("maximum", .int(rules.maximum)), ("numeric", .bool(rules.isNumeric)),
        ("digit", .bool(rules.needsDigit)), ("lower", .bool(rules.needsLower)), ("upper", .bool(rules.needsUpper)),
        ("symbol", .bool(rules.needsSymbol)), ("tries", .int(rules.tries)),
      ]),
      shown: AccountPolicy.Part.allCases.filter(policy.shown.contains).map(PersonPart.init))
  }

  /// The id of a logo for `media.resource`.
  static func logo(_ index: Int) -> String { "logo/\(index)" }

  private static func text(_ text: LocalizedText?) -> JSONValue? {
    text.map { .object($0.texts.mapValues { .string($0) }) }
  }

  private static func object(_ members: [(String, JSONValue?)]) -> JSONValue {
    .object(members.compactMap { name, value in value.map { JSONValue.Member(name, $0) } })
  }

  /// Converts a refusal to an error reply.
  static func error(_ refusal: AccountRefusal) -> ServiceError {
    switch refusal {
    case .wrongPhase:
      ServiceError(.wrongPhase, "This is not possible in the current state.", hint: "Call account.state for the state.")
    case .busy: ServiceError(.busy, "Another operation is running.", hint: "Wait for the next account.state.")
    case .waiting(let seconds):
      ServiceError(
        .waiting, "Too many wrong passcodes.",
        hint: "Wait \(Int(seconds.rounded(.up))) seconds, or use Forgot passcode.")
    case .rules(let faults):
      ServiceError(
        .passcodeRules, "The passcode breaks rules: \(faults.map(\.rawValue).joined(separator: ", ")).",
        hint: "account.policy lists the rules.")
    case .badValue(let what):
      ServiceError(.badParams, "\(what) is missing or invalid.", hint: "account.policy lists what is required.")
    case .notFound: ServiceError(.notFound, "There is no such user.", hint: "account.users lists them.")
    case .notOffered:
      ServiceError(
        .notConfigured, "The configuration does not allow this.", hint: "docs/configuration.md lists the settings.")
    case .full:
      ServiceError(.full, "The device has the maximum number of users.", hint: "Remove one: waymark users remove.")
    }
  }
}

/// The connection of the provider, the only client that receives what people type.
@ServiceActor
final class ProviderConnection {
  private var connection: Connection?
  private let log: Logger

  init(log: Logger) { self.log = log }

  var isConnected: Bool { connection != nil }

  /// Registers a connection as the provider.
  ///
  /// - Throws: `busy` if another connection is registered.
  func take(_ connection: Connection, name: String?) throws {
    if let holder = self.connection, holder !== connection {
      throw ServiceError(
        .busy, "Another provider is registered.", hint: "Stop it first: only one can be registered at a time.",
        holder: holder.actor)
    }
    guard self.connection == nil else { return }
    self.connection = connection
    log.notice("a provider registered", metadata: ["name": "\(Self.shown(name))"])
  }

  /// Unregisters a closed connection.
  ///
  /// - Returns: true if it was the provider's.
  func left(_ connection: Connection) -> Bool {
    guard self.connection === connection else { return false }
    self.connection = nil
    log.warning("the provider disconnected")
    return true
  }

  /// Sends a request to the provider if it is connected.
  func ask(_ request: ProviderRequest, timeout: Double) {
    let fields = request.fields.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, .string($0.value.text)) }
    connection?.send(
      EventLine(
        time: WallClock.timestamp,
        payload: AuthenticationRequested(
          request: request.ticket, kind: ProviderTask(request.kind), timeout: timeout, code: request.code?.text,
          fields: fields.isEmpty ? nil : .object(fields), subject: request.subject, host: request.host)))
  }

  /// Cancels a request.
  func withdraw(_ ticket: Int) {
    connection?.send(EventLine(time: WallClock.timestamp, payload: AuthenticationWithdrawn(request: ticket)))
  }

  /// Throws `notPermitted` unless the connection is the provider's.
  func check(_ connection: Connection) throws {
    guard self.connection === connection else {
      throw ServiceError(
        .notPermitted, "Only the registered provider may answer.", hint: "Register with authentication.provide first.")
    }
  }

  /// Returns a client's name for the log: at most 64 characters; characters outside printable ASCII are replaced.
  private static func shown(_ name: String?) -> String {
    String((name ?? "").unicodeScalars.prefix(64).map { $0.isASCII && $0.value >= 32 ? Character($0) : "?" })
  }
}
