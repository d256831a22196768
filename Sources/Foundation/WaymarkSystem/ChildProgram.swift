import Glibc

/// Runs another program, which is looked up in `PATH`, until it ends (`posix_spawnp`, `waitpid`).
///
/// Workers are not started by this type: a worker has no environment, no output, and ends with the thread that started it.
package enum ChildProgram {
  /// The path of the executable that runs; nil if /proc is not mounted.
  package static var ownPath: String? {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &path, path.count - 1)
    return count > 0 ? String(decoding: path[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
  }

  /// The status and the output of a program that has ended.
  package struct Result: Sendable {
    /// The exit status, or 128 plus the number of the signal that ended the program.
    package let status: Int32
    /// The signal that ended the program, if any.
    package let signal: Int32?
    /// True if the program was killed because of its timeout.
    package let isOverdue: Bool
    /// The bytes of the program's standard output and standard error.
    package let output, diagnostics: [UInt8]
  }

  /// The environment and the timeout of a confined program.
  ///
  /// The program has its own process group and the default signal handlers, and inherits only the standard descriptors.
  package struct Confinement: Sendable {
    /// All environment variables of the program.
    package var environment: [String: String]
    /// The seconds after which the program is killed with its process group.
    package var timeout: Double

    package init(environment: [String: String], timeout: Double) {
      self.environment = environment
      self.timeout = timeout
    }
  }

  /// Milliseconds between two checks whether a confined program has ended.
  private static let interval: Int32 = 20

  /// Runs a program and reads its output.
  ///
  /// - Parameters:
  ///   - input: the file for the program's standard input.
  ///   - outputLimit: the bytes that are kept of each output; the rest is discarded.
  ///   - isJoined: true to redirect standard error to standard output.
  ///   - confinement: nil to give the program this process's environment and read its output to the end.
  package static func capture(
    _ words: [String], input: String = "/dev/null", outputLimit: Int = 16 << 20, isJoined: Bool = false,
    confinement: Confinement? = nil
  ) throws(FileError) -> Result {
    guard let (output, outputEnd) = pipe(limit: outputLimit) else {
      throw FileError(words[0], cannotBe: "started", number: errno)
    }
    guard let (diagnostics, diagnosticsEnd) = pipe(limit: outputLimit) else {
      close(outputEnd)
      throw FileError(words[0], cannotBe: "started", number: errno)
    }
    let spawned = Swift.Result { () throws(FileError) in
      try spawn(words, confinement) {
        posix_spawn_file_actions_addopen(&$0, STDIN_FILENO, input, O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&$0, outputEnd, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&$0, isJoined ? outputEnd : diagnosticsEnd, STDERR_FILENO)
      }
    }
    for end in [outputEnd, diagnosticsEnd] { close(end) }
    let process = try spawned.get()
    let deadline = confinement.map { MonotonicClock.now + $0.timeout }
    var status: Int32?
    repeat {
      var waiting = [output, diagnostics].map {
        pollfd(fd: $0.isOpen ? $0.descriptor : -1, events: Int16(POLLIN), revents: 0)
      }
      poll(&waiting, 2, deadline == nil ? -1 : interval)
      output.read()
      diagnostics.read()
      if deadline != nil { status = wait(for: process, WNOHANG) }
    } while deadline.map { status == nil && MonotonicClock.now < $0 } ?? (output.isOpen || diagnostics.isOpen)
    let isOverdue = deadline != nil && status == nil
    if deadline != nil { kill(-process, SIGKILL) }
    let end = status ?? wait(for: process) ?? 0
    output.read()
    diagnostics.read()
    let signal = end & 0x7F
    return Result(
      status: code(end), signal: signal == 0 ? nil : signal, isOverdue: isOverdue, output: output.bytes,
      diagnostics: diagnostics.bytes)
  }

  /// Runs a program whose output and errors both go to the standard error of this process.
  ///
  /// - Returns: the exit status, or 128 plus the number of the signal that ended the program.
  package static func run(_ words: [String]) throws(FileError) -> Int32 {
    let process = try spawn(words, nil) { posix_spawn_file_actions_adddup2(&$0, STDERR_FILENO, STDOUT_FILENO) }
    return code(wait(for: process) ?? 0)
  }

  private static func spawn(
    _ words: [String], _ confinement: Confinement?, _ redirect: (inout posix_spawn_file_actions_t) -> Void
  ) throws(FileError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    redirect(&actions)
    if confinement != nil {
      // Closing a descriptor that is closed already has no effect.
      for descriptor in ((try? Folder.names("/proc/self/fd")) ?? []).compactMap(Int32.init)
      where descriptor > STDERR_FILENO { posix_spawn_file_actions_addclose(&actions, descriptor) }
      var signals = sigset_t()
      sigemptyset(&signals)
      posix_spawnattr_setsigmask(&attributes, &signals)
      sigfillset(&signals)
      posix_spawnattr_setsigdefault(&attributes, &signals)
      posix_spawnattr_setpgroup(&attributes, 0)
      posix_spawnattr_setflags(
        &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    }
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    let environment = confinement?.environment ?? [:]
    var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var process: pid_t = 0
    let number =
      confinement == nil
      ? posix_spawnp(&process, words[0], &actions, &attributes, &arguments, environ)
      : posix_spawnp(&process, words[0], &actions, &attributes, &arguments, &variables)
    guard number == 0 else { throw FileError(words[0], cannotBe: "started", number: number) }
    return process
  }

  /// Returns the status of a program that has ended, as waitpid(2) reports it; nil if it still runs.
  private static func wait(for process: pid_t, _ options: Int32 = 0) -> Int32? {
    var status: Int32 = 0
    while true {
      let ended = waitpid(process, &status, options)
      if ended < 0, errno == EINTR { continue }
      return ended == 0 ? nil : status
    }
  }

  private static func code(_ status: Int32) -> Int32 {
    let signal = status & 0x7F
    return signal == 0 ? status >> 8 & 0xFF : 128 + signal
  }

  private static func pipe(limit: Int) -> (reader: Reader, writer: Int32)? {
    var ends: [Int32] = [-1, -1]
    guard Glibc.pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (Reader(ends[0], limit: limit), ends[1])
  }

  /// Reads a pipe without waiting, and closes it.
  private final class Reader {
    let descriptor: Int32
    private let limit: Int
    private(set) var bytes: [UInt8] = []
    private(set) var isOpen = true

    init(_ descriptor: Int32, limit: Int) {
      self.descriptor = descriptor
      self.limit = limit
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    deinit { close(descriptor) }

    /// Reads the available bytes, a bounded amount at a time, because a program may write without end.
    func read() {
      var chunk = [UInt8](repeating: 0, count: 1 << 16)
      for _ in 0..<64 where isOpen {
        let count = Glibc.read(descriptor, &chunk, chunk.count)
        if count < 0 {
          isOpen = errno == EAGAIN || errno == EINTR
          return
        }
        guard count > 0 else {
          isOpen = false
          return
        }
        bytes += chunk[..<count].prefix(limit - bytes.count)
      }
    }
  }
}
