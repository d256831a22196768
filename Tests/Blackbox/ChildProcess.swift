import Glibc

/// A program that was started and is waited for by its number.
///
/// Foundation's `Process` learns of the end from a descriptor that the child inherits, and takes a child that closes what it
/// inherited (as systemd's tools do) for one that has ended.
final class ChildProcess {
  let identifier: pid_t
  private var status: Int32?

  struct DidNotStart: Error { let reason: Int32 }

  /// Starts `command` (a full path first) without input and output.
  ///
  /// - Parameter diagnostics: the file its standard error goes to.
  init(_ command: [String], diagnostics: String) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 2, diagnostics, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    // Without the signals that this process blocks or ignores.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    var all = sigset_t()
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var arguments = command.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var identifier: pid_t = 0
    let result = posix_spawn(&identifier, command[0], &actions, &attributes, &arguments, environ)
    guard result == 0 else { throw DidNotStart(reason: result) }
    self.identifier = identifier
  }

  /// True if it has not ended yet.
  var isRunning: Bool {
    collect(WNOHANG)
    return status == nil
  }

  /// Sends a signal unless it has ended.
  func send(_ signal: Int32) { if isRunning { kill(identifier, signal) } }

  /// Waits for its end: its exit status, or the number of the signal that ended it.
  func wait() -> Int32 {
    while status == nil { collect(0) }
    return status ?? 0
  }

  private func collect(_ options: Int32) {
    guard status == nil else { return }
    var raw: Int32 = 0
    if waitpid(identifier, &raw, options) == identifier { status = raw & 0x7F == 0 ? (raw >> 8) & 0xFF : raw & 0x7F }
  }
}
