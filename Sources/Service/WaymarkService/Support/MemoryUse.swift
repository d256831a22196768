import CMemory

/// Keeps what the process holds of the machine's memory small.
package enum MemoryUse {
  /// To be called once, before there are other threads: what is freed goes back to the system from then on.
  package static func keepHeapSmall() { waymark_keep_heap_small() }

  /// Releases code that only the start needed.
  package static func releaseCodePages() { waymark_forget_code() }
}
