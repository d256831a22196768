package import WaymarkAccounts
import WaymarkSystem

/// The section `accounts` of the configuration, checked.
package struct AccountSettings: Sendable {
  /// What holds.
  package var policy: AccountPolicy
  /// Where users are kept; `nil` for the standard place.
  package var folder: String?
  /// Files with pictures for the first screens, the first above the others.
  package var logos: [String] = []
  /// The language of texts that name none.
  package var language = "en"

  /// Settings with a policy and the standard for the rest.
  package init(policy: AccountPolicy = AccountPolicy()) { self.policy = policy }

  /// Reads the section out of a configuration file's text.
  ///
  /// Paths in it are relative to the file's folder. The text as a whole must be YAML, which is for others to check.
  ///
  /// - Returns: no settings where there is no such section; and everything that is wrong with it.
  package static func read(
    yaml: String, file: String
  ) -> (settings: AccountSettings?, problems: [ConfigurationProblem]) {
    var reader = AccountPolicyReader(file: file)
    let settings = reader.read(yaml: yaml)
    return (settings, reader.problems.sorted { ($0.line ?? 0) < ($1.line ?? 0) })
  }
}
