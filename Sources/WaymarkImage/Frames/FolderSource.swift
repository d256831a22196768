import WaymarkSystem

/// Plays the pictures of a folder (or a single picture) as if a camera saw them.
package final class FolderSource: FrameSource {
  /// Makes a gray picture of a file's bytes. Made on the source's thread and used only there.
  package typealias Reader = (_ bytes: [UInt8]) throws -> GrayImage

  package let device: String
  /// No picture that a camera might have seen has more bytes than this; what has is left out like any damaged file.
  static let fileLimit = 64 << 20
  private let rate: Double
  private let loops: Bool
  private let makeReader: @Sendable () -> Reader
  private let state = SourceState()
  private let thread = WorkerThread(name: "wm-folder")

  /// A source over the pictures under `path`, in the order of their names.
  ///
  /// - Parameters:
  ///   - path: a folder, or a picture.
  ///   - rate: pictures a second.
  ///   - loops: begin again after the last one; what has come into the folder meanwhile is seen then.
  ///   - makeReader: makes what makes luma of a file; by its content and on the source's thread, unless told otherwise.
  /// - Throws: when there is nothing to play.
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
    // The thread holds this object only through what it uses, so that an abandoned source can end.
    let (path, rate, loops, makeReader, state) = (device, rate, loops, makeReader, state)
    thread.start { stop in
      let player = Player(path: path, rate: rate, loops: loops, read: makeReader(), state: state, sink: sink)
      player.play(until: stop)
    }
  }

  /// The picture files at `path`, sorted by name. Folders are not entered; hidden files are left out.
  static func files(at path: String) throws(SourceError) -> [String] {
    guard let kind = FileKind(path) else { throw .cannotOpen(path, reason: "there is no such file") }
    guard kind == .folder else { return [path] }
    let names: [String]
    do throws(FileError) {
      names = try Folder.names(path)
    } catch {
      throw .cannotOpen(path, reason: error.cause ?? error.message)
    }
    let kinds: Set<Substring> = ["jpg", "jpeg", "png", "webp", "pnm", "pgm", "ppm", "pbm"]
    return names.filter { name in
      !name.hasPrefix(".") && name.split(separator: ".").last.map { kinds.contains(Substring($0.lowercased())) } == true
    }.sorted().map { path.hasSuffix("/") ? path + $0 : path + "/" + $0 }
  }

  /// What the thread does.
  private struct Player {
    let path: String
    let rate: Double
    let loops: Bool
    let read: Reader
    let state: SourceState
    let sink: any FrameSink

    func play(until stop: StopSignal) {
      state.count(\.opened)
      sink.receive(SourceStatus(.opened, device: path, rate: rate))
      var announced: PixelLayout?
      var pacer = FramePacer()
      var due = MonotonicClock.now
      repeat {
        // Why there is nothing matters: an empty folder wants pictures, one that cannot be listed something else.
        var (files, problem) = ([String](), SourceError.noPictures(path))
        do throws(SourceError) { files = try FolderSource.files(at: path) } catch { problem = error }
        guard !files.isEmpty else {
          sink.receive(SourceStatus(.lost, device: path, problem: problem))
          state.count(\.lost)
          announced = nil
          if stop.wait(seconds: 1) == .stopped { break }
          continue
        }
        var readable = false
        for file in files {
          if stop.wait(seconds: max(0, due - MonotonicClock.now)) == .stopped {
            sink.receive(SourceStatus(.closed, device: path))
            return
          }
          due = max(due + 1 / rate, MonotonicClock.now - 1)
          let demand = state.demand
          guard !demand.isEmpty, pacer.takes(MonotonicClock.now, rate: demand.maximumRate) else {
            state.count(\.unwanted)
            readable = true
            continue
          }
          let frame: Frame
          do throws(SourceError) {
            frame = try self.frame(of: file, demand: demand)
          } catch {
            if error.code == "cannotOpen" { problem = error }
            state.count(\.damaged)
            continue
          }
          readable = true
          let layout = PixelLayout(format: .grey, width: frame.width, height: frame.height)
          if layout != announced {
            announced = layout
            sink.receive(SourceStatus(.streaming, device: path, layout: layout, rate: rate))
          }
          sink.receive(frame)
        }
        if !readable {
          sink.receive(SourceStatus(.stalled, device: path, problem: problem))
          announced = nil
          if stop.wait(seconds: 1) == .stopped { break }
        }
      } while loops && !stop.isRaised
      sink.receive(SourceStatus(.closed, device: path, ended: !loops && !stop.isRaised))
    }

    /// - Throws: `cannotOpen` where the system refuses the file, `noPictures` where it is none.
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
        // `image` already follows the file's own EXIF orientation, and so will whoever shows the bytes.
        let layout = PixelLayout(format: .mjpeg, width: image.width, height: image.height)
        encoded = EncodedPicture(layout: layout, transform: .identity, count: bytes.count, buffer: buffer)
      }
      return Frame(
        sequence: state.nextSequence(), captured: MonotonicClock.now, image: image, encoded: encoded)
    }
  }
}
