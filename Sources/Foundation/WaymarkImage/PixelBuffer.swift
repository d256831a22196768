/// Aligned memory for one plane of pixels.
///
/// Written only by whoever made it, before it is shared; read-only from then on. That is why it may cross threads
/// although the compiler cannot see it.
package final class PixelBuffer: @unchecked Sendable {
  package let bytes: UnsafeMutablePointer<UInt8>
  package let capacity: Int

  /// Memory for `capacity` bytes, aligned to 64 bytes, with 64 readable bytes behind it so that vector loads may
  /// run past the end. The contents are not initialised.
  package init(capacity: Int) {
    self.capacity = capacity
    let raw = UnsafeMutableRawPointer.allocate(byteCount: capacity + 64, alignment: 64)
    bytes = raw.bindMemory(to: UInt8.self, capacity: capacity + 64)
    (bytes + capacity).initialize(repeating: 0, count: 64)
  }

  deinit { UnsafeMutableRawPointer(bytes).deallocate() }
}
