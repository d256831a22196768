import Glibc
import Synchronization
package import WaymarkSystem

/// An event in the `EventLog` below: its number, and its bytes as sent to the receiver.
package struct LogRecord: Hashable, Sendable {
  package let sequence: UInt64
  package let payload: [UInt8]
}

/// Stores events on disk, in order, until their receiver acknowledges them: a bounded SQLite table with a checksum in every row.
///
/// Events are numbered consecutively from 1, and a `stream` never uses a number again. An appended event survives the end of the
/// process at any instruction, and a power cut once `synchronize` has returned. Events that were dropped because the log was full,
/// and damaged rows, are gaps in the numbers that are read. A database with any other damage is set aside. If the disk is full,
/// events that are not yet acknowledged are kept.
package final class EventLog: Sendable {
  package struct Limits: Hashable, Sendable {
    /// The least number of newest events that are kept, unless they exceed `bytes`.
    package var events: Int
    /// The most bytes on disk.
    package var bytes: Int

    package init(events: Int = 100_000, bytes: Int = 256 << 20) {
      self.events = max(events, 16)
      self.bytes = max(bytes, 1 << 16)
    }
  }

  /// The result of reading the records after a number.
  package enum Batch: Hashable, Sendable {
    case empty
    /// The next records, with consecutive numbers.
    case records([LogRecord])
    /// The events up to and including this number are lost.
    case gap(through: UInt64)
  }

  package struct Figures: Hashable, Sendable {
    /// The number of events that are not yet acknowledged.
    package var waiting: UInt64
    /// The number of events that were lost since the log was opened, including the events passed to `countLost`.
    package var dropped: UInt64
    /// The number of the newest event; 0 without any.
    package var last: UInt64
    /// The number up to which all events are acknowledged.
    package var acknowledged: UInt64
    package var bytes: Int
  }

  private struct State {
    let database: Database
    let stream: UInt64
    var acknowledged: UInt64 = 0
    /// The lowest number in the table.
    var first: UInt64 = 1
    /// The number of the next event.
    var next: UInt64 = 1
    var dropped: UInt64 = 0
    /// The highest number of a damaged row that is counted as dropped.
    var damaged: UInt64 = 0
    var isDirty = false
    /// The stored value of `EventLog.bookmark`.
    var bookmark: String?

    /// All numbers up to this number are acknowledged or dropped.
    var settled: UInt64 { min(max(acknowledged, first - 1), next - 1) }
  }

  /// The row numbers that store the stream and the acknowledged number, both in decimal, and the bookmark.
  private static let (streamRow, acknowledgedRow, bookmarkRow) = (UInt64(0), UInt64.max, UInt64.max - 1)

  /// Distinguishes this log's numbers from the numbers of another log.
  package let stream: UInt64
  private let folder: String
  private let limits: Limits
  private let lock: FolderLock
  private let state: Mutex<State>

  /// Opens the log in a folder, or makes it there.
  ///
  /// - Throws: with the code `inUse` if another process has the log open; with `failed` if it cannot be opened or made.
  package init(folder: String, limits: Limits = Limits()) throws(FileError) {
    self.folder = folder
    self.limits = limits
    do {
      try Folder.make(folder, withParents: false)
      lock = try FolderLock(folder)
    } catch {
      guard error.code == .inUse else { throw Self.problem(folder, error.cause ?? error.message) }
      throw FileError(
        .inUse, "Another program uses the store \(folder)", hint: "End it, or give this one a folder of its own.")
    }
    let isFormer = FileKind(Self.path(folder)) == nil && FileKind(folder + "/acknowledged") != nil
    if isFormer {
      JournalLog.write(.warning, "\(folder) has events of an earlier version, which are not sent: remove its *.log")
    }
    let state = try Self.open(folder, limits, isLossy: isFormer)
    stream = state.stream
    self.state = Mutex(state)
  }

  package var figures: Figures {
    state.withLock {
      Figures(
        waiting: $0.next - 1 - $0.settled, dropped: $0.dropped, last: $0.next - 1, acknowledged: $0.acknowledged,
        bytes: $0.database.bytes)
    }
  }

  /// The position up to which the log's writer has read its source. It is stored with the events for times when no stored event
  /// contains it.
  package var bookmark: String? {
    get { state.withLock { $0.bookmark } }
    set {
      state.withLock { state in
        state.bookmark = newValue
        // If this fails, the writer resumes after a restart from the previous bookmark, or without a bookmark at the next event.
        try? Self.write(Self.bookmarkRow, Array((newValue ?? "").utf8), to: state.database)
      }
    }
  }

  /// Stores an event under the next number.
  ///
  /// - Throws: with the code `tooLarge` for an event that can never be stored; its number becomes a gap. After any other error the
  ///   event may be appended again.
  package func append(_ payload: [UInt8]) throws(FileError) {
    try state.withLock { state throws(FileError) in
      let number = state.next
      guard payload.count <= min(1 << 20, limits.bytes / 8) else {
        state.next += 1
        state.dropped += 1
        throw FileError(.tooLarge, "An event of \(payload.count) bytes is too long for the store", hint: "")
      }
      while true {
        do throws(DatabaseError) {
          try state.database.reserve(payload.count)
          try Self.write(number, payload, to: state.database)
          break
        } catch {
          let oldest = error.isOfDisk ? state.acknowledged : state.first + (number - state.first) / 16
          // The newest event is kept, because its number is the last number in use.
          let last = min(oldest, max(number, 2) - 2)
          if error.isFull, last >= state.first, drop(&state, through: last) { continue }
          if error.isDamage, restart(&state, at: number) { continue }
          throw Self.problem(folder, error.message)
        }
      }
      state.next = number + 1
      state.isDirty = true
      if number - state.first >= limits.events + limits.events / 16 {
        _ = drop(&state, through: number - UInt64(limits.events))
      }
    }
  }

  /// Counts events that were lost before they could be appended.
  package func countLost(_ count: Int) { state.withLock { $0.dropped += UInt64(max(0, count)) } }

  private func drop(_ state: inout State, through last: UInt64) -> Bool {
    guard (try? state.database.run("DELETE FROM event WHERE number BETWEEN 1 AND ?", last)) != nil else { return false }
    state.dropped += max(last, state.settled) - state.settled
    state.first = last + 1
    return true
  }

  /// Sets a damaged database aside, and continues its numbers in a new database. Returns false if the new database cannot be made.
  private func restart(_ state: inout State, at number: UInt64) -> Bool {
    // Closing removes the write-ahead log, before a new log is created under the same name.
    state.database.close()
    Self.setAside(folder)
    guard let database = try? Self.load(folder, limits, stream: stream).database else { return false }
    try? Self.write(Self.acknowledgedRow, Array("\(state.acknowledged)".utf8), to: database)
    if let bookmark = state.bookmark { try? Self.write(Self.bookmarkRow, Array(bookmark.utf8), to: database) }
    let dropped = state.dropped + max(number - 1, state.settled) - state.settled
    state = State(
      database: database, stream: stream, acknowledged: state.acknowledged, first: number, next: state.next,
      dropped: dropped, damaged: number - 1, bookmark: state.bookmark)
    return true
  }

  /// Makes appended events survive a power cut.
  ///
  /// - Returns: `errno` if the disk fails.
  package func synchronize() -> Int32? {
    guard state.withLock({ $0.isDirty }) else { return nil }
    state.withLock { $0.isDirty = false }
    // Runs without the lock, so that a slow disk does not delay events. The checkpoint has flushed the pages that are no longer in
    // the log.
    let log = Glibc.open(Self.path(folder) + "-wal", O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
    guard log >= 0 else { return errno }
    defer { close(log) }
    return fdatasync(log) == 0 ? nil : errno
  }

  /// Acknowledges all events up to and including `sequence`. They are then never read again, even after a restart.
  package func acknowledge(through sequence: UInt64) {
    state.withLock { state in
      guard sequence > state.acknowledged, sequence < state.next else { return }
      state.acknowledged = sequence
      // If this write is lost, events are sent twice, under the same numbers.
      try? Self.write(Self.acknowledgedRow, Array("\(sequence)".utf8), to: state.database)
      // The newest event is kept, because its number is the last number in use.
      let last = min(sequence, state.next - 2)
      guard last >= state.first + 63, drop(&state, through: last) else { return }
      _ = try? state.database.run("PRAGMA incremental_vacuum(64)")
    }
  }

  /// Returns the records after the number `sequence`, at most `count` and about `bytes` bytes of them.
  package func read(after sequence: UInt64, count: Int, bytes: Int = 1 << 20) -> Batch {
    state.withLock { state in
      guard sequence + 1 < state.next, count > 0 else { return .empty }
      var records: [LogRecord] = []
      let next = state.next
      // The number of the first undamaged row after the records.
      var following = next
      var (size, lost, damaged) = (0, UInt64(0), max(state.damaged, state.acknowledged))
      do throws(DatabaseError) {
        let query = "SELECT number, payload FROM event WHERE number > ? ORDER BY number"
        try state.database.run(query, sequence) { number, row in
          guard let payload = Self.payload(number, row) else {
            if number > damaged, number < next { (damaged, lost) = (number, lost + 1) }
            return true
          }
          following = number
          guard number == sequence + UInt64(records.count) + 1 else { return false }
          records.append(LogRecord(sequence: number, payload: payload))
          size += payload.count
          return records.count < count && size < bytes
        }
      } catch {
        if records.isEmpty { _ = restart(&state, at: next) }
      }
      state.dropped += lost
      state.damaged = max(state.damaged, damaged)
      return records.isEmpty ? .gap(through: following - 1) : .records(records)
    }
  }

  private static func path(_ folder: String) -> String { folder + "/events.db" }

  private static func problem(_ folder: String, _ reason: String) -> FileError {
    FileError(
      .failed, "The store \(folder) cannot be used: \(reason)",
      hint: "Check that there is room on the disk, and that this user may write there.", cause: reason)
  }

  /// Opens the database. The new stream begins with a gap if it replaces a damaged database, or if `isLossy`.
  private static func open(_ folder: String, _ limits: Limits, isLossy: Bool) throws(FileError) -> State {
    do throws(DatabaseError) {
      var state = try load(folder, limits)
      if isLossy { (state.next, state.dropped) = (state.next + 1, 1) }
      return state
    } catch {
      guard error.isDamage, !isLossy else { throw problem(folder, error.message) }
      setAside(folder)
      return try open(folder, limits, isLossy: true)
    }
  }

  private static func load(
    _ folder: String, _ limits: Limits, stream new: UInt64 = .random(in: 1 ... .max)
  ) throws(DatabaseError) -> State {
    let row = sealed(streamRow, Array("\(new)".utf8)).map { $0.digits(2, radix: 16) }.joined()
    let database = try Database(
      path(folder), bytes: limits.bytes,
      schema: "CREATE TABLE event (number INTEGER PRIMARY KEY, payload BLOB); INSERT INTO event VALUES (0, x'\(row)')")
    let last = try database.run("SELECT max(number) FROM event")
    var rows: [UInt64: [UInt8]] = [:]
    try database.run("SELECT number, payload FROM event WHERE number < 1 OR number = ?", last) { number, row in
      rows[number] = payload(number, row)
      return true
    }
    let number = { row in rows[row].flatMap { UInt64(String(decoding: $0, as: UTF8.self)) } }
    // If the row of the last number is damaged, higher numbers may have been used.
    guard let stream = number(streamRow), rows[last] != nil else { throw DatabaseError.damage }
    let acknowledged = number(acknowledgedRow) ?? 0
    let next = max(last, acknowledged) + 1
    let first = last == 0 ? next : try database.run("SELECT min(number) FROM event WHERE number > 0")
    let bookmark = rows[bookmarkRow].map { String(decoding: $0, as: UTF8.self) }
    return State(
      database: database, stream: stream, acknowledged: acknowledged, first: first, next: next, bookmark: bookmark)
  }

  private static func setAside(_ folder: String) {
    guard let aside = DurableFile.setAside(path(folder)) else { return }
    unlink(path(folder) + "-wal")
    JournalLog.write(.error, "the store \(folder) is damaged: it is set aside as \(aside)")
  }

  private static func write(_ number: UInt64, _ payload: [UInt8], to database: Database) throws(DatabaseError) {
    try database.run("REPLACE INTO event VALUES (?, ?)", number, payload: sealed(number, payload))
  }

  /// Returns a payload, followed by the checksum of its number and itself.
  private static func sealed(_ number: UInt64, _ payload: [UInt8]) -> [UInt8] {
    let sum = CRC32C.of(Array("\(number) ".utf8) + payload)
    return payload + (0..<4).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) }
  }

  /// Returns the payload of a row; nil if the row is damaged.
  private static func payload(_ number: UInt64, _ row: [UInt8]) -> [UInt8]? {
    let payload = Array(row.dropLast(4))
    return sealed(number, payload) == row ? payload : nil
  }
}
