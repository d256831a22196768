import Foundation

/// The resources that this process holds.
struct ProcessUse {
  let descriptors: Int
  let threads: Int
  /// Resident memory in bytes.
  let memory: Int

  static var now: ProcessUse {
    let files = FileManager.default
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
    return ProcessUse(
      descriptors: (try? files.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? -1,
      threads: (try? files.contentsOfDirectory(atPath: "/proc/self/task").count) ?? -1,
      memory: (pages.flatMap { Int($0[1]) } ?? 0) * 4096)
  }
}
