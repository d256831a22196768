import Glibc
import Synchronization
import WaymarkSystem

/// Stores events on disk, in order, until their receiver acknowledges them: an append-only log in segments, bounded, with a checksum at every record.
///
/// Every event has a number, one higher than the one before, that is never used again. What has been appended survives the end of
/// the process at any instruction; once `synchronize` has come back it survives a power cut, too. When the log is full its oldest
/// segment goes, and so do records that the disk gives back damaged: readers see a gap in the numbers, and no record that is not as
/// it was written.
package final class EventLog: Sendable {
  /// The limits of the log.
  package struct Limits: Hashable, Sendable {
    /// Events that are kept at least, as long as they fit `bytes`.
    package var events = 100_000
    /// Bytes on disk at most.
    package var bytes = 256 << 20

    /// The standard, or others.
    package init(events: Int = 100_000, bytes: Int = 256 << 20) {
      self.events = max(events, 16)
      self.bytes = max(bytes, 1 << 16)
    }

    /// A segment is a sixteenth of the whole: that much goes at a time.
    fileprivate var segmentEvents: UInt64 { UInt64(max(events / 16, 1)) }
    fileprivate var segmentBytes: Int { bytes / 16 }
  }

  /// The records behind a number.
  package enum Batch: Hashable, Sendable {
    /// Nothing yet.
    case empty
    /// Records whose numbers follow.
    case records([LogRecord])
    /// The numbers up to and with this one are gone.
    case gap(through: UInt64)
  }

  /// Figures.
  package struct Figures: Hashable, Sendable {
    /// Events that wait for their acknowledgement.
    package var waiting: UInt64
    /// Events that were lost since the log was opened.
    package var dropped: UInt64
    /// The number of the newest event; 0 without any.
    package var last: UInt64
    /// The highest number up to which everything is acknowledged.
    package var acknowledged: UInt64
    /// Bytes on disk.
    package var bytes: Int
  }

  private struct Segment {
    let first: UInt64
    var count: UInt64 = 0
    var bytes = LogFormat.headerSize
    var next: UInt64 { first + count }
  }

  private struct State {
    var segments: [Segment] = []
    /// The last segment, open for appending; -1 before the first append.
    var writer: Int32 = -1
    var next: UInt64 = 1
    var acknowledged: UInt64 = 0
    var slots: Int32 = -1
    var counter: UInt64 = 0
    var dropped: UInt64 = 0
    var isDirty = false
    var reader = SegmentReader()

    var bytes: Int { segments.reduce(0) { $0 + $1.bytes } }
  }

  /// Tells this log's numbers from those of another one: made with it.
  package let stream: UInt64
  private let folder: String
  private let limits: Limits
  private let lock: FolderLock
  private let state: Mutex<State>

  /// Opens the log in a folder, or makes it there.
  ///
  /// - Throws: with the code `store`, also when another process has it open.
  package init(folder: String, limits: Limits = Limits()) throws(SpoolError) {
    self.folder = folder
    self.limits = limits
    do throws(FileError) {
      try Folder.make(folder, withParents: false)
      lock = try FolderLock(folder)
    } catch {
      throw error.code == .inUse
        ? SpoolError(
          .inUse, "Another program uses the store \(folder)", hint: "End it, or give this one a folder of its own.")
        : Self.problem(folder, reason: error.cause ?? error.message)
    }
    var state = State()
    stream = try Self.recover(&state, folder: folder)
    self.state = Mutex(state)
  }

  deinit {
    state.withLock { state in
      state.reader.close()
      if state.writer >= 0 { close(state.writer) }
      close(state.slots)
    }
  }

  /// How it is.
  package var figures: Figures {
    state.withLock { state in
      let gone = max(state.acknowledged, (state.segments.first?.first ?? state.next) - 1)
      return Figures(
        waiting: state.next - 1 - min(gone, state.next - 1), dropped: state.dropped, last: state.next - 1,
        acknowledged: state.acknowledged, bytes: state.bytes)
    }
  }

  // MARK: Writing

  /// Takes events; their numbers follow the last one's.
  ///
  /// - Throws: when the disk does not take them, after older ones have made room. They are lost then, and their numbers with them,
  ///   so that readers see a gap.
  package func append(_ payloads: [[UInt8]]) throws(SpoolError) {
    try state.withLock { state throws(SpoolError) in
      for payload in payloads { try append(payload, &state) }
    }
  }

  private func append(_ payload: [UInt8], _ state: inout State) throws(SpoolError) {
    let sequence = state.next
    // The number is used up, even if writing fails.
    state.next += 1
    guard payload.count <= LogFormat.largestPayload else {
      state.dropped += 1
      throw SpoolError(.store, "An event of \(payload.count) bytes is too long for the store", hint: "")
    }
    var record: [UInt8] = []
    record.reserveCapacity(payload.count + LogFormat.recordOverhead)
    LogFormat.append(payload, sequence: sequence, to: &record)
    while true {
      let number = write(record, sequence, &state)
      guard let number else { return makeRoom(&state) }
      // A full disk: what is oldest has to go, until nothing is left that could.
      guard number == ENOSPC || number == EDQUOT, state.segments.count > 1 else {
        state.dropped += 1
        throw Self.problem(folder, number)
      }
      dropOldest(&state)
    }
  }

  /// - Returns: `errno` when the record is not there; then nothing of it is.
  private func write(_ record: [UInt8], _ sequence: UInt64, _ state: inout State) -> Int32? {
    let isFull = state.segments.last.map {
      $0.next != sequence || $0.count >= limits.segmentEvents || $0.bytes >= limits.segmentBytes
    }
    if state.writer < 0 || isFull != false, let number = beginSegment(sequence, &state) { return number }
    let index = state.segments.count - 1
    if let number = DurableFile.writeAll(state.writer, record) {
      _ = ftruncate(state.writer, state.segments[index].bytes)
      return number
    }
    state.segments[index].count += 1
    state.segments[index].bytes += record.count
    state.isDirty = true
    return nil
  }

  private func beginSegment(_ first: UInt64, _ state: inout State) -> Int32? {
    let path = Self.path(folder, first)
    // One without records that an error left behind.
    if state.segments.last?.count == 0 { drop(state.segments.removeLast()) }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return errno }
    let number = DurableFile.writeAll(descriptor, LogFormat.header(stream: stream, first: first))
    guard number == nil else {
      close(descriptor)
      unlink(path)
      return number
    }
    if state.writer >= 0 {
      // `synchronize` flushes the newest one only.
      fdatasync(state.writer)
      close(state.writer)
    }
    state.writer = descriptor
    state.segments.append(Segment(first: first))
    _ = DurableFile.synchronizeFolder(of: path)
    return nil
  }

  /// Lets the oldest go when the rest is enough, or all of it too much.
  private func makeRoom(_ state: inout State) {
    while state.segments.count > 1 {
      let events = state.segments.dropFirst().reduce(0) { $0 + $1.count }
      guard events >= UInt64(limits.events) || state.bytes > limits.bytes else { return }
      dropOldest(&state)
    }
  }

  private func dropOldest(_ state: inout State) {
    let oldest = state.segments.removeFirst()
    let last = oldest.next - 1
    if last > state.acknowledged { state.dropped += last - max(state.acknowledged, oldest.first - 1) }
    drop(oldest)
  }

  private func drop(_ segment: Segment) { unlink(Self.path(folder, segment.first)) }

  /// Makes what was appended survive a power cut.
  ///
  /// - Returns: `errno` when the disk does not.
  package func synchronize() -> Int32? {
    let descriptor = state.withLock { state -> Int32 in
      guard state.isDirty, state.writer >= 0 else { return -1 }
      state.isDirty = false
      return fcntl(state.writer, F_DUPFD_CLOEXEC, 0)
    }
    guard descriptor >= 0 else { return nil }
    // Without the lock: events go on coming in while a slow disk works.
    defer { close(descriptor) }
    return fdatasync(descriptor) == 0 ? nil : errno
  }

  /// Everything up to and with `sequence` has arrived: it is not read again, not even after a restart.
  package func acknowledge(through sequence: UInt64) {
    state.withLock { state in
      guard sequence > state.acknowledged, sequence < state.next else { return }
      state.acknowledged = sequence
      state.counter += 1
      let slot = LogFormat.slot(counter: state.counter, sequence: sequence)
      // Should this get lost, events are sent twice, under the same numbers.
      _ = pwrite(state.slots, slot, slot.count, off_t(state.counter % 2) * off_t(LogFormat.slotSize))
      while state.segments.count > 1, let oldest = state.segments.first, oldest.next - 1 <= sequence {
        drop(state.segments.removeFirst())
      }
    }
  }

  // MARK: Reading

  /// Returns the records behind the number `sequence`, at most `count` and about `bytes` bytes of them.
  package func read(after sequence: UInt64, count: Int, bytes: Int = 1 << 20) -> Batch {
    state.withLock { state in
      let wanted = sequence + 1
      guard wanted < state.next, count > 0 else { return .empty }
      guard let index = state.segments.firstIndex(where: { $0.next > wanted }) else {
        // Nothing is there up to the next number: the disk did not take it.
        return .gap(through: state.next - 1)
      }
      let segment = state.segments[index]
      guard segment.first <= wanted else { return .gap(through: segment.first - 1) }
      let result = state.reader.read(
        Self.path(folder, segment.first), first: segment.first, wanted: wanted,
        count: min(count, Int(clamping: segment.next - wanted)), end: segment.bytes, bytes: bytes)
      guard result.records.isEmpty else { return .records(result.records) }
      // The record cannot be read: from here on the segment is as good as gone. Its own last record is not written to any more.
      state.dropped += segment.next - max(wanted, state.acknowledged + 1)
      state.segments[index].count = wanted - segment.first
      let through = index + 1 < state.segments.count ? state.segments[index + 1].first - 1 : state.next - 1
      return .gap(through: through)
    }
  }

  // MARK: Opening

  private static func path(_ folder: String, _ first: UInt64) -> String {
    "\(folder)/\(first.digits(20)).log"
  }

  private static func problem(_ folder: String, _ number: Int32) -> SpoolError {
    problem(folder, reason: systemMessage(number))
  }

  private static func problem(_ folder: String, reason: String) -> SpoolError {
    SpoolError(
      .store, "The store \(folder) cannot be used: \(reason)",
      hint: "Check that there is room on the disk, and that this user may write there.", cause: reason)
  }

  /// Finds what is whole, and cuts off what is not.
  private static func recover(_ state: inout State, folder: String) throws(SpoolError) -> UInt64 {
    guard let names = try? Folder.names(folder) else { throw problem(folder, errno) }
    var stream: UInt64?
    for name in names.sorted() where name.hasSuffix(".log") {
      let head = try? WholeFile.head("\(folder)/\(name)", count: LogFormat.headerSize)
      guard let head, let (own, first) = LogFormat.parseHeader(head.bytes), path(folder, first) == "\(folder)/\(name)",
        stream == nil || stream == own
      else {
        // A crash while it was made, or damage.
        if let head, head.size > LogFormat.headerSize {
          _ = DurableFile.setAside("\(folder)/\(name)")
          // The numbers in it may have been sent: they are not given to others.
          let most = UInt64((head.size - LogFormat.headerSize) / LogFormat.recordOverhead + 1)
          if let first = UInt64(name.dropLast(4)), first < UInt64.max / 2 { state.next = max(state.next, first + most) }
        } else {
          unlink("\(folder)/\(name)")
        }
        continue
      }
      stream = own
      if let last = state.segments.indices.last {
        state.segments[last].count = first - min(first, state.segments[last].first)
      }
      state.segments.append(Segment(first: first, bytes: head.size))
    }
    readSlots(&state, folder: folder)
    guard state.slots >= 0 else { throw problem(folder, errno) }
    if let last = state.segments.indices.last {
      let segment = state.segments[last]
      let (count, end, skipped) = SegmentReader.measure(path(folder, segment.first), first: segment.first)
      state.segments[last].count = count
      state.segments[last].bytes = end
      truncate(path(folder, segment.first), off_t(end))
      // Numbers of records that are damaged may have been sent already: they are not given to others.
      state.next = max(state.next, segment.first + count + skipped)
      state.dropped = skipped
      let descriptor = open(path(folder, segment.first), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW)
      guard descriptor >= 0 else { throw problem(folder, errno) }
      state.writer = descriptor
    }
    state.next = max(state.next, state.acknowledged + 1)
    return stream ?? .random(in: 1 ... .max)
  }

  private static func readSlots(_ state: inout State, folder: String) {
    state.slots = open(folder + "/acknowledged", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard state.slots >= 0 else { return }
    // A part that is missing stays zero, which is not a slot.
    var bytes = [UInt8](repeating: 0, count: 2 * LogFormat.slotSize)
    _ = pread(state.slots, &bytes, bytes.count, 0)
    for half in [bytes.prefix(LogFormat.slotSize), bytes.suffix(LogFormat.slotSize)] {
      guard let slot = LogFormat.parseSlot(half), slot.counter >= state.counter else { continue }
      (state.counter, state.acknowledged) = slot
    }
  }
}
