import ArgumentParser
import Foundation
import WaymarkBarcodes
import WaymarkCamera
import WaymarkFrames
import WaymarkProtocol
import WaymarkService
import WaymarkSystem

/// Streams from a camera for a while and prints states, codes and counts.
struct CameraProbe: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "camera",
    abstract: "Streams from a camera and prints its states, codes and counts.",
    discussion: """
      One JSON object a line: every change of the camera's state, every code when it first appears, and at the end what was \
      counted. Ends with 69 where no frame came, with 1 where fewer came than were wanted.
      Example:
        waymark-probes camera --size 1280x720 --read --seconds 10
      """)

  @Option(help: "Which camera: auto, a path, an identity, a part of its name.")
  var camera = "auto"

  @Option(help: "The size wanted, as WIDTHxHEIGHT.")
  var size = "640x480"

  @Option(help: "Frames a second wanted.")
  var rate = 30.0

  @Option(help: "The only pixel format to use: MJPG, YUYV, NV12, GREY, …")
  var format: String?

  @Option(name: .customLong("control"), help: "Sets a control: NAME=VALUE. May be repeated.")
  var controls: [String] = []

  @Option(help: "Ends after so many frames.")
  var frames: UInt64?

  @Option(help: "Ends after so many seconds.")
  var seconds = 10.0

  @Flag(help: "Reads QR codes.")
  var read = false

  @Flag(help: "Takes the compressed pictures without looking at them, as a preview does.")
  var preview = false

  @Option(help: "Look for video nodes in this folder.")
  var nodes = "/dev"

  func run() throws {
    let settings = try settings()
    let source = CameraSource(settings: settings, nodes: VideoNodes(folder: nodes))
    let output = LineOutput()
    let pipeline = FramePipeline(source: source)
    pipeline.onStatus { output.write(StatusLine($0)) }
    let arrived = Monitor((frames: UInt64(0), texts: Set<String>()))
    let count = Lane<Bool, Bool>(
      name: "count", settings: true, makeWork: { { _, _ in true } },
      deliver: { _, frame in arrived.update { $0.frames = frame.sequence } })
    count.setEnabled(!preview)
    pipeline.add(count)
    let tap = MediaTap()
    pipeline.add(tap.lane)
    let watch = Monitor<MediaSubscription?>(nil)
    if preview {
      let made = tap.watch { picture in
        arrived.update { $0.frames = UInt64(picture.frame.sequence) }
        watch.withLock { $0 }?.ready()
      }
      watch.withLock { $0 = made }
      made.ready()
    }
    let lane = BarcodeLane.barcodes { reading, _ in
      for symbol in reading.symbols where arrived.update({ $0.texts.insert(symbol.text).inserted }) {
        output.write(SymbolLine(symbology: symbol.symbology.rawValue, text: symbol.text))
      }
    }
    lane.setEnabled(read)
    pipeline.add(lane)
    pipeline.start()
    let enough = frames ?? .max
    let done: Bool? = arrived.wait(until: MonotonicClock.now + max(0, seconds)) { $0.frames >= enough ? true : nil }
    let (statistics, figures) = (pipeline.statistics, source.statistics)
    pipeline.stop()
    let summary = SummaryLine(statistics.frames, statistics.lanes, figures)
    output.write(summary)
    if summary.frames == 0 { throw ExitCode(69) }
    if frames != nil, done == nil { throw ExitCode(1) }
  }

  private func settings() throws -> CameraSettings {
    var settings = CameraSettings(selector: CameraSelector(camera), rate: rate)
    let sides = size.split(separator: "x").compactMap { Int($0) }
    guard sides.count == 2, sides.allSatisfy({ (1...16384).contains($0) }) else {
      throw ValidationError("--size takes WIDTHxHEIGHT, for instance 1280x720")
    }
    (settings.width, settings.height) = (sides[0], sides[1])
    if let format {
      guard let known = PixelFormat(rawValue: format.uppercased()) else {
        let names = PixelFormat.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("--format takes one of \(names)")
      }
      settings.formats = [known]
    }
    for control in controls {
      let parts = control.split(separator: "=")
      guard parts.count == 2, let value = Int(parts[1]) else {
        throw ValidationError("--control takes NAME=VALUE, for instance focus=30")
      }
      settings.controls[String(parts[0])] = value
    }
    return settings
  }
}

/// Writes a JSON object a line; from any thread.
private final class LineOutput: Sendable {
  private let lock = Monitor(())

  func write(_ value: some Encodable) {
    lock.withLock { _ in try? Probes.record(value) }
  }
}

private struct StatusLine: Encodable {
  let status: String
  let device: String
  let format: String?
  let width: Int?
  let height: Int?
  let rate: Double?
  let code: String?
  let message: String?
  let time: Double

  init(_ status: SourceStatus) {
    self.status = status.state.rawValue
    device = status.device
    format = status.layout?.format.rawValue
    width = status.layout?.width
    height = status.layout?.height
    rate = status.rate
    code = status.problem?.code.rawValue
    message = status.problem?.message
    time = MonotonicClock.now
  }
}

private struct SymbolLine: Encodable {
  let symbology: String
  let text: String
}

private struct SummaryLine: Encodable {
  let frames: Int
  let source: SourceStatistics
  let read: Int?
  let skipped: Int?
  /// Seconds that reading took.
  let median: Double?
  let percentile99: Double?
  /// Seconds of processor time that this process has used.
  let processorTime: Double
  /// Resident memory in bytes.
  let memory: Int

  init(_ frames: FrameStatistics, _ lanes: [LaneStatistics], _ source: SourceStatistics) {
    self.frames = frames.captured
    self.source = source
    let lane = lanes.first { $0.name == "barcode" && $0.frames > 0 }
    (read, skipped, median, percentile99) = (lane?.frames, lane?.skipped, lane?.p50, lane?.p99)
    processorTime = Double(clock()) / Double(CLOCKS_PER_SEC)
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
    memory = (pages.flatMap { $0.count > 1 ? Int($0[1]) : nil } ?? 0) * Int(getpagesize())
  }
}
