public import WaymarkJSON

/// Hands in the credentials that were asked for.
public struct AuthenticationSubmitRequest: ServiceRequest {
  /// An object: what was filled in, by the names of the policy's fields.
  public var fields: JSONValue

  /// The result of a success.
  public typealias Result = AccountState

  /// The name on the wire.
  public static let method = "authentication.submit"

  /// A value from its parts.
  public init(fields: JSONValue) {
    self.fields = fields
  }
}

/// Hands in a new passcode: once, and once more.
public struct AuthenticationSetPasscodeRequest: ServiceRequest {
  /// The passcode.
  public var passcode: String

  /// The result of a success.
  public typealias Result = AccountState

  /// The name on the wire.
  public static let method = "authentication.setPasscode"

  /// A value from its parts.
  public init(passcode: String) {
    self.passcode = passcode
  }
}

/// Hands in the passcode of whose turn it is.
public struct AuthenticationSignInRequest: ServiceRequest {
  /// The passcode.
  public var passcode: String

  /// The result of a success.
  public typealias Result = AccountState

  /// The name on the wire.
  public static let method = "authentication.signIn"

  /// A value from its parts.
  public init(passcode: String) {
    self.passcode = passcode
  }
}

/// Begins to set a forgotten passcode again.
public struct AuthenticationForgotRequest: ServiceRequest {
  /// The result of a success.
  public typealias Result = AccountState

  /// The name on the wire.
  public static let method = "authentication.forgot"

  /// The only value.
  public init() {}
}

/// Makes this connection the one that verifies, looks up and synchronizes.
public struct AuthenticationProvideRequest: ServiceRequest {
  /// Its name, for the log.
  public var name: String?

  /// The result of a success.
  public typealias Result = Empty

  /// The name on the wire.
  public static let method = "authentication.provide"

  /// A value from its parts.
  public init(name: String? = nil) {
    self.name = name
  }
}

/// Answers a request of the service.
public struct AuthenticationAnswerRequest: ServiceRequest {
  /// Its number.
  public var request: Int
  /// `accepted`, `refused`, `offline` or `conflict`.
  public var outcome: String
  /// The person's name in the integrator's system; with `conflict`, the person who has to act first.
  public var subject: String?
  /// Their name.
  public var title: String?
  /// The line below it.
  public var subtitle: String?
  /// Where their data is.
  public var host: String?
  /// Words for the person, where it is not `accepted`.
  public var text: String?

  /// The result of a success.
  public typealias Result = Empty

  /// The name on the wire.
  public static let method = "authentication.answer"

  /// A value from its parts.
  public init(
    request: Int, outcome: String, subject: String? = nil, title: String? = nil, subtitle: String? = nil,
    host: String? = nil, text: String? = nil
  ) {
    self.request = request
    self.outcome = outcome
    self.subject = subject
    self.title = title
    self.subtitle = subtitle
    self.host = host
    self.text = text
  }
}

/// Records a choice: about the consent that is asked for, or of a user who is signed in about any.
public struct ConsentChooseRequest: ServiceRequest {
  /// The consent's id.
  public var consent: String
  /// `allow`; else `deny` for what is needed and `later` for what is not. Once signed in, `deny` withdraws either; without what is needed they are
  /// signed out.
  public var choice: String
  /// The language it was shown in.
  public var language: String?

  /// The result of a success.
  public typealias Result = AccountState

  /// The name on the wire.
  public static let method = "consent.choose"

  /// A value from its parts.
  public init(consent: String, choice: String, language: String? = nil) {
    self.consent = consent
    self.choice = choice
    self.language = language
  }
}

/// Asks for choices that were recorded: for administration.
public struct ConsentExportRequest: ServiceRequest {
  /// The user; everybody when missing.
  public var user: String?

  /// The result of a success.
  public typealias Result = ConsentExportResult

  /// The name on the wire.
  public static let method = "consent.export"

  /// A value from its parts.
  public init(user: String? = nil) {
    self.user = user
  }
}

/// Synchronizes once more, after an error or for a user who is signed in.
public struct SyncRetryRequest: ServiceRequest {
  /// The result of a success.
  public typealias Result = AccountState

  /// The name on the wire.
  public static let method = "sync.retry"

  /// The only value.
  public init() {}
}

/// Reports the progress of synchronization.
public struct SyncProgressRequest: ServiceRequest {
  /// The number of the request.
  public var request: Int
  /// The share that is done. From 0 to 1.
  public var progress: Double

  /// The result of a success.
  public typealias Result = Empty

  /// The name on the wire.
  public static let method = "sync.progress"

  /// A value from its parts.
  public init(request: Int, progress: Double) {
    self.request = request
    self.progress = progress
  }
}
