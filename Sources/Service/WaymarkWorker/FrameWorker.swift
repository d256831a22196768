import WaymarkFrames
import WaymarkImage
import WaymarkSystem

/// Decodes the Motion JPEG frames of a camera or stream in a persistent worker; `PictureWorker` below decodes picture files. Not thread-safe; the caller waits at most
/// `limit` seconds for an answer.
final class FrameWorker: FrameDecoder {
  private let persistent: PersistentWorker
  private let limit: Double

  /// Creates a decoder whose worker starts at its first use.
  ///
  /// - Parameters:
  ///   - limit: the maximum seconds to wait for an answer.
  ///   - now: returns the time in seconds, which determines the pauses after failures.
  init(
    _ launcher: WorkerLauncher, _ ledger: WorkerMonitor, limit: Double,
    now: @escaping @Sendable () -> Double = { MonotonicClock.now }
  ) {
    persistent = PersistentWorker(launcher, ledger, now: now)
    self.limit = limit
  }

  var process: Int32? { persistent.process }

  func prepare() { persistent.prepare() }

  func gray(
    _ picture: UnsafeRawBufferPointer, _ order: DecodeRequest, stop: StopSignal?, use: (ImageView) -> Void
  ) -> DecodeOutcome {
    let outcome = persistent.use(until: stop) { worker throws(WorkerFailure) in
      try Self.hand(picture, order, to: worker)
      let answer = try worker.ask(WorkerRequest.frame(size: picture.count, order), limit: limit, or: stop)
      // The worker's message is dropped: it is written for picture files of a user.
      guard answer.worked else { return DecodeOutcome.damaged }
      let output = worker.arena.output
      guard let reply = GrayReply(output, count: answer.count), reply.width == order.scaledWidth,
        reply.height == order.scaledHeight, let base = reply.pixels(in: output).baseAddress
      else { throw .malformedAnswer }
      guard !reply.isTruncated else { return .damaged }
      use(
        ImageView(
          base: UnsafePointer(base.assumingMemoryBound(to: UInt8.self)), width: reply.width, height: reply.height,
          stride: reply.width))
      return reply.isDamaged ? .damagedButDecoded : .clean
    }
    return outcome ?? .lost
  }

  func preview(
    _ picture: UnsafeRawBufferPointer, _ order: DecodeRequest, orientation: Orientation, quality: Int
  ) -> [UInt8]? {
    let file = persistent.use { worker throws(WorkerFailure) -> [UInt8]? in
      try Self.hand(picture, order, to: worker)
      let request = WorkerRequest.preview(size: picture.count, order, orientation, quality: quality)
      let answer = try worker.ask(request, limit: limit)
      guard answer.worked else { return nil }
      // The file is never larger than the pixels and a header.
      guard answer.count <= 3 * order.scaledWidth * order.scaledHeight + 1 << 16 else { throw .malformedAnswer }
      let file = worker.arena.takeOutput(answer.count)
      guard file.starts(with: [0xFF, 0xD8]) else { throw .malformedAnswer }
      return file
    }
    return file ?? nil
  }

  private static func hand(
    _ picture: UnsafeRawBufferPointer, _ order: DecodeRequest, to worker: borrowing WorkerProcess
  ) throws(WorkerFailure) {
    guard picture.count <= WorkerArena.inputLimit, (1...65535).contains(order.width),
      (1...65535).contains(order.height), order.scaledWidth * order.scaledHeight <= GrayReply.pixelLimit
    else { throw .tooLarge }
    worker.arena.input.copyMemory(from: picture)
  }
}

// MARK: - Picture files

/// Decodes picture files to gray in a persistent worker, which ends with this object. Not thread-safe.
final class PictureWorker {
  private let persistent: PersistentWorker
  private let limit: Double
  /// The memory of the pictures, reused since a folder source decodes up to 30 per second.
  private var pool = FramePool()

  init(_ launcher: WorkerLauncher, _ ledger: WorkerMonitor, limit: Double) {
    persistent = PersistentWorker(launcher, ledger)
    self.limit = limit
  }

  /// Decodes a picture file to gray.
  ///
  /// - Throws: `ImageError` if the file cannot be decoded, `WorkerFailure` if the worker fails.
  func gray(_ file: [UInt8]) throws -> GrayImage {
    let result = persistent.use { worker throws(WorkerFailure) -> Result<GrayImage, ImageError> in
      guard file.count <= WorkerArena.inputLimit else { throw .tooLarge }
      worker.arena.input.copyBytes(from: file)
      let answer = try worker.ask(WorkerRequest.gray(size: file.count), limit: limit)
      guard answer.worked else { return .failure(try worker.error(answer.count)) }
      let output = worker.arena.output
      guard let reply = GrayReply(output, count: answer.count) else { throw .malformedAnswer }
      let pixels = UnsafeRawBufferPointer(reply.pixels(in: output))
      let buffer = pool.take(capacity: pixels.count)
      UnsafeMutableRawBufferPointer(start: buffer.bytes, count: pixels.count).copyMemory(from: pixels)
      return .success(GrayImage(width: reply.width, height: reply.height, buffer: buffer))
    }
    guard let result else { throw persistent.lastFailure ?? WorkerFailure.crashed(signal: nil) }
    return try result.get()
  }
}
