import WaymarkDocuments
package import WaymarkImage
package import WaymarkSystem
package import WaymarkWorker

/// Looks for pages in the colours of live frames, several times a second: in one worker, which is ended when nothing was asked for a while. From
/// any thread, one look at a time.
package final class PageWorker: Sendable {
  /// Seconds after the last look for which the worker stays.
  package static let idleTime = 5.0
  /// The most bytes of a page's place: four corners, its bends, its size.
  private static let answerLimit = 512 + 8 * PageBends.numberLimit
  /// nil: everything is done in this process.
  private let worker: IdleWorker<PersistentWorker>?
  private let limit: Double
  private let settlingLimit: Double

  /// - Parameters:
  ///   - launcher: how the worker is started; nil: everything in this process.
  ///   - limit: how long one look may take, in seconds.
  ///   - settlingLimit: how long the look at a page that is captured may take, in seconds.
  init(_ launcher: WorkerLauncher?, _ ledger: WorkerMonitor, limit: Double, settlingLimit: Double) {
    worker = launcher.map { IdleWorker(PersistentWorker($0, ledger), idleTime: Self.idleTime) }
    self.limit = limit
    self.settlingLimit = settlingLimit
  }

  /// Where the page is in a picture file; nil where there is none, and where the look was lost with the worker. Blocks.
  ///
  /// - Parameters:
  ///   - near: where it was a moment ago; nil: it is looked for everywhere.
  ///   - now: the time, in seconds.
  package func place(_ file: [UInt8], near: Quadrilateral?, now: Double) -> PageLocation? {
    location(file, PageRequest(.place(near: near)), limit: limit, now: now)
  }

  /// Where exactly the page is in a picture file, known to be about there or looked for everywhere; nil where there is none, and where the
  /// look was lost with the worker. Blocks, longer than `place` may.
  package func settle(_ file: [UInt8], near: Quadrilateral?, now: Double) -> PageLocation? {
    location(file, PageRequest(.settled(near: near)), limit: settlingLimit, now: now)
  }

  private func location(_ file: [UInt8], _ order: PageRequest, limit: Double, now: Double) -> PageLocation? {
    let result: PageRequest.Result? =
      if let worker {
        worker.use(now: now) {
          $0.use { worker throws(WorkerFailure) -> PageRequest.Result? in
            let answer = try worker.ask(order, on: file, byteLimit: Self.answerLimit, limit: limit)
            // A frame that cannot be decoded shows no page.
            guard case .success(let result) = answer else { return nil }
            guard case .place = result else { throw .malformedAnswer }
            return result
          } ?? nil
        }
      } else {
        try? file.withUnsafeBytes { try order.result($0) }
      }
    guard case .place(let place) = result else { return nil }
    return place
  }

  /// Ends the worker if it was not needed for a while.
  ///
  /// - Returns: seconds after which it is to be looked at again; nil when none runs.
  package func rest(now: Double) -> Double? { worker?.rest(now: now) }

  /// The process that looks now; nil also while it is at work.
  package var process: Int32? { worker?.process }
}

extension Isolation {
  /// How long the exact outline of a captured page may take, in seconds: its lane waits meanwhile, and is not to count as hung.
  private static let settlingLimit = 8.0

  /// Looks for pages in the colours of live frames, in a worker that stays as long as it is used, unlike `page`.
  package func pageWorker() -> PageWorker {
    PageWorker(launcher, ledger, limit: limits.frame, settlingLimit: Self.settlingLimit)
  }

  /// Looks for the page in a picture file, or makes its picture. Blocks.
  ///
  /// - Parameter stop: ends the worker when raised.
  /// - Throws: `ImageError`, `WorkerFailure`.
  package func page(_ file: [UInt8], _ order: PageRequest, or stop: StopSignal? = nil) throws -> PageRequest.Result {
    try result(of: order, on: file, or: stop)
  }
}
