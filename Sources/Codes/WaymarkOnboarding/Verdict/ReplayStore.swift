public import FoundationEssentials
import Glibc
import Synchronization
import WaymarkSystem

/// Remembers confirmed payloads in a folder: a file for each, named by the payload's digest.
///
/// The file is made with `O_CREAT | O_EXCL`, so that only one of several processes succeeds. The file and its folder are flushed
/// before the confirmation is reported. After a crash before the report, the payload is treated as used.
///
/// Records are removed a day after their payload has expired, once the wall clock has been steady for an hour. `ReplayHorizon`
/// stores the latest expiry among the removed records, so that their payloads are not accepted again when the clock is set back.
///
/// The file also has the protocol of such a store (`ReplayGuard`), and the entries that it records (`ReplayEntry`).
package final class ReplayStore: ReplayGuard {
  /// The damage found when the store was opened, and how it was handled, for the log.
  package let warnings: [String]
  private let folder: String
  private let horizon: ReplayHorizon
  private let isReadOnly: Bool
  private let now: @Sendable () -> Date
  private let uptime: @Sendable () -> Double
  private let purging: Mutex<(last: Double, clock: ClockWatch)>

  /// Seconds for which records are kept after their payload has expired.
  private static let keepAfterExpiry: Double = 86_400
  /// Seconds between two searches for expired records.
  private static let purgeInterval: Double = 3600

  /// Opens a store, and makes its folder if it is missing.
  ///
  /// - Parameters:
  ///   - isReadOnly: true to make, repair and record nothing; a missing folder is then treated as empty.
  ///   - now: the wall clock.
  ///   - uptime: the seconds since boot, with which the wall clock is compared.
  /// - Throws: `replayStore` if the folder cannot be made.
  package init(
    folder: String, isReadOnly: Bool = false, now: @escaping @Sendable () -> Date = { WallClock.date },
    uptime: @escaping @Sendable () -> Double = { BootClock.now }
  ) throws(OnboardingError) {
    self.folder = folder
    self.isReadOnly = isReadOnly
    self.now = now
    self.uptime = uptime
    horizon = ReplayHorizon(folder: folder)
    let (wall, boot) = (now().timeIntervalSince1970, uptime())
    purging = Mutex((last: boot, clock: ClockWatch(wall: wall, boot: boot)))
    if isReadOnly {
      warnings = []
      return
    }
    do throws(FileError) {
      try Folder.make(folder)
    } catch {
      throw Self.problem(folder, error.cause ?? error.message)
    }
    warnings = Self.review(folder, horizon, wall)
  }

  /// Looks for damage by a crash or a bad disk; returns warnings for the log. A damaged record is kept, because its name alone
  /// marks the payload as used.
  private static func review(_ folder: String, _ horizon: ReplayHorizon, _ wall: Double) -> [String] {
    var warnings: [String] = []
    switch horizon.read() {
    case .damaged:
      let aside = horizon.restore(at: wall)
      warnings.append(
        "\(folder)/horizon is damaged and was set aside\(aside.map { " as \($0)" } ?? ""); codes that have expired by now count "
          + "as used.")
    case .unreadable(let problem): warnings.append("\(problem.message).")
    case .none, .seconds: break
    }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let torn = names.filter { $0.utf8.count == 64 && expiry(of: folder + "/" + $0) == .damaged }
    if !torn.isEmpty {
      warnings.append(
        "\(torn.count) of the records in \(folder) are damaged (the first: \(torn[0].prefix(12))…); they count as used and "
          + "are kept.")
    }
    return warnings
  }

  /// The time of expiry that a record contains.
  private enum Expiry: Hashable {
    case never
    case seconds(Double)
    case damaged
  }

  private static func expiry(of path: String) -> Expiry {
    guard let bytes = try? WholeFile.read(path, limit: 1 << 20) else { return .damaged }
    let text = String(decoding: bytes, as: UTF8.self)
    if text == "never" { return .never }
    guard let seconds = Int(text), text.utf8.count <= 20 else { return .damaged }
    return .seconds(Double(seconds))
  }

  private static func problem(_ path: String, _ code: Int32) -> OnboardingError { problem(path, systemMessage(code)) }

  private static func problem(_ path: String, _ reason: String) -> OnboardingError {
    OnboardingError(
      .replayStore, "The replay store \(path) cannot be used: \(reason).",
      hint: "Name a folder that this user may write in as replay.folder.")
  }

  /// Returns the path of an entry's record. Throws unless the digest is 64 hexadecimal digits, because any other text could lead to
  /// another file.
  private func path(_ entry: ReplayEntry) throws(OnboardingError) -> String {
    guard entry.digest.utf8.count == 64, entry.digest.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit })
    else { throw Self.problem(folder, EINVAL) }
    return folder + "/" + entry.digest
  }

  package func contains(_ entry: ReplayEntry) throws -> Bool {
    let path = try path(entry)
    var status = stat()
    if lstat(path, &status) == 0 { return true }
    guard errno == ENOENT else { throw Self.problem(path, errno) }
    // Without the folder, it is unknown which payloads were confirmed. Only a read-only store may lack it: the first confirmation
    // by another process makes the folder.
    guard access(folder, R_OK | X_OK) == 0 else {
      if isReadOnly, errno == ENOENT { return false }
      throw Self.problem(folder, errno)
    }
    return try isForgotten(entry)
  }

  /// Returns whether the entry expires no later than the horizon, so that the store may have removed its record.
  private func isForgotten(_ entry: ReplayEntry) throws(OnboardingError) -> Bool {
    guard let expires = entry.expires else { return false }
    switch horizon.read() {
    case .none: return false
    case .seconds(let seconds): return expires.timeIntervalSince1970 <= seconds
    case .damaged: throw Self.problem(folder + "/horizon", EIO)
    case .unreadable(let problem): throw Self.problem(folder + "/horizon", problem.cause ?? problem.message)
    }
  }

  package func record(_ entry: ReplayEntry) throws -> Bool {
    guard !isReadOnly else { throw Self.problem(folder, EROFS) }
    purgeIfDue()
    let path = try path(entry)
    if try isForgotten(entry) { return false }
    let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      if errno == EEXIST { return false }
      throw Self.problem(path, errno)
    }
    let text = Array((entry.expires.map { String(Int($0.timeIntervalSince1970.rounded(.up))) } ?? "never").utf8)
    var code = DurableFile.writeAll(descriptor, text) ?? (fsync(descriptor) != 0 ? errno : nil)
    close(descriptor)
    // Flushes the folder, so that the new name survives a power cut.
    code = code ?? DurableFile.synchronizeFolder(of: path)
    if let code {
      // The confirmation was not reported, so the record is removed and the confirmation may be repeated.
      unlink(path)
      throw Self.problem(path, code)
    }
    return true
  }

  private func purgeIfDue() {
    let (wall, boot) = (now().timeIntervalSince1970, uptime())
    let isDue = purging.withLock { state in
      guard state.clock.isSteady(wall: wall, boot: boot), boot - state.last >= Self.purgeInterval else { return false }
      state.last = boot
      return true
    }
    if isDue { purge(wall) }
  }

  /// Removes the records whose payloads expired more than a day ago. A record without a valid expiry is kept.
  private func purge(_ wall: Double) {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return }
    var over: [(path: String, expires: Double)] = []
    for name in names where name.utf8.count == 64 {
      let path = folder + "/" + name
      if case .seconds(let expires) = Self.expiry(of: path), wall > expires + Self.keepAfterExpiry {
        over.append((path, expires))
      }
    }
    guard let latest = over.map(\.expires).max(), horizon.advance(to: latest) == nil else { return }
    for record in over { unlink(record.path) }
  }
}

// MARK: - Replay guards

/// Remembers which signed payloads were confirmed, so that each is accepted only once.
///
/// A payload is recorded only when it is confirmed. If a function of the guard throws, the payload is refused.
public protocol ReplayGuard: Sendable {
  /// Returns whether the payload was confirmed before.
  func contains(_ entry: ReplayEntry) throws -> Bool

  /// Records a confirmation durably, and atomically across processes: of all calls with the same entry exactly one returns true.
  func record(_ entry: ReplayEntry) throws -> Bool
}

/// The identity of a signed payload for the replay guard.
public struct ReplayEntry: Sendable, Hashable {
  /// SHA-256 of issuer and token identifier, in lower-case hexadecimal digits: safe as a file name.
  public let digest: String
  /// The time at which the token expires, including the permitted clock skew, so that the record may then be removed; nil if it
  /// never expires.
  public let expires: Date?

  /// Creates an entry from its digest and the end of its lifetime.
  public init(digest: String, expires: Date?) {
    self.digest = digest
    self.expires = expires
  }
}

// MARK: - Horizon

/// The time up to which the replay store has removed records: payloads that expire no later are treated as used.
///
/// Otherwise, payloads would be accepted again after the clock had run ahead, their records had been removed, and the clock had
/// been set back. The horizon is the latest expiry among the removed records rather than the time of removal. So after a clock was
/// years ahead, payloads with a later expiry are still accepted.
struct ReplayHorizon: Sendable {
  private let path: String

  /// Creates the horizon of the store in `folder`, without reading it.
  init(folder: String) { path = folder + "/horizon" }

  /// The content of the horizon's file.
  enum Content: Hashable, Sendable {
    /// There is no file: no record has been removed so far.
    case none
    /// Seconds since 1970.
    case seconds(Double)
    /// The file does not contain a number and a line end.
    case damaged
    /// The file cannot be read.
    case unreadable(FileError)
  }

  /// Reads the horizon's file.
  func read() -> Content {
    let text: String
    do {
      text = String(decoding: try WholeFile.read(path, limit: 1 << 20), as: UTF8.self)
    } catch {
      return error.code == .notFound ? .none : .unreadable(error)
    }
    // The line end shows that the file was not cut off.
    guard text.hasSuffix("\n"), let seconds = Int(text.dropLast()), seconds >= 0 else { return .damaged }
    return .seconds(Double(seconds))
  }

  /// Moves the horizon forward durably. Has no effect if the horizon is already later.
  ///
  /// - Returns: the error; nil on success.
  func advance(to seconds: Double) -> FileError? {
    if case .seconds(let now) = read(), now >= seconds { return nil }
    do throws(FileError) {
      try DurableFile.replace(path, with: Array("\(Int(seconds.rounded(.up)))\n".utf8))
      return nil
    } catch {
      return error
    }
  }

  /// Moves a damaged file aside and writes a new file with `seconds`: payloads that have expired by this time are treated as used.
  ///
  /// - Returns: the new path of the damaged file; nil if it could not be moved.
  func restore(at seconds: Double) -> String? {
    let aside = DurableFile.setAside(path)
    _ = advance(to: max(0, seconds))
    return aside
  }
}
