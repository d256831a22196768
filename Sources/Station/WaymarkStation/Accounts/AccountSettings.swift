package import WaymarkPeople
import WaymarkSystem

/// The section `accounts` of the configuration, checked.
package struct AccountSettings: Sendable {
  /// The policy in force.
  package var policy: AccountPolicy
  /// Where users are kept; `nil` for the standard place.
  package var folder: String?
  /// Files with pictures for the first screens, the first above the others.
  package var logos: [String] = []
  /// The language of texts that name none.
  package var language = "en"

  /// Settings with a policy and the standard for the rest.
  package init(policy: AccountPolicy = AccountPolicy()) { self.policy = policy }
}
