import Glibc

/// Reads records segment by segment, and keeps its position.
struct SegmentReader {
  private var descriptor: Int32 = -1
  private var first: UInt64 = 0
  /// The number of the record at `offset`.
  private var next: UInt64 = 0
  private var offset = 0

  /// Releases the file.
  mutating func close() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }

  /// Records from the number `wanted` on; none when they cannot be read.
  ///
  /// - Parameters:
  ///   - first: the number of the segment's first record.
  ///   - end: where the segment ends.
  mutating func read(
    _ path: String, first: UInt64, wanted: UInt64, count: Int, end: Int, bytes: Int
  ) -> (records: [LogRecord], isDamaged: Bool) {
    if descriptor < 0 || self.first != first {
      close()
      descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
      guard descriptor >= 0 else { return ([], true) }
      self.first = first
      (next, offset) = (first, LogFormat.headerSize)
    }
    if wanted < next { (next, offset) = (first, LogFormat.headerSize) }
    var records: [LogRecord] = []
    var taken = 0
    let isWhole = Self.walk(descriptor, from: &offset, next: &next, end: end) { sequence, payload in
      if sequence < wanted { return true }
      records.append(LogRecord(sequence: sequence, payload: payload))
      taken += payload.count
      return records.count < count && taken < bytes
    }
    return (records, !isWhole)
  }

  /// How many records of a segment are whole, where the last of them ends, and how many might have stood behind it.
  static func measure(_ path: String, first: UInt64) -> (count: UInt64, end: Int, skipped: UInt64) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return (0, LogFormat.headerSize, 0) }
    defer { Glibc.close(descriptor) }
    let size = max(Int(lseek(descriptor, 0, SEEK_END)), LogFormat.headerSize)
    var (offset, next) = (LogFormat.headerSize, first)
    _ = walk(descriptor, from: &offset, next: &next, end: size) { _, _ in true }
    let rest = size - offset
    // Zeros are what a power cut leaves of a file that had grown already: nothing was ever written there.
    let skipped = rest == 0 || isZero(descriptor, offset, rest) ? 0 : rest / LogFormat.recordOverhead + 1
    return (next - first, offset, UInt64(skipped))
  }

  private static func isZero(_ descriptor: Int32, _ offset: Int, _ count: Int) -> Bool {
    var bytes = [UInt8](repeating: 1, count: min(count, 1 << 20))
    var done = 0
    while done < count {
      let got = pread(descriptor, &bytes, min(bytes.count, count - done), off_t(offset + done))
      guard got > 0, bytes[..<got].allSatisfy({ $0 == 0 }) else { return false }
      done += got
    }
    return true
  }

  /// Goes from record to record.
  ///
  /// - Parameter visit: takes a record; false ends the walk behind it.
  /// - Returns: whether every record was whole.
  private static func walk(
    _ descriptor: Int32, from offset: inout Int, next: inout UInt64, end: Int,
    _ visit: (UInt64, [UInt8]) -> Bool
  ) -> Bool {
    var size = 1 << 17
    while offset < end {
      var bytes = [UInt8](repeating: 0, count: min(size, end - offset))
      let got = pread(descriptor, &bytes, bytes.count, off_t(offset))
      guard got == bytes.count else { return false }
      var place = 0
      parsing: while offset < end {
        switch LogFormat.parse(bytes, at: place, sequence: next) {
        case .record(let payload, let length):
          let sequence = next
          place += length
          offset += length
          next += 1
          if !visit(sequence, payload) { return true }
        case .incomplete(let needed):
          guard needed <= end - offset else { return false }
          size = max(1 << 17, needed)
          break parsing
        case .damaged: return false
        }
      }
    }
    return true
  }
}
