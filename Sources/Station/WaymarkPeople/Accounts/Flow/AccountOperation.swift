/// The work under way: one thing at a time, by number, so that late answers are ignored.
struct AccountOperation: Hashable, Sendable {
  /// The kind of work.
  enum Kind: Hashable, Sendable {
    /// A request to the provider.
    case ask(ProviderRequest.Kind)
    /// The hash of a new passcode is made.
    case hash
    /// A passcode is compared.
    case check
    /// A user is written down.
    case store(Account, Completion)
  }

  /// The step that follows once a user was written down.
  enum Completion: Hashable, Sendable {
    /// The choice counts.
    case answer(ConsentRecord)
    /// Their onboarding is over.
    case finish
    /// The passcode is compared: the try is counted already.
    case check(Secret)
    /// They are in.
    case enter
    /// They sign in with their new passcode.
    case signIn
  }

  let ticket: Int
  let kind: Kind
  /// When it counts as silent: only what others do has an end of its own.
  var deadline: Double?

  var isProvider: Bool { if case .ask = kind { true } else { false } }
}

/// How synchronizing goes.
package enum SyncState: Hashable, Sendable {
  /// It goes on; the share that is done, where it is known.
  case running(Double?)
  /// It broke off; `AccountFlow.problem` says why.
  case connectionError
  /// Another user has to act first: an account of the device where it is one, the name as the provider gave it else.
  case userError(id: String?, ProviderPerson, text: String?)
}

/// Where a device and its people are.
package enum AccountPhase: Hashable, Sendable {
  case onboarding(Onboarding)
  /// The user who is to sign in.
  case signIn(String)
  /// The user who is selected.
  case users(String?)
  /// A forgotten passcode: the credentials first (`nil`), then the new passcode.
  case recovering(String, PasscodeEntry?)
  /// Consents that came since they were asked last.
  case renewing(String, ConsentFlow)
  /// `again`: of a user who was in already, and stays in whatever becomes of it.
  case syncing(String, SyncState, again: Bool)
  case signedIn(String)
  case demo

  /// True if a user who is in synchronizes once more.
  var isSyncingAgain: Bool { if case .syncing(_, _, again: true) = self { true } else { false } }

  /// The user whose turn it is.
  package var user: String? {
    switch self {
    case .signIn(let id), .recovering(let id, _), .renewing(let id, _), .syncing(let id, _, _), .signedIn(let id): id
    case .users(let id): id
    case .onboarding, .demo: nil
    }
  }
}
