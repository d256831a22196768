import Glibc

/// The error of reading or writing a file.
package typealias FileError = Problem<FileErrorCode>

/// The codes of `FileError`.
package enum FileErrorCode: String, ProblemCode {
  /// There is no file or folder at the path.
  case notFound
  /// This user may not read or write the file.
  case notPermitted
  /// The path leads to a folder, a pipe, a device or a socket instead of a regular file.
  case notAFile
  /// The file is larger than the limit.
  case tooLarge
  /// Another process uses the file.
  case inUse
  /// The medium is full, or this user's quota is exhausted.
  case noSpace
  /// Another error, such as a damaged or removed medium; the cause describes it.
  case failed
}

extension Problem where Kind == FileErrorCode {
  /// Creates the error for an `errno`.
  ///
  /// - Parameters:
  ///   - verb: the participle of the failed operation: `read`, `written`.
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

/// The message of an `errno` (strerror_r(3)).
package func systemMessage(_ number: Int32) -> String {
  var buffer = [CChar](repeating: 0, count: 256)
  _ = strerror_r(number, &buffer, buffer.count)
  return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
