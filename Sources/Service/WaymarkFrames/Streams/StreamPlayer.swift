import Glibc
import WaymarkImage
import WaymarkSystem

/// The work of a `StreamSource`'s thread: reads, cuts into frames, paces, hands over; and reopens a stream that ended.
struct StreamPlayer: ~Copyable, SourceDriver {
  private enum Kind {
    case mjpeg
    case y4m(Y4MHeader)
  }

  private let path: String
  /// Opens the stream of an address; a path is opened by itself.
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
  /// The bytes read; used up to `begin`.
  private var buffer: [UInt8]
  private var begin = 0
  private var framer = MJPEGFramer()
  private var kind: Kind?
  private var due: Double?
  /// True if frames were lost that might be good the next time.
  private var hasLost = false
  /// Frames that were good, or not looked at, before this round through a file.
  private var usefulBefore: UInt64 = 0

  /// No frame has more bytes than this.
  private static let frameLimit = 64 << 20
  /// No picture has more pixels than this, 8192 x 8192: a header of a few bytes could ask for gigabytes.
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

  /// A silent pipe is waited for: its writer need not start over. A program that plays an address is started again.
  static func policy(_ options: StreamOptions, isAddress: Bool) -> SourceMachine.Policy {
    SourceMachine.Policy(
      firstPause: options.pause.lowerBound, reopensAfter: isAddress ? options.reopensAfter : nil,
      openImpliesPresent: isAddress,
      silence: { SourceFault(.silentStream($0), longestPause: isAddress ? options.pause.upperBound : 0) })
  }

  /// Bytes of a pipe that belong to frames to come.
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
    // A stream far away needs longer for its first frame. A file has no reason to be silent.
    let first = connect == nil ? 2.5 * options.frameTimeout : options.connectTimeout
    let frameTimeout = SourceMachine.FrameTimeout(first: first, next: options.frameTimeout)
    return SourceMachine.Opening(frameTimeout: isFile ? nil : frameTimeout)
  }

  mutating func close() {
    input = nil
    // The next program starts from the beginning.
    if connect != nil { forget() }
  }

  /// Forgets what was read.
  private mutating func forget() {
    buffer = []
    begin = 0
    framer = MJPEGFramer()
    kind = nil
  }

  mutating func step(seconds: Double?, until stop: StopSignal) {
    do throws(SourceError) {
      if try deliverNext(stop) { return }
      if try !readMore(stop, seconds) { handle(.ended) }
    } catch {
      handle(.fault(fault(error)))
    }
  }

  /// Why the stream is lost. What was read of it is forgotten.
  private mutating func fault(_ error: SourceError) -> SourceFault {
    forget()
    // The writer of a broken stream should learn of it. A stream that has ended stays open meanwhile: the next one who writes into the pipe
    // finds a reader. That a broken stream has also ended is not reported.
    let hasEnded = error == ended
    // Nobody can open standard input again, and a file that is played once has had its turn.
    let isFinal = path == "-" || isFile && !options.loops
    return SourceFault(
      error, longestPause: options.pause.upperBound, leavesOpen: hasEnded && connect == nil, isFinal: isFinal,
      follows: hasEnded ? .any : .itself)
  }

  private var ended: SourceError { connect == nil ? .endedStream(path) : .endedConnection(path) }

  /// Frames that were good, or not looked at.
  private var useful: UInt64 {
    let statistics = state.statistics
    return statistics.delivered + statistics.unwanted
  }

  /// Hands over the next frame that is complete in the buffer, if there is one.
  ///
  /// - Returns: whether anything was used up.
  private mutating func deliverNext(_ stop: StopSignal) throws(SourceError) -> Bool {
    if kind == nil {
      guard try recognise() else { return false }
    }
    switch kind {
    case .mjpeg: return nextPicture(stop)
    case .y4m(let header): return try nextPlanes(header, stop)
    case nil: return false
    }
  }

  /// Finds out what kind of stream it is; false when that needs more bytes.
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
      begin = newline + 1
      return true
    }
    guard bytes.count >= 16 else { return false }
    // A multipart stream begins with a boundary; the first picture comes soon.
    let first = bytes.prefix(4096)
    if first.starts(with: [0xFF, 0xD8]) || first.starts(with: Array("--".utf8)) {
      kind = .mjpeg
      return true
    }
    throw .unknownStream(path)
  }

  private mutating func nextPicture(_ stop: StopSignal) -> Bool {
    let item = buffer.withUnsafeBytes { framer.next(in: UnsafeRawBufferPointer(rebasing: $0[begin...])) }
    switch item {
    case .more(let unused):
      begin += unused
      return false
    case .damaged(let end):
      begin += end
      state.count(\.damaged)
      return true
    case .picture(let range):
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
    guard bytes.starts(with: Array("FRAME".utf8)) else {
      throw .damagedStream(path, reason: "a frame's header is missing")
    }
    let start = newline + 1
    let end = start + header.width * header.height + header.chromaBytes
    guard end <= buffer.count else { return false }
    guard waitForTurn(stop, rate: options.rate ?? header.rate ?? 30) else { return true }
    deliver(start..<end, layout: header.layout, stop)
    begin = end
    return true
  }

  /// Files are played at their rate. false: the end was asked for meanwhile.
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
      // One that was lost is back, whether or not somebody wants its frames.
      handle(machine.isTroubled ? .frame(layout, rate: isFile ? playedRate : nil) : .frame())
      return
    }
    // Lent as a whole: the array must not be touched while the converter reads.
    let bytes = buffer
    let frame = bytes.withUnsafeBytes { all -> Frame? in
      let bytes = UnsafeRawBufferPointer(rebasing: all[place])
      var encoded: EncodedPicture?
      if demand.encoded {
        let copy = encodedPool.take(capacity: bytes.count)
        copy.bytes.update(from: bytes.baseAddress!.assumingMemoryBound(to: UInt8.self), count: bytes.count)
        encoded = EncodedPicture(layout: layout, transform: converter.transform, count: bytes.count, buffer: copy)
      }
      guard demand.luma else {
        return encoded.map { Frame(origin: .stream, sequence: state.nextSequence(), captured: now, encoded: $0) }
      }
      var clock = StageClock(state.stages)
      defer { clock.mark("luma") }
      switch converter.convert(bytes, layout: layout, stop: stop) {
      case .image(let image), .damagedButDecoded(let image):
        return Frame(origin: .stream, sequence: state.nextSequence(), captured: now, image: image, encoded: encoded)
      case .damaged: return nil
      case .lost:
        hasLost = true
        return nil
      }
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

  /// Reads what there is; waits for something, `seconds` at most. false at the end of the stream.
  private mutating func readMore(_ stop: StopSignal, _ seconds: Double?) throws(SourceError) -> Bool {
    if begin > 0 {
      buffer.removeSubrange(..<begin)
      begin = 0
    }
    guard buffer.count < Self.frameLimit else { throw .damagedStream(path, reason: "a frame has no end") }
    guard let descriptor = input?.descriptor else { return false }
    while true {
      if !isFile {
        guard case .ready = stop.wait(for: descriptor, seconds: seconds) else { return true }
      }
      let count = withUnsafeTemporaryAllocation(byteCount: 1 << 18, alignment: 16) { chunk -> Int in
        let got = read(descriptor, chunk.baseAddress, chunk.count)
        if got > 0 { buffer.append(contentsOf: chunk[..<got]) }
        return got
      }
      if count > 0 { return true }
      if count < 0 && (errno == EINTR || errno == EAGAIN) { continue }
      if count < 0 { throw .cannotOpen(path, reason: String(cString: strerror(errno))) }
      return try rewindOrEnd()
    }
  }

  private mutating func rewindOrEnd() throws(SourceError) -> Bool {
    // A pipe into which nothing was written has ended and no more.
    guard kind != nil || !isFile && buffer.isEmpty else { throw .unknownStream(path) }
    guard isFile else { throw ended }
    guard options.loops else { return false }
    // Without a picture, a file that begins again at once would do nothing else.
    guard hasLost || useful > usefulBefore else {
      throw .damagedStream(path, reason: "it contains no readable picture")
    }
    usefulBefore = useful
    hasLost = false
    // The rest in the buffer is a frame that was cut off.
    if !buffer.isEmpty { state.count(\.damaged) }
    buffer.removeAll(keepingCapacity: true)
    framer = MJPEGFramer()
    if case .y4m = kind { kind = nil }
    if let descriptor = input?.descriptor { lseek(descriptor, 0, SEEK_SET) }
    return true
  }
}
