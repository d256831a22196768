package import WaymarkBarcodes
package import WaymarkFrames
package import WaymarkImage
package import WaymarkSystem

/// Runs the C libraries that read codes and pictures, in sandboxed worker processes or in this one.
package final class Isolation: Sendable {
  package let launcher: WorkerLauncher?
  package let ledger: WorkerMonitor
  /// How long a worker may take, in seconds.
  package struct Limits: Sendable {
    /// For the codes of one frame: far more than any takes, far less than what the service counts as hung.
    package var frame = 3.0
    /// For decoding one frame, which takes milliseconds: the camera waits meanwhile.
    package var decoding = 2.0
    /// For one picture file.
    package var picture = PictureConverter.usualLimit

    package init() {}
  }

  package let limits: Limits
  private let converter: PictureConverter

  /// Everything in this process.
  package static let none = Isolation(launcher: nil) { _ in }

  /// - Parameters:
  ///   - launcher: how workers are started; nil: everything in this process.
  ///   - limits: how long one may take.
  ///   - pictures: the program that converts files of other formats, where it is not the installed one.
  ///   - onFailure: hears of every worker that failed, on the thread that needed it.
  package init(
    launcher: WorkerLauncher?, limits: Limits = Limits(), pictures: String? = nil,
    onFailure: @escaping @Sendable (WorkerFailure) -> Void
  ) {
    self.launcher = launcher
    self.limits = limits
    ledger = WorkerMonitor(onFailure: onFailure)
    converter = PictureConverter(executable: pictures, limit: limits.picture, monitor: ledger)
  }

  /// The counts of the workers; nil without any.
  package var figures: WorkerCounts? { launcher == nil ? nil : ledger.figures }

  // MARK: Live frames

  /// Reads the codes of frames, for one thread: nil for a frame that was lost with a worker.
  ///
  /// - Parameter stages: where the times of the stages of a reading go.
  package func codeReading(stages: StageTimes? = nil) -> (Frame, ScanConfiguration) -> ScanReading? {
    guard let launcher else {
      let reader = LocalReader(stages)
      return { reader.read($0, $1) }
    }
    let worker = CodeWorker(launcher, ledger, limit: limits.frame, stages: stages)
    return { worker.read($0, $1) }
  }

  private final class LocalReader {
    private var reader: CodeReader

    init(_ stages: StageTimes?) { reader = CodeReader(stages: stages) }

    func read(_ frame: Frame, _ configuration: ScanConfiguration) -> ScanReading? {
      reader.read(frame.image, configuration)
    }
  }

  /// Decodes the frames of a camera or stream, for one thread; nil where they are decoded in this process.
  package func frameDecoder() -> (any FrameDecoder)? {
    launcher.map { FrameWorker($0, ledger, limit: limits.decoding) }
  }

  /// The same as a value to hand on.
  package var makeDecoder: MakeFrameDecoder { { [self] in frameDecoder() } }

  /// Makes gray pictures of files that are played like frames, for one thread: in a worker that stays, unlike `gray`.
  package func pictureReading() -> ([UInt8]) throws -> GrayImage {
    let converter = converter
    guard let launcher else { return { try PictureDecoder().gray(converter.picture($0, keepsColour: false)).image } }
    let worker = PictureWorker(launcher, ledger, limit: limits.picture)
    return { try worker.gray(converter.picture($0, keepsColour: false)) }
  }

  // MARK: Picture files

  /// The codes in a picture file, of several pages in the first, and the picture's size. Blocks.
  ///
  /// - Parameter stop: ends the worker when raised.
  /// - Throws: `ImageError`, `BarcodeError`, `WorkerFailure`.
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

  /// A picture file made ready for a client. Blocks.
  ///
  /// - Parameter stop: ends the worker when raised.
  /// - Throws: `ImageError`, `WorkerFailure`.
  package func prepare(_ file: [UInt8], width: Int?, or stop: StopSignal? = nil) throws -> PreparedPicture {
    // A converted picture is handed out in a format that every client shows.
    let asJPEG = PictureConverter.converts(file)
    let file = try converter.picture(file, keepsColour: true, or: stop)
    guard launcher != nil else {
      return try file.withUnsafeBytes { try PreparedPicture($0, width: width, asJPEG: asJPEG) }
    }
    return try inWorker(
      file, .prepared(size: file.count, width: width, asJPEG: asJPEG), PreparedPicture.self, or: stop)
  }

  /// A picture file in gray. Blocks.
  ///
  /// - Throws: `ImageError`, `WorkerFailure`.
  package func gray(_ file: [UInt8]) throws -> GrayImage {
    let file = try converter.picture(file, keepsColour: false)
    guard let launcher else { return try PictureDecoder().gray(file).image }
    // Of its own: what one picture did to it reaches no other.
    return try PictureWorker(launcher, ledger, limit: limits.picture).gray(file)
  }

  /// Has the program's own task done on a picture file, decoded in colour. Blocks.
  ///
  /// - Parameter stop: ends the worker when raised.
  /// - Throws: `ImageError`, `WorkerFailure`.
  package func result<Task: WorkerTask>(
    of task: Task, on file: [UInt8], or stop: StopSignal? = nil
  ) throws -> Task.Answer {
    let file = try converter.picture(file, keepsColour: true, or: stop)
    guard launcher != nil else {
      return try file.withUnsafeBytes { try task.result($0) }
    }
    return try inWorker(file, .task(size: file.count, task.wireBytes), Task.Answer.self, or: stop)
  }

  /// Asks a worker of its own: what one picture did to it reaches no other picture.
  private func inWorker<Answer: WireValue>(
    _ file: [UInt8], _ request: WorkerRequest, _ answer: Answer.Type, or stop: StopSignal?
  ) throws -> Answer {
    do {
      guard let launcher, file.count <= WorkerArena.inputLimit else { throw WorkerFailure.tooLarge }
      let worker = try launcher.start()
      ledger.count { $0.starts += 1 }
      worker.arena.input.copyBytes(from: file)
      // An answer about codes is short; one with a picture may be as large as that.
      let byteLimit = answer == FileCodesReply.self ? CodeReply.byteLimit : WorkerArena.outputLimit
      return try worker.ask(request, for: answer, byteLimit: byteLimit, limit: limits.picture, or: stop).get()
    } catch let failure as WorkerFailure {
      // Nothing is wrong with a picture that nobody waits for any longer.
      if case .interrupted = failure { throw failure }
      ledger.report(failure)
      throw failure
    }
  }
}
