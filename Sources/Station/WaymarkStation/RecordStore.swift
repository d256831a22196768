import Glibc
import NIOPosix
package import WaymarkServer
import WaymarkService
package import WaymarkSystem

/// Stores records until a client removes them or they expire: as files in a folder, or in memory.
///
/// A record is replaced atomically (`DurableFile`) before its id is published. A full store refuses new records and keeps the old
/// ones. Records expire only by a clock that has run steadily for an hour (`ClockWatch`). Otherwise they would be lost on a device
/// that starts in 1970 and learns the time later.
@ServiceActor
package final class RecordStore {
  package struct Limits: Hashable, Sendable {
    /// The largest number of records.
    package var count: Int
    /// The largest size of all records in bytes.
    package var bytes: Int
    /// The seconds until a record expires.
    package var age: Double
  }

  /// A record's id, time and size.
  package struct Entry: Hashable, Sendable {
    /// The id, which sorts by time and cannot be guessed.
    package let id: String
    /// The time of adding it, in milliseconds of the wall clock.
    package let milliseconds: Int
    /// The size in bytes.
    package let size: Int
  }

  /// The reason why a record was not added.
  package enum Refusal: Error {
    /// The limits are reached.
    case full
    /// The record cannot be written.
    case failed(FileError)
  }

  /// The records, oldest first.
  package private(set) var entries: [Entry] = []
  package var limits: Limits
  private let folder: String?
  private var held: [String: [UInt8]] = [:]
  /// The number and the bytes of records that are being written. The limits include these.
  private var reserved = (count: 0, bytes: 0)
  private var lastMade = 0
  private var watch: ClockWatch
  /// The result of each request that had a key, with the id of its record; by key.
  private var receipts: [String: (id: String, receipt: any Sendable)] = [:]
  private let wall: @Sendable () -> Double
  private let boot: @Sendable () -> Double

  /// Opens the store.
  ///
  /// - Parameters:
  ///   - folder: the folder, which is made for this user alone if it is missing; nil to keep records in memory.
  ///   - wall: the time of day in seconds since 1970.
  ///   - boot: the seconds since boot, with which `ClockWatch` compares the time of day.
  /// - Throws: `recordStore` if the folder cannot be made or read.
  package init(
    folder: String?, limits: Limits, wall: @escaping @Sendable () -> Double = { WallClock.now },
    boot: @escaping @Sendable () -> Double = { BootClock.now }
  ) throws(ServiceProblem) {
    self.folder = folder
    self.limits = limits
    self.wall = wall
    self.boot = boot
    watch = ClockWatch(wall: wall(), boot: boot())
    guard let folder else { return }
    do {
      try Folder.make(folder)
      for name in try Folder.names(folder).sorted() {
        let path = folder + "/" + name
        if name.hasSuffix(".new") {
          // An unfinished record was not published.
          unlink(path)
          continue
        }
        guard name.hasSuffix(Self.ending), let made = Self.milliseconds(of: String(name.dropLast(Self.ending.count)))
        else { continue }
        var there = stat()
        guard lstat(path, &there) == 0, there.st_mode & S_IFMT == S_IFREG else { continue }
        entries.append(
          Entry(id: String(name.dropLast(Self.ending.count)), milliseconds: made, size: Int(there.st_size)))
      }
    } catch {
      throw ServiceProblem(
        code: "recordStore", message: "The folder \(folder) cannot be used.",
        hint: "Name a folder that this user may write in.")
    }
  }

  private nonisolated static let ending = ".json"

  /// Adds a record. It is stored when this function returns.
  ///
  /// - Throws: `full` at the limits, `failed` if the file cannot be written.
  package func add(_ bytes: [UInt8]) async throws(Refusal) -> Entry {
    forgetOld()
    guard entries.count + reserved.count < limits.count, size + reserved.bytes + bytes.count <= limits.bytes else {
      throw .full
    }
    let made = max(Int(wall() * 1000), (entries.last?.milliseconds ?? 0) + 1, lastMade + 1)
    lastMade = made
    let entry = Entry(
      id: Self.padded(made) + "-" + String(UInt64.random(in: .min ... .max), radix: 36), milliseconds: made,
      size: bytes.count)
    if let folder {
      reserved = (reserved.count + 1, reserved.bytes + bytes.count)
      defer { reserved = (reserved.count - 1, reserved.bytes - bytes.count) }
      let path = folder + "/" + entry.id + Self.ending
      do {
        try await BlockingWork.records.runIfActive { try DurableFile.replace(path, with: bytes) }
      } catch {
        throw .failed(error as? FileError ?? FileError(path, cannotBe: "written", number: EIO))
      }
    } else {
      held[entry.id] = bytes
    }
    // A record that was begun later may have been finished earlier.
    entries.insert(entry, at: entries.lastIndex { $0.milliseconds < made }.map { $0 + 1 } ?? 0)
    return entry
  }

  /// Reads a record; nil if no record has this id. Throws `FileError` if its file cannot be read.
  package func read(_ id: String) async throws -> [UInt8]? {
    forgetOld()
    guard let entry = entries.first(where: { $0.id == id }) else { return nil }
    guard let folder else { return held[id] }
    let path = folder + "/" + id + Self.ending
    return try await BlockingWork.records.runIfActive { try WholeFile.read(path, limit: max(entry.size, 1)) }
  }

  /// Removes a record.
  ///
  /// - Returns: false if no record has this id.
  package func remove(_ id: String) async -> Bool {
    guard let index = entries.firstIndex(where: { $0.id == id }) else { return false }
    entries.remove(at: index)
    held[id] = nil
    receipts = receipts.filter { $0.value.id != id }
    if let folder {
      let path = folder + "/" + id + Self.ending
      _ = try? await BlockingWork.records.runIfActive {
        unlink(path)
        _ = DurableFile.synchronizeFolder(of: path)
      }
    }
    return true
  }

  private var size: Int { entries.reduce(0) { $0 + $1.size } }

  /// Removes expired records if the clock is steady.
  func forgetOld() {
    let now = wall()
    guard watch.isSteady(wall: now, boot: boot()) else { return }
    let first = Int((now - limits.age) * 1000)
    for entry in entries.prefix(while: { $0.milliseconds < first }) {
      held[entry.id] = nil
      if let folder { unlink(folder + "/" + entry.id + Self.ending) }
    }
    entries.removeAll { $0.milliseconds < first }
    let left = Set(entries.map(\.id))
    receipts = receipts.filter { left.contains($0.value.id) }
  }

  // MARK: Keys

  /// Returns the result of an earlier request with the same key; nil if its record has to be stored.
  package func receipt<Receipt: Sendable>(of key: String?, as type: Receipt.Type) -> Receipt? {
    key.flatMap { receipts[$0]?.receipt as? Receipt }
  }

  /// Keeps the result of a request under its key for as long as the record `id` is kept. Has no effect without a key.
  package func remember(_ receipt: some Sendable, of id: String, key: String?) {
    if let key { receipts[key] = (id, receipt) }
  }

  // MARK: Ids

  /// Pads the time to nine digits in base 36, so that ids sort by time. Nine digits suffice until after the year 5000.
  private nonisolated static func padded(_ milliseconds: Int) -> String {
    max(0, milliseconds).digits(9, radix: 36)
  }

  private nonisolated static func milliseconds(of id: String) -> Int? {
    let parts = id.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].count == 9, id.utf8.count <= 24, UInt64(parts[1], radix: 36) != nil else {
      return nil
    }
    return Int(parts[0], radix: 36)
  }
}
