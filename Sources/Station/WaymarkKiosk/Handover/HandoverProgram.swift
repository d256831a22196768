import Foundation
import WaymarkSystem

/// Runs the integrator's program for one result, with bounds in time and output.
///
/// The result lies in a folder of its own, which is gone afterwards. The program is started directly, never by a shell, gets the result's
/// description as JSON on its standard input, few variables, and no descriptor of the kiosk. It is a process group of its own, which is killed
/// when its time is over.
struct HandoverProgram: Sendable {
  /// The end that a result came to.
  enum Outcome: Equatable, Sendable {
    /// The program ended with 0.
    case done
    /// It ended with 75, EX_TEMPFAIL of sysexits.h: later it may go.
    case later
    /// It ended with another status, or by a signal.
    case failed(Int32)
    /// Its time was over.
    case tooLong
    /// It could not be started.
    case notStarted(String)
  }

  /// The bytes of output that are kept for the journal; what comes after them is read and thrown away.
  static let outputLimit = 2 << 10
  private static let temporaryFailure: Int32 = 75
  /// Milliseconds from one look at a program to the next.
  private static let look: Int32 = 20
  /// The variables that a program has, and those of the kiosk's that it is given.
  private static let fixed = ["PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8"]
  private static let variables = ["HOME", "USER", "TZ", "CUPS_SERVER"]

  let way: HandoverWay
  /// The folder in which results lie while a program works on them.
  var folder = NSTemporaryDirectory()

  /// Runs the program until it has ended. Gives the outcome and the beginning of the program's output.
  ///
  /// - Parameters:
  ///   - result: the bytes, with the ending of their file.
  ///   - number: the number by which the visitor and the staff know the result.
  ///   - description: what the program is told besides.
  func run(
    _ result: HandedResult, number: String, description: [JSONValue.Member]
  ) async -> (outcome: Outcome, output: String) {
    await withCheckedContinuation { continuation in
      // A thread of its own: it waits for as long as the program takes.
      Thread.detachNewThread { continuation.resume(returning: runAndWait(result, number, description)) }
    }
  }

  private func runAndWait(
    _ result: HandedResult, _ number: String, _ description: [JSONValue.Member]
  ) -> (outcome: Outcome, output: String) {
    var template = Array((folder as NSString).appendingPathComponent("waymark-handover-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { return (.notStarted("no folder in \(folder): errno \(errno)"), "") }
    let place = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    defer { try? FileManager.default.removeItem(atPath: place) }
    let file = "\(place)/\(number).\(result.ending)"
    let told = JSONValue.object(
      [
        JSONValue.Member("way", .string(way.name)), JSONValue.Member("number", .string(number)),
        JSONValue.Member("file", .string(file)), JSONValue.Member("type", .string(result.contentType)),
      ] + description)
    do {
      try Data(result.bytes).write(to: URL(fileURLWithPath: file))
      // A file in place of a pipe: a program that does not read it hinders nobody.
      try Data((told.compactText + "\n").utf8).write(to: URL(fileURLWithPath: "\(place)/request.json"))
    } catch {
      return (.notStarted(error.localizedDescription), "")
    }
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return (.notStarted("no pipe: errno \(errno)"), "") }
    // No other program that is started meanwhile is to hold the pipe open.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    defer { close(ends[0]) }
    var process: pid_t = 0
    let problem = spawn(
      &process, way.arguments(file: file, number: number), input: "\(place)/request.json", output: ends[1])
    close(ends[1])
    guard problem == 0 else { return (.notStarted("errno \(problem)"), "") }
    var output: [UInt8] = []
    let outcome = wait(for: process, reading: ends[0], into: &output)
    return (outcome, String(decoding: output, as: UTF8.self))
  }

  /// Starts the program in a group of its own, with the usual signals; 0, or an errno.
  private func spawn(
    _ process: inout pid_t, _ arguments: [String], input: String, output: Int32
  ) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input, O_RDONLY, 0)
    for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_adddup2(&actions, output, descriptor)
    }
    // All else that is open here stays here; closing one that is gone already does no harm.
    let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    for descriptor in open.compactMap(Int32.init) where descriptor > STDERR_FILENO {
      posix_spawn_file_actions_addclose(&actions, descriptor)
    }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    let known = ProcessInfo.processInfo.environment.filter { Self.variables.contains($0.key) }
    let environment = Self.fixed.merging(known) { own, _ in own }.map { "\($0.key)=\($0.value)" }
    var words = ([way.program] + arguments).map { strdup($0) } + [nil]
    var variables = environment.map { strdup($0) } + [nil]
    defer { for word in words + variables { free(word) } }
    return posix_spawn(&process, way.program, &actions, &attributes, &words, &variables)
  }

  /// Waits for the program's end or that of its time, and kills what it left running.
  private func wait(for process: pid_t, reading descriptor: Int32, into output: inout [UInt8]) -> Outcome {
    let end = MonotonicClock.now + Double(way.seconds)
    var (status, ended): (Int32, pid_t) = (0, 0)
    var isOpen = true
    repeat {
      if isOpen {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&waiting, 1, Self.look)
        isOpen = Self.drain(descriptor, into: &output)
      } else {
        // A program that has closed its output is still waited for.
        poll(nil, 0, Self.look)
      }
      ended = waitpid(process, &status, WNOHANG)
    } while ended == 0 && MonotonicClock.now < end
    kill(-process, SIGKILL)
    guard ended != 0 else {
      waitpid(process, &status, 0)
      return .tooLong
    }
    _ = Self.drain(descriptor, into: &output)
    // As WIFEXITED and WEXITSTATUS have it.
    guard status & 0x7F == 0 else { return .failed(status & 0x7F) }
    switch status >> 8 & 0xFF {
    case 0: return .done
    case Self.temporaryFailure: return .later
    case let other: return .failed(other)
    }
  }

  /// Reads all that there is, and keeps the beginning; false when nothing comes any more.
  private static func drain(_ descriptor: Int32, into output: inout [UInt8]) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4096)
    // A program that writes without end is read for a while, and then looked at again.
    for _ in 0..<64 {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0 { return errno == EAGAIN || errno == EINTR }
      guard count > 0 else { return false }
      output += buffer[..<count].prefix(outputLimit - output.count)
    }
    return true
  }
}
