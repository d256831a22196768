import WaymarkCrypto

/// Results that wait to be taken home: each under a secret code, once, and for a short time. A value without a clock.
struct PickupStore {
  /// The bounds of the store.
  struct Limits {
    /// The most results at a time.
    var count = 32
    /// The most bytes of one result.
    var item = 16 << 20
    /// The most bytes of all together.
    var bytes = 64 << 20
    /// The time for which a result waits, in seconds.
    var life = 300.0
  }

  /// A result, with the words of the page on which a phone takes it.
  struct Item: Equatable {
    var name: String
    var contentType: String
    var bytes: [UInt8]
    var words = PickupWords()
  }

  private struct Entry {
    let item: Item
    let end: Double
  }

  let limits: Limits
  /// By the SHA-256 of the code: the time that a search takes tells nothing of a code.
  private var entries: [String: Entry] = [:]

  init(limits: Limits = Limits()) { self.limits = limits }

  /// The results that wait.
  var count: Int { entries.count }
  /// The bytes of them all.
  var bytes: Int { entries.values.reduce(0) { $0 + $1.item.bytes.count } }

  /// Keeps a result under a code. What others wait for is not thrown away for it.
  ///
  /// - Returns: false where there is no room for it.
  mutating func keep(_ item: Item, under code: String, at now: Double) -> Bool {
    expire(at: now)
    guard item.bytes.count <= limits.item, entries.count < limits.count, bytes + item.bytes.count <= limits.bytes else {
      return false
    }
    entries[Self.key(code)] = Entry(item: item, end: now + limits.life)
    return true
  }

  /// The result under a code, which stays.
  mutating func look(_ code: String, at now: Double) -> Item? {
    expire(at: now)
    return entries[Self.key(code)]?.item
  }

  /// The result under a code, which is gone then.
  mutating func take(_ code: String, at now: Double) -> Item? {
    expire(at: now)
    return entries.removeValue(forKey: Self.key(code))?.item
  }

  private mutating func expire(at now: Double) { entries = entries.filter { now < $0.value.end } }

  private static func key(_ code: String) -> String {
    HashFunction.sha256.hash(Array(code.utf8)).map { String($0, radix: 16) }.joined(separator: ".")
  }
}
