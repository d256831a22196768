import Glibc

/// The few file operations that sources need.
enum FileBytes {
  /// Whether `path` is a folder; nil when there is nothing.
  static func isFolder(_ path: String) -> Bool? {
    var information = stat()
    guard stat(path, &information) == 0 else { return nil }
    return information.st_mode & S_IFMT == S_IFDIR
  }

  /// The names in a folder, in no order; nil when it may not be read.
  static func names(in folder: String) -> [String]? {
    guard let directory = opendir(folder) else { return nil }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      // The name is the struct's last member: an array that ends with a NUL.
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  /// A whole file; nil when it cannot be read, or is none: opening a pipe would wait for who writes into it.
  static func read(_ path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var information = stat()
    guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else { return nil }
    var failed = false
    let bytes = [UInt8](unsafeUninitializedCapacity: Int(information.st_size)) { buffer, count in
      while count < buffer.count {
        let got = Glibc.read(descriptor, buffer.baseAddress! + count, buffer.count - count)
        if got < 0 && errno == EINTR { continue }
        if got <= 0 {
          failed = got < 0
          break
        }
        count += got
      }
    }
    return failed ? nil : bytes
  }
}

/// A file that is open for reading; closed when the value ends, unless it is standard input.
struct InputFile: ~Copyable {
  let descriptor: CInt

  /// Opens `path`; `-` is standard input.
  init(path: String) throws(SourceError) {
    let opened = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard opened >= 0 else { throw .cannotOpen(path, reason: String(cString: strerror(errno))) }
    descriptor = opened
  }

  /// Whether it is a plain file: one that has an end, and can be read again.
  var isPlain: Bool {
    var information = stat()
    return fstat(descriptor, &information) == 0 && information.st_mode & S_IFMT == S_IFREG
  }

  deinit { if descriptor != STDIN_FILENO { close(descriptor) } }
}
