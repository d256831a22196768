/// A user of the device, with all that is kept of them.
package struct Account: Hashable, Sendable {
  /// A word of chance; says nothing of who it is.
  package let id: String
  /// The name that the integrator's program gives them.
  package var subject: String?
  /// Their name.
  package var title: String
  /// The line below it.
  package var subtitle: String?
  /// Where their data is: what the activation led to.
  package var host: String?
  /// The hash of their passcode, as `PasscodeHash.text`.
  package var passcode: String?
  /// Wrong passcodes.
  package var waits: PasscodeThrottle
  /// Their choices, oldest first.
  package private(set) var consents: [ConsentRecord]
  /// When their data was last synchronized: RFC 3339, UTC.
  package var synced: String?
  /// True if their onboarding is over. Before that only choices are kept of them.
  package var isReady: Bool
  /// When it began: RFC 3339, UTC.
  package var created: String

  /// The most choices that are kept; the oldest that newer ones replace go first.
  package static let consentLimit = 500

  package init(
    id: String, subject: String? = nil, title: String = "", subtitle: String? = nil, host: String? = nil,
    passcode: String? = nil, waits: PasscodeThrottle = PasscodeThrottle(), consents: [ConsentRecord] = [],
    synced: String? = nil, isReady: Bool = false, created: String
  ) {
    self.id = id
    self.subject = subject
    self.title = title
    self.subtitle = subtitle
    self.host = host
    self.passcode = passcode
    self.waits = waits
    self.consents = consents
    self.synced = synced
    self.isReady = isReady
    self.created = created
  }

  /// Keeps a choice.
  package mutating func add(_ record: ConsentRecord) {
    consents.append(record)
    while consents.count > Self.consentLimit {
      let old = consents.dropLast().firstIndex { one in
        consents.last { $0.consent == one.consent } != one
      }
      consents.remove(at: old ?? 0)
    }
  }

  /// The last choice about a consent, whatever its version.
  package func choice(about consent: String) -> ConsentRecord? { consents.last { $0.consent == consent } }

  /// Returns the consents to ask this person for: those not asked in this version, and those needed but denied.
  func unanswered(of consents: [Consent]) -> [Consent] {
    consents.filter { consent in
      guard let last = choice(about: consent.id), last.version == consent.version else { return true }
      return consent.isMandatory && last.choice != .allow
    }
  }

  /// The first letters of the first and the last word of the name.
  package var initials: String {
    let words = title.split { !$0.isLetter && !$0.isNumber }
    return ([words.first, words.count > 1 ? words.last : nil].compactMap { $0?.first }.map { String($0) })
      .joined().uppercased()
  }
}
