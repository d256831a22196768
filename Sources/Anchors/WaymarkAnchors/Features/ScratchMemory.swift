/// Memory for intermediate values that is freed with its owner.
final class ScratchMemory {
  private var blocks: [UnsafeMutableRawPointer] = []

  /// Returns uninitialized memory for trivial values.
  func allocate<T>(_ capacity: Int) -> UnsafeMutablePointer<T> {
    let block = UnsafeMutablePointer<T>.allocate(capacity: capacity)
    blocks.append(UnsafeMutableRawPointer(block))
    return block
  }

  deinit {
    for block in blocks { block.deallocate() }
  }
}
