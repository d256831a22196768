import WaymarkDocuments
package import WaymarkImage
package import WaymarkSystem
package import WaymarkWorker

/// Finds pages by the colours of a picture, on the lane's thread.
package struct PageColours: Sendable {
  /// Finds the page in a picture file, near an outline, or anywhere if nil. Blocks for about as long as decoding a frame.
  let find: @Sendable (_ picture: () -> [UInt8]?, _ near: Quadrilateral?) -> PageLocation?
  /// Finds the exact outline of the page in a picture file, near an outline, or anywhere if nil.
  let settle: @Sendable (_ picture: [UInt8], _ near: Quadrilateral?) -> PageLocation?

  package init(
    find: @escaping @Sendable (_ picture: () -> [UInt8]?, _ near: Quadrilateral?) -> PageLocation?,
    settle: @escaping @Sendable (_ picture: [UInt8], _ near: Quadrilateral?) -> PageLocation?
  ) {
    self.find = find
    self.settle = settle
  }
}

/// Finds pages in the colours of live frames, in a worker that is ended when it is idle. Can be used from any thread, one request
/// at a time.
package final class PageWorker: Sendable {
  /// Seconds from the last request until the worker is ended.
  package static let idleTime = 5.0
  /// The largest size of an answer in bytes: the outlines, the bends, the score and the size of the picture.
  private static let answerLimit = 512 + 8 * PageBends.numberLimit
  /// Nil if requests run in this process.
  private let worker: IdleWorker<PersistentWorker>?
  private let limit: Double
  private let settlingLimit: Double

  /// - Parameters:
  ///   - launcher: starts the worker; nil to run requests in this process.
  ///   - limit: the seconds that `place` may take.
  ///   - settlingLimit: the seconds that `settle` may take.
  init(_ launcher: WorkerLauncher?, _ ledger: WorkerMonitor, limit: Double, settlingLimit: Double) {
    worker = launcher.map { IdleWorker(PersistentWorker($0, ledger), idleTime: Self.idleTime) }
    self.limit = limit
    self.settlingLimit = settlingLimit
  }

  /// Finds the page in a picture file; nil also if the worker was lost. Blocks.
  ///
  /// - Parameters:
  ///   - near: the outline to search around; nil to search everywhere.
  ///   - now: the time in seconds.
  package func place(_ file: [UInt8], near: Quadrilateral?, now: Double) -> PageLocation? {
    location(file, PageRequest(.place(near: near)), limit: limit, now: now)
  }

  /// Finds the exact outline of the page in a picture file; nil also if the worker was lost. Blocks, and takes longer than `place`.
  package func settle(_ file: [UInt8], near: Quadrilateral?, now: Double) -> PageLocation? {
    location(file, PageRequest(.settled(near: near)), limit: settlingLimit, now: now)
  }

  private func location(_ file: [UInt8], _ order: PageRequest, limit: Double, now: Double) -> PageLocation? {
    let result: PageRequest.Result? =
      if let worker {
        worker.use(now: now) {
          $0.use { worker throws(WorkerFailure) -> PageRequest.Result? in
            let answer = try worker.ask(order, on: file, byteLimit: Self.answerLimit, limit: limit)
            // A damaged frame shows no page.
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

  /// Ends the worker if it is idle.
  ///
  /// - Returns: the seconds until the next call; nil if no worker runs.
  package func rest(now: Double) -> Double? { worker?.rest(now: now) }

  /// The process id of the worker; nil without a worker, and while it answers a request.
  package var process: Int32? { worker?.process }
}

extension Isolation {
  /// The seconds that `settle` may take: fewer than the time after which the waiting lane counts as hung.
  private static let settlingLimit = 8.0

  /// Creates a worker that answers many requests, whereas `page` uses a new worker for each request.
  package func pageWorker() -> PageWorker {
    PageWorker(launcher, ledger, limit: limits.frame, settlingLimit: Self.settlingLimit)
  }

  /// Runs a request on a picture file. Blocks.
  ///
  /// - Parameter stop: ends the worker when raised.
  /// - Throws: `ImageError` if the picture cannot be decoded or encoded; `WorkerFailure` if the worker did not answer.
  package func page(_ file: [UInt8], _ order: PageRequest, or stop: StopSignal? = nil) throws -> PageRequest.Result {
    try result(of: order, on: file, or: stop)
  }
}
