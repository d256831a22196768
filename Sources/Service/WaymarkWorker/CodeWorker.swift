import WaymarkBarcodes
import WaymarkFrames
import WaymarkImage

/// Keeps the scanner between pictures. One thread.
struct CodeReader: ~Copyable {
  private var scanner: BarcodeScanner?
  /// Where the times of stages go.
  private let stages: StageTimes?

  init(stages: StageTimes? = nil) {
    scanner = nil
    self.stages = stages
  }

  /// The codes in a picture; nothing when there is nothing to look for.
  mutating func read(_ view: ImageView, _ configuration: ScanConfiguration) -> ScanReading {
    prepare(configuration)
    return scanner?.scan(view) ?? ScanReading()
  }

  /// The codes in a picture file, and the picture.
  mutating func read(
    _ file: UnsafeRawBufferPointer, _ configuration: ScanConfiguration
  ) throws(ImageError) -> (image: GrayImage, reading: ScanReading) {
    prepare(configuration)
    guard let found = try scanner?.scan(file) else { return (try PictureDecoder().gray(file).image, ScanReading()) }
    return (found.picture.image, found.reading)
  }

  private mutating func prepare(_ configuration: ScanConfiguration) {
    if scanner?.configuration != configuration {
      scanner = try? BarcodeScanner(configuration)
      // Once a scanner: what is set through an optional that cannot be copied is retained each time and never released.
      scanner?.stages = stages
    }
  }

  mutating func read(_ image: GrayImage, _ configuration: ScanConfiguration) -> ScanReading {
    // Not by `withView`: closures cannot borrow a noncopyable value while it is written.
    let reading = read(image.unsafeView, configuration)
    return withExtendedLifetime(image) { reading }
  }
}

/// Reads the codes of live frames in a worker that stays. Used by one thread, which it holds for as long as its limit says at most.
final class CodeWorker {
  private let standing: PersistentWorker
  private let limit: Double
  private let stages: StageTimes?
  /// The names that were told: no worker makes the service remember more of them than there are stages.
  private var known: Set<String> = []

  /// - Parameters:
  ///   - limit: how long one frame may take, in seconds.
  ///   - stages: where the times within a reading go.
  init(_ launcher: WorkerLauncher, _ ledger: WorkerMonitor, limit: Double, stages: StageTimes? = nil) {
    standing = PersistentWorker(launcher, ledger)
    self.limit = limit
    self.stages = stages
  }

  /// The process that reads now.
  var process: Int32? { standing.process }

  /// The codes in a frame; nil when the frame was lost with a worker.
  func read(_ frame: Frame, _ configuration: ScanConfiguration) -> ScanReading? {
    standing.use { worker throws(WorkerFailure) in try ask(worker, frame, configuration) }
  }

  private func ask(
    _ worker: borrowing WorkerProcess, _ frame: Frame, _ configuration: ScanConfiguration
  ) throws(WorkerFailure) -> ScanReading {
    let count = frame.width * frame.height
    guard count <= WorkerArena.inputLimit else { throw .tooLarge }
    guard count > 0 else { return ScanReading() }
    worker.arena.input.copyMemory(
      from: UnsafeRawBufferPointer(start: frame.image.unsafeView.base, count: count))
    let request = WorkerRequest.codes(width: frame.width, height: frame.height, configuration)
    let answer = try worker.ask(request, for: CodeReply.self, byteLimit: CodeReply.byteLimit, limit: limit)
    // There is no file that something could be wrong with.
    guard case .success(let reply) = answer else { throw .malformedAnswer }
    for stage in reply.stages where known.contains(stage.name) || known.count < CodeReply.stageLimit {
      known.insert(stage.name)
      stages?.record(stage.name, stage.seconds)
    }
    return reply.reading
  }
}
