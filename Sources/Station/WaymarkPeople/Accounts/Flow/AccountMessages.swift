/// The clocks as an input finds them.
package struct AccountTime: Hashable, Sendable {
  /// Seconds since the device's start: never set, never behind but after another start.
  package var seconds: Double
  /// RFC 3339, UTC; only written down, never calculated with.
  package var date: String

  package init(seconds: Double, date: String) {
    self.seconds = seconds
    self.date = date
  }
}

/// A request of a person, or of a program for them.
package enum AccountRequest: Hashable, Sendable {
  /// Goes on: from the first screen (`agreed` where there are terms), a screen of a consent, the last screen; signs in where no
  /// passcode is asked for.
  case next(agreed: Bool)
  case back
  /// Leaves what is unfinished; signs out who is signed in.
  case leave
  case demo
  case choose(AccountPolicy.ActivationMethod)
  /// The code or the e-mail address of the activation at hand, for the provider to judge.
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

/// An input of an `AccountFlow`.
package enum AccountInput: Sendable {
  case request(AccountRequest)
  /// The integrator's program has come, or is gone.
  case provider(isConnected: Bool)
  case answered(Int, ProviderAnswer)
  case progress(Int, Double)
  /// A hash is there; `nil` when it could not be made.
  case hashed(Int, String?)
  case checked(Int, PasscodeCheck)
  /// A user was written down, or could not be.
  case stored(Int, Bool)
  case tick
  /// An administrator removes a user.
  case remove(String)
  /// A user could not be removed.
  case restore(Account)
  case unlock(String?)
  case configure(AccountPolicy)
}

/// The result of comparing a passcode.
package enum PasscodeCheck: Hashable, Sendable {
  /// `rehashed` where the stored one was made at another cost than is wanted now.
  case right(rehashed: String?)
  case wrong
  /// It could not be compared.
  case failed
}

/// An answer of the integrator's program.
package enum ProviderAnswer: Hashable, Sendable {
  /// Yes; with what it knows.
  case accepted(ProviderPerson)
  /// No, with its own words where it has some.
  case refused(text: String?)
  /// It cannot reach what it asks.
  case offline(text: String?)
  /// Another user has to do something first.
  case conflict(ProviderPerson, text: String?)
}

/// A user as the provider identifies them.
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

/// A request to the provider.
package struct ProviderRequest: Hashable, Sendable {
  package enum Kind: String, CaseIterable, Sendable { case activate, lookup, verify, recover, sync }

  package var ticket: Int
  package var kind: Kind
  /// The code, link or e-mail address that activates.
  package var code: Secret?
  /// The fields of the credentials.
  package var fields: [String: Secret] = [:]
  /// Whom it is about, where that is known.
  package var subject: String?
  /// Where the activation led.
  package var host: String?

  package init(
    ticket: Int, kind: Kind, code: Secret? = nil, fields: [String: Secret] = [:], subject: String? = nil,
    host: String? = nil
  ) {
    self.ticket = ticket
    self.kind = kind
    self.code = code
    self.fields = fields
    self.subject = subject
    self.host = host
  }
}

/// An action to take for an `AccountFlow`.
package enum AccountEffect: Hashable, Sendable {
  /// There is another state to tell.
  case changed
  case refused(AccountRefusal)
  case ask(ProviderRequest)
  /// The request of this number needs no reply any more.
  case withdraw(Int)
  case hash(Int, Secret)
  case check(Int, Secret, against: String)
  case store(Int, Account)
  /// Erase all that is kept of a user.
  case erase(String)
  /// Remember the user to be offered first after a restart.
  case remember(String)
  /// A choice was written down.
  case recorded(ConsentRecord, user: String)
}

/// Why a request is not followed.
package enum AccountRefusal: Hashable, Sendable, Error {
  /// It has no meaning in this state.
  case wrongPhase
  /// Another operation is running.
  case busy
  /// Seconds to wait.
  case waiting(Double)
  /// The passcode breaks these rules.
  case rules([PasscodeRules.Fault])
  /// The value is not of the kind asked for; the word names the kind.
  case badValue(String)
  case notFound
  /// The policy does not offer it.
  case notOffered
  case full
}

/// The reason why the last step failed, for the screen that it leads back to.
package struct AccountProblem: Hashable, Sendable {
  package enum Code: String, CaseIterable, Sendable {
    /// No program of the integrator is there.
    case noProvider
    /// It went away meanwhile.
    case providerGone
    /// It did not answer in time.
    case providerSilent
    /// It cannot reach what it asks.
    case offline
    /// It said no.
    case refused
    case wrongPasscode
    /// The repeated passcode is another one.
    case mismatch
    /// A consent that is needed was denied.
    case consentNeeded
    /// The state folder could not be written.
    case notStored
    /// The passcode could not be worked on.
    case failed
    /// An administrator removed the user.
    case removed
  }

  package var code: Code
  /// The provider's own words.
  package var text: String?

  package init(_ code: Code, text: String? = nil) {
    self.code = code
    self.text = text
  }
}
