/// Aligned memory for one plane of pixels: owned, or lent by a longer-lived owner such as a mapped file.
///
/// Written only by whoever made it, before it is shared; read-only from then on. That is why it may cross threads
/// although the compiler cannot see it.
package final class PixelBuffer: @unchecked Sendable {
  package let bytes: UnsafeMutablePointer<UInt8>
  package let capacity: Int
  private let owner: AnyObject?

  /// Memory for `capacity` bytes, aligned to 64 bytes, with 64 readable bytes behind it so that vector loads may
  /// run past the end. The contents are not initialised.
  package init(capacity: Int) {
    self.capacity = capacity
    owner = nil
    let raw = UnsafeMutableRawPointer.allocate(byteCount: capacity + 64, alignment: 64)
    bytes = raw.bindMemory(to: UInt8.self, capacity: capacity + 64)
    (bytes + capacity).initialize(repeating: 0, count: 64)
  }

  /// Memory that `owner` keeps alive and nobody writes any more, with 64 readable bytes behind it.
  package init(lent bytes: UnsafePointer<UInt8>, capacity: Int, by owner: AnyObject) {
    self.bytes = UnsafeMutablePointer(mutating: bytes)
    self.capacity = capacity
    self.owner = owner
  }

  deinit {
    if owner == nil { UnsafeMutableRawPointer(bytes).deallocate() }
  }
}
