import Foundation
import WaymarkFrames
import WaymarkImage
import WaymarkSystem
import WaymarkWorker

/// Measures the cost of a worker for a camera: the same Motion JPEG frames decoded on a thread and in a worker, turn by turn.
extension WorkerMeasurement {
  func runDecoding() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    let files = names.compactMap { try? PictureFile.read("\(folder)/\($0)") }
    let frames = files.compactMap { bytes in
      bytes.withUnsafeBytes { JPEGStructure.pictureSize($0) }.map {
        (bytes, layout: PixelLayout(format: .mjpeg, width: $0.width, height: $0.height))
      }
    }
    guard let first = frames.first else {
      try fail(ImageError(.cannotOpen, "\(folder) holds no JPEG files", hint: "Name a folder of frames."))
    }
    let isolation = Isolation(launcher: WorkerLauncher()) { Output.line("\($0.message)") }
    let size = frames.reduce(0) { $0 + $1.0.count } / frames.count
    let layout = first.layout
    Output.line(
      "\(frames.count) frames of \(layout.width) x \(layout.height), \(size) bytes on average, \(rounds) times")

    var (local, remote) = (Times(), Times())
    var localCPU = 0.0
    let (before, ownBefore) = (Self.childrenCPU, Self.ownCPU)
    do {
      var thread = try LumaConverter()
      let started = MonotonicClock.now
      var worker = try LumaConverter(outOfProcess: isolation.frameDecoder())
      _ = first.0.withUnsafeBytes { worker.convert($0, layout: layout) }
      Output.line(String(format: "start to first frame %.1f ms", 1000 * (MonotonicClock.now - started)))
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
    Output.line(
      String(
        format: "more a frame: median %.3f ms, p99 %.3f ms", more[more.count / 2], more[more.count * 99 / 100]))
  }
}
