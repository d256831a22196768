import Glibc
package import WaymarkImage
import WaymarkSystem

/// A Y4M or MJPEG stream from a file, a pipe, standard input, or a program that plays an address.
///
/// Files are played at their rate, all other streams as their frames arrive. A stream that ends or breaks is opened again until the
/// source is stopped, except standard input, and files without `loops`.
package final class StreamSource: FrameSource {
  package let device: String
  package let origin = FrameOrigin.stream
  private let options: StreamOptions
  private let makeDecoder: MakeFrameDecoder
  private let isFile: Bool
  private let connect: OpenStream?
  private let state = SourceState()
  private let thread = WorkerThread(name: "wm-stream")
  /// The bytes that were read from a pipe but not consumed when the source was stopped.
  private let rest = Monitor<[UInt8]>([])

  /// Creates a source for the address of a camera or screen.
  ///
  /// - Parameters:
  ///   - makeDecoder: creates the decoder for compressed pictures, on the source's thread. If it returns nil, pictures are decoded on
  ///   this thread.
  ///   - connect: starts the program that plays the address.
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

  /// Creates a source for a file or a named pipe, or for standard input if the path is `-`.
  ///
  /// - Parameter makeDecoder: creates the decoder for compressed pictures, on the source's thread. If it returns nil, pictures are
  ///   decoded on this thread.
  /// - Throws: `cannotOpen` if there is no such file, or if the path is a folder.
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
    guard let kind = FileKind(path) else { throw .cannotOpen(path, reason: systemMessage(errno)) }
    guard kind != .folder else { throw .cannotOpen(path, reason: "it is a folder") }
    isFile = kind == .regular
  }

  package var statistics: SourceStatistics { state.statistics }
  package var stages: StageTimes? { state.stages }
  /// True for pipes: the program that writes into a pipe blocks or fails without a reader.
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
            transform: options.transform, outOfProcess: makeDecoder()))
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
