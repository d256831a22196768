/// Asks where the device and its users are.
public struct AccountStateRequest: ServiceRequest {
  /// The result of a success.
  public typealias Result = AccountState

  /// The name on the wire.
  public static let method = "account.state"

  /// The only value.
  public init() {}
}

/// Asks for the texts and rules of the screens.
public struct AccountPolicyRequest: ServiceRequest {
  /// The result of a success.
  public typealias Result = AccountPolicyResult

  /// The name on the wire.
  public static let method = "account.policy"

  /// The only value.
  public init() {}
}

/// Continues with the next step.
public struct AccountNextRequest: ServiceRequest {
  /// True if the terms of the first screen were agreed to.
  public var agreed: Bool?

  /// The result of a success.
  public typealias Result = AccountState

  /// The name on the wire.
  public static let method = "account.next"

  /// A value from its parts.
  public init(agreed: Bool? = nil) {
    self.agreed = agreed
  }
}

/// Goes back by one screen. Of a user who is signed in and synchronizes once more it stops that; they stay in.
public struct AccountBackRequest: ServiceRequest {
  /// The result of a success.
  public typealias Result = AccountState

  /// The name on the wire.
  public static let method = "account.back"

  /// The only value.
  public init() {}
}

/// Leaves what is unfinished, or signs out.
public struct AccountLeaveRequest: ServiceRequest {
  /// The result of a success.
  public typealias Result = AccountState

  /// The name on the wire.
  public static let method = "account.leave"

  /// The only value.
  public init() {}
}

/// Tries the device out without an account.
public struct AccountDemoRequest: ServiceRequest {
  /// The result of a success.
  public typealias Result = AccountState

  /// The name on the wire.
  public static let method = "account.demo"

  /// The only value.
  public init() {}
}

/// Chooses a way of activation.
public struct AccountChooseRequest: ServiceRequest {
  /// `scan`, `code`, `email` or `preset`.
  public var method: String

  /// The result of a success.
  public typealias Result = AccountState

  /// The name on the wire.
  public static let method = "account.choose"

  /// A value from its parts.
  public init(method: String) {
    self.method = method
  }
}

/// Hands in the link, the code or the e-mail address that activates.
public struct AccountActivateRequest: ServiceRequest {
  /// The code that was typed or scanned.
  public var code: String

  /// The result of a success.
  public typealias Result = AccountState

  /// The name on the wire.
  public static let method = "account.activate"

  /// A value from its parts.
  public init(code: String) {
    self.code = code
  }
}

/// Asks who can sign in, as far as the policy shows them.
public struct AccountUsersRequest: ServiceRequest {
  /// The result of a success.
  public typealias Result = AccountUsersResult

  /// The name on the wire.
  public static let method = "account.users"

  /// The only value.
  public init() {}
}

/// Opens the list of users.
public struct AccountSwitchRequest: ServiceRequest {
  /// The result of a success.
  public typealias Result = AccountState

  /// The name on the wire.
  public static let method = "account.switch"

  /// The only value.
  public init() {}
}

/// Chooses who is to sign in.
public struct AccountSelectRequest: ServiceRequest {
  /// Their id.
  public var user: String

  /// The result of a success.
  public typealias Result = AccountState

  /// The name on the wire.
  public static let method = "account.select"

  /// A value from its parts.
  public init(user: String) {
    self.user = user
  }
}

/// Begins the onboarding of one more user.
public struct AccountAddRequest: ServiceRequest {
  /// The result of a success.
  public typealias Result = AccountState

  /// The name on the wire.
  public static let method = "account.add"

  /// The only value.
  public init() {}
}

/// Asks for all that is known of the users: for administration.
public struct AccountListRequest: ServiceRequest {
  /// The result of a success.
  public typealias Result = AccountListResult

  /// The name on the wire.
  public static let method = "account.list"

  /// The only value.
  public init() {}
}

/// Removes a user with all that is kept of them.
public struct AccountRemoveRequest: ServiceRequest {
  /// Their id.
  public var user: String

  /// The result of a success.
  public typealias Result = Empty

  /// The name on the wire.
  public static let method = "account.remove"

  /// A value from its parts.
  public init(user: String) {
    self.user = user
  }
}

/// Lets a user, or all, try passcodes again at once.
public struct AccountUnlockRequest: ServiceRequest {
  /// Their id; everybody when missing.
  public var user: String?

  /// The result of a success.
  public typealias Result = Empty

  /// The name on the wire.
  public static let method = "account.unlock"

  /// A value from its parts.
  public init(user: String? = nil) {
    self.user = user
  }
}
