import Foundation

/// A file that appears under its name whole and durable, or not at all.
final class NewFile {
  /// Why it cannot be written.
  struct Problem: Explained {
    let explainedCode = "cannotWrite"
    let message: String
    let hint: String
    let exitStatus = ExitStatus.cannotWrite
  }

  private let path: String
  private let draft: String
  private var descriptor: Int32

  /// Starts a file beside the one that it will become.
  init(_ path: String) throws(Problem) {
    self.path = path
    let folder = path.contains("/") ? String(path[...(path.lastIndex(of: "/") ?? path.startIndex)]) : "./"
    draft = folder + ".waymark-\(getpid())-\(UInt32.random(in: 0...UInt32.max)).part"
    descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw Self.problem(path, errno) }
  }

  deinit {
    guard descriptor >= 0 else { return }
    close(descriptor)
    unlink(draft)
  }

  /// Appends bytes.
  func write(_ bytes: [UInt8]) throws(Problem) {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress.map { $0 + done }, bytes.count - done)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw Self.problem(path, errno) }
      done += count
    }
  }

  /// Gives it its name, in place of what was there.
  func publish() throws(Problem) {
    guard fsync(descriptor) == 0, rename(draft, path) == 0 else { throw Self.problem(path, errno) }
    close(descriptor)
    descriptor = -1
  }

  private static func problem(_ path: String, _ number: Int32) -> Problem {
    let hint =
      switch number {
      case ENOSPC, EDQUOT: "Make room on the disk, or name a file elsewhere."
      case EACCES, EPERM, EROFS: "Name a file in a folder that this user may write to."
      case ENOENT, ENOTDIR: "Make its folder first."
      default: "Check the medium that it is on."
      }
    return Problem(message: "\(path) cannot be written: \(String(cString: strerror(number)))", hint: hint)
  }
}
