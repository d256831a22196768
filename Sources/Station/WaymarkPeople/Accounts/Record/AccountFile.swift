import WaymarkSystem

/// The form of a file of the store: one user as one JSON object.
///
/// Reading trusts nothing: whatever is missing, too long, of another type or not known to be sound makes the file damaged.
package enum AccountFile {
  /// The most bytes that a file may have.
  package static let limit = 1 << 20
  private static let form = 1

  /// The bytes of a user.
  package static func encode(_ account: Account) throws -> [UInt8] {
    var members: [JSONValue.Member] = []
    func add(_ name: String, _ text: String?) {
      if let text { members.append(.init(name, .string(text))) }
    }
    let consents = account.consents.map { record in
      JSONValue.object([
        .init("consent", .string(record.consent)), .init("version", .string(record.version)),
        .init("hash", .string(record.hash)), .init("language", .string(record.language)),
        .init("choice", .string(record.choice.rawValue)), .init("time", .string(record.time)),
      ])
    }
    members.append(.init("form", .int(form)))
    add("id", account.id)
    add("subject", account.subject)
    add("title", account.title)
    add("subtitle", account.subtitle)
    add("host", account.host)
    add("passcode", account.passcode)
    add("synced", account.synced)
    members += [
      .init("failures", .int(account.waits.failures)), .init("since", .double(account.waits.since)),
      .init("consents", .array(consents)), .init("ready", .bool(account.isReady)),
      .init("created", .string(account.created)),
    ]
    return try JSONLineEncoder.line(JSONValue.object(members))
  }

  /// The user that a file holds.
  ///
  /// - Parameter id: what the file is named after, which must be what it says.
  /// - Returns: `nil` when it is damaged.
  package static func decode(_ bytes: [UInt8], id: String) -> Account? {
    guard bytes.count <= limit, isID(id), let value = try? JSONParser.parse(bytes), value["form"]?.int == form,
      value["id"]?.string == id, let title = text(value["title"], 1000), let created = text(value["created"], 64),
      let failures = value["failures"]?.int, failures >= 0, let since = value["since"]?.double, since.isFinite,
      let isReady = value["ready"]?.bool, let list = value["consents"]?.array, list.count <= Account.consentLimit
    else { return nil }
    var account = Account(
      id: id, title: title, waits: PasscodeThrottle(failures: failures, since: since), isReady: isReady,
      created: created)
    do {
      account.subject = try optional(value["subject"], 1000)
      account.subtitle = try optional(value["subtitle"], 1000)
      account.host = try optional(value["host"], 2000)
      account.passcode = try optional(value["passcode"], 256)
      account.synced = try optional(value["synced"], 64)
    } catch {
      return nil
    }
    // A hash that cannot be read would silently lock its owner out.
    if let passcode = account.passcode, PasscodeHash(text: passcode) == nil { return nil }
    for one in list {
      guard let record = record(one) else { return nil }
      account.add(record)
    }
    return account
  }

  /// Returns whether a text is a name that the store gives: nothing else becomes a path.
  package static func isID(_ text: String) -> Bool {
    (8...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
  }

  private static func record(_ value: JSONValue) -> ConsentRecord? {
    guard let consent = text(value["consent"], 200), let version = text(value["version"], 200),
      let hash = text(value["hash"], 64), let language = text(value["language"], 35),
      let choice = value["choice"]?.string.flatMap(ConsentChoice.init(rawValue:)), let time = text(value["time"], 64)
    else { return nil }
    return ConsentRecord(
      consent: consent, version: version, hash: hash, language: language, choice: choice, time: time)
  }

  private struct Damaged: Error {}

  private static func text(_ value: JSONValue?, _ limit: Int) -> String? {
    value?.string.flatMap { $0.utf8.count <= limit ? $0 : nil }
  }

  private static func optional(_ value: JSONValue?, _ limit: Int) throws -> String? {
    guard let value else { return nil }
    guard let text = text(value, limit) else { throw Damaged() }
    return text
  }
}
