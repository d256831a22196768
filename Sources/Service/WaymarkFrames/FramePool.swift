package import WaymarkImage

/// Memory for frames that comes back by itself: after warm-up no frame allocates.
///
/// The pool keeps a reference to every buffer it made. One whose only reference is the pool's own is free: the same test
/// by which the standard library's collections decide that they may write in place. Used by one thread; the frames made
/// from it may go to any.
package struct FramePool: Sendable {
  private var buffers: [PixelBuffer] = []
  private var next = 0
  private let limit: Int
  /// How often memory had to be taken from the system: flat in the steady state.
  package private(set) var allocations = 0

  /// A pool that keeps up to `limit` buffers; when all are in use, further ones live as long as their frame.
  package init(limit: Int = 12) {
    self.limit = limit
  }

  /// A buffer that nobody else refers to, with at least `capacity` bytes.
  package mutating func take(capacity: Int) -> PixelBuffer {
    for _ in 0..<buffers.count {
      next = next + 1 < buffers.count ? next + 1 : 0
      guard isKnownUniquelyReferenced(&buffers[next]) else { continue }
      if buffers[next].capacity >= capacity { return buffers[next] }
      // Free but too small: the picture grew.
      allocations += 1
      buffers[next] = PixelBuffer(capacity: capacity)
      return buffers[next]
    }
    allocations += 1
    let buffer = PixelBuffer(capacity: capacity)
    if buffers.count < limit { buffers.append(buffer) }
    return buffer
  }

  /// Releases all memory that is not in use.
  package mutating func drain() {
    buffers.removeAll()
    next = 0
  }
}
