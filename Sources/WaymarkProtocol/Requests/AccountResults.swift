public import WaymarkJSON

/// The users who can sign in.
public struct AccountUsersResult: Codable, Hashable, Sendable {
  /// By name.
  public var users: [AccountPerson]
  /// The user who is selected.
  public var selected: String?

  /// A value from its parts.
  public init(users: [AccountPerson], selected: String? = nil) {
    self.users = users
    self.selected = selected
  }
}

/// All that is known of a user but their secrets.
public struct AccountSummary: Codable, Hashable, Sendable {
  /// The service's name for them.
  public var id: String
  /// Their name in the integrator's system.
  public var subject: String?
  /// Their name.
  public var title: String
  /// The line below it.
  public var subtitle: String?
  /// Where their data is.
  public var host: String?
  /// When their onboarding began: RFC 3339, UTC.
  public var created: String
  /// True if it is over.
  public var ready: Bool
  /// Wrong passcodes in a row.
  public var failures: Int
  /// Seconds until the next may be tried.
  public var wait: Double
  /// How many choices are kept.
  public var consents: Int

  /// A value from its parts.
  public init(
    id: String, subject: String? = nil, title: String, subtitle: String? = nil, host: String? = nil, created: String,
    ready: Bool, failures: Int, wait: Double, consents: Int
  ) {
    self.id = id
    self.subject = subject
    self.title = title
    self.subtitle = subtitle
    self.host = host
    self.created = created
    self.ready = ready
    self.failures = failures
    self.wait = wait
    self.consents = consents
  }
}

/// The users.
public struct AccountListResult: Codable, Hashable, Sendable {
  /// By name; those whose onboarding is not over last.
  public var users: [AccountSummary]
  /// The ids of users whose files are damaged; missing where there are none. `account.remove` deletes what is left of them.
  public var damaged: [String]?

  /// A value from its parts.
  public init(users: [AccountSummary], damaged: [String]? = nil) {
    self.users = users
    self.damaged = damaged
  }
}

/// The choices of one user.
public struct ConsentExportEntry: Codable, Hashable, Sendable {
  /// The service's name for them.
  public var user: String
  /// Their name in the integrator's system.
  public var subject: String?
  /// Their name.
  public var title: String
  /// Oldest first.
  public var records: [ConsentEntry]

  /// A value from its parts.
  public init(user: String, subject: String? = nil, title: String, records: [ConsentEntry]) {
    self.user = user
    self.subject = subject
    self.title = title
    self.records = records
  }
}

/// Choices by user.
public struct ConsentExportResult: Codable, Hashable, Sendable {
  /// By name.
  public var users: [ConsentExportEntry]

  /// A value from its parts.
  public init(users: [ConsentExportEntry]) {
    self.users = users
  }
}

/// The texts and rules of the screens. A text is an object of texts by language.
public struct AccountPolicyResult: Codable, Hashable, Sendable {
  /// `single`, `shared`, or `off` where nothing is configured.
  public var mode: String
  /// The language that counts where a text lacks the wanted one.
  public var language: String?
  /// The steps of onboarding.
  public var modules: [String]
  /// `title` and `text` by screen, where they are not the page's own.
  public var words: JSONValue
  /// Ids of pictures for `media.resource`, the first above the others.
  public var logos: [String]
  /// Legal links: a list of {`title`, `url`}.
  public var links: JSONValue
  /// The terms that must be agreed to.
  public var terms: JSONValue?
  /// True if the device can be tried out.
  public var demo: Bool
  /// The ways of activation.
  public var activation: [String]
  /// The fields of the credentials: a list of {`name`, `label`, `kind`}.
  public var fields: JSONValue
  /// A list of {`id`, `version`, `mandatory`, `pages` [{`title`, `text`, `more`}]}.
  public var consents: JSONValue
  /// The rules: `minimum`, `maximum`, `numeric`, `digit`, `lower`, `upper`, `symbol`, `tries`.
  public var passcode: JSONValue
  /// The parts of users that are shown before they have signed in.
  public var shown: [String]

  /// A value from its parts.
  public init(
    mode: String, language: String? = nil, modules: [String], words: JSONValue, logos: [String], links: JSONValue,
    terms: JSONValue? = nil, demo: Bool, activation: [String], fields: JSONValue, consents: JSONValue,
    passcode: JSONValue, shown: [String]
  ) {
    self.mode = mode
    self.language = language
    self.modules = modules
    self.words = words
    self.logos = logos
    self.links = links
    self.terms = terms
    self.demo = demo
    self.activation = activation
    self.fields = fields
    self.consents = consents
    self.passcode = passcode
    self.shown = shown
  }
}
