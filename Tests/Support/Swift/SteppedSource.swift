import Foundation
import Synchronization
import WaymarkFrames
import WaymarkImage
import WaymarkProtocol
import WaymarkService
import WaymarkSystem

/// Plays pictures one by one: the next comes only when the one before has been processed, at any load of the machine.
/// Times of capture are as if it ran at its rate.
final class SteppedSource: FrameSource {
  private struct State {
    var isOpen = false
    var released = false
    var finished = false
    var stopped = false
  }

  let device = "stepped"
  let origin: FrameOrigin
  private let state = Mutex(State())
  private let pictures: [@Sendable () -> GrayImage?]
  private let interval: Double
  private let ahead: Double
  private let blanks: Int
  /// Pictures after which it is unplugged.
  private let lostAfter: Int?
  /// How many frames have been worked on.
  private let processed: @Sendable () -> UInt64

  /// - Parameters:
  ///   - origin: the kind of source that its frames claim to come from.
  ///   - pictures: which of the folder's; all when missing.
  ///   - blanks: gray frames after the last picture.
  ///   - lostAfter: pictures after which it is unplugged.
  ///   - ahead: seconds by which the times of its frames are later than now. While they are, no timer goes off, however long frames take.
  convenience init(
    folder: String, origin: FrameOrigin = .camera, rate: Double, pictures: Range<Int>? = nil, blanks: Int,
    lostAfter: Int? = nil, ahead: Double = 0,
    processed: @escaping @Sendable () -> UInt64
  ) throws {
    let all = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".jpg") }.sorted()
      .map { "\(folder)/\($0)" }
    let load = (pictures.map { Array(all[$0]) } ?? all).map { path -> @Sendable () -> GrayImage? in
      {
        FileManager.default.contents(atPath: path).flatMap { try? PictureDecoder().gray([UInt8]($0)).image }
      }
    }
    self.init(
      load, origin: origin, rate: rate, blanks: blanks, lostAfter: lostAfter, ahead: ahead, processed: processed)
  }

  /// - Parameter pictures: are drawn, or read, as their turn comes; `nil` for a gray frame.
  init(
    _ pictures: [@Sendable () -> GrayImage?], origin: FrameOrigin = .camera, rate: Double, blanks: Int = 0,
    lostAfter: Int? = nil, ahead: Double = 0, processed: @escaping @Sendable () -> UInt64
  ) {
    self.origin = origin
    self.pictures = pictures
    interval = 1 / rate
    self.blanks = blanks
    self.lostAfter = lostAfter
    self.ahead = ahead
    self.processed = processed
  }

  var statistics: SourceStatistics { SourceStatistics() }
  var isOpen: Bool { state.withLock { $0.isOpen } }
  var isFinished: Bool { state.withLock { $0.finished } }
  func demand(_ demand: FrameDemand) {}
  func stop() { state.withLock { $0.stopped = true } }

  /// Lets the frames go.
  func release() { state.withLock { $0.released = true } }

  func start(_ sink: any FrameSink) {
    guard
      !state.withLock({ state in
        defer { state.isOpen = true }
        return state.isOpen
      })
    else { return }
    Thread.detachNewThread { self.play(sink) }
  }

  private func play(_ sink: any FrameSink) {
    while !state.withLock({ $0.released || $0.stopped }) { usleep(500) }
    let base = MonotonicClock.now + ahead
    for index in 0..<(pictures.count + blanks) {
      guard !state.withLock({ $0.stopped }) else { return }
      if index == lostAfter {
        sink.receive(SourceStatus(.lost, device: device))
        break
      }
      let picture = index < pictures.count ? pictures[index]() : nil
      let image = picture ?? GrayImage(width: 640, height: 480, value: 128)
      let before = processed()
      sink.receive(Frame(origin: origin, sequence: 0, captured: base + Double(index) * interval, image: image))
      while processed() == before, !state.withLock({ $0.stopped }) { usleep(200) }
    }
    state.withLock { $0.finished = true }
  }
}

/// Counts the frames that the lanes which a test waits for have worked on.
final class FrameCounter: Sendable {
  private let lanes: Set<String>
  private let pipeline = Mutex<FramePipeline?>(nil)

  /// - Parameter lanes: by name; a frame is done when all have seen it.
  init(_ lanes: String...) { self.lanes = Set(lanes) }

  /// Counts in a pipeline from now on.
  func count(in pipeline: FramePipeline) { self.pipeline.withLock { $0 = pipeline } }

  var value: UInt64 {
    let all = pipeline.withLock { $0 }?.statistics.lanes ?? []
    return UInt64(all.filter { lanes.contains($0.name) }.map(\.frames).min() ?? 0)
  }
}

extension TestService {
  /// Runs a session over all frames of a source.
  ///
  /// - Parameter client: has subscribed; its events are returned, from the first one it has not read to the end of the session.
  func session(of source: SteppedSource, seenBy client: RawClient) async throws -> [JSONValue] {
    let remote = try RawClient(path)
    _ = try remote.next()
    _ = try remote.ask("session.start")
    _ = try remote.ask("session.scan")
    try await until { _ in source.isOpen }
    source.release()
    let end = Task {
      try await until { _ in source.isFinished }
      let other = try RawClient(path)
      _ = try other.next()
      _ = try other.ask("session.exit")
    }
    var events: [JSONValue] = []
    while true {
      events.append(try client.next())
      if events.last?["event"] == "session.phase", events.last?["phase"] == "inactive" { break }
    }
    try await end.value
    return events
  }
}
