import Glibc

/// The resources that this process takes.
package enum ProcessUsage {
  /// Resident memory in bytes.
  package static var memory: Int {
    guard let text = try? WholeFile.read("/proc/self/statm", limit: 4096) else { return 0 }
    let pages = String(decoding: text, as: UTF8.self).split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * Int(sysconf(CInt(_SC_PAGESIZE)))
  }

  /// Processor time of all threads, in seconds.
  package static var processorTime: Double { ProcessorClock.process }
}
