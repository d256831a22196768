package import FoundationEssentials
import Glibc
import Synchronization
package import WaymarkOnboarding

/// Remembers confirmed payloads in a folder: a file for each, named by its digest.
///
/// The file is made with `O_CREAT | O_EXCL`, so of several processes exactly one makes it, and it and its folder are
/// synchronised before anybody is told. A process that dies before that has confirmed nothing; one that dies in between
/// leaves the file, and the payload counts as used: better refused once too often than accepted twice.
package final class ReplayStore: ReplayGuard {
  private let folder: String
  private let now: @Sendable () -> Date
  private let lastPurge = Mutex<Date>(.distantPast)

  /// Records are kept this much longer than their payload lasts, in seconds, in case a clock is set back.
  private static let keepAfterExpiry: Double = 86_400
  /// Expired records are looked for at most this often, in seconds.
  private static let purgeInterval: Double = 3600

  /// A store in that folder, which is made when it is missing; its parent must exist or be makeable.
  package init(folder: String, now: @escaping @Sendable () -> Date = { Date() }) throws(ServiceProblem) {
    self.folder = folder
    self.now = now
    try Self.makeFolder(folder)
  }

  /// Makes a folder for this user alone, and its parents.
  private static func makeFolder(_ path: String) throws(ServiceProblem) {
    guard !path.isEmpty else { throw problem(path, ENOENT) }
    if mkdir(path, 0o700) == 0 { return }
    if errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex {
      try makeFolder(String(path[..<slash]))
      if mkdir(path, 0o700) == 0 { return }
    }
    guard errno == EEXIST else { throw problem(path, errno) }
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { throw problem(path, ENOTDIR) }
  }

  private static func problem(_ path: String, _ code: Int32) -> ServiceProblem {
    ServiceProblem(
      code: "replayStore", message: "The replay store \(path) cannot be used: \(systemMessage(code)).",
      hint: "Name a folder that this user may write in as replay.folder.")
  }

  /// A digest is hexadecimal digits; anything else is nobody's name here.
  private func path(_ entry: ReplayEntry) throws(ServiceProblem) -> String {
    guard entry.digest.utf8.count == 64, entry.digest.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit })
    else { throw Self.problem(folder, EINVAL) }
    return folder + "/" + entry.digest
  }

  package func contains(_ entry: ReplayEntry) throws -> Bool {
    let path = try path(entry)
    var status = stat()
    if lstat(path, &status) == 0 { return true }
    guard errno == ENOENT else { throw Self.problem(path, errno) }
    // Without the folder there is no memory to ask.
    guard access(folder, R_OK | X_OK) == 0 else { throw Self.problem(folder, errno) }
    return false
  }

  package func record(_ entry: ReplayEntry) throws -> Bool {
    purgeIfDue()
    let path = try path(entry)
    let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      if errno == EEXIST { return false }
      throw Self.problem(path, errno)
    }
    let text = Array((entry.expires.map { String(Int($0.timeIntervalSince1970.rounded(.up))) } ?? "never").utf8)
    let isWritten = write(descriptor, text, text.count) == text.count && fsync(descriptor) == 0
    let code = errno
    close(descriptor)
    guard isWritten, synchronizeFolder() else {
      let reason = isWritten ? errno : code
      // Nobody was told that it is confirmed, so it may be tried again.
      unlink(path)
      throw Self.problem(path, reason)
    }
    return true
  }

  /// Makes the new name itself survive a power cut.
  private func synchronizeFolder() -> Bool {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return fsync(descriptor) == 0
  }

  private func purgeIfDue() {
    let moment = now()
    let isDue = lastPurge.withLock { last in
      guard abs(moment.timeIntervalSince(last)) > Self.purgeInterval else { return false }
      last = moment
      return true
    }
    if isDue { purge(moment) }
  }

  /// Forgets what can no longer be accepted anyway. A record that does not say when is kept.
  private func purge(_ moment: Date) {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return }
    for name in names where name.utf8.count == 64 {
      let path = folder + "/" + name
      guard let data = FileManager.default.contents(atPath: path), data.count <= 20,
        let expires = Double(String(decoding: data, as: UTF8.self)),
        moment.timeIntervalSince1970 > expires + Self.keepAfterExpiry
      else { continue }
      unlink(path)
    }
  }
}
