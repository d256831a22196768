import ArgumentParser
import CDispatch
import FoundationEssentials
import Glibc
package import WaymarkImage
import WaymarkSystem
package import WaymarkWorker

/// One input of a scan, as named on the command line. `InputPage` below is one page of such an input; `FileIdentity`
/// and `FileState` describe its file.
package struct ScanInput: Sendable {
  package enum Source: Sendable {
    case file(String)
    /// A file whose name is not UTF-8.
    case bytes([UInt8])
    case standardInput
    /// The input cannot be read, for this reason.
    case unreadable(ImageError)
  }

  /// The name in results; bytes that are not UTF-8 appear as `\xFF`.
  package let name: String
  package let source: Source
  /// True if the input was found in a folder, not named itself.
  package var isFound = false
  /// The file for the annotated picture, if any.
  package var annotation: String?
}

extension ScanInput {
  private init(path: [UInt8], isFound: Bool) {
    let text = String(validating: path, as: UTF8.self)
    self.init(name: text ?? Self.spelt(path), source: text.map(Source.file) ?? .bytes(path), isFound: isFound)
  }

  /// Checks the common arguments of the commands that read pictures.
  ///
  /// - Throws: `ValidationError` if there is no input, standard input occurs twice, or a number is out of range.
  package static func check(_ inputs: [String], maxPixels: Int, jobs: Int? = nil) throws {
    guard !inputs.isEmpty else { throw ValidationError("Name at least one picture, folder, or -.") }
    guard jobs.map({ (1...256).contains($0) }) ?? true else { throw ValidationError("--jobs takes 1 to 256.") }
    guard maxPixels > 0 else { throw ValidationError("--max-pixels takes a number above 0.") }
    guard inputs.count(where: { $0 == "-" }) <= 1 else {
      throw ValidationError("Standard input can be read only once.")
    }
  }

  /// Returns the inputs named by arguments: files, `-` for standard input, and folders with all their contents.
  ///
  /// The contents of a folder are sorted by name. Hidden entries and files that are not regular are skipped; links to folders are
  /// not followed.
  package static func expand(_ arguments: [String]) -> [ScanInput] {
    // The parser replaces invalid bytes in arguments that are not UTF-8, so the original bytes are looked up here.
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

  /// Returns the names in a folder as bytes, sorted, without hidden entries; `nil` if the folder cannot be read.
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

  /// Returns a path as text, with bytes that are not UTF-8 written as `\xFF`.
  private static func spelt(_ path: [UInt8]) -> String {
    if let text = String(validating: path, as: UTF8.self) { return text }
    return path.reduce(into: "") { text, byte in
      text +=
        (0x20...0x7E).contains(byte) ? String(Unicode.Scalar(byte)) : "\\x" + String(byte, radix: 16, uppercase: true)
    }
  }

  private var path: [UInt8]? {
    switch source {
    case .file(let path): Array(path.utf8)
    case .bytes(let path): path
    case .standardInput, .unreadable: nil
    }
  }

  /// The state of the input's file; `nil` if it is not a regular file.
  package var state: FileState? {
    path.flatMap(regularFile).map {
      FileState(size: Int($0.st_size), modified: $0.st_mtim.tv_sec * 1_000_000_000 + $0.st_mtim.tv_nsec)
    }
  }

  /// The identity of the input's file; `nil` if it is not a regular file.
  package var identity: FileIdentity? { path.flatMap(FileIdentity.init) }

  /// Returns the pages of the file: one page, unless its format has pages.
  ///
  /// - Throws: `ImageError` if the input cannot be read, or the package that converts its format is not installed.
  package func pages(keepsColour: Bool) throws(ImageError) -> PicturePages {
    try PictureConverter().pages(of: try bytes(), keepsColour: keepsColour)
  }

  /// Returns the first page as a picture file that `PictureDecoder` can read.
  ///
  /// - Throws: `ImageError` if the input cannot be read or converted.
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

  /// The seconds without data after which reading a pipe fails.
  private static let timeout = 5

  /// Reads a named pipe until its writers have closed it.
  private static func readPipe(_ path: String) throws(ImageError) -> [UInt8] {
    // Without O_NONBLOCK, opening a pipe waits for a writer without limit.
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

// MARK: - Identity and state of files

/// The identity of a file, independent of its name.
package struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let number: UInt64

  /// Creates the identity of the regular file at a path; nil if the path has no regular file.
  package init?(_ path: [UInt8]) {
    guard let status = regularFile(path) else { return nil }
    device = UInt64(status.st_dev)
    number = UInt64(status.st_ino)
  }
}

/// Returns the result of stat(2) for the regular file at a path; nil if the path has no regular file.
private func regularFile(_ path: [UInt8]) -> stat? {
  var status = stat()
  guard stat(path.map { CChar(bitPattern: $0) } + [0], &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
    return nil
  }
  return status
}

/// The size and modification time of a file; a file is unchanged if both are.
package struct FileState: Codable, Hashable {
  package let size: Int
  /// The modification time, in nanoseconds since 1970.
  package let modified: Int
}

// MARK: - Pages

/// A page of an input, which is converted when it is read.
package struct InputPage {
  package let input: ScanInput
  /// The number of the page, from 1, in a file with several pages; else `nil`.
  package let number: Int?
  private let pages: Result<PicturePages, ImageError>

  init(input: ScanInput, number: Int?, pages: Result<PicturePages, ImageError>) {
    (self.input, self.number, self.pages) = (input, number, pages)
  }

  /// Returns the pages of an input. An unreadable input has one page, whose `read` throws.
  ///
  /// - Parameter keepsColour: false if the colours of a large page need not be kept.
  package static func pages(of input: ScanInput, keepsColour: Bool) -> [InputPage] {
    do throws(ImageError) {
      let pages = try input.pages(keepsColour: keepsColour)
      let count = try pages.count()
      guard count > 1 else { return [InputPage(input: input, number: nil, pages: .success(pages))] }
      return (1...count).map { InputPage(input: input, number: $0, pages: .success(pages)) }
    } catch {
      return [InputPage(input: input, number: nil, pages: .failure(error))]
    }
  }

  /// Returns the page as a picture file that `PictureDecoder` can read.
  ///
  /// - Throws: `ImageError` if the input cannot be read, or the page cannot be converted.
  package func read() throws(ImageError) -> [UInt8] { try pages.get().page(number ?? 1) }

  /// The name of the page, for people.
  package var name: String { Self.name(input.name, number) }

  /// Returns the name of an input, or of one of its pages, for people.
  ///
  /// - Parameter page: the number of the page, from 1, in a file with several pages; else `nil`.
  package static func name(_ input: String, _ page: Int?) -> String { page.map { "\(input), page \($0)" } ?? input }
}
