import CSandbox
import Glibc
import WaymarkImage

/// The memory that a daemon and its worker share: the input at its beginning, followed by the output. `WorkerEndpoint` below is the
/// worker's end of the channel.
///
/// The memory is mapped from creation to `deinit`. The kernel allocates its pages only when they are written.
package struct WorkerArena: ~Copyable {
  /// The maximum bytes of the input: a picture file, or the pixels of a frame.
  package static let inputLimit = 64 << 20
  /// The maximum bytes of the output: the pixels of the largest picture, and 1 MiB for its header.
  package static let outputLimit = PictureDecoder.defaultPixelLimit + (1 << 20)
  package static let size = inputLimit + outputLimit

  package let descriptor: CInt
  private let base: UnsafeMutableRawPointer

  /// Maps the memory of a descriptor and takes ownership of the descriptor; nil if there is not enough address space.
  package init?(owning descriptor: CInt) {
    self.descriptor = descriptor
    guard
      let memory = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED | CInt(MAP_NORESERVE), descriptor, 0),
      memory != MAP_FAILED
    else {
      close(descriptor)
      return nil
    }
    // Core files must not contain the content of codes.
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

  /// Returns a copy of the first bytes of the output, and overwrites these with zeros. A copy is needed because the worker may
  /// change them at any time.
  package func takeOutput(_ count: Int) -> [UInt8] {
    let bytes = Array(output[..<count])
    csandbox_wipe(base + Self.inputLimit, count)
    return bytes
  }
}

// MARK: - The worker's end

/// The worker's end of the channel to its parent process, with the memory that both share.
package struct WorkerEndpoint: ~Copyable {
  /// An answer in the output of the arena.
  package struct Answer {
    /// True for a result, false for an error.
    package let worked: Bool
    package let count: Int
  }

  /// The first number of the message that reports that the sandbox is set up. The second number has a bit for each action that the
  /// sandbox should refuse and yet allows.
  package static let greeting: UInt32 = 0x574D_4B31
  /// The first number of the message that reports that the sandbox could not be set up. The second number is the errno.
  package static let refusal: UInt32 = 0x574D_4B30
  /// The maximum bytes of a request.
  package static let requestLimit = 2048
  /// The maximum bytes of a task in a request.
  static let taskLimit = requestLimit - 64

  package let arena: WorkerArena

  /// Takes ownership of the inherited descriptors; nil if the process was not started as a worker.
  package init?() {
    guard let arena = WorkerArena(owning: CInt(CSANDBOX_ARENA)) else { return nil }
    self.arena = arena
  }

  /// Sets up the sandbox, which the process cannot leave again, and reports the result to the parent process.
  ///
  /// - Parameter problem: an errno that is reported instead of setting up the sandbox; 0 to set it up.
  /// - Returns: true if the worker is ready for requests.
  package func lockIn(refusing problem: Int32 = 0) -> Bool {
    let refused = problem != 0 ? problem : csandbox_enter()
    guard refused == 0 else {
      say(Self.refusal, UInt32(bitPattern: refused))
      return false
    }
    say(Self.greeting, csandbox_try_forbidden())
    return true
  }

  /// Waits for the next request; nil if the parent process has ended or the request is malformed.
  package func next<Request: WireValue>(_ type: Request.Type) -> Request? {
    var bytes = [UInt8](repeating: 0, count: Self.requestLimit)
    while true {
      let count = read(CInt(CSANDBOX_CHANNEL), &bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      return try? Request(wireBytes: Array(bytes[..<count]))
    }
  }

  /// Encodes an answer into the arena; nil if it is too large.
  package func leave(_ value: some WireValue, worked: Bool = true) -> Answer? { leave(value.wireBytes, worked: worked) }

  /// Writes an encoded answer into the arena; nil if it is too large.
  package func leave(_ bytes: [UInt8], worked: Bool = true) -> Answer? {
    guard bytes.count <= WorkerArena.outputLimit else { return nil }
    arena.output.copyBytes(from: bytes)
    return Answer(worked: worked, count: bytes.count)
  }

  /// Sends the parent process the message that an answer is in the arena.
  package func say(_ answer: Answer) { say(answer.worked ? 0 : 1, UInt32(answer.count)) }

  private func say(_ first: UInt32, _ second: UInt32) {
    var numbers = [first.littleEndian, second.littleEndian]
    _ = numbers.withUnsafeMutableBytes { write(CInt(CSANDBOX_CHANNEL), $0.baseAddress, $0.count) }
  }
}
