import Glibc
import WaymarkImage
import WaymarkSystem

/// The work of a `StreamSource`'s thread: reads the stream, splits it into frames, paces and delivers them, and reopens a stream
/// that ended.
struct StreamPlayer: ~Copyable, SourceDriver {
  private enum Kind {
    case mjpeg
    case y4m(Y4MHeader)
  }

  private let path: String
  /// Opens the stream of an address; nil for a path.
  private let connect: OpenStream?
  private let options: StreamOptions
  private var isFile: Bool
  let state: SourceState
  let sink: any FrameSink
  var machine: SourceMachine
  private var input: InputFile?
  private var converter: LumaConverter
  private var encodedPool = FramePool(limit: 8)
  private var pacer = FramePacer()
  /// The bytes read. The bytes before `begin` are consumed.
  private var buffer: [UInt8]
  private var begin = 0
  private var framer = MJPEGFramer()
  private var kind: Kind?
  /// True if the rows of a Y4M stream are padded; nil until its second frame begins.
  private var isPadded: Bool?
  /// The bytes skipped so far in search of the first picture of a Motion JPEG stream; nil once a picture was found.
  private var skipped: Int? = 0
  private var due: Double?
  /// True if frames were lost in this round that may be readable in the next round.
  private var hasLost = false
  /// The value of `useful` at the beginning of this round through a file.
  private var usefulBefore: UInt64 = 0

  /// The maximum bytes of a frame.
  private static let frameLimit = 64 << 20
  /// The largest number of bytes before the first picture. It exceeds a camera's largest picture, because a stream may begin with
  /// the end of a picture.
  private static let skipLimit = 16 << 20
  /// The maximum pixels of a picture, 8192 × 8192, since a header of a few bytes could request gigabytes.
  private static let pixelLimit = 64 << 20

  init(
    path: String, connect: OpenStream? = nil, options: StreamOptions, isFile: Bool, state: SourceState,
    sink: any FrameSink,
    leftover: [UInt8], converter: consuming LumaConverter
  ) {
    self.path = path
    self.connect = connect
    self.options = options
    self.isFile = isFile
    self.state = state
    self.sink = sink
    buffer = leftover
    self.converter = converter
    machine = SourceMachine(device: path, policy: Self.policy(options, isAddress: connect != nil))
  }

  /// Returns the policy: a pipe without data stays open for its writer, whereas the program that plays an address is restarted.
  static func policy(_ options: StreamOptions, isAddress: Bool) -> SourceMachine.Policy {
    SourceMachine.Policy(
      firstPause: options.pause.lowerBound, reopensAfter: isAddress ? options.reopensAfter : nil,
      openImpliesPresent: isAddress,
      silence: { SourceFault(.silentStream($0), longestPause: isAddress ? options.pause.upperBound : 0) })
  }

  /// The bytes of a pipe that were read but belong to the following frames.
  var unused: [UInt8] { isFile || connect != nil ? [] : Array(buffer[begin...]) }

  mutating func open() throws(SourceFault) -> SourceMachine.Opening {
    do throws(SourceError) {
      let opened = if let connect { try connect() } else { try InputFile(path: path) }
      if path != "-", connect == nil { isFile = opened.isPlain }
      input = consume opened
    } catch {
      throw fault(error)
    }
    usefulBefore = useful
    hasLost = false
    // Addresses have more time for the first frame, and files have no limit.
    let first = connect == nil ? 2.5 * options.frameTimeout : options.connectTimeout
    let frameTimeout = SourceMachine.FrameTimeout(first: first, next: options.frameTimeout)
    return SourceMachine.Opening(frameTimeout: isFile ? nil : frameTimeout)
  }

  mutating func close() {
    input = nil
    // The next program sends the stream from its beginning.
    if connect != nil { forget() }
  }

  /// Drops the bytes read.
  private mutating func forget() {
    buffer = []
    begin = 0
    framer = MJPEGFramer()
    kind = nil
    skipped = 0
  }

  mutating func step(seconds: Double?, until stop: StopSignal) {
    do throws(SourceError) {
      if try deliverNext(stop) { return }
      if try !readMore(stop, seconds) { handle(.ended) }
    } catch {
      handle(.fault(fault(error)))
    }
  }

  /// Drops the bytes read, and returns the fault for an error.
  private mutating func fault(_ error: SourceError) -> SourceFault {
    forget()
    // A broken stream is closed, so that its writer fails. A pipe that has ended stays open, so that the next writer finds a
    // reader. The end of a broken stream is not reported.
    let hasEnded = error == ended
    // Standard input cannot be opened again, and a file without `loops` is played once.
    let isFinal = path == "-" || isFile && !options.loops
    return SourceFault(
      error, longestPause: options.pause.upperBound, leavesOpen: hasEnded && connect == nil, isFinal: isFinal,
      follows: hasEnded ? .any : .itself)
  }

  private var ended: SourceError { connect == nil ? .endedStream(path) : .endedConnection(path) }

  /// The number of frames that were delivered, or skipped because none was needed.
  private var useful: UInt64 {
    let statistics = state.statistics
    return statistics.delivered + statistics.unwanted
  }

  /// Delivers the next frame that is complete in the buffer, if there is one.
  ///
  /// - Returns: whether bytes of the buffer were consumed.
  private mutating func deliverNext(_ stop: StopSignal) throws(SourceError) -> Bool {
    if kind == nil {
      guard try recognise() else { return false }
    }
    switch kind {
    case .mjpeg: return try nextPicture(stop)
    case .y4m(let header): return try nextPlanes(header, stop)
    case nil: return false
    }
  }

  /// Detects the kind of the stream; returns false if more bytes are needed.
  private mutating func recognise() throws(SourceError) -> Bool {
    let bytes = buffer[begin...]
    if bytes.starts(with: Y4MHeader.magic) {
      guard let newline = bytes.prefix(1024).firstIndex(of: 0x0A) else {
        if bytes.count >= 1024 { throw .damagedStream(path, reason: "its first line has no end") }
        return false
      }
      guard let header = Y4MHeader(line: bytes[..<newline]) else {
        throw .damagedStream(path, reason: "its first line declares an unsupported size or colour format")
      }
      kind = .y4m(header)
      isPadded = nil
      begin = newline + 1
      return true
    }
    guard bytes.count >= 16 else { return false }
    // A multipart stream begins with a boundary. All other streams may begin inside a picture or after another program's output.
    if bytes.starts(with: [0xFF, 0xD8]) || bytes.starts(with: Array("--".utf8)) { skipped = nil }
    kind = .mjpeg
    return true
  }

  /// Counts bytes without a picture; throws if too many precede the first picture.
  private mutating func skip(_ count: Int) throws(SourceError) {
    begin += count
    guard let before = skipped else { return }
    guard before + count <= Self.skipLimit else { throw .unknownStream(path) }
    skipped = before + count
  }

  private mutating func nextPicture(_ stop: StopSignal) throws(SourceError) -> Bool {
    let item = buffer.withUnsafeBytes { framer.next(in: UnsafeRawBufferPointer(rebasing: $0[begin...])) }
    switch item {
    case .more(let unused):
      try skip(unused)
      return false
    case .damaged(let end):
      try skip(end)
      state.count(\.damaged)
      return true
    case .picture(let range):
      skipped = nil
      let place = begin + range.lowerBound..<begin + range.upperBound
      guard waitForTurn(stop, rate: options.rate ?? 30) else { return true }
      let size = buffer.withUnsafeBytes { JPEGStructure.pictureSize(UnsafeRawBufferPointer(rebasing: $0[place])) }
      if let size, size.width * size.height <= Self.pixelLimit {
        deliver(place, layout: PixelLayout(format: .mjpeg, width: size.width, height: size.height), stop)
      } else {
        state.count(\.damaged)
        handle(.alive)
      }
      begin = place.upperBound
      return true
    }
  }

  private mutating func nextPlanes(_ header: Y4MHeader, _ stop: StopSignal) throws(SourceError) -> Bool {
    let bytes = buffer[begin...]
    guard let newline = bytes.prefix(1024).firstIndex(of: 0x0A) else {
      if bytes.count >= 1024 { throw .damagedStream(path, reason: "a frame's header is missing") }
      return false
    }
    guard bytes.starts(with: Y4MHeader.frameMagic) else {
      throw .damagedStream(path, reason: "a frame's header is missing")
    }
    let start = newline + 1
    do throws(Y4MHeader.LayoutError) {
      if isPadded == nil { isPadded = try header.isPadded(buffer[start...]) }
    } catch {
      throw .damagedStream(path, reason: "its frames have another size than its first line declares")
    }
    guard let isPadded else { return false }
    let (tight, padded) = header.frameBytes
    let end = start + (isPadded ? padded : tight)
    guard end <= buffer.count else { return false }
    guard waitForTurn(stop, rate: options.rate ?? header.rate ?? 30) else { return true }
    if isPadded { header.compact(&buffer, at: start) }
    deliver(start..<start + tight, layout: header.layout, stop)
    begin = end
    return true
  }

  /// Decides at the end of a Y4M stream whether its only frame is padded; returns false if this is known already, or for other
  /// streams.
  private mutating func decidePadding() -> Bool {
    guard case .y4m(let header) = kind, isPadded == nil,
      let newline = buffer[begin...].prefix(1024).firstIndex(of: 0x0A)
    else { return false }
    isPadded = (try? header.isPadded(buffer[(newline + 1)...], isEnd: true)) ?? false
    return true
  }

  /// Waits until the next frame of a file is due; returns false if `stop` was raised meanwhile.
  private mutating func waitForTurn(_ stop: StopSignal, rate: Double) -> Bool {
    guard isFile else { return true }
    let now = now()
    let turn = due ?? now
    due = max(turn, now - 1) + 1 / max(rate, 0.01)
    return stop.wait(seconds: max(0, turn - now)) != .stopped
  }

  private mutating func deliver(_ place: Range<Int>, layout: PixelLayout, _ stop: StopSignal) {
    let demand = state.demand
    let now = now()
    guard !demand.isEmpty, pacer.takes(now, rate: demand.maximumRate) else {
      state.count(\.unwanted)
      // If the source was lost, the layout is reported even if no consumer needs the frame, so that the source counts as back.
      handle(machine.isTroubled ? .frame(layout, rate: isFile ? playedRate : nil) : .frame())
      return
    }
    // This second reference to the array causes a copy if the array is changed while the converter reads it.
    let bytes = buffer
    let frame = bytes.withUnsafeBytes { all -> Frame? in
      let bytes = UnsafeRawBufferPointer(rebasing: all[place])
      var encoded: EncodedPicture?
      if demand.encoded {
        let copy = encodedPool.take(capacity: bytes.count)
        copy.bytes.update(from: bytes.baseAddress!.assumingMemoryBound(to: UInt8.self), count: bytes.count)
        encoded = EncodedPicture(layout: layout, transform: converter.transform, count: bytes.count, buffer: copy)
      }
      var image: GrayImage?
      if demand.luma {
        var clock = StageClock(state.stages)
        let luma = converter.convert(bytes, layout: layout, stop: stop)
        clock.mark("luma")
        if luma.outcome == .lost { hasLost = true }
        image = luma.image
        guard image != nil else { return nil }
      }
      return Frame(origin: .stream, sequence: state.nextSequence(), captured: now, image: image, encoded: encoded)
    }
    guard let frame else {
      state.count(\.damaged)
      handle(.alive)
      return
    }
    handle(.frame(layout, rate: isFile ? playedRate : nil))
    sink.receive(frame)
  }

  private var playedRate: Double {
    if case .y4m(let header) = kind { return options.rate ?? header.rate ?? 30 }
    return options.rate ?? 30
  }

  /// Waits at most `seconds`, then reads the available bytes. At the end of a file that is repeated, continues at its beginning.
  ///
  /// - Returns: false at the end of a file that is not repeated.
  /// - Throws: `ended` at the end of any other stream, `unknownStream` if the stream has no picture, `damagedStream` if a frame has
  ///   no end or a repeated file has no readable picture, `cannotOpen` if reading fails.
  private mutating func readMore(_ stop: StopSignal, _ seconds: Double?) throws(SourceError) -> Bool {
    if begin > 0 {
      buffer.removeSubrange(..<begin)
      begin = 0
    }
    guard buffer.count < Self.frameLimit else { throw .damagedStream(path, reason: "a frame has no end") }
    guard let descriptor = input?.descriptor else { return false }
    while true {
      if !isFile {
        switch stop.wait(for: descriptor, seconds: seconds) {
        case .ready: break
        case .stopped: return true
        case .timedOut:
          if kind != nil, isUnknown, framer.progress == nil { throw .unknownStream(path) }
          return true
        }
      }
      let count = withUnsafeTemporaryAllocation(byteCount: 1 << 18, alignment: 16) { chunk -> Int in
        let got = read(descriptor, chunk.baseAddress, chunk.count)
        if got > 0 { buffer.append(contentsOf: chunk[..<got]) }
        return got
      }
      if count > 0 { return true }
      if count < 0 && (errno == EINTR || errno == EAGAIN) { continue }
      if count < 0 { throw .cannotOpen(path, reason: systemMessage(errno)) }
      if decidePadding() { return true }
      return try rewindOrEnd()
    }
  }

  /// True if bytes have arrived, but neither a Y4M header nor a picture.
  private var isUnknown: Bool {
    switch kind {
    case .y4m: false
    case .mjpeg: skipped != nil
    case nil: !buffer.isEmpty
    }
  }

  private mutating func rewindOrEnd() throws(SourceError) -> Bool {
    // Data without a picture, and a file without data, are an unknown stream; a pipe without data has only ended.
    if isUnknown || isFile && kind == nil { throw .unknownStream(path) }
    guard isFile else { throw ended }
    guard options.loops else { return false }
    // A file without a readable picture is not played again, since that would loop without delivering a frame.
    guard hasLost || useful > usefulBefore else {
      throw .damagedStream(path, reason: "it contains no readable picture")
    }
    usefulBefore = useful
    hasLost = false
    // The remaining bytes are a frame that was cut off.
    if !buffer.isEmpty { state.count(\.damaged) }
    buffer.removeAll(keepingCapacity: true)
    framer = MJPEGFramer()
    if case .y4m = kind { kind = nil }
    if let descriptor = input?.descriptor { lseek(descriptor, 0, SEEK_SET) }
    return true
  }
}
