import Glibc
package import WaymarkImage
import WaymarkSystem

/// A Y4M or MJPEG stream from a file, a pipe, standard input, or a program that plays an address.
///
/// Files are played at their rate; otherwise frames are taken as they come. What ends or breaks is opened again until the
/// source is stopped, unless it is standard input, or a file that is to be played once.
package final class StreamSource: FrameSource {
  package let device: String
  package let origin = FrameOrigin.stream
  private let options: StreamOptions
  private let makeDecoder: MakeFrameDecoder
  private let isFile: Bool
  private let connect: OpenStream?
  private let state = SourceState()
  private let thread = WorkerThread(name: "wm-stream")
  /// Bytes that were read from a pipe, but not used, when the source was stopped.
  private let rest = Monitor<[UInt8]>([])

  /// A source over the address of a camera or a screen.
  ///
  /// - Parameters:
  ///   - connect: opens it, on the source's thread.
  ///   - makeDecoder: makes what decodes its pictures, on the source's thread; without, they are decoded on that thread.
  package init(
    address: StreamAddress, options: StreamOptions = StreamOptions(), makeDecoder: @escaping MakeFrameDecoder = { nil },
    connect: @escaping OpenStream
  ) {
    device = address.display
    self.makeDecoder = makeDecoder
    self.options = options
    self.connect = connect
    isFile = false
  }

  /// A source over a file, a named pipe, or `-` for standard input.
  ///
  /// - Parameter makeDecoder: makes what decodes its pictures, on the source's thread; without, they are decoded on that thread.
  /// - Throws: when there is no such file, or it is a folder.
  package init(
    path: String, options: StreamOptions = StreamOptions(), makeDecoder: @escaping MakeFrameDecoder = { nil }
  ) throws(SourceError) {
    device = path
    self.makeDecoder = makeDecoder
    self.options = options
    connect = nil
    guard path != "-" else {
      isFile = false
      return
    }
    var information = stat()
    guard stat(path, &information) == 0 else { throw .cannotOpen(path, reason: String(cString: strerror(errno))) }
    guard information.st_mode & S_IFMT != S_IFDIR else { throw .cannotOpen(path, reason: "it is a folder") }
    isFile = information.st_mode & S_IFMT == S_IFREG
  }

  package var statistics: SourceStatistics { state.statistics }
  package var stages: StageTimes? { state.stages }
  /// A program that feeds a pipe stands still, or gives up, when nobody reads.
  package var staysOpen: Bool { !isFile && connect == nil }
  package func demand(_ demand: FrameDemand) { state.demand = demand }
  package func stop() { thread.stop() }

  package func start(_ sink: any FrameSink) {
    let (device, options, isFile, state, rest) = (device, options, isFile, state, rest)
    let (makeDecoder, connect) = (makeDecoder, connect)
    thread.start { stop in
      let leftover = rest.withLock { bytes -> [UInt8] in
        defer { bytes = [] }
        return bytes
      }
      do {
        var player = StreamPlayer(
          path: device, connect: connect, options: options, isFile: isFile, state: state, sink: sink,
          leftover: leftover,
          converter: try LumaConverter(
            transform: options.transform, sufficientWidth: options.sufficientWidth, outOfProcess: makeDecoder()))
        player.run(until: stop)
        let unused = player.unused
        rest.withLock { $0 = unused }
      } catch {
        let problem = SourceError.damagedStream(device, reason: "\(error)")
        sink.receive(SourceStatus(.lost, device: device, problem: problem, ended: true))
      }
    }
  }
}
