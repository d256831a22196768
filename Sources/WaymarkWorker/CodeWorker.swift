import WaymarkBarcodes
import WaymarkImage

/// Reads the codes of live frames in a worker that stays. Used by one thread, which it holds for as long as its limit says at most.
final class CodeWorker {
  private let standing: StandingWorker
  private let limit: Double
  private let stages: StageTimes?
  /// The names that were told: no worker makes the service remember more of them than there are stages.
  private var known: Set<String> = []

  /// - Parameters:
  ///   - limit: how long one frame may take, in seconds.
  ///   - stages: where the times within a reading go.
  init(_ launcher: WorkerLauncher, _ ledger: WorkerLedger, limit: Double, stages: StageTimes? = nil) {
    standing = StandingWorker(launcher, ledger)
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
    let answer = try worker.ask(request, limit: limit)
    guard answer.worked, answer.count <= CodeReply.byteLimit else { throw .malformedAnswer }
    guard let reply = try? CodeReply(worker.arena.takeOutput(answer.count)) else { throw .malformedAnswer }
    for stage in reply.stages where known.contains(stage.name) || known.count < CodeReply.stageLimit {
      known.insert(stage.name)
      stages?.record(stage.name, stage.seconds)
    }
    return reply.reading
  }
}
