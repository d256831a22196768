package import WaymarkImage
import WaymarkSystem

/// Plays the pictures of a folder, or a single picture, as frames. `FolderPlayer` below is the work of its thread.
package final class FolderSource: FrameSource {
  /// Decodes a file to gray. Created and called only on the source's thread.
  package typealias Reader = (_ bytes: [UInt8]) throws -> GrayImage

  package let device: String
  package let origin = FrameOrigin.folder
  /// The maximum bytes of a file; larger files are skipped like damaged files.
  static let fileLimit = 64 << 20
  private let rate: Double
  private let loops: Bool
  private let makeReader: @Sendable () -> Reader
  private let state = SourceState()
  private let thread = WorkerThread(name: "wm-folder")

  /// Creates a source of the pictures at `path`, in the order of their names.
  ///
  /// - Parameters:
  ///   - path: a folder, or a single picture.
  ///   - rate: the frames per second.
  ///   - loops: true to begin again after the last picture, with the files that the folder contains at this time.
  ///   - makeReader: creates the decoder, on the source's thread; by default `PictureDecoder`.
  /// - Throws: `cannotOpen` if the path cannot be read, `noPictures` if the folder has no picture files.
  package init(
    path: String, rate: Double = 30, loops: Bool = true,
    makeReader: @escaping @Sendable () -> Reader = { { try PictureDecoder().gray($0).image } }
  ) throws(SourceError) {
    guard try !Self.files(at: path).isEmpty else { throw .noPictures(path) }
    self.device = path
    self.rate = max(0.01, rate)
    self.loops = loops
    self.makeReader = makeReader
  }

  package var statistics: SourceStatistics { state.statistics }
  package var stages: StageTimes? { state.stages }
  package func demand(_ demand: FrameDemand) { state.demand = demand }
  package func stop() { thread.stop() }

  package func start(_ sink: any FrameSink) {
    // The thread does not retain this object, so that a source without references ends.
    let (path, rate, loops, makeReader, state) = (device, rate, loops, makeReader, state)
    thread.start { stop in
      var player = FolderPlayer(path: path, rate: rate, loops: loops, read: makeReader(), state: state, sink: sink)
      player.run(until: stop)
    }
  }

  /// Returns the picture files of the folder at `path`, sorted by name, without hidden files and subfolders. If `path` is a file,
  /// returns only this path.
  ///
  /// - Throws: `cannotOpen` if nothing is at the path, or the folder cannot be read.
  static func files(at path: String) throws(SourceError) -> [String] {
    guard let kind = FileKind(path) else { throw .cannotOpen(path, reason: "there is no such file") }
    guard kind == .folder else { return [path] }
    let names: [String]
    do throws(FileError) {
      names = try Folder.names(path)
    } catch {
      throw .cannotOpen(path, reason: error.cause ?? error.message)
    }
    return names.filter { name in
      !name.hasPrefix(".")
        && name.split(separator: ".").last.map { PictureFormat.endings.contains($0.lowercased()) } == true
    }.sorted().map { path.hasSuffix("/") ? path + $0 : path + "/" + $0 }
  }
}

/// The work of a `FolderSource`'s thread: plays the pictures in order, repeatedly if the source loops.
private struct FolderPlayer: SourceDriver {
  private let path: String
  private let rate: Double
  private let loops: Bool
  private let read: FolderSource.Reader
  let state: SourceState
  let sink: any FrameSink
  var machine: SourceMachine
  private var pacer = FramePacer()
  private var due: Double?
  /// The paths of the pictures of this round, and the index of the next picture.
  private var files: [String] = []
  private var next = 0
  /// True if at least one picture of this round could be read, or was skipped because no frame was needed.
  private var isReadable = false
  /// The problem that is reported if no picture of this round can be read.
  private var problem: SourceError

  init(
    path: String, rate: Double, loops: Bool, read: @escaping FolderSource.Reader, state: SourceState,
    sink: any FrameSink
  ) {
    self.path = path
    self.rate = rate
    self.loops = loops
    self.read = read
    self.state = state
    self.sink = sink
    problem = .noPictures(path)
    // A folder without readable pictures is opened again, since its files may be replaced.
    machine = SourceMachine(
      device: path,
      policy: SourceMachine.Policy(reopensAfter: 0.5) { SourceFault(.noPictures($0), longestPause: 0.5) })
  }

  mutating func open() throws(SourceFault) -> SourceMachine.Opening {
    try beginRound()
    return SourceMachine.Opening(rate: rate)
  }

  mutating func close() { files = [] }

  mutating func step(seconds: Double?, until stop: StopSignal) {
    guard machine.phase != .stalled else {
      rest(seconds: seconds, until: stop)
      return
    }
    guard next < files.count else {
      endRound()
      return
    }
    let turn = due ?? now()
    if stop.wait(seconds: max(0, turn - now())) == .stopped { return }
    due = max(turn + 1 / rate, now() - 1)
    play(files[next])
    next += 1
  }

  /// Lists the folder again, and begins with its first picture.
  private mutating func beginRound() throws(SourceFault) {
    next = 0
    isReadable = false
    problem = .noPictures(path)
    do throws(SourceError) {
      files = try FolderSource.files(at: path)
      // An empty folder is reported as `noPictures`; for a folder that cannot be listed, the system's reason is reported.
      if files.isEmpty { throw problem }
    } catch {
      throw SourceFault(error, longestPause: 1, isFinal: !loops)
    }
  }

  private mutating func endRound() {
    if !isReadable { handle(.unreadable(problem)) }
    guard loops else {
      handle(.ended)
      return
    }
    guard isReadable else { return }
    do throws(SourceFault) { try beginRound() } catch { handle(.fault(error)) }
  }

  private mutating func play(_ file: String) {
    let demand = state.demand
    guard !demand.isEmpty, pacer.takes(now(), rate: demand.maximumRate) else {
      state.count(\.unwanted)
      isReadable = true
      handle(.frame())
      return
    }
    do throws(SourceError) {
      let frame = try frame(of: file, demand: demand)
      isReadable = true
      handle(.frame(PixelLayout(format: .grey, width: frame.width, height: frame.height)))
      sink.receive(frame)
    } catch {
      if error.code == "cannotOpen" { problem = error }
      state.count(\.damaged)
    }
  }

  /// Reads and decodes a picture.
  ///
  /// - Throws: `cannotOpen` if the system refuses the file, `noPictures` if it is too large or not a picture.
  private func frame(of file: String, demand: FrameDemand) throws(SourceError) -> Frame {
    var clock = StageClock(state.stages)
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try WholeFile.read(file, limit: FolderSource.fileLimit)
    } catch {
      throw error.code == .tooLarge ? .noPictures(path) : .cannotOpen(file, reason: error.cause ?? error.message)
    }
    guard let image = try? read(bytes) else { throw .noPictures(path) }
    clock.mark("luma")
    var encoded: EncodedPicture?
    if demand.encoded, bytes.starts(with: [0xFF, 0xD8]) {
      let buffer = PixelBuffer(capacity: bytes.count)
      buffer.bytes.update(from: bytes, count: bytes.count)
      // The pixels of `image` were turned by the file's EXIF orientation. Viewers of the bytes apply this orientation, too.
      let layout = PixelLayout(format: .mjpeg, width: image.width, height: image.height)
      encoded = EncodedPicture(layout: layout, transform: .identity, count: bytes.count, buffer: buffer)
    }
    return Frame(
      origin: .folder, sequence: state.nextSequence(), captured: MonotonicClock.now, image: image, encoded: encoded)
  }
}
