import CDispatch
import Foundation
import Glibc
package import WaymarkImage
import WaymarkSystem
package import WaymarkWorker

/// One thing to scan, as the person named it.
package struct ScanInput: Sendable {
  /// Where its bytes come from.
  package enum Source: Sendable {
    case file(String)
    /// A file whose name is not UTF-8.
    case bytes([UInt8])
    case standardInput
    /// Nothing to read; why.
    case unreadable(ImageError)
  }

  /// The name in results; bytes that are not UTF-8 are written as `\xFF`.
  package let name: String
  package let source: Source
  /// True if it was found below a folder.
  package let isFound: Bool
  /// Where to draw what was found.
  package var annotation: String?

  package init(name: String, source: Source, isFound: Bool = false) {
    self.name = name
    self.source = source
    self.isFound = isFound
  }

  private init(path: [UInt8], isFound: Bool) {
    let text = String(validating: path, as: UTF8.self)
    self.init(name: text ?? Self.spelt(path), source: text.map(Source.file) ?? .bytes(path), isFound: isFound)
  }

  /// Files as they are, `-` for standard input, folders with all that is in them and below.
  ///
  /// Inside folders the order is that of the names; hidden entries and what is not a regular file are left out, links to
  /// folders are not followed.
  package static func expand(_ arguments: [String]) -> [ScanInput] {
    // Arguments that are not UTF-8 reach the parser with their bytes replaced.
    var raw: [String: [UInt8]] = [:]
    for case let pointer? in UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc)) {
      let bytes = Array(UnsafeRawBufferPointer(start: pointer, count: strlen(pointer)))
      if String(validating: bytes, as: UTF8.self) == nil { raw[String(decoding: bytes, as: UTF8.self)] = bytes }
    }
    return arguments.flatMap { argument -> [ScanInput] in
      if argument == "-" { return [ScanInput(name: "-", source: .standardInput)] }
      let path = raw[argument] ?? Array(argument.utf8)
      return mode(of: path, follows: true) == S_IFDIR ? contents(of: path) : [ScanInput(path: path, isFound: false)]
    }
  }

  private static func contents(of folder: [UInt8]) -> [ScanInput] {
    var found: [ScanInput] = []
    func visit(_ folder: [UInt8]) {
      guard let names = names(in: folder) else {
        let problem = ImageError(
          .cannotOpen, "the folder cannot be listed: \(String(cString: strerror(errno)))",
          hint: "Give this user permission to read it.")
        found.append(ScanInput(name: spelt(folder), source: .unreadable(problem)))
        return
      }
      for name in names {
        let path = folder + (folder.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]) + name
        switch mode(of: path, follows: false) {
        case S_IFDIR: visit(path)
        case S_IFREG: found.append(ScanInput(path: path, isFound: true))
        case S_IFLNK where mode(of: path, follows: true) == S_IFREG: found.append(ScanInput(path: path, isFound: true))
        default: continue
        }
      }
    }
    visit(folder)
    if found.isEmpty {
      let problem = ImageError(.cannotOpen, "the folder holds no files", hint: "Name a folder with pictures in it.")
      found.append(ScanInput(name: spelt(folder), source: .unreadable(problem)))
    }
    return found
  }

  /// The names in a folder as the system has them, sorted, hidden ones left out; nil when it cannot be read.
  private static func names(in folder: [UInt8]) -> [[UInt8]]? {
    guard let stream = opendir(folder.map { CChar(bitPattern: $0) } + [0]) else { return nil }
    defer { closedir(stream) }
    var names: [[UInt8]] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if name.first != UInt8(ascii: ".") { names.append(name) }
    }
    return names.sorted { $0.lexicographicallyPrecedes($1) }
  }

  private static func mode(of path: [UInt8], follows: Bool) -> mode_t? {
    var status = stat()
    let path = path.map { CChar(bitPattern: $0) } + [0]
    guard (follows ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
    return status.st_mode & S_IFMT
  }

  /// A name with the bytes spelt out that are not UTF-8.
  private static func spelt(_ path: [UInt8]) -> String {
    if let text = String(validating: path, as: UTF8.self) { return text }
    return path.reduce(into: "") { text, byte in
      text +=
        (0x20...0x7E).contains(byte) ? String(Unicode.Scalar(byte)) : "\\x" + String(byte, radix: 16, uppercase: true)
    }
  }

  /// The size and time of its file; nil without one.
  package var state: FileState? {
    let path: [UInt8]
    switch source {
    case .file(let name): path = Array(name.utf8)
    case .bytes(let name): path = name
    case .standardInput, .unreadable: return nil
    }
    var status = stat()
    guard stat(path.map { CChar(bitPattern: $0) } + [0], &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    return FileState(
      size: Int(status.st_size), modified: status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec)
  }

  /// Which file it is, where it is one.
  package var identity: FileIdentity? {
    switch source {
    case .file(let path): FileIdentity(path)
    case .bytes(let path): FileIdentity(path)
    case .standardInput, .unreadable: nil
    }
  }

  /// The pages of the file: one, unless it is of a format that has pages.
  package func pages(keepsColour: Bool) throws(ImageError) -> PicturePages {
    try PictureConverter().pages(of: try bytes(), keepsColour: keepsColour)
  }

  /// The file, or its first page, as a file that `PictureDecoder` reads.
  package func read(keepsColour: Bool) throws(ImageError) -> [UInt8] { try pages(keepsColour: keepsColour).page(1) }

  private func bytes() throws(ImageError) -> [UInt8] {
    switch source {
    case .file(let path):
      if Self.mode(of: Array(path.utf8), follows: true) == S_IFIFO { return try Self.readPipe(path) }
      return try PictureFile.read(path)
    case .bytes(let path):
      let descriptor = open(path.map { CChar(bitPattern: $0) } + [0], O_RDONLY | O_CLOEXEC | O_NONBLOCK)
      guard descriptor >= 0 else {
        throw ImageError(
          .cannotOpen, "it cannot be read: \(String(cString: strerror(errno)))",
          hint: "Check that it is still there and who may read it.")
      }
      defer { close(descriptor) }
      return try PictureFile.read("/proc/self/fd/\(descriptor)")
    case .standardInput: return try PictureFile.readStandardInput()
    case .unreadable(let problem): throw problem
    }
  }

  /// Seconds after which a pipe that nobody writes into is given up.
  private static let timeout = 5

  /// All that comes out of a named pipe, as long as somebody writes.
  private static func readPipe(_ path: String) throws(ImageError) -> [UInt8] {
    // Opening it the usual way waits for a writer for ever.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw ImageError(
        .cannotOpen, "it cannot be read: \(String(cString: strerror(errno)))",
        hint: "Give this user permission to read it.")
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = poll(&waiting, 1, Int32(timeout * 1000))
      if ready < 0, errno == EINTR { continue }
      guard ready > 0 else {
        throw ImageError(
          .cannotOpen, "nothing came out of this pipe for \(timeout) seconds",
          hint: "Start the program that writes to it first, or read from standard input with -.")
      }
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0 else { return bytes }
      bytes += chunk[..<count]
      guard bytes.count <= PictureFile.byteLimit else {
        throw ImageError(
          .fileTooLarge, "it has more than \(PictureFile.byteLimit >> 20) MB",
          hint: "If it is a picture, scale it down.")
      }
    }
  }
}

/// The identity of a file, whatever it is called.
package struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let number: UInt64

  /// The file at a path; nil when there is none.
  package init?(_ path: String) { self.init(Array(path.utf8)) }

  package init?(_ path: [UInt8]) {
    var status = stat()
    guard stat(path.map { CChar(bitPattern: $0) } + [0], &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    device = UInt64(status.st_dev)
    number = UInt64(status.st_ino)
  }
}

/// The size and time of a file: as long as both stay, so does the file.
package struct FileState: Codable, Hashable {
  package let size: Int
  /// In nanoseconds since 1970.
  package let modified: Int
}
