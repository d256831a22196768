import CMemory

/// Reduces the memory of the process.
package enum MemoryUse {
  /// Makes the allocator return freed memory to the system. Call it once, before other threads start.
  package static func keepHeapSmall() { waymark_keep_heap_small() }

  /// Releases the pages of code that only the start used.
  package static func releaseCodePages() { waymark_forget_code() }
}
