import WaymarkImage
import WaymarkSystem

/// Makes gray pictures of picture files in a worker that lives as long as this. One thread.
final class PictureWorker {
  private let standing: StandingWorker
  private let limit: Double

  /// - Parameter limit: how long one picture may take, in seconds.
  init(_ launcher: WorkerLauncher, _ ledger: WorkerLedger, limit: Double) {
    standing = StandingWorker(launcher, ledger)
    self.limit = limit
  }

  /// A picture file in gray.
  ///
  /// - Throws: `ImageError`, `WorkerFailure`.
  func gray(_ file: [UInt8]) throws -> GrayImage {
    let result = standing.use { worker throws(WorkerFailure) -> Result<GrayImage, ImageError> in
      guard file.count <= WorkerArena.inputLimit else { throw .tooLarge }
      worker.arena.input.copyBytes(from: file)
      let answer = try worker.ask(.gray(size: file.count), limit: limit)
      let output = worker.arena.output
      guard answer.worked else {
        guard answer.count <= ImageError.byteLimit else { throw .malformedAnswer }
        var wire = WireReader(worker.arena.takeOutput(answer.count))
        guard let error = try? ImageError(&wire), wire.isAtEnd else { throw .malformedAnswer }
        return .failure(error)
      }
      guard let reply = GrayReply(output, count: answer.count) else { throw .malformedAnswer }
      return .success(
        GrayImage(width: reply.width, height: reply.height) { target in
          UnsafeMutableRawBufferPointer(target).copyMemory(from: UnsafeRawBufferPointer(reply.pixels(in: output)))
        })
    }
    guard let result else { throw standing.lastFailure ?? WorkerFailure.crashed(signal: nil) }
    return try result.get()
  }
}
