import Foundation
import Synchronization
import WaymarkCrypto
import WaymarkHTTP
import WaymarkSystem

/// The results that phones may fetch: the store, the offered documents, and the clock. `PickupStore` below is the
/// store, `SavedDocuments` the documents.
final class Pickups: Sendable {
  /// The largest number of offered documents that are remembered.
  private static let documentLimit = 16

  private struct State {
    var store: PickupStore
    /// Files that were offered, the newest last. Each can be offered only once.
    var offered: [String] = []
  }

  /// The address under which phones reach the kiosk.
  let origin: HTTPOrigin
  private let documents: SavedDocuments
  private let state: Mutex<State>
  private let clock: @Sendable () -> Double

  init(
    origin: HTTPOrigin, documents: SavedDocuments, limits: PickupStore.Limits,
    clock: @escaping @Sendable () -> Double = { MonotonicClock.now }
  ) {
    self.origin = origin
    self.documents = documents
    self.clock = clock
    state = Mutex(State(store: PickupStore(limits: limits)))
  }

  /// The seconds for which a result can be fetched.
  var life: Double { state.withLock { $0.store.limits.life } }
  /// The largest size of a result in bytes.
  var itemLimit: Int { state.withLock { $0.store.limits.item } }

  /// Stores a result. Returns the address under which a phone fetches the result; nil if there is no room.
  func keep(_ item: PickupStore.Item) -> String? {
    // 256 random bits.
    let code = KioskToken().value
    let now = clock()
    guard state.withLock({ $0.store.keep(item, under: code, at: now) }) else { return nil }
    return "\(origin.text)\(Self.path)\(code)"
  }

  /// Reads a document that the service saved; nil for other files, and for a document that was already read.
  func document(_ path: String) -> [UInt8]? {
    guard !state.withLock({ $0.offered.contains(path) }), let bytes = documents.read(path, limit: itemLimit) else {
      return nil
    }
    state.withLock { $0.offered = ($0.offered + [path]).suffix(Self.documentLimit) }
    return bytes
  }

  func look(_ code: String) -> PickupStore.Item? {
    let now = clock()
    return state.withLock { $0.store.look(code, at: now) }
  }

  func take(_ code: String) -> PickupStore.Item? {
    let now = clock()
    return state.withLock { $0.store.take(code, at: now) }
  }

  /// The path below which requests need no cookie.
  static let path = "/pickup/"
}

/// Results that phones can fetch: each under a secret code, once, and for a limited time. The store has no clock; times are
/// arguments.
struct PickupStore {
  struct Limits {
    /// The largest number of results at a time.
    var count = 32
    /// The largest size of one result in bytes.
    var item = 16 << 20
    /// The largest size of all results together in bytes.
    var bytes = 64 << 20
    /// The seconds for which a result can be fetched.
    var life = 300.0
  }

  /// A result, with the words of the page on which a phone fetches it.
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
  /// The results by the SHA-256 of their codes, so that the time of a search does not depend on the code.
  private var entries: [String: Entry] = [:]

  init(limits: Limits = Limits()) { self.limits = limits }

  /// The number of stored results.
  var count: Int { entries.count }
  /// The bytes of all stored results.
  var bytes: Int { entries.values.reduce(0) { $0 + $1.item.bytes.count } }

  /// Stores a result under a code; other results are not removed for it.
  ///
  /// - Returns: false without room.
  mutating func keep(_ item: Item, under code: String, at now: Double) -> Bool {
    expire(at: now)
    guard item.bytes.count <= limits.item, entries.count < limits.count, bytes + item.bytes.count <= limits.bytes else {
      return false
    }
    entries[Self.key(code)] = Entry(item: item, end: now + limits.life)
    return true
  }

  /// Returns the result under a code without removing it; nil without such a result.
  mutating func look(_ code: String, at now: Double) -> Item? {
    expire(at: now)
    return entries[Self.key(code)]?.item
  }

  /// Removes the result under a code and returns it, or `nil`.
  mutating func take(_ code: String, at now: Double) -> Item? {
    expire(at: now)
    return entries.removeValue(forKey: Self.key(code))?.item
  }

  private mutating func expire(at now: Double) { entries = entries.filter { now < $0.value.end } }

  private static func key(_ code: String) -> String {
    HashFunction.sha256.hash(Array(code.utf8)).map { String($0, radix: 16) }.joined(separator: ".")
  }
}

/// The words of the page on which a phone fetches a result, in the visitor's language.
struct PickupWords: Equatable, Sendable {
  var language = "en"
  var title = "Your result"
  var help = "It can be taken once."
  var button = "Save"

  init() {}

  /// Reads the words from JSON. A word that is missing, empty or longer than 200 bytes gets its default.
  init(_ json: JSONValue?) {
    func text(_ name: String, _ standard: String) -> String {
      guard let text = json?[name]?.string, (1...200).contains(text.utf8.count) else { return standard }
      return text
    }
    title = text("title", title)
    help = text("help", help)
    button = text("button", button)
    let tag = text("language", language)
    if tag.wholeMatch(of: /[a-z]{2,3}/) != nil { language = tag }
  }
}

/// The documents that the service has saved for a page. Only these files are read for a visitor.
final class SavedDocuments: Sendable {
  /// The largest number of documents that are remembered.
  private static let limit = 16

  /// The paths of the documents, the newest last.
  private let paths = Mutex<[String]>([])

  /// Remembers the file named in a reply to `document.save`. A document of several files is ignored.
  func note(savedBy reply: [UInt8]) {
    guard let saved = try? JSONParser.parse(reply)["result"]?["paths"]?.array?.compactMap(\.string), saved.count == 1
    else { return }
    paths.withLock { $0 = ($0 + saved).suffix(Self.limit) }
  }

  /// Reads a document; nil if the service did not save it, or if it is larger than `limit` bytes.
  func read(_ path: String, limit: Int) -> [UInt8]? {
    guard paths.withLock({ $0.contains(path) }) else { return nil }
    return try? WholeFile.read(path, limit: limit)
  }
}
