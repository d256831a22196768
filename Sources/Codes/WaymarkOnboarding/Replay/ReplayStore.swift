package import FoundationEssentials
import Glibc
import Synchronization
import WaymarkSystem

/// Remembers confirmed payloads in a folder: a file for each, named by its digest.
///
/// The file is made with `O_CREAT | O_EXCL`, so of several processes exactly one makes it, and it and its folder are
/// synchronised before anybody is told. A process that dies before that has confirmed nothing; one that dies in between
/// leaves the file, and the payload counts as used: better refused once too often than accepted twice.
///
/// Records are forgotten a day after their payload is over, and only by a clock that has run steadily for an hour; until
/// when they were forgotten is remembered (`ReplayHorizon`), so that no clock that is set back lets a payload in again.
package final class ReplayStore: ReplayGuard {
  /// The damage found when the store was opened, and what was done about it: for the log.
  package let warnings: [String]
  private let folder: String
  private let horizon: ReplayHorizon
  private let isReadOnly: Bool
  private let now: @Sendable () -> Date
  private let uptime: @Sendable () -> Double
  private let purging: Mutex<(last: Double, clock: ClockWatch)>

  /// Records are kept this much longer than their payload lasts, in seconds, in case a clock is set back.
  private static let keepAfterExpiry: Double = 86_400
  /// Expired records are looked for at most this often, in seconds.
  private static let purgeInterval: Double = 3600

  /// A store in that folder, which is made when it is missing; its parent must exist or be makeable.
  ///
  /// - Parameters:
  ///   - isReadOnly: makes nothing, mends nothing, records nothing; a folder that is not there yet holds no records.
  ///   - now: the wall clock.
  ///   - uptime: seconds since boot, by which the wall clock is judged.
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

  /// Looks for what a crash or a bad disk left behind. A record counts by its name, whatever it holds, and stays.
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

  /// When a record may go.
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

  /// A digest is hexadecimal digits; no other name is used here.
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
    // Without the folder there is no memory to ask, but for those who look before the first confirmation made it.
    guard access(folder, R_OK | X_OK) == 0 else {
      if isReadOnly, errno == ENOENT { return false }
      throw Self.problem(folder, errno)
    }
    return try isForgotten(entry)
  }

  /// Returns whether a record of it may have been there and have been forgotten.
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
    // Makes the new name itself survive a power cut.
    code = code ?? DurableFile.synchronizeFolder(of: path)
    if let code {
      // Nobody was told that it is confirmed, so it may be tried again.
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

  /// Forgets what can no longer be accepted anyway. A record that does not say when is kept.
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
