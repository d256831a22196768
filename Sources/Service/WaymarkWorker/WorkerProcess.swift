package import CSandbox
package import Glibc
package import WaymarkImage
package import WaymarkSystem

/// How workers are started.
package struct WorkerLauncher: Hashable, Sendable {
  /// The argument that makes the executable a worker.
  package static let argument = "worker"

  /// The program.
  package let executable: String
  /// The name in lists of processes, and the arguments.
  private let arguments: [String]
  /// How long it may take from its start until it has set up its sandbox, in seconds: a machine under load included.
  package var startLimit = 10.0

  /// `executable` is a worker when its first argument is `argument`. Usually that is the program that runs now,
  /// even when its file was replaced meanwhile.
  package init(executable: String = "/proc/self/exe") {
    self.init(executable: executable, arguments: ["waymark-worker", Self.argument])
  }

  /// A program that greets and answers as a worker does.
  package init(executable: String, arguments: [String]) {
    self.executable = executable
    self.arguments = arguments
  }

  /// A worker in its sandbox.
  package func start() throws(WorkerFailure) -> WorkerProcess {
    let process = try spawn()
    try process.waitUntilReady(within: startLimit)
    return process
  }

  /// A worker before it sets up its sandbox.
  package func spawn() throws(WorkerFailure) -> WorkerProcess {
    var worker = csandbox_worker(process: 0, channel: -1, arena: -1)
    var arguments: [UnsafeMutablePointer<CChar>?] = self.arguments.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    let result = csandbox_spawn(executable, &arguments, WorkerArena.size, &worker)
    guard result == 0 else { throw .cannotStart(reason: String(cString: strerror(result))) }
    guard let arena = WorkerArena(owning: worker.arena) else {
      WorkerProcess.end(worker.process)
      close(worker.channel)
      throw .cannotStart(reason: "there is no address space for its shared memory")
    }
    return WorkerProcess(worker, arena: arena)
  }
}

/// A running worker; ended with this value. One thread at a time.
package struct WorkerProcess: ~Copyable {
  /// How long the end of one that closed its channel is waited for, in seconds: a large one takes a while to be taken apart.
  private static let endLimit = 0.5

  package let process: pid_t
  private let channel: CInt
  package let arena: WorkerArena

  /// Takes a worker over that was just started.
  package init(_ worker: csandbox_worker, arena: consuming WorkerArena) {
    process = worker.process
    channel = worker.channel
    self.arena = arena
  }

  /// Waits until it reports that its sandbox is set up.
  package func waitUntilReady(within limit: Double, or stop: StopSignal? = nil) throws(WorkerFailure) {
    let answer = try receive(until: MonotonicClock.now + limit, or: stop)
    if answer[0] == WorkerEndpoint.refusal {
      let reason = String(cString: strerror(CInt(truncatingIfNeeded: answer[1])))
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

  package static func end(_ process: pid_t) {
    kill(process, SIGKILL)
    while waitpid(process, nil, 0) < 0, errno == EINTR {}
  }

  /// Asks, and reads the answer as it is described.
  ///
  /// - Parameters:
  ///   - byteLimit: what no answer is larger than.
  ///   - limit: how long it may take, in seconds.
  ///   - stop: gives up when raised; the worker is of no use then.
  /// - Returns: the answer, or what is wrong with the picture.
  package func ask<Answer: WireValue>(
    _ request: some WireValue, for answer: Answer.Type, byteLimit: Int, limit: Double, or stop: StopSignal? = nil
  ) throws(WorkerFailure) -> Result<Answer, ImageError> {
    let reply = try ask(request, limit: limit, or: stop)
    return reply.worked
      ? .success(try take(answer, reply.count, byteLimit)) : .failure(try error(reply.count))
  }

  /// Reads the error that the worker tells of the picture.
  package func error(_ count: Int) throws(WorkerFailure) -> ImageError {
    try take(ImageError.self, count, ImageError.byteLimit)
  }

  private func take<Value: WireValue>(_ type: Value.Type, _ count: Int, _ limit: Int) throws(WorkerFailure) -> Value {
    guard count <= limit, let value = try? Value(wireBytes: arena.takeOutput(count)) else { throw .malformedAnswer }
    return value
  }

  /// Asks and waits for the answer's length in the arena, `limit` seconds at most.
  ///
  /// - Parameter stop: gives up when raised; the worker is of no use then.
  /// - Returns: whether it worked (else the output is an error), and how many bytes of output there are.
  package func ask(
    _ request: some WireValue, limit: Double, or stop: StopSignal? = nil
  ) throws(WorkerFailure) -> (worked: Bool, count: Int) {
    let bytes = request.wireBytes
    // Nobody answers before they are asked; who does fills the channel until a request finds no room.
    var early: UInt8 = 0
    guard recv(channel, &early, 1, CInt(MSG_PEEK | MSG_DONTWAIT)) <= 0 else { throw .malformedAnswer }
    let sent = bytes.withUnsafeBytes { send(channel, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL | MSG_DONTWAIT)) }
    if sent < 0, errno == EAGAIN { throw .malformedAnswer }
    guard sent == bytes.count else { throw .crashed(signal: signal()) }
    let answer = try receive(until: MonotonicClock.now + limit, or: stop)
    guard answer[0] <= 1, Int(answer[1]) <= WorkerArena.outputLimit else { throw .malformedAnswer }
    return (answer[0] == 0, Int(answer[1]))
  }

  /// The numbers of the next message.
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

  /// Waits until there is a message, or the end of the worker.
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

  /// The signal that ended the process, without taking its status away from `deinit`.
  private func signal() -> Int32? {
    let deadline = MonotonicClock.now + Self.endLimit
    repeat {
      var information = siginfo_t()
      guard waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT | WNOHANG) == 0 else { return nil }
      if information._sifields._sigchld.si_pid != 0 {
        let killed = [CInt(CLD_KILLED), CInt(CLD_DUMPED)].contains(information.si_code)
        return killed ? information._sifields._sigchld.si_status : nil
      }
      // Its end of the channel is closed, so that its end is near, or it is not a worker any more.
      poll(nil, 0, 1)
    } while MonotonicClock.now < deadline
    return nil
  }
}
