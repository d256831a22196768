import ArgumentParser
import Foundation
import Glibc
import WaymarkBarcodes
import WaymarkFrames
import WaymarkImage
import WaymarkSystem
import WaymarkWorker

/// Measures the cost of a worker: the same frames read on a thread and in a worker, turn by turn.
struct WorkersProbe: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "workers",
    abstract: "Measures what it costs to read a folder's pictures in a worker instead of on a thread.")

  @Argument(help: "A folder of frames.")
  var folder: String

  @Option(help: "How often each picture is read.")
  var rounds = 20

  @Flag(help: "Measure the decoding of Motion JPEG frames (JPEG files in the folder) instead of the reading of codes.")
  var decoding = false

  func validate() throws {
    guard rounds >= 1 else { throw ValidationError("--rounds takes a whole number from 1") }
  }

  func run() throws { try decoding ? measureDecoding() : measureReading() }

  struct Times {
    var seconds: [Double] = []
    var codes = 0

    func percentile(_ share: Double) -> Double {
      let sorted = seconds.sorted()
      return 1000 * sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]
    }
  }

  private func measureReading() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    let frames = names.compactMap { name -> Frame? in
      guard let file = try? PictureFile.read("\(folder)/\(name)"),
        let image = try? PictureDecoder().gray(file).image
      else { return nil }
      return Frame(origin: .folder, sequence: 0, captured: 0, image: image)
    }
    guard let first = frames.first else {
      throw ValidationError("\(folder) holds no pictures.")
    }
    let failures = Isolation(launcher: WorkerLauncher()) { Probes.line("\($0.message)") }
    let configuration = ScanConfiguration.live(Symbology.common)
    Probes.line("\(frames.count) frames of \(first.width) x \(first.height), \(rounds) times")

    var (local, remote) = (Times(), Times())
    var localCPU = 0.0
    let (before, ownBefore, started) = (Self.childrenCPU, Self.ownCPU, MonotonicClock.now)
    do {
      let thread = Isolation.none.codeReading()
      let worker = failures.codeReading()
      _ = worker(first, configuration)
      let ready = 1000 * (MonotonicClock.now - started)
      Probes.line(String(format: "start to first reading %.1f ms", ready))
      for _ in 0..<rounds {
        for frame in frames {
          let cpu = Self.ownCPU
          Self.time(&local) { thread(frame, configuration) }
          localCPU += Self.ownCPU - cpu
          Self.time(&remote) { worker(frame, configuration) }
        }
      }
    }
    // The worker is reaped now, its time is known: with its start, which is a part of the cost.
    let workerCPU = Self.childrenCPU - before
    let daemonCPU = Self.ownCPU - ownBefore - localCPU
    writeResult(local, remote, localCPU: localCPU, workerCPU: workerCPU, callerCPU: daemonCPU)
  }

  func writeResult(_ local: Times, _ remote: Times, localCPU: Double, workerCPU: Double, callerCPU: Double) {
    let count = Double(local.seconds.count)
    for (name, times) in [("thread", local), ("worker", remote)] {
      let line = String(
        format: "%@  median %.3f ms  p99 %.3f ms  mean %.3f ms", name, times.percentile(0.5), times.percentile(0.99),
        1000 * times.seconds.reduce(0, +) / count)
      Probes.line(times.codes == 0 ? line : line + "  codes \(times.codes)")
    }
    Probes.line(
      String(
        format: "processor time a frame: thread %.3f ms, worker %.3f ms and its caller %.3f ms",
        1000 * localCPU / count, 1000 * workerCPU / count, 1000 * callerCPU / count))
  }

  private static func time(_ times: inout Times, _ body: () -> ScanReading?) {
    let began = MonotonicClock.now
    times.codes += body()?.symbols.count ?? 0
    times.seconds.append(MonotonicClock.now - began)
  }

  /// Processor seconds of this thread.
  static var ownCPU: Double { ProcessorClock.thread }

  /// Processor seconds of the processes that were started here and have ended.
  static var childrenCPU: Double {
    var usage = rusage()
    getrusage(-1 /* RUSAGE_CHILDREN */, &usage)
    return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
      + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
  }
}

/// Measures the cost of a worker for a camera: the same Motion JPEG frames decoded on a thread and in a worker, turn by turn.
extension WorkersProbe {
  private func measureDecoding() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    let files = names.compactMap { try? PictureFile.read("\(folder)/\($0)") }
    let frames = files.compactMap { bytes in
      bytes.withUnsafeBytes { JPEGStructure.pictureSize($0) }.map {
        (bytes, layout: PixelLayout(format: .mjpeg, width: $0.width, height: $0.height))
      }
    }
    guard let first = frames.first else {
      throw ValidationError("\(folder) holds no JPEG files.")
    }
    let isolation = Isolation(launcher: WorkerLauncher()) { Probes.line("\($0.message)") }
    let size = frames.reduce(0) { $0 + $1.0.count } / frames.count
    let layout = first.layout
    Probes.line(
      "\(frames.count) frames of \(layout.width) x \(layout.height), \(size) bytes on average, \(rounds) times")

    var (local, remote) = (Times(), Times())
    var localCPU = 0.0
    let (before, ownBefore) = (Self.childrenCPU, Self.ownCPU)
    do {
      var thread = try LumaConverter()
      let started = MonotonicClock.now
      var worker = try LumaConverter(outOfProcess: isolation.frameDecoder())
      _ = first.0.withUnsafeBytes { worker.convert($0, layout: layout) }
      Probes.line(String(format: "start to first frame %.1f ms", 1000 * (MonotonicClock.now - started)))
      for _ in 0..<rounds {
        for (bytes, layout) in frames {
          bytes.withUnsafeBytes { bytes in
            let (cpu, began) = (Self.ownCPU, MonotonicClock.now)
            _ = thread.convert(bytes, layout: layout)
            let between = MonotonicClock.now
            localCPU += Self.ownCPU - cpu
            let asked = MonotonicClock.now
            _ = worker.convert(bytes, layout: layout)
            local.seconds.append(between - began)
            remote.seconds.append(MonotonicClock.now - asked)
          }
        }
      }
    }
    writeResult(
      local, remote, localCPU: localCPU, workerCPU: Self.childrenCPU - before,
      callerCPU: Self.ownCPU - ownBefore - localCPU)
    let more = zip(remote.seconds, local.seconds).map { 1000 * ($0 - $1) }.sorted()
    Probes.line(
      String(
        format: "more a frame: median %.3f ms, p99 %.3f ms", more[more.count / 2], more[more.count * 99 / 100]))
  }
}
