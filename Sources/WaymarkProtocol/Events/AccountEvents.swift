public import WaymarkJSON

/// Where the device and its users are.
public struct AccountState: EventPayload {
  /// The phase shown.
  public var phase: Phase
  /// Why, where a step belongs to more than one way.
  public var purpose: Purpose?
  /// The way of activation that was chosen.
  public var method: String?
  /// True if the passcode is to be repeated.
  public var repeats: Bool?
  /// The consent that is asked for.
  public var consent: ConsentStep?
  /// The work under way: `provider`, `passcode`, `storing`.
  public var working: String?
  /// The reason why the last step failed.
  public var problem: AccountTrouble?
  /// The user whose turn it is. Before they have signed in it holds no more than the policy shows.
  public var user: AccountPerson?
  /// Seconds until the next passcode may be tried.
  public var wait: Double?
  /// True if a forgotten passcode can be reset.
  public var canRecover: Bool?
  /// How synchronizing goes.
  public var sync: SyncStatus?
  /// When the data of the user who is signed in was last synchronized: RFC 3339, UTC.
  public var synced: String?
  /// The last choice of the user who is signed in about each consent that the policy names.
  public var choices: [ConsentEntry]?
  /// True if the integrator's program is there.
  public var provider: Bool
  /// The parts of users that observers may see: never part of the message.
  package var shown: Set<String> = []

  /// The phase shown.
  public enum Phase: String, Codable, CaseIterable, Sendable {
    /// No users are configured.
    case off
    /// The device's first screen, with terms where they are set.
    case welcome
    /// A code, a link or an address is wanted.
    case activation
    /// The person signs in with what the integrator's program verifies.
    case credentials
    /// Consents are asked for, one after the other.
    case consents
    /// A passcode is set and repeated.
    case passcode
    /// Onboarding is over.
    case ready
    /// The passcode of the last or the chosen user is wanted.
    case signIn
    /// A user is chosen, or one more is wanted.
    case users
    /// The integrator's program synchronizes.
    case sync
    /// A user is signed in.
    case signedIn
    /// The device shows itself without a user.
    case demo
  }

  /// Why.
  public enum Purpose: String, Codable, CaseIterable, Sendable {
    /// The first user of the device.
    case first
    /// One more.
    case add
    /// A forgotten passcode.
    case recover
    /// Consents that came since, or data of a user who is signed in already.
    case renew
  }

  private enum CodingKeys: CodingKey {
    case phase, purpose, method, repeats, consent, working, problem, user, wait, canRecover, sync, synced, choices,
      provider
  }

  /// The name on the wire.
  public static let event = "account.state"

  /// Of users only what the policy shows before signing in, none of their choices; none of the provider's words.
  public var forObservers: Self {
    var copy = self
    copy.user = user?.showing(shown)
    copy.sync?.user = sync?.user?.showing(shown)
    copy.sync?.text = nil
    copy.synced = nil
    copy.choices = nil
    copy.problem?.text = nil
    return copy
  }

  /// A value from its parts.
  public init(
    phase: Phase, purpose: Purpose? = nil, method: String? = nil, repeats: Bool? = nil, consent: ConsentStep? = nil,
    working: String? = nil, problem: AccountTrouble? = nil, user: AccountPerson? = nil, wait: Double? = nil,
    canRecover: Bool? = nil, sync: SyncStatus? = nil, synced: String? = nil, choices: [ConsentEntry]? = nil,
    provider: Bool = false
  ) {
    self.phase = phase
    self.purpose = purpose
    self.method = method
    self.repeats = repeats
    self.consent = consent
    self.working = working
    self.problem = problem
    self.user = user
    self.wait = wait
    self.canRecover = canRecover
    self.sync = sync
    self.synced = synced
    self.choices = choices
    self.provider = provider
  }
}

/// Which consent is asked for, and which of its screens is shown.
public struct ConsentStep: Codable, Hashable, Sendable {
  /// Its id.
  public var id: String
  /// Its screen, counted from 0.
  public var page: Int
  /// How many screens it has; the choice is on the last.
  public var pages: Int

  /// A value from its parts.
  public init(id: String, page: Int, pages: Int) {
    self.id = id
    self.page = page
    self.pages = pages
  }
}

/// The reason why a step failed.
public struct AccountTrouble: Codable, Hashable, Sendable {
  /// A stable camelCase word.
  public var code: String
  /// The integrator's program's own words about it.
  public var text: String?

  /// A value from its parts.
  public init(code: String, text: String? = nil) {
    self.code = code
    self.text = text
  }
}

/// The visible data of a user.
public struct AccountPerson: Codable, Hashable, Sendable {
  /// The service's own name for them, which says nothing of who it is; missing for one who is not on this device.
  public var id: String?
  /// The name.
  public var title: String?
  /// The line below it.
  public var subtitle: String?
  /// Letters in the place of a picture.
  public var initials: String?

  /// A value from its parts.
  public init(id: String? = nil, title: String? = nil, subtitle: String? = nil, initials: String? = nil) {
    self.id = id
    self.title = title
    self.subtitle = subtitle
    self.initials = initials
  }

  /// Only the parts of these names.
  package func showing(_ parts: Set<String>) -> AccountPerson {
    AccountPerson(
      id: id, title: parts.contains("title") ? title : nil, subtitle: parts.contains("subtitle") ? subtitle : nil,
      initials: parts.contains("initials") ? initials : nil)
  }
}

/// How synchronizing goes.
public struct SyncStatus: Codable, Hashable, Sendable {
  /// `running`, `connectionError`, `userError`.
  public var state: String
  /// The share that is done, from 0 to 1, where it is known.
  public var progress: Double?
  /// The user who has to act first, with `userError`.
  public var user: AccountPerson?
  /// The integrator's program's own words about it.
  public var text: String?

  /// A value from its parts.
  public init(state: String, progress: Double? = nil, user: AccountPerson? = nil, text: String? = nil) {
    self.state = state
    self.progress = progress
    self.user = user
    self.text = text
  }
}

/// A choice was written down.
public struct ConsentRecorded: EventPayload {
  /// The user who chose.
  public var user: String
  /// The choice, and what it was about.
  public var record: ConsentEntry

  /// The name on the wire.
  public static let event = "consent.recorded"

  /// Without who and what: that a choice was made.
  public var forObservers: Self {
    var copy = self
    copy.user = ""
    copy.record.choice = ""
    return copy
  }

  /// A value from its parts.
  public init(user: String, record: ConsentEntry) {
    self.user = user
    self.record = record
  }
}

/// One choice, as it is kept.
public struct ConsentEntry: Codable, Hashable, Sendable {
  /// The consent.
  public var consent: String
  /// Its version.
  public var version: String
  /// SHA-256 of what was shown: docs/accounts.md.
  public var hash: String
  /// The language it was shown in.
  public var language: String
  /// `allow`, `deny`, `later`.
  public var choice: String
  /// When: RFC 3339, UTC.
  public var time: String

  /// A value from its parts.
  public init(consent: String, version: String, hash: String, language: String, choice: String, time: String) {
    self.consent = consent
    self.version = version
    self.hash = hash
    self.language = language
    self.choice = choice
    self.time = time
  }
}

/// A user was removed, with all that was kept of them.
public struct AccountRemoved: EventPayload {
  /// The service's name for them.
  public var user: String
  /// The client that removed them.
  public var by: Actor?

  /// The name on the wire.
  public static let event = "account.removed"

  /// Nothing in it is a secret.
  public var forObservers: Self { self }

  /// A value from its parts.
  public init(user: String, by: Actor? = nil) {
    self.user = user
    self.by = by
  }
}

/// A request to the provider: sent to its connection alone.
public struct AuthenticationRequested: EventPayload {
  /// The number that `authentication.answer` takes.
  public var request: Int
  /// The kind of request: `activate`, `lookup`, `verify`, `recover`, `sync`.
  public var kind: String
  /// Seconds for an answer; for `sync`, from one word about its progress to the next.
  public var timeout: Double
  /// The code, link or e-mail address of the activation.
  public var code: String?
  /// The fields that the person filled in, by the names of the policy's fields.
  public var fields: JSONValue?
  /// Whom it is about.
  public var subject: String?
  /// The host that the activation led to.
  public var host: String?

  /// The name on the wire.
  public static let event = "authentication.requested"

  /// It goes to no observer; were it to, then without all that a person typed or is.
  public var forObservers: Self {
    AuthenticationRequested(request: request, kind: kind, timeout: timeout)
  }

  /// A value from its parts.
  public init(
    request: Int, kind: String, timeout: Double, code: String? = nil, fields: JSONValue? = nil, subject: String? = nil,
    host: String? = nil
  ) {
    self.request = request
    self.kind = kind
    self.timeout = timeout
    self.code = code
    self.fields = fields
    self.subject = subject
    self.host = host
  }
}

/// A request needs no reply any more: sent to the integrator's program alone.
public struct AuthenticationWithdrawn: EventPayload {
  /// Which.
  public var request: Int

  /// The name on the wire.
  public static let event = "authentication.withdrawn"

  /// Nothing in it is a secret.
  public var forObservers: Self { self }

  /// A value from its parts.
  public init(request: Int) { self.request = request }
}
