import Foundation
import Synchronization
import WaymarkHTTP
import WaymarkSystem

/// The results that visitors may take home: the store, the documents that were offered, and the clock.
final class Pickups: Sendable {
  /// The most documents of which it is remembered that they were offered.
  private static let documentLimit = 16

  private struct State {
    var store: PickupStore
    /// Files that were offered, the newest last; each can be offered once.
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

  /// The time for which a result waits, in seconds.
  var life: Double { state.withLock { $0.store.limits.life } }
  /// The most bytes of a result.
  var itemLimit: Int { state.withLock { $0.store.limits.item } }

  /// Keeps a result; gives the address under which a phone takes it, or nil where there is no room.
  func keep(_ item: PickupStore.Item) -> String? {
    // 256 random bits.
    let code = KioskToken().value
    let now = clock()
    guard state.withLock({ $0.store.keep(item, under: code, at: now) }) else { return nil }
    return "\(origin.text)\(Self.path)\(code)"
  }

  /// The bytes of a document that the service saved, where the page names one, and can be offered only once.
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

  /// Addresses below this one need no cookie.
  static let path = "/pickup/"
}
