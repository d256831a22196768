import CSandbox
import Glibc
import WaymarkImage

/// The memory that a daemon and its worker share: pictures go in at its beginning, what came of them lies behind.
///
/// Mapped from creation to `deinit`. The pages are taken only when something is written to them.
struct WorkerArena: ~Copyable {
  /// What a picture file, or the pixels of a live frame, may have.
  static let inputLimit = 64 << 20
  /// What may come of one: the pixels of the largest picture, and a little.
  static let outputLimit = PictureDecoder.defaultPixelLimit + (1 << 20)
  static let size = inputLimit + outputLimit

  let descriptor: CInt
  private let base: UnsafeMutableRawPointer

  /// Maps the arena behind a descriptor, which belongs to this value from now on; nil when there is no address space.
  init?(owning descriptor: CInt) {
    self.descriptor = descriptor
    guard
      let memory = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED | CInt(MAP_NORESERVE), descriptor, 0),
      memory != MAP_FAILED
    else {
      close(descriptor)
      return nil
    }
    // What codes say belongs in no core file.
    madvise(memory, Self.size, MADV_DONTDUMP)
    base = memory
  }

  deinit {
    munmap(base, Self.size)
    close(descriptor)
  }

  var input: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: base, count: Self.inputLimit) }
  var output: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: base + Self.inputLimit, count: Self.outputLimit)
  }

  /// A copy of the first bytes of the output: what is read must not change under the reader's eyes. Then they are
  /// overwritten.
  func takeOutput(_ count: Int) -> [UInt8] {
    let bytes = Array(output[..<count])
    csandbox_wipe(base + Self.inputLimit, count)
    return bytes
  }
}
