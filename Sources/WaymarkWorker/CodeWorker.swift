import WaymarkBarcodes
import WaymarkImage

/// Reads the codes of live frames in a worker that stays. Used by one thread, which it holds for as long as its limit says at most.
final class CodeWorker {
  private let launcher: WorkerLauncher
  private let ledger: WorkerLedger
  private let limit: Double
  private let stages: StageTimes?
  private var supervisor = WorkerSupervisor()
  private var worker: WorkerProcess?
  private var known: Set<String> = []

  /// The stages that are told apart within a reading, and how many names a worker may tell.
  private static let stageLimit = 8

  /// - Parameters:
  ///   - limit: how long one frame may take, in seconds.
  ///   - stages: where the times within a reading go.
  init(_ launcher: WorkerLauncher, _ ledger: WorkerLedger, limit: Double, stages: StageTimes? = nil) {
    self.launcher = launcher
    self.ledger = ledger
    self.limit = limit
    self.stages = stages
  }

  /// The process that reads now.
  var process: Int32? {
    switch worker {
    case nil: nil
    case .some(let worker): worker.process
    }
  }

  /// The codes in a frame; nil when the frame was lost with a worker.
  func read(_ frame: Frame, _ configuration: ScanConfiguration) -> ScanReading? {
    do throws(WorkerFailure) {
      switch supervisor.handle(.wanted, at: MonotonicClock.now) {
      case .start:
        worker = try launcher.start()
        ledger.count { $0.starts += 1 }
      case .rest:
        ledger.count { $0.lost += 1 }
        return nil
      case .use, nil: break
      }
      let reading = try ask(frame, configuration)
      _ = supervisor.handle(.answered, at: MonotonicClock.now)
      return reading
    } catch {
      if error != .tooLarge {
        worker = nil
        _ = supervisor.handle(.failed, at: MonotonicClock.now)
      }
      ledger.report(error)
      return nil
    }
  }

  private func ask(_ frame: Frame, _ configuration: ScanConfiguration) throws(WorkerFailure) -> ScanReading? {
    let count = frame.width * frame.height
    guard count <= WorkerArena.inputLimit else { throw .tooLarge }
    guard count > 0 else { return ScanReading() }
    switch worker {
    case nil: return nil
    case .some(let worker):
      frame.image.withView { view in
        worker.arena.input.copyMemory(from: UnsafeRawBufferPointer(start: view.base, count: count))
      }
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
}
