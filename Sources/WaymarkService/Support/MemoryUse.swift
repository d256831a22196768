import CMemory
import Glibc

/// Keeps what the process holds of the machine's memory small.
package enum MemoryUse {
  /// To be called once, before there are other threads: what is freed goes back to the system from then on.
  package static func keepHeapSmall() { waymark_keep_heap_small() }

  /// Lets go of code that only the start needed: it is read from its file again should it be called.
  ///
  /// Pages of code are never written (there are no text relocations), so nothing is lost by forgetting them.
  package static func forgetCode() {
    guard case .success(let maps) = ConfigurationLoader.read("/proc/self/maps") else { return }
    for line in maps.split(separator: "\n") {
      // start-end permissions offset device inode path
      let fields = line.split(separator: " ", omittingEmptySubsequences: true)
      guard fields.count > 5, fields[1] == "r-xp", fields[5].hasPrefix("/") else { continue }
      let ends = fields[0].split(separator: "-").compactMap { UInt(String($0), radix: 16) }
      guard ends.count == 2, let start = UnsafeMutableRawPointer(bitPattern: ends[0]) else { continue }
      madvise(start, Int(ends[1] - ends[0]), CInt(MADV_DONTNEED))
    }
  }
}
