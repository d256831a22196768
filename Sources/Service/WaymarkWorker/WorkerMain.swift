import CMemory
import CSandbox
import Glibc
import WaymarkBarcodes
import WaymarkFrames
import WaymarkImage
import WaymarkSystem

/// The main loop of a worker: sets up the sandbox, then reads codes and pictures until the daemon ends.
package struct WorkerMain: ~Copyable {
  /// The first argument of the executable when it runs as a worker.
  package static let argument = WorkerLauncher.argument
  /// The time limit for a request in seconds, a little longer than the time for which the daemon waits. It ends a hung worker whose
  /// daemon has ended.
  static let deadline: UInt32 = 45

  private let seat: WorkerEndpoint
  /// The times of the stages for the current frame.
  private let stages = StageTimes()
  private let reader: CodeReader
  private var decoder: JPEGDecoder
  private let task: (any WorkerTask.Type)?

  /// Runs until the daemon ends; returns at once if the process was not started as a worker or cannot set up its
  /// sandbox.
  ///
  /// - Parameter task: the task of the program's features, or `nil`.
  package static func run(_ task: (any WorkerTask.Type)? = nil) {
    guard let seat = WorkerEndpoint(), let decoder = try? JPEGDecoder() else { return }
    var worker = WorkerMain(seat: seat, decoder: decoder, task: task)
    // Code that opens files at its first use is used once now, because the sandbox prevents opening files later.
    Charset.keepConverters()
    GrayImage(width: 64, height: 64, value: 128).withView { _ = worker.reader.read($0, .still) }
    waymark_forget_code()
    if worker.seat.lockIn() { worker.serve() }
  }

  private init(seat: consuming WorkerEndpoint, decoder: consuming JPEGDecoder, task: (any WorkerTask.Type)?) {
    self.seat = seat
    self.decoder = decoder
    self.task = task
    reader = CodeReader(stages: stages)
  }

  private mutating func serve() {
    while let request = seat.next(WorkerRequest.self) {
      csandbox_deadline(Self.deadline)
      guard let output = answer(request) else { return }
      csandbox_deadline(0)
      seat.say(output)
    }
  }

  /// Performs a request and writes the answer into the arena; nil if the request is invalid.
  private mutating func answer(_ request: WorkerRequest) -> WorkerEndpoint.Answer? {
    let output = seat.arena.output
    do throws(ImageError) {
      switch request {
      case .codes(let width, let height, let configuration):
        guard let base = seat.arena.input.baseAddress else { return nil }
        let view = ImageView(
          base: UnsafePointer(base.assumingMemoryBound(to: UInt8.self)), width: width, height: height, stride: width)
        // The daemon collects the times of all frames, so the times of earlier frames are dropped here.
        stages.forget()
        return seat.leave(CodeReply(reader.read(view, configuration), stages))
      case .codesInFile(let size, let configuration):
        let (image, reading) = try reader.read(file(size), configuration)
        return seat.leave(
          FileCodesReply(
            size: ArenaPictureSize(width: image.width, height: image.height), reading: reading))
      case .prepared(let size, let width, let asJPEG):
        return seat.leave(try PreparedPicture(file(size), width: width, asJPEG: asJPEG))
      case .gray(let size):
        let image = try PictureDecoder().gray(file(size)).image
        let reply = GrayReply(width: image.width, height: image.height)
        guard image.width * image.height <= GrayReply.pixelLimit else { return nil }
        reply.write(to: output)
        image.withView { view in
          reply.pixels(in: output).copyMemory(
            from: UnsafeRawBufferPointer(start: view.base, count: view.width * view.height))
        }
        return WorkerEndpoint.Answer(worked: true, count: reply.byteCount)
      case .frame(let size, let order):
        let reply = try decode(file(size), order)
        reply.write(to: output)
        return WorkerEndpoint.Answer(worked: true, count: reply.byteCount)
      case .preview(let size, let order, let orientation, let quality):
        let picture = try FramePreview.make(
          file(size), order, orientation: orientation, quality: quality, with: &decoder)
        return seat.leave(picture)
      case .task(let size, let bytes):
        guard let task, let answer = try task.answer(bytes, file(size)) else { return nil }
        return seat.leave(answer)
      }
    } catch {
      return seat.leave(error, worked: false)
    }
  }

  /// Decodes a frame directly into the output of the arena.
  private mutating func decode(_ file: UnsafeRawBufferPointer, _ order: DecodeRequest) throws(ImageError) -> GrayReply {
    let (output, head) = (seat.arena.output, GrayReply.headSize)
    let outcome = try decoder.decode(file, channels: .gray, scale: order.scale) { header throws(ImageError) in
      try order.check(header)
      guard let base = output.baseAddress else {
        throw ImageError(.outOfMemory, "the worker has no shared memory", hint: "Start another worker.")
      }
      return ((base + head).assumingMemoryBound(to: UInt8.self), header.scaledWidth, output.count - head)
    }
    return GrayReply(
      width: order.scaledWidth, height: order.scaledHeight, isTruncated: outcome.isTruncated,
      isDamaged: outcome.isDamaged)
  }

  private func file(_ size: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: seat.arena.input[..<size])
  }
}
