import WaymarkBarcodes
import WaymarkImage

/// Reads the codes of live frames in a worker that stays. Used by one thread, which it holds for as long as its limit says at most.
final class CodeWorker {
  private let standing: StandingWorker
  private let limit: Double
  private let stages: StageTimes?
  private var known: Set<String> = []

  /// The stages that are told apart within a reading, and how many names a worker may tell.
  private static let stageLimit = 8

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
    guard answer.worked, answer.count <= 8 << 20 else { throw .nonsense }
    do throws(WireReader.Nonsense) {
      var wire = WireReader(worker.arena.takeOutput(answer.count))
      let reading = try ScanReading(&wire)
      let times = try wire.list(upTo: Self.stageLimit) { wire throws(WireReader.Nonsense) in
        let name = try wire.text(upTo: 16)
        guard name.utf8.allSatisfy({ (0x61...0x7A).contains($0) }) else { throw WireReader.Nonsense() }
        return (name, try wire.real())
      }
      guard wire.isAtEnd else { throw WireReader.Nonsense() }
      for (name, seconds) in times where known.contains(name) || known.count < Self.stageLimit {
        known.insert(name)
        stages?.record(name, seconds)
      }
      return reading
    } catch {
      throw .nonsense
    }
  }
}
