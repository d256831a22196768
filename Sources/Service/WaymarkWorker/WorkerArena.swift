import CSandbox
import Glibc
import WaymarkImage

/// A worker's end of the channel to its parent, with the memory that they share.
package struct WorkerEndpoint: ~Copyable {
  /// The answer in the output of the arena.
  package struct Answer {
    /// True if it worked; else it is an error.
    package let worked: Bool
    /// Bytes.
    package let count: Int
  }

  /// The first number of the message that says that the filter holds.
  package static let greeting: UInt32 = 0x574D_4B31
  /// The first number of the message that says that it could not be set up; the second one is the errno.
  package static let refusal: UInt32 = 0x574D_4B30
  /// No request is longer, in bytes.
  package static let requestLimit = 2048
  /// No task in a request is longer, in bytes.
  static let taskLimit = requestLimit - 64

  package let arena: WorkerArena

  /// Takes over what the process was started with; nil when nobody started it as a worker.
  package init?() {
    guard let arena = WorkerArena(owning: CInt(CSANDBOX_ARENA)) else { return nil }
    self.arena = arena
  }

  /// Locks the process in, for ever, and says so.
  ///
  /// - Parameter problem: an errno because of which it is of no use; told in place of that.
  /// - Returns: whether it is ready for requests.
  package func lockIn(refusing problem: Int32 = 0) -> Bool {
    let refused = problem != 0 ? problem : csandbox_enter()
    guard refused == 0 else {
      say(Self.refusal, UInt32(bitPattern: refused))
      return false
    }
    say(Self.greeting, csandbox_try_forbidden())
    return true
  }

  /// The next request; nil when whoever started the worker is gone, or asks for what nobody asks for.
  package func next<Request: WireValue>(_ type: Request.Type) -> Request? {
    var bytes = [UInt8](repeating: 0, count: Self.requestLimit)
    while true {
      let count = read(CInt(CSANDBOX_CHANNEL), &bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      return try? Request(wireBytes: Array(bytes[..<count]))
    }
  }

  /// Leaves an answer in the arena; nil where there is no room for it.
  package func leave(_ value: some WireValue, worked: Bool = true) -> Answer? { leave(value.wireBytes, worked: worked) }

  /// Leaves bytes in the arena that are an answer as they are.
  package func leave(_ bytes: [UInt8], worked: Bool = true) -> Answer? {
    guard bytes.count <= WorkerArena.outputLimit else { return nil }
    arena.output.copyBytes(from: bytes)
    return Answer(worked: worked, count: bytes.count)
  }

  /// Says that an answer lies there.
  package func say(_ answer: Answer) { say(answer.worked ? 0 : 1, UInt32(answer.count)) }

  private func say(_ first: UInt32, _ second: UInt32) {
    var numbers = [first.littleEndian, second.littleEndian]
    _ = numbers.withUnsafeMutableBytes { write(CInt(CSANDBOX_CHANNEL), $0.baseAddress, $0.count) }
  }
}

/// The memory that a daemon and its worker share: pictures go in at its beginning, what came of them lies behind.
///
/// Mapped from creation to `deinit`. The pages are taken only when something is written to them.
package struct WorkerArena: ~Copyable {
  /// The most bytes of a picture file, or of the pixels of a live frame.
  package static let inputLimit = 64 << 20
  /// The most bytes of a result: the pixels of the largest picture, and a little.
  package static let outputLimit = PictureDecoder.defaultPixelLimit + (1 << 20)
  package static let size = inputLimit + outputLimit

  package let descriptor: CInt
  private let base: UnsafeMutableRawPointer

  /// Maps the arena behind a descriptor, which belongs to this value from now on; nil when there is no address space.
  package init?(owning descriptor: CInt) {
    self.descriptor = descriptor
    guard
      let memory = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED | CInt(MAP_NORESERVE), descriptor, 0),
      memory != MAP_FAILED
    else {
      close(descriptor)
      return nil
    }
    // The content of codes belongs in no core file.
    madvise(memory, Self.size, MADV_DONTDUMP)
    base = memory
  }

  deinit {
    munmap(base, Self.size)
    close(descriptor)
  }

  package var input: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: base, count: Self.inputLimit)
  }
  package var output: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: base + Self.inputLimit, count: Self.outputLimit)
  }

  /// A copy of the first bytes of the output: what is read must not change under the reader's eyes. Then they are
  /// overwritten.
  package func takeOutput(_ count: Int) -> [UInt8] {
    let bytes = Array(output[..<count])
    csandbox_wipe(base + Self.inputLimit, count)
    return bytes
  }
}
