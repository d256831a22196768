import Glibc
import WaymarkSystem

/// The resources that this process takes.
package enum ProcessUsage {
  /// Resident memory in bytes.
  package static var memory: Int {
    guard case .success(let text) = ConfigurationLoader.read("/proc/self/statm") else { return 0 }
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * Int(sysconf(CInt(_SC_PAGESIZE)))
  }

  /// Processor time of all threads, in seconds.
  package static var processorTime: Double { ProcessorClock.process }
}
