import Glibc

/// Why a file cannot be read or written.
package typealias FileError = Problem<FileErrorCode>

/// The codes of `FileError`.
package enum FileErrorCode: String, ProblemCode {
  /// There is nothing of that name.
  case notFound
  /// This user may not read or write it.
  case notPermitted
  /// It is a folder, a pipe, a device or a socket where only a file will do.
  case notAFile
  /// It has more bytes than it may have.
  case tooLarge
  /// Another process holds it.
  case inUse
  /// The medium is full, or this user's share of it.
  case noSpace
  /// The medium is damaged or gone, or anything else that only the cause tells.
  case failed
}

extension Problem where Kind == FileErrorCode {
  /// Makes the error of the system about a file.
  ///
  /// - Parameters:
  ///   - verb: what was to be done with the file: `read`, `written`.
  ///   - number: the `errno`.
  package init(_ path: String, cannotBe verb: String, number: Int32) {
    let reason = systemMessage(number)
    let message = "\(path) cannot be \(verb): \(reason)"
    switch number {
    case ENOENT, ENOTDIR:
      self.init(.notFound, message, hint: "Check the path.", cause: reason)
    case EACCES, EPERM, EROFS:
      self.init(.notPermitted, message, hint: "Give this user permission.", cause: reason)
    case EISDIR: self.init(.notAFile, message, hint: "It is a folder.", cause: reason)
    case ELOOP, ENXIO:
      self.init(.notAFile, message, hint: "Name the file itself.", cause: reason)
    case ENOSPC, EDQUOT:
      self.init(.noSpace, message, hint: "Make room on the disk, or name a file elsewhere.", cause: reason)
    case EMFILE, ENFILE:
      self.init(
        .failed, message, hint: "Raise the limit of open files (LimitNOFILE of the unit, ulimit -n).", cause: reason)
    default:
      self.init(.failed, message, hint: "Check the file and the medium it is on.", cause: reason)
    }
  }
}

/// The words of `errno`, safe to ask for on any thread.
package func systemMessage(_ number: Int32) -> String {
  var buffer = [CChar](repeating: 0, count: 256)
  _ = strerror_r(number, &buffer, buffer.count)
  return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
