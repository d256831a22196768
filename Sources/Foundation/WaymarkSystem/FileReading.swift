import Glibc

/// Reads whole files up to a limit: pictures, keys, policies, scenes and other untrusted input. The file also has
/// `OpenFile`, whose size is known before it is read, `FileKind`, and the errors of files.
package enum WholeFile {
  /// The kinds of files that a path may lead to.
  package enum Kind: Sendable {
    /// A regular file; links are followed. Other files are refused without waiting, because opening a pipe would wait for its
    /// writer.
    case regular
    /// A regular file that is not a link, for folders in which other users may create links.
    case unlinked
    /// Any file, including pipes and devices: for paths that a user typed.
    case any
  }

  /// Reads the bytes of a file.
  ///
  /// - Throws: `tooLarge` for more than `limit` bytes; `notAFile` for a kind of file that is not admitted.
  package static func read(_ path: String, limit: Int, kind: Kind = .regular) throws(FileError) -> [UInt8] {
    let waits = kind == .any ? 0 : O_NONBLOCK
    let links = kind == .unlinked ? O_NOFOLLOW : 0
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | waits | links)
    guard descriptor >= 0 else { throw FileError(path, cannotBe: "read", number: errno) }
    defer { close(descriptor) }
    return try read(descriptor: descriptor, name: path, limit: limit, onlyRegular: kind != .any)
  }

  /// Reads the first bytes of a regular file; also returns its size in bytes.
  package static func head(_ path: String, count: Int) throws(FileError) -> (bytes: [UInt8], size: Int) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw FileError(path, cannotBe: "read", number: errno) }
    defer { close(descriptor) }
    var information = stat()
    guard fstat(descriptor, &information) == 0 else { throw FileError(path, cannotBe: "read", number: errno) }
    guard information.st_mode & S_IFMT == S_IFREG else {
      throw FileError(.notAFile, "\(path) is not a file", hint: "Name the file itself.")
    }
    var bytes = [UInt8](repeating: 0, count: count)
    let got = pread(descriptor, &bytes, count, 0)
    guard got >= 0 else { throw FileError(path, cannotBe: "read", number: errno) }
    return (Array(bytes[..<got]), Int(information.st_size))
  }

  /// Reads the available bytes of standard input, waiting for the first (read(2)); empty at the end.
  package static func readStandardInput(upTo count: Int) throws(FileError) -> [UInt8] {
    var chunk = [UInt8](repeating: 0, count: count)
    while true {
      let got = Glibc.read(STDIN_FILENO, &chunk, count)
      if got >= 0 { return Array(chunk[..<got]) }
      guard errno == EINTR else { throw FileError("standard input", cannotBe: "read", number: errno) }
    }
  }

  /// Reads standard input to its end.
  package static func readStandardInput(limit: Int) throws(FileError) -> [UInt8] {
    try read(descriptor: STDIN_FILENO, name: "standard input", limit: limit, onlyRegular: false)
  }

  /// Reads from a descriptor to the end. The size reported by fstat(2) is used to refuse a file above the limit and for the first
  /// capacity. The limit also applies to the bytes read, because a file may grow, and files in `/proc` report size 0.
  package static func read(
    descriptor: Int32, name: String, limit: Int, onlyRegular: Bool
  ) throws(FileError) -> [UInt8] {
    var information = stat()
    guard fstat(descriptor, &information) == 0 else { throw FileError(name, cannotBe: "read", number: errno) }
    let kind = information.st_mode & S_IFMT
    guard kind != S_IFDIR else { throw FileError(name, cannotBe: "read", number: EISDIR) }
    guard kind == S_IFREG || !onlyRegular else {
      throw FileError(.notAFile, "\(name) is not a file", hint: "Pipes and devices are not read here.")
    }
    let size = kind == S_IFREG ? Int(information.st_size) : 0
    guard size <= limit else { throw tooLarge(name, limit) }
    // One byte more than the file, so that its end is detected without enlarging the buffer.
    var bytes = [UInt8](repeating: 0, count: max(size + 1, 4096))
    var count = 0
    while true {
      let got = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress! + count, $0.count - count) }
      if got < 0 && errno == EINTR { continue }
      guard got >= 0 else { throw FileError(name, cannotBe: "read", number: errno) }
      if got == 0 { break }
      count += got
      guard count <= limit else { throw tooLarge(name, limit) }
      if count == bytes.count { bytes.append(contentsOf: repeatElement(0, count: min(count, limit + 1 - count))) }
    }
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  fileprivate static func tooLarge(_ name: String, _ limit: Int) -> FileError {
    let text = limit >= 1 << 20 ? "\(limit >> 20) MiB" : "\(limit) bytes"
    return FileError(.tooLarge, "\(name) has more than \(text)", hint: "Check that it is the right file.")
  }
}

/// An open regular file that is not a link, whose size is known before it is read.
package final class OpenFile: Sendable {
  private let descriptor: Int32
  private let name: String
  /// The size in bytes.
  package let size: Int

  /// Opens a file by its path.
  package convenience init(_ path: String, limit: Int) throws(FileError) {
    try self.init(open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), name: path, limit: limit)
  }

  /// Opens a file of a folder by the bytes of its name.
  package convenience init(_ name: [UInt8], in folder: String, limit: Int) throws(FileError) {
    let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { throw FileError(folder, cannotBe: "read", number: errno) }
    defer { close(directory) }
    let path = name.map(CChar.init(bitPattern:)) + [0]
    try self.init(
      openat(directory, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK),
      name: String(decoding: name, as: UTF8.self), limit: limit)
  }

  /// Creates the file from the result of open(2), and takes over closing it.
  private init(_ descriptor: Int32, name: String, limit: Int) throws(FileError) {
    guard descriptor >= 0 else { throw FileError(name, cannotBe: "read", number: errno) }
    // The error is thrown before all members are set: otherwise `deinit` would close the descriptor a second time.
    let problem: FileError?
    var information = stat()
    if fstat(descriptor, &information) != 0 {
      problem = FileError(name, cannotBe: "read", number: errno)
    } else if information.st_mode & S_IFMT != S_IFREG {
      problem = FileError(.notAFile, "\(name) is not a file", hint: "Pipes and devices are not read here.")
    } else {
      problem = information.st_size > limit ? WholeFile.tooLarge(name, limit) : nil
    }
    if let problem {
      close(descriptor)
      throw problem
    }
    self.descriptor = descriptor
    self.name = name
    size = Int(information.st_size)
  }

  deinit { close(descriptor) }

  /// Reads the bytes up to the size at opening; fewer if the file has shrunk.
  package func read() throws(FileError) -> [UInt8] {
    var number: Int32?
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      while count < buffer.count {
        let got = pread(descriptor, buffer.baseAddress! + count, buffer.count - count, count)
        if got < 0, errno == EINTR { continue }
        if got < 0 { number = errno }
        if got <= 0 { break }
        count += got
      }
    }
    if let number { throw FileError(name, cannotBe: "read", number: number) }
    return bytes
  }
}

/// The kind of file at a path.
package enum FileKind: Sendable {
  case regular, folder
  /// A pipe, a device, a socket.
  case special

  /// Creates the kind of the file at a path; nil if stat(2) fails, for example because the file is missing.
  package init?(_ path: String) {
    var information = stat()
    guard stat(path, &information) == 0 else { return nil }
    switch information.st_mode & S_IFMT {
    case S_IFREG: self = .regular
    case S_IFDIR: self = .folder
    default: self = .special
    }
  }
}

// MARK: - Errors

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
