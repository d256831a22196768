import WaymarkSystem

/// The stored data of a user. `AccountFile` below encodes it as JSON.
package struct Account: Hashable, Sendable {
  /// A random id.
  package let id: String
  /// The provider's permanent id of the user.
  package var subject: String?
  /// The name of the user.
  package var title = ""
  /// The line below the name.
  package var subtitle: String?
  /// The host to which the activation connected the user.
  package var host: String?
  /// `PasscodeHash.text` of the passcode; nil without a passcode.
  package var passcode: String?
  package var waits = PasscodeThrottle()
  /// The choices about consents, oldest first.
  package private(set) var consents: [ConsentRecord] = []
  /// The time of the last synchronization: RFC 3339, UTC; nil before the first.
  package var synced: String?
  /// True if the onboarding is finished; until then only choices about consents are stored.
  package var isReady = false
  /// The start of the onboarding: RFC 3339, UTC.
  package var created: String

  /// The largest number of choices that are kept. The oldest choices that later ones have replaced are dropped first.
  package static let consentLimit = 500

  /// Adds a choice. Beyond `consentLimit`, drops the oldest choice that a later choice replaces, or else the oldest choice.
  package mutating func add(_ record: ConsentRecord) {
    consents.append(record)
    while consents.count > Self.consentLimit {
      let old = consents.dropLast().firstIndex { one in
        consents.last { $0.consent == one.consent } != one
      }
      consents.remove(at: old ?? 0)
    }
  }

  /// Returns the last choice about a consent, in any version; nil if there was none.
  package func choice(about consent: String) -> ConsentRecord? { consents.last { $0.consent == consent } }

  /// Returns the consents to ask for: consents not answered in this version, and mandatory consents not allowed.
  func unanswered(of consents: [Consent]) -> [Consent] {
    consents.filter { consent in
      guard let last = choice(about: consent.id), last.version == consent.version else { return true }
      return consent.isMandatory && last.choice != .allow
    }
  }

  /// The first letters of the first and the last word of the name.
  package var initials: String { Self.initials(of: title) }

  /// The first letters of the first and the last word of a name.
  package static func initials(of name: String) -> String {
    let words = name.split { !$0.isLetter && !$0.isNumber }
    return ([words.first, words.count > 1 ? words.last : nil].compactMap { $0?.first }.map { String($0) })
      .joined().uppercased()
  }
}

/// Encodes a user as a JSON object in a file of its own.
///
/// A file with a member that is missing, too long or of another type is damaged.
package enum AccountFile {
  /// The largest size of a file in bytes.
  package static let limit = 1 << 20
  private static let form = 1

  /// The members of a file in their order.
  private struct Record: Codable {
    var form: Int
    var id: String
    var subject: String?
    var title: String
    var subtitle: String?
    var host: String?
    var passcode: String?
    var synced: String?
    var failures: Int
    var since: Double
    var consents: [ConsentRecord]
    var ready: Bool
    var created: String

    /// True if no text is too long, and numbers are in range.
    var isSound: Bool {
      let texts = [
        (title, 1000), (created, 64), (subject, 1000), (subtitle, 1000), (host, 2000), (passcode, 256), (synced, 64),
      ]
      let choices = consents.flatMap {
        [($0.consent, 200), ($0.version, 200), ($0.hash, 64), ($0.language, 35), ($0.time, 64)]
      }
      return texts.allSatisfy { $0?.utf8.count ?? 0 <= $1 } && choices.allSatisfy { $0.utf8.count <= $1 }
        && consents.count <= Account.consentLimit && failures >= 0 && since.isFinite
    }
  }

  package static func encode(_ account: Account) throws -> [UInt8] {
    try JSONLineEncoder.line(
      Record(
        form: form, id: account.id, subject: account.subject, title: account.title, subtitle: account.subtitle,
        host: account.host, passcode: account.passcode, synced: account.synced, failures: account.waits.failures,
        since: account.waits.since, consents: account.consents, ready: account.isReady, created: account.created))
  }

  /// Decodes the user in a file.
  ///
  /// - Parameter id: the file's name, which must be the user's id.
  /// - Returns: nil if the file is damaged.
  package static func decode(_ bytes: [UInt8], id: String) -> Account? {
    guard bytes.count <= limit, isID(id), let value = try? JSONParser.parse(bytes),
      let record = try? JSONValueDecoder.decode(Record.self, from: value), record.form == form, record.id == id,
      record.isSound
    else { return nil }
    // An account with an unreadable passcode hash could never be signed in to, so the file is damaged.
    if let passcode = record.passcode, PasscodeHash(text: passcode) == nil { return nil }
    return Account(
      id: id, subject: record.subject, title: record.title, subtitle: record.subtitle, host: record.host,
      passcode: record.passcode, waits: PasscodeThrottle(failures: record.failures, since: record.since),
      consents: record.consents, synced: record.synced, isReady: record.ready, created: record.created)
  }

  /// Returns whether a text is an id of the store. Only ids become paths.
  package static func isID(_ text: String) -> Bool {
    (8...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
  }
}
