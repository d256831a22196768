package import CSandbox
import Glibc
package import WaymarkImage
package import WaymarkSystem

/// Starts the worker processes of this program or of another program with the same protocol. The file also has the running worker
/// (`WorkerProcess`), its failures (`WorkerFailure`), and their counts (`WorkerCounts`, `WorkerMonitor`).
package struct WorkerLauncher: Hashable, Sendable {
  /// The first argument of the executable when it runs as a worker.
  package static let argument = "worker"

  package let executable: String
  /// The arguments of the process, beginning with the name shown in lists of processes.
  private let arguments: [String]
  /// The seconds within which a started worker must set up its sandbox, enough for a loaded machine.
  package var startLimit = 10.0

  /// Creates a launcher for `executable`, which runs as a worker if its first argument is `argument`. The default is this program,
  /// even if its file was replaced since it started.
  package init(executable: String = "/proc/self/exe") {
    self.init(executable: executable, arguments: ["waymark-worker", Self.argument])
  }

  /// Creates a launcher for another program that follows the protocol of workers.
  package init(executable: String, arguments: [String]) {
    self.executable = executable
    self.arguments = arguments
  }

  /// Starts a worker and waits until its sandbox is set up.
  ///
  /// - Throws: `cannotStart` if the process cannot be started or its sandbox cannot be set up, or the failure of the wait.
  package func start() throws(WorkerFailure) -> WorkerProcess {
    let process = try spawn()
    try process.waitUntilReady(within: startLimit)
    return process
  }

  /// Starts a worker without waiting for its sandbox.
  ///
  /// - Throws: `cannotStart` if the process or its shared memory cannot be made.
  package func spawn() throws(WorkerFailure) -> WorkerProcess {
    var worker = csandbox_worker(process: 0, channel: -1, arena: -1)
    var arguments: [UnsafeMutablePointer<CChar>?] = self.arguments.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    let result = csandbox_spawn(executable, &arguments, WorkerArena.size, &worker)
    guard result == 0 else { throw .cannotStart(reason: systemMessage(result)) }
    guard let arena = WorkerArena(owning: worker.arena) else {
      WorkerProcess.end(worker.process)
      close(worker.channel)
      throw .cannotStart(reason: "there is no address space for its shared memory")
    }
    return WorkerProcess(worker, arena: arena)
  }
}

// MARK: - Processes

/// A running worker, which is ended with this value. Not thread-safe.
package struct WorkerProcess: ~Copyable {
  /// The seconds to wait for the end of a worker that has closed its channel. The kernel takes a while to release a large process.
  private static let endLimit = 0.5

  package let process: CInt
  private let channel: CInt
  package let arena: WorkerArena

  /// Takes ownership of a worker that was just started.
  package init(_ worker: csandbox_worker, arena: consuming WorkerArena) {
    process = worker.process
    channel = worker.channel
    self.arena = arena
  }

  /// Waits until the worker reports that its sandbox is set up.
  package func waitUntilReady(within limit: Double, or stop: StopSignal? = nil) throws(WorkerFailure) {
    let answer = try receive(until: MonotonicClock.now + limit, or: stop)
    if answer[0] == WorkerEndpoint.refusal {
      let reason = systemMessage(CInt(truncatingIfNeeded: answer[1]))
      throw .cannotStart(reason: "it cannot set up its sandbox (\(reason))")
    }
    guard answer[0] == WorkerEndpoint.greeting else { throw .cannotStart(reason: "it did not report that it is ready") }
    guard answer[1] == 0 else {
      throw .cannotStart(reason: "its sandbox allows what it must refuse (\(String(answer[1], radix: 2)))")
    }
  }

  deinit {
    Self.end(process)
    close(channel)
  }

  package static func end(_ process: CInt) {
    kill(process, SIGKILL)
    while waitpid(process, nil, 0) < 0, errno == EINTR {}
  }

  /// Sends a request, and decodes the answer.
  ///
  /// - Parameters:
  ///   - byteLimit: the maximum bytes of the answer.
  ///   - limit: the seconds to wait for the answer.
  ///   - stop: ends the wait when raised; the worker cannot be used afterwards.
  /// - Returns: the answer, or the error about the picture.
  package func ask<Answer: WireValue>(
    _ request: some WireValue, for answer: Answer.Type, byteLimit: Int, limit: Double, or stop: StopSignal? = nil
  ) throws(WorkerFailure) -> Result<Answer, ImageError> {
    let reply = try ask(request, limit: limit, or: stop)
    return reply.worked
      ? .success(try take(answer, reply.count, byteLimit)) : .failure(try error(reply.count))
  }

  /// Decodes the worker's error about the picture from the first `count` bytes of the output.
  package func error(_ count: Int) throws(WorkerFailure) -> ImageError {
    try take(ImageError.self, count, ImageError.byteLimit)
  }

  private func take<Value: WireValue>(_ type: Value.Type, _ count: Int, _ limit: Int) throws(WorkerFailure) -> Value {
    guard count <= limit, let value = try? Value(wireBytes: arena.takeOutput(count)) else { throw .malformedAnswer }
    return value
  }

  /// Sends a request, and waits at most `limit` seconds for an answer in the arena.
  ///
  /// - Parameter stop: ends the wait when raised; the worker cannot be used afterwards.
  /// - Returns: true for a result and false for an error, and the number of its bytes in the arena.
  package func ask(
    _ request: some WireValue, limit: Double, or stop: StopSignal? = nil
  ) throws(WorkerFailure) -> (worked: Bool, count: Int) {
    let bytes = request.wireBytes
    // A message before the request is refused: a compromised worker could fill the channel with them.
    var early: UInt8 = 0
    guard recv(channel, &early, 1, CInt(MSG_PEEK | MSG_DONTWAIT)) <= 0 else { throw .malformedAnswer }
    let sent = bytes.withUnsafeBytes { send(channel, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL | MSG_DONTWAIT)) }
    if sent < 0, errno == EAGAIN { throw .malformedAnswer }
    guard sent == bytes.count else { throw .crashed(signal: signal()) }
    let answer = try receive(until: MonotonicClock.now + limit, or: stop)
    guard answer[0] <= 1, Int(answer[1]) <= WorkerArena.outputLimit else { throw .malformedAnswer }
    return (answer[0] == 0, Int(answer[1]))
  }

  /// Receives the two numbers of the next message.
  private func receive(until deadline: Double, or stop: StopSignal?) throws(WorkerFailure) -> [UInt32] {
    while true {
      try wait(until: deadline, or: stop)
      var numbers: [UInt32] = [0, 0]
      let count = numbers.withUnsafeMutableBytes { recv(channel, $0.baseAddress, $0.count, CInt(MSG_DONTWAIT)) }
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      if count <= 0 {
        let signal = signal()
        throw signal == SIGALRM ? .hung : .crashed(signal: signal)
      }
      guard count == 8 else { throw .malformedAnswer }
      return numbers.map(UInt32.init(littleEndian:))
    }
  }

  /// Waits for a message or the end of the worker.
  private func wait(until deadline: Double, or stop: StopSignal?) throws(WorkerFailure) {
    while true {
      let left = max(0, deadline - MonotonicClock.now)
      if let stop {
        switch stop.wait(for: channel, seconds: left) {
        case .ready: return
        case .stopped: throw .interrupted
        case .timedOut: throw .hung
        }
      }
      var waiting = pollfd(fd: channel, events: Int16(POLLIN), revents: 0)
      let ready = poll(&waiting, 1, CInt((left * 1000).rounded(.up)))
      if ready < 0, errno == EINTR { continue }
      guard ready > 0 else { throw .hung }
      return
    }
  }

  /// Returns the signal that ended the process, and leaves the exit status for `deinit` to collect; nil if the process ended
  /// without a signal.
  private func signal() -> Int32? {
    let deadline = MonotonicClock.now + Self.endLimit
    repeat {
      var information = siginfo_t()
      guard waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT | WNOHANG) == 0 else { return nil }
      if information._sifields._sigchld.si_pid != 0 {
        let killed = [CInt(CLD_KILLED), CInt(CLD_DUMPED)].contains(information.si_code)
        return killed ? information._sifields._sigchld.si_status : nil
      }
      // The process has closed its end of the channel, so it will probably end soon.
      poll(nil, 0, 1)
    } while MonotonicClock.now < deadline
    return nil
  }
}

// MARK: - Failures

/// The reason why a worker gave no result.
package enum WorkerFailure: Error, Hashable, Sendable {
  /// The worker could not be started, or did not set up its sandbox.
  case cannotStart(reason: String)
  /// The worker ended unexpectedly: by this signal, or by itself if the signal is nil.
  case crashed(signal: Int32?)
  /// The worker did not answer within its time limit, and was ended.
  case hung
  /// The worker's answer violates the bounds of its `WireValue`, or came unasked.
  case malformedAnswer
  /// The picture does not fit into the arena; the worker did not receive it.
  case tooLarge
  /// The worker was ended during its work, because the result is no longer needed.
  case interrupted

  /// A stable camelCase code for programs.
  package var code: String {
    switch self {
    case .cannotStart: "workerCannotStart"
    case .crashed: "workerCrashed"
    case .hung: "workerHung"
    case .malformedAnswer: "workerMalformedAnswer"
    case .tooLarge: "pictureTooLarge"
    case .interrupted: "workerInterrupted"
    }
  }

  package var message: String {
    switch self {
    case .cannotStart(let reason): "The worker that reads codes and pictures cannot be started: \(reason)."
    case .crashed(let signal?): "The worker that reads codes and pictures was ended by signal \(signal)."
    case .crashed(nil): "The worker that reads codes and pictures ended."
    case .hung: "The worker that reads codes and pictures did not answer in time and was ended."
    case .malformedAnswer: "The worker that reads codes and pictures sent a malformed answer and was ended."
    case .tooLarge: "The picture is larger than \(WorkerArena.inputLimit >> 20) MiB."
    case .interrupted: "The worker that reads codes and pictures was ended in the middle of its work."
    }
  }

  package var hint: String {
    switch self {
    case .cannotStart: "See docs/security.md; `isolation: off` reads in the service itself."
    case .crashed, .hung, .malformedAnswer:
      "The picture may have been crafted to do this. A new worker starts when one is needed."
    case .tooLarge: "Make it smaller."
    case .interrupted: "Ask again if the result is still needed."
    }
  }
}

// MARK: - Counts

/// The counts of workers since the service was started.
package struct WorkerCounts: Sendable, Equatable {
  package var starts = 0
  /// The workers that ended by themselves or sent malformed answers.
  package var crashes = 0
  /// The workers that were ended because they did not answer in time.
  package var hangs = 0
  /// The frames and pictures that were lost because a worker failed or could not be started.
  package var lost = 0
  /// The number of failures for each `WorkerFailure.code`.
  package var failures: [String: Int] = [:]

  package init() {}

  package mutating func count(_ failure: WorkerFailure) {
    switch failure {
    case .hung: hangs += 1
    case .crashed, .malformedAnswer: crashes += 1
    case .cannotStart, .tooLarge, .interrupted: break
    }
    lost += 1
    failures[failure.code, default: 0] += 1
  }
}

/// Counts the workers and their failures. Thread-safe.
package final class WorkerMonitor: Sendable {
  private let counted = Monitor(WorkerCounts())
  private let onFailure: @Sendable (WorkerFailure) -> Void

  /// Creates a monitor that calls `onFailure` with each failure, on the thread that used the worker.
  package init(onFailure: @escaping @Sendable (WorkerFailure) -> Void) { self.onFailure = onFailure }

  package var figures: WorkerCounts { counted.withLock { $0 } }

  package func count(_ body: (inout WorkerCounts) -> Void) { counted.withLock { body(&$0) } }

  package func report(_ failure: WorkerFailure) {
    count { $0.count(failure) }
    onFailure(failure)
  }
}
