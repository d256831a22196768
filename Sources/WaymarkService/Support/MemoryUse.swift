import CMemory

/// Keeps what the process holds of the machine's memory small.
enum MemoryUse {
  /// To be called once, before there are other threads: what is freed goes back to the system from then on.
  static func keepHeapSmall() { waymark_keep_heap_small() }

  /// Releases code that only the start needed.
  static func releaseCodePages() { waymark_forget_code() }
}
