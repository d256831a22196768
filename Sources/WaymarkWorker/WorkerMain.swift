import CMemory
import CSandbox
import Glibc
import WaymarkBarcodes
import WaymarkImage
import WaymarkSystem

/// The program of a worker: locks itself in, then reads codes and pictures until its daemon is gone.
package struct WorkerMain: ~Copyable {
  /// The argument that makes the executable a worker.
  package static let argument = "worker"
  /// The first number of the message that says that the filter holds.
  static let greeting: UInt32 = 0x574D_4B31
  /// The first number of the message that says that it could not be set up; the second one is the errno.
  static let refusal: UInt32 = 0x574D_4B30
  /// Seconds for one request, a little more than the daemon waits: for a worker whose daemon was ended while it hung.
  static let deadline: UInt32 = 45

  private let arena: WorkerArena
  /// Of one frame at a time.
  private let stages = StageTimes()
  private var reader: CodeReader
  private var decoder: JPEGDecoder

  /// Runs to the end of the process; returns when it was not started by a daemon, or cannot lock itself in.
  package static func run() {
    guard let arena = WorkerArena(owning: CInt(CSANDBOX_ARENA)), let decoder = try? JPEGDecoder() else { return }
    var worker = WorkerMain(arena: arena, decoder: decoder)
    // What opens files the first time it is used must be used before nothing can be opened any more.
    Charset.keepConverters()
    _ = worker.reader.read(GrayImage(width: 64, height: 64, value: 128), ScanConfiguration.still)
    waymark_forget_code()
    let refused = csandbox_enter()
    guard refused == 0 else {
      worker.say(refusal, UInt32(bitPattern: refused))
      return
    }
    worker.say(greeting, csandbox_try_forbidden())
    worker.serve()
  }

  private init(arena: consuming WorkerArena, decoder: consuming JPEGDecoder) {
    self.arena = arena
    self.decoder = decoder
    reader = CodeReader(stages: stages)
  }

  private mutating func serve() {
    while let bytes = Self.receive(), let request = WorkerRequest(bytes) {
      csandbox_deadline(Self.deadline)
      guard let output = answer(request) else { return }
      csandbox_deadline(0)
      say(output.worked ? 0 : 1, UInt32(output.count))
    }
  }

  /// Does what was asked and leaves the result in the arena; nil for what no daemon asks.
  private mutating func answer(_ request: WorkerRequest) -> (worked: Bool, count: Int)? {
    var wire = WireWriter()
    do throws(ImageError) {
      switch request {
      case .codes(let width, let height, let configuration):
        guard width > 0, height > 0, width * height <= WorkerArena.inputLimit, let base = arena.input.baseAddress else {
          return nil
        }
        let view = ImageView(
          base: UnsafePointer(base.assumingMemoryBound(to: UInt8.self)), width: width, height: height, stride: width)
        // The daemon keeps the times of all frames.
        stages.forget()
        CodeReply(reader.read(view, configuration), stages).write(to: &wire)
      case .codesInFile(let size, let configuration):
        guard let file = file(size) else { return nil }
        let image = try PictureDecoder().gray(file).image
        wire.count(image.width)
        wire.count(image.height)
        reader.read(image, configuration).write(to: &wire)
      case .prepared(let size, let width):
        guard let file = file(size) else { return nil }
        try PreparedPicture(file, width: width).write(to: &wire)
      case .gray(let size):
        guard let file = file(size) else { return nil }
        let image = try PictureDecoder().gray(file).image
        let reply = GrayReply(width: image.width, height: image.height)
        guard image.width * image.height <= GrayReply.pixelLimit else { return nil }
        reply.write(to: arena.output)
        image.withView { view in
          reply.pixels(in: arena.output).copyMemory(
            from: UnsafeRawBufferPointer(start: view.base, count: view.width * view.height))
        }
        return (true, reply.byteCount)
      case .frame(let size, let order):
        guard let file = file(size) else { return nil }
        let reply = try decode(file, order)
        reply.write(to: arena.output)
        return (true, reply.byteCount)
      case .preview(let size, let order, let orientation, let quality):
        guard let file = file(size) else { return nil }
        let picture = try FramePreview.make(file, order, orientation: orientation, quality: quality, with: &decoder)
        guard picture.count <= WorkerArena.outputLimit else { return nil }
        arena.output.copyBytes(from: picture)
        return (true, picture.count)
      case .page(let size, let length):
        guard length <= PageOrder.byteLimit, length <= size, let bytes = file(size) else { return nil }
        var reader = WireReader(Array(bytes[..<length]))
        guard let order = try? PageOrder(&reader), reader.isAtEnd else { return nil }
        try order.result(UnsafeRawBufferPointer(rebasing: bytes[length...])).write(to: &wire)
      }
      return leave(wire, worked: true)
    } catch {
      var wire = WireWriter()
      error.write(to: &wire)
      return leave(wire, worked: false)
    }
  }

  /// Decodes a frame straight into the place where the daemon looks for it.
  private mutating func decode(_ file: UnsafeRawBufferPointer, _ order: FrameOrder) throws(ImageError) -> GrayReply {
    let (output, head) = (arena.output, GrayReply.headSize)
    let outcome = try decoder.decode(file, channels: .gray, scale: order.scale) { header throws(ImageError) in
      try order.check(header)
      guard let base = output.baseAddress else {
        throw ImageError(.outOfMemory, "there is no arena", hint: "Start another worker.")
      }
      return ((base + head).assumingMemoryBound(to: UInt8.self), header.scaledWidth, output.count - head)
    }
    return GrayReply(
      width: order.scaledWidth, height: order.scaledHeight, isTruncated: outcome.isTruncated,
      isDamaged: outcome.isDamaged)
  }

  private func file(_ size: Int) -> UnsafeRawBufferPointer? {
    size <= WorkerArena.inputLimit ? UnsafeRawBufferPointer(rebasing: arena.input[..<size]) : nil
  }

  private func leave(_ wire: WireWriter, worked: Bool) -> (worked: Bool, count: Int)? {
    guard wire.bytes.count <= WorkerArena.outputLimit else { return nil }
    arena.output.copyBytes(from: wire.bytes)
    return (worked, wire.bytes.count)
  }

  private func say(_ first: UInt32, _ second: UInt32) {
    var numbers = [first.littleEndian, second.littleEndian]
    _ = numbers.withUnsafeMutableBytes { write(CInt(CSANDBOX_CHANNEL), $0.baseAddress, $0.count) }
  }

  /// The next message; nil when the daemon is gone.
  private static func receive() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: WorkerRequest.byteCount)
    while true {
      let count = read(CInt(CSANDBOX_CHANNEL), &bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      return count == bytes.count ? bytes : nil
    }
  }
}
