// The values that go into and come out of `AccountFlow`: times, requests, inputs, answers of the provider, effects and errors; also
// `AccountOperation`, the work that the flow has in progress.

/// The time of an input, by both clocks.
package struct AccountTime: Hashable, Sendable {
  /// The monotonic time since the device's start in seconds.
  package var seconds: Double
  /// The wall clock time: RFC 3339, UTC; only recorded.
  package var date: String

  package init(seconds: Double, date: String) {
    self.seconds = seconds
    self.date = date
  }
}

/// A request from a person, or from a program on their behalf.
package enum AccountRequest: Hashable, Sendable {
  /// Continues: from the first screen (`agreed` if there are terms), from a screen of a consent, or from the last screen. Also
  /// signs in without a passcode.
  case next(agreed: Bool)
  case back
  /// Leaves an unfinished step, or signs out.
  case leave
  case demo
  case choose(AccountPolicy.ActivationMethod)
  /// A code or an e-mail address of the activation, for the provider to judge.
  case activate(Secret)
  /// An onboarding code that the scanner's own rules accepted, and the host it leads to.
  case accepted(by: AccountPolicy.ActivationMethod, host: String?, payload: Secret)
  case submit([String: Secret])
  case setPasscode(Secret)
  case enterPasscode(Secret)
  case forgot
  case consent(String, ConsentChoice, language: String?)
  case switchUser
  case select(String)
  case add
  case retry
}

/// An input of an `AccountFlow`. A number is the ticket of the operation that the input answers.
package enum AccountInput: Sendable {
  case request(AccountRequest)
  case provider(isConnected: Bool)
  case answered(Int, ProviderAnswer)
  case progress(Int, Double)
  /// The hash of a passcode; nil if it could not be computed.
  case hashed(Int, String?)
  case checked(Int, PasscodeCheck)
  /// The result of storing a user: true if it was stored.
  case stored(Int, Bool)
  case tick
  case remove(String)
  /// A user whose files could not be erased, and who is therefore kept.
  case restore(Account)
  case unlock(String?)
  case configure(AccountPolicy)
}

/// The result of comparing a passcode.
package enum PasscodeCheck: Hashable, Sendable {
  /// The passcode is correct. `rehashed` is its new hash if the stored hash has another cost.
  case right(rehashed: String?)
  case wrong
  /// The passcode could not be compared.
  case failed
}

/// The provider's answer to a `ProviderRequest`.
package enum ProviderAnswer: Hashable, Sendable {
  case accepted(ProviderPerson)
  case refused(text: String?)
  /// The provider's own service is unreachable.
  case offline(text: String?)
  /// Another user has to act first.
  case conflict(ProviderPerson, text: String?)
}

/// A user's data from the provider.
package struct ProviderPerson: Hashable, Sendable {
  package var subject: String?
  package var title: String?
  package var subtitle: String?
  package var host: String?

  package init(subject: String? = nil, title: String? = nil, subtitle: String? = nil, host: String? = nil) {
    self.subject = subject
    self.title = title
    self.subtitle = subtitle
    self.host = host
  }
}

/// A request to the provider, the integrator's program that verifies users.
package struct ProviderRequest: Hashable, Sendable {
  package enum Kind: String, CaseIterable, Sendable { case activate, lookup, verify, recover, sync }

  package var ticket: Int
  package var kind: Kind
  /// The code, link or e-mail address of the activation.
  package var code: Secret?
  /// The credentials: the values of the policy's fields, by their names.
  package var fields: [String: Secret] = [:]
  package var subject: String?
  /// The host of the activation.
  package var host: String?
}

/// An action to take for an `AccountFlow`. A number is the ticket with which the action's result is reported.
package enum AccountEffect: Hashable, Sendable {
  /// The state has changed.
  case changed
  case refused(AccountRefusal)
  case ask(ProviderRequest)
  /// The request with this ticket is cancelled.
  case withdraw(Int)
  case hash(Int, Secret)
  case check(Int, Secret, against: String)
  case store(Int, Account)
  /// Erases all data of a user.
  case erase(String)
  /// Stores the user to be offered first after a restart.
  case remember(String)
  /// Publishes a choice that was stored.
  case recorded(ConsentRecord, user: String)
}

/// The reason why a request was refused.
package enum AccountRefusal: Hashable, Sendable, Error {
  /// The request is invalid in this state.
  case wrongPhase
  /// Another operation is running.
  case busy
  /// The user must wait for this number of seconds.
  case waiting(Double)
  /// The passcode breaks these rules.
  case rules([PasscodeRules.Fault])
  /// The named value is missing or invalid.
  case badValue(String)
  case notFound
  /// The policy does not allow the request.
  case notOffered
  case full
}

/// The reason why the last step failed, for the screen to which the person returns.
package struct AccountProblem: Hashable, Sendable {
  package enum Code: String, CaseIterable, Sendable {
    case noProvider
    /// The provider disconnected before it answered.
    case providerGone
    /// The provider did not answer in time.
    case providerSilent
    /// The provider's own service is unreachable.
    case offline
    /// The provider refused the request.
    case refused
    case wrongPasscode
    /// The repeated passcode differs.
    case mismatch
    /// A mandatory consent was denied.
    case consentNeeded
    /// The folder of users could not be written.
    case notStored
    /// The passcode could not be hashed or compared.
    case failed
    /// An administrator removed the user.
    case removed
  }

  package var code: Code
  /// The provider's message for the person; nil without a message.
  package var text: String?

  package init(_ code: Code, text: String? = nil) {
    self.code = code
    self.text = text
  }
}

/// The current work. Its ticket identifies answers, so that late answers are ignored.
struct AccountOperation: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    /// A request to the provider.
    case ask(ProviderRequest.Kind)
    /// The hashing of a new passcode.
    case hash
    /// The comparison of a passcode with the stored hash.
    case check
    /// The storing of a user, and the step after it.
    case store(Account, Completion)
  }

  /// The step after a user was stored.
  enum Completion: Hashable, Sendable {
    /// The choice takes effect.
    case answer(ConsentRecord)
    /// The onboarding ends with the stored user.
    case finish
    /// The passcode is compared, now that the attempt is stored.
    case check(Secret)
    /// The user is signed in.
    case enter
    /// The user signs in with the new passcode.
    case signIn
  }

  let ticket: Int
  let kind: Kind
  /// The time by which the provider must answer, in seconds of `AccountTime`; nil for work of the device itself.
  var deadline: Double?

  var isProvider: Bool { if case .ask = kind { true } else { false } }
}
