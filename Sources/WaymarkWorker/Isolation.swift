package import WaymarkBarcodes
package import WaymarkImage
package import WaymarkSystem

/// Where the C libraries that read codes and pictures run: in worker processes that can do nothing else, or in this one.
package final class Isolation: Sendable {
  private let launcher: WorkerLauncher?
  private let ledger: WorkerLedger
  /// How long a worker may take, in seconds.
  package struct Limits: Sendable {
    /// For the codes of one frame: far more than any takes, far less than what the service counts as hung.
    package var frame = 3.0
    /// For decoding one frame, which takes milliseconds: the camera waits meanwhile.
    package var decoding = 2.0
    /// For one picture file.
    package var picture = 30.0

    package init() {}
  }

  private let limits: Limits

  /// Everything in this process.
  package static let none = Isolation(launcher: nil) { _ in }

  /// - Parameters:
  ///   - launcher: how workers are started; nil: everything in this process.
  ///   - limits: how long one may take.
  ///   - onFailure: hears of every worker that failed, on the thread that needed it.
  package init(
    launcher: WorkerLauncher?, limits: Limits = Limits(), onFailure: @escaping @Sendable (WorkerFailure) -> Void
  ) {
    self.launcher = launcher
    self.limits = limits
    ledger = WorkerLedger(onFailure: onFailure)
  }

  /// What the workers have done; nil without any.
  package var figures: WorkerFigures? { launcher == nil ? nil : ledger.figures }

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
    guard let launcher else { return { try PictureDecoder().gray($0).image } }
    let worker = PictureWorker(launcher, ledger, limit: limits.picture)
    return { try worker.gray($0) }
  }

  // MARK: Picture files

  /// The codes in a picture file and the picture's size. Blocks.
  ///
  /// - Parameter stop: ends the worker when raised.
  /// - Throws: `ImageError`, `BarcodeError`, `WorkerFailure`.
  package func codes(
    in file: [UInt8], _ configuration: ScanConfiguration, or stop: StopSignal? = nil
  ) throws -> (reading: ScanReading, width: Int, height: Int) {
    guard launcher != nil else {
      let image = try PictureDecoder().gray(file).image
      var scanner = try BarcodeScanner(configuration)
      return (image.withView { scanner.scan($0) }, image.width, image.height)
    }
    let request = WorkerRequest.codesInFile(size: file.count, configuration)
    return try inWorker(file, request, limit: CodeReply.byteLimit, or: stop) { wire throws(WireReader.Malformed) in
      let size = try Self.size(&wire)
      return (try ScanReading(&wire), size.width, size.height)
    }
  }

  /// A picture file made ready for a client. Blocks.
  ///
  /// - Parameter stop: ends the worker when raised.
  /// - Throws: `ImageError`, `WorkerFailure`.
  package func prepare(_ file: [UInt8], width: Int?, or stop: StopSignal? = nil) throws -> PreparedPicture {
    guard launcher != nil else {
      return try file.withUnsafeBytes { bytes throws(ImageError) in try PreparedPicture(bytes, width: width) }
    }
    let request = WorkerRequest.prepared(size: file.count, width: width)
    return try inWorker(file, request, limit: WorkerArena.outputLimit, or: stop) { wire throws(WireReader.Malformed) in
      try PreparedPicture(&wire)
    }
  }

  /// A picture file in gray. Blocks.
  ///
  /// - Throws: `ImageError`, `WorkerFailure`.
  package func gray(_ file: [UInt8]) throws -> GrayImage {
    guard let launcher else { return try PictureDecoder().gray(file).image }
    // Of its own: what one picture did to it reaches no other.
    return try PictureWorker(launcher, ledger, limit: limits.picture).gray(file)
  }

  /// What is wanted of the page in a picture file. Blocks.
  ///
  /// - Parameter stop: ends the worker when raised.
  /// - Throws: `ImageError`, `WorkerFailure`.
  package func page(_ file: [UInt8], _ order: PageOrder, or stop: StopSignal? = nil) throws -> PageOrder.Result {
    guard launcher != nil else {
      return try file.withUnsafeBytes { bytes throws(ImageError) in try order.result(bytes) }
    }
    var wire = WireWriter()
    order.write(to: &wire)
    let request = WorkerRequest.page(size: wire.bytes.count + file.count, order: wire.bytes.count)
    return try inWorker(wire.bytes + file, request, limit: WorkerArena.outputLimit, or: stop) {
      wire throws(WireReader.Malformed) in try PageOrder.Result(&wire)
    }
  }

  private static func size(_ wire: inout WireReader) throws(WireReader.Malformed) -> (width: Int, height: Int) {
    let limit = PictureDecoder.defaultPixelLimit
    let (width, height) = (try wire.count(upTo: limit), try wire.count(upTo: limit))
    guard width > 0, height > 0, width * height <= limit else { throw WireReader.Malformed() }
    return (width, height)
  }

  /// Asks a worker of its own: what one picture did to it reaches no other picture.
  ///
  /// - Parameter byteLimit: what no answer is larger than.
  private func inWorker<T>(
    _ file: [UInt8], _ request: WorkerRequest, limit byteLimit: Int, or stop: StopSignal?,
    _ read: (inout WireReader) throws(WireReader.Malformed) -> T
  ) throws -> T {
    do {
      guard let launcher, file.count <= WorkerArena.inputLimit else { throw WorkerFailure.tooLarge }
      let worker = try launcher.start()
      ledger.count { $0.starts += 1 }
      worker.arena.input.copyBytes(from: file)
      let answer = try worker.ask(request, limit: limits.picture, or: stop)
      guard answer.count <= (answer.worked ? byteLimit : ImageError.byteLimit) else {
        throw WorkerFailure.malformedAnswer
      }
      var wire = WireReader(worker.arena.takeOutput(answer.count))
      do {
        if !answer.worked { throw try ImageError(&wire) }
        let value = try read(&wire)
        guard wire.isAtEnd else { throw WireReader.Malformed() }
        return value
      } catch is WireReader.Malformed {
        throw WorkerFailure.malformedAnswer
      }
    } catch let failure as WorkerFailure {
      // Nothing is wrong with a picture that nobody waits for any longer.
      if case .interrupted = failure { throw failure }
      ledger.report(failure)
      throw failure
    }
  }
}
