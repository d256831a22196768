import CSandbox
package import WaymarkBarcodes
package import WaymarkFrames
package import WaymarkImage
package import WaymarkSystem

/// Runs the C libraries that read codes and pictures, in sandboxed worker processes or in this one. `WorkerCheck` below
/// checks whether workers can be started.
package final class Isolation: Sendable {
  package let launcher: WorkerLauncher?
  package let ledger: WorkerMonitor
  /// The time limits of workers, in seconds.
  package struct Limits: Sendable {
    /// The time limit for reading the codes of a frame, in seconds: much longer than any frame takes, and much shorter than the 10
    /// seconds after which the service reports a hung lane.
    package var frame = 3.0
    /// The time limit for decoding a frame, in seconds. Decoding takes milliseconds, and the camera waits for it.
    package var decoding = 2.0
    /// The limit for a picture file.
    package var picture = PictureConverter.usualLimit

    package init() {}
  }

  package let limits: Limits
  private let converter: PictureConverter

  /// Reads codes and pictures in this process.
  package static let none = Isolation(launcher: nil) { _ in }

  /// Creates an isolation without starting a worker.
  ///
  /// - Parameters:
  ///   - launcher: starts the workers; nil to read everything in this process.
  ///   - pictures: the path of the program `waymark-pictures`; nil for the installed program.
  ///   - onFailure: called with each failure, on the thread that used the worker.
  package init(
    launcher: WorkerLauncher?, limits: Limits = Limits(), pictures: String? = nil,
    onFailure: @escaping @Sendable (WorkerFailure) -> Void
  ) {
    self.launcher = launcher
    self.limits = limits
    ledger = WorkerMonitor(onFailure: onFailure)
    converter = PictureConverter(executable: pictures, limit: limits.picture, monitor: ledger)
  }

  /// The counts of the workers; nil without workers.
  package var figures: WorkerCounts? { launcher == nil ? nil : ledger.figures }

  // MARK: Live frames

  /// Returns a function that reads the codes of frames, for use on one thread. The function returns nil if the worker failed or
  /// pauses after a failure.
  package func codeReading(stages: StageTimes? = nil) -> (Frame, ScanConfiguration) -> ScanReading? {
    guard let launcher else {
      let reader = CodeReader(stages: stages)
      return { frame, configuration in frame.image.withView { reader.read($0, configuration) } }
    }
    let worker = CodeWorker(launcher, ledger, limit: limits.frame, stages: stages)
    return { worker.read($0, $1) }
  }

  /// Returns a decoder for the frames of a camera or stream, for use on one thread; nil to decode frames in this process.
  package func frameDecoder() -> (any FrameDecoder)? {
    launcher.map { FrameWorker($0, ledger, limit: limits.decoding) }
  }

  /// `frameDecoder()` as a value, for sources that create their decoder on their own thread.
  package var makeDecoder: MakeFrameDecoder { { [self] in frameDecoder() } }

  /// Returns a function that decodes the files of a folder source to gray, for use on one thread. Unlike `gray`, it uses
  /// one worker for all files.
  package func pictureReading() -> ([UInt8]) throws -> GrayImage {
    let converter = converter
    guard let launcher else { return { try PictureDecoder().gray(converter.picture($0, keepsColour: false)).image } }
    let worker = PictureWorker(launcher, ledger, limit: limits.picture)
    return { try worker.gray(converter.picture($0, keepsColour: false)) }
  }

  // MARK: Picture files

  /// Reads the codes in the first page of a picture file, and the picture's size. Blocks.
  ///
  /// - Throws: `ImageError` if the file cannot be converted or decoded, `BarcodeError` if the scanner cannot be
  ///   created, `WorkerFailure` if the converter or the worker fails.
  package func codes(
    in file: [UInt8], _ configuration: ScanConfiguration, or stop: StopSignal? = nil
  ) throws -> (reading: ScanReading, width: Int, height: Int) {
    let file = try converter.picture(file, keepsColour: false, or: stop)
    guard launcher != nil else {
      var scanner = try BarcodeScanner(configuration)
      let found = try scanner.scan(file)
      return (found.reading, found.picture.image.width, found.picture.image.height)
    }
    let reply = try inWorker(file, .codesInFile(size: file.count, configuration), FileCodesReply.self, or: stop)
    return (reply.reading, reply.size.width, reply.size.height)
  }

  /// Prepares a picture file for a client. Blocks.
  ///
  /// - Parameter width: the maximum width in pixels; nil for no limit.
  /// - Throws: `ImageError` if the file cannot be converted or decoded, `WorkerFailure` if the converter or the worker
  ///   fails.
  package func prepare(_ file: [UInt8], width: Int?, or stop: StopSignal? = nil) throws -> PreparedPicture {
    // A converted picture becomes a JPEG, which every client can show.
    let asJPEG = PictureConverter.converts(file)
    let file = try converter.picture(file, keepsColour: true, or: stop)
    guard launcher != nil else {
      return try file.withUnsafeBytes { try PreparedPicture($0, width: width, asJPEG: asJPEG) }
    }
    return try inWorker(
      file, .prepared(size: file.count, width: width, asJPEG: asJPEG), PreparedPicture.self, or: stop)
  }

  /// Decodes a picture file to gray. Blocks.
  ///
  /// - Throws: `ImageError` if the file cannot be converted or decoded, `WorkerFailure` if the converter or the worker
  ///   fails.
  package func gray(_ file: [UInt8]) throws -> GrayImage {
    let file = try converter.picture(file, keepsColour: false)
    guard let launcher else { return try PictureDecoder().gray(file).image }
    // Each file has its own worker, so that a picture that compromises the worker cannot reach other pictures.
    return try PictureWorker(launcher, ledger, limit: limits.picture).gray(file)
  }

  /// Runs a task of the program on a picture file. Blocks.
  ///
  /// - Throws: `ImageError` if the file cannot be converted or the task fails on it, `WorkerFailure` if the converter
  ///   or the worker fails.
  package func result<Task: WorkerTask>(
    of task: Task, on file: [UInt8], or stop: StopSignal? = nil
  ) throws -> Task.Answer {
    let file = try converter.picture(file, keepsColour: true, or: stop)
    guard launcher != nil else {
      return try file.withUnsafeBytes { try task.result($0) }
    }
    return try inWorker(file, .task(size: file.count, task.wireBytes), Task.Answer.self, or: stop)
  }

  /// Sends a request to a new worker, so that a picture that compromises the worker cannot reach other pictures.
  private func inWorker<Answer: WireValue>(
    _ file: [UInt8], _ request: WorkerRequest, _ answer: Answer.Type, or stop: StopSignal?
  ) throws -> Answer {
    do {
      guard let launcher, file.count <= WorkerArena.inputLimit else { throw WorkerFailure.tooLarge }
      let worker = try launcher.start()
      ledger.count { $0.starts += 1 }
      worker.arena.input.copyBytes(from: file)
      // Answers with codes are short; answers with a picture can fill the output of the arena.
      let byteLimit = answer == FileCodesReply.self ? CodeReply.byteLimit : WorkerArena.outputLimit
      return try worker.ask(request, for: answer, byteLimit: byteLimit, limit: limits.picture, or: stop).get()
    } catch let failure as WorkerFailure {
      // An interruption is not a failure.
      if case .interrupted = failure { throw failure }
      ledger.report(failure)
      throw failure
    }
  }
}

// MARK: - Checks

/// Checks whether workers can be started on this system.
package struct WorkerCheck: Equatable, Sendable {
  /// The problem; nil if workers can be started.
  package let problem: String?
  /// The remedy; empty without a problem.
  package let hint: String
  /// The seconds in which a worker started and decoded a picture; 0 if there is a problem.
  package let seconds: Double

  private static let offHint =
    "Or set `isolation: off`, if every camera and every picture is trusted (docs/security.md)."

  /// The kernel features that workers need, each with a message and a hint in case it is missing.
  private static let needs: [(need: Int, what: String, hint: String)] = [
    (
      CSANDBOX_MEMORY, "The system refuses shared memory for workers (memfd_create)",
      "It needs Linux 3.17 or newer; in a container, allow memfd_create in its seccomp profile."
    ),
    (
      CSANDBOX_CHANNEL_PAIR, "The system refuses a channel to workers (socketpair)",
      "In a container or a unit of your own, allow Unix sockets (RestrictAddressFamilies=AF_UNIX)."
    ),
    (
      CSANDBOX_PROC, "The program cannot start itself again (/proc/self/exe)",
      "Mount /proc, and let the program's file be executable for the service's user."
    ),
    (
      CSANDBOX_FILTER, "Workers cannot set up their sandbox (seccomp filters)",
      "Use a kernel with CONFIG_SECCOMP_FILTER; in a container, allow prctl(PR_SET_SECCOMP)."
    ),
  ]

  /// Probes each kernel feature that workers need, and then starts a worker. Takes tens of milliseconds.
  package init(_ launcher: WorkerLauncher = WorkerLauncher()) {
    for (need, what, hint) in Self.needs {
      let result = csandbox_probe(CInt(need))
      guard result == 0 else {
        let reason = systemMessage(result)
        self.init(problem: "\(what): \(reason).", hint: "\(hint) \(Self.offHint)", seconds: 0)
        return
      }
    }
    let began = MonotonicClock.now
    do throws(WorkerFailure) {
      let worker = try launcher.start()
      guard try Self.decodes(worker) else { throw .malformedAnswer }
      self.init(problem: nil, hint: "", seconds: MonotonicClock.now - began)
    } catch {
      let hint = "Check the limits and the seccomp profile of the container or unit."
      self.init(problem: error.message, hint: "\(hint) \(Self.offHint)", seconds: 0)
    }
  }

  private init(problem: String?, hint: String, seconds: Double) {
    self.problem = problem
    self.hint = hint
    self.seconds = seconds
  }

  /// Returns whether the worker decodes a small picture correctly.
  private static func decodes(_ worker: borrowing WorkerProcess) throws(WorkerFailure) -> Bool {
    // A PNM file of 4 × 4 gray pixels.
    let file = Array("P5 4 4 255\n".utf8) + (0..<16).map { UInt8($0 * 16) }
    worker.arena.input.copyBytes(from: file)
    let answer = try worker.ask(WorkerRequest.gray(size: file.count), limit: 10)
    guard answer.worked, let reply = GrayReply(worker.arena.output, count: answer.count) else { return false }
    return reply.width == 4 && reply.height == 4
      && reply.pixels(in: worker.arena.output).elementsEqual(file.suffix(16))
  }
}
