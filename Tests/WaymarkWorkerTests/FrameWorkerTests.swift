import Foundation
import Synchronization
import Testing
import WaymarkFrames
import WaymarkImage
import WaymarkSystem

@testable import WaymarkWorker

/// Motion JPEG frames decoded by real workers.
struct FrameWorkerTests {
  private typealias Journal = IsolationTests.Journal

  /// A picture with something in every block, as a camera would compress it.
  private static func picture(_ width: Int, _ height: Int, gray: Bool = false) throws -> [UInt8] {
    var generator = SplitMix(state: UInt64(width * 31 + height))
    let pixels = (0..<3 * width * height).map { i -> UInt8 in
      UInt8(truncatingIfNeeded: i / 7 + i / (3 * width) + Int.random(in: 0...15, using: &generator))
    }
    if gray {
      return try JPEGEncoder.encode(
        GrayImage(width: width, height: height) { _ = $0.update(fromContentsOf: pixels.prefix($0.count)) })
    }
    return try JPEGEncoder.encode(
      RGBImage(width: width, height: height) { _ = $0.update(fromContentsOf: pixels.prefix($0.count)) })
  }

  private static func worker(_ journal: Journal, limit: Double = 20) -> (FrameWorker, WorkerMonitor) {
    let ledger = IsolationTests.ledger(journal)
    return (FrameWorker(IsolationTests.launcher, ledger, limit: limit), ledger)
  }

  /// Returns the worker's answer about a picture, and the pixels' sum where it makes any.
  private static func gray(
    _ worker: FrameWorker, _ file: [UInt8], _ width: Int, _ height: Int, stop: StopSignal? = nil
  ) -> (outcome: DecodeOutcome, used: Bool) {
    var used = false
    let outcome = file.withUnsafeBytes {
      worker.gray($0, DecodeRequest(width: width, height: height), stop: stop) { view in
        used = (view.width, view.height) == (width, height)
      }
    }
    return (outcome, used)
  }

  private static func pixels(_ luma: LumaConverter.Luma) -> (width: Int, pixels: [UInt8], isOdd: Bool)? {
    luma.image.map { image in
      let pixels = image.withView { Array(UnsafeBufferPointer(start: $0.base, count: $0.width * $0.height)) }
      return (image.width, pixels, luma.outcome == .damagedButDecoded)
    }
  }

  @Test(arguments: [(640, 480), (63, 41), (1280, 720), (8, 8), (1, 3)])
  func framesAreWhatThisProcessMakesOfThem(width: Int, height: Int) throws {
    let journal = Journal()
    let isolation = IsolationTests.isolation(journal)
    let decoder = try #require(isolation.frameDecoder())
    let layout = PixelLayout(format: .mjpeg, width: width, height: height)
    for transform in [
      FrameTransform.identity, FrameTransform(rotation: .quarter), FrameTransform(rotation: .half, mirror: true),
    ] {
      var here = try LumaConverter(transform: transform)
      var there = try LumaConverter(transform: transform, outOfProcess: decoder)
      for gray in [false, true] {
        let file = try Self.picture(width, height, gray: gray)
        let (near, far) = file.withUnsafeBytes {
          (Self.pixels(here.convert($0, layout: layout)), Self.pixels(there.convert($0, layout: layout)))
        }
        #expect(try #require(near) == #require(far))
      }
    }
    #expect(journal.failures.withLock { $0 } == [])
    #expect(isolation.figures?.starts == 1)
  }

  @Test func damagedFramesCostNoWorker() throws {
    let journal = Journal()
    let isolation = IsolationTests.isolation(journal)
    let layout = PixelLayout(format: .mjpeg, width: 64, height: 48)
    var here = try LumaConverter()
    var there = try LumaConverter(outOfProcess: isolation.frameDecoder())
    let file = try Self.picture(64, 48)
    var generator = SplitMix(state: 3)
    var damaged = 0
    for round in 0..<400 {
      var bytes = round % 2 == 0 ? Array(file.prefix(Int.random(in: 0..<file.count, using: &generator))) : file
      for _ in 0..<(round % 2 == 0 ? 0 : 3) {
        bytes[Int.random(in: 20..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      let (near, far) = bytes.withUnsafeBytes {
        (Self.pixels(here.convert($0, layout: layout)), Self.pixels(there.convert($0, layout: layout)))
      }
      if near == nil { damaged += 1 }
      #expect(near?.pixels == far?.pixels && near?.isOdd == far?.isOdd, "round \(round)")
    }
    #expect(damaged > 100)
    // Larger than agreed: not even handed over.
    let large = try Self.picture(128, 96)
    #expect(Self.pixels(large.withUnsafeBytes { there.convert($0, layout: layout) }) == nil)
    #expect(journal.failures.withLock { $0 } == [])
    #expect(isolation.figures?.starts == 1)
  }

  @Test func aCrashCostsAFrameAndAWorker() throws {
    let journal = Journal()
    let (worker, ledger) = Self.worker(journal)
    let file = try Self.picture(64, 48)
    #expect(Self.gray(worker, file, 64, 48) == (.clean, true))
    kill(try #require(worker.process), SIGSEGV)
    #expect(Self.gray(worker, file, 64, 48) == (.lost, false))
    #expect(journal.failures.withLock { $0 } == [.crashed(signal: SIGSEGV)])
    #expect(Self.gray(worker, file, 64, 48) == (.clean, true))
    #expect(ledger.figures.failures == ["workerCrashed": 1])
    #expect((ledger.figures.starts, ledger.figures.lost) == (2, 1))
  }

  @Test func aHangCostsAFrameAndAWorker() throws {
    let journal = Journal()
    let (worker, ledger) = Self.worker(journal, limit: 0.3)
    let file = try Self.picture(64, 48)
    // On a busy machine a good frame may take longer than the limit of this test.
    while Self.gray(worker, file, 64, 48).outcome != .clean {}
    let before = ledger.figures.hangs
    let process = try #require(worker.process)
    kill(process, SIGSTOP)
    #expect(Self.gray(worker, file, 64, 48) == (.lost, false))
    #expect(journal.failures.withLock { $0.last } == .hung)
    #expect(ledger.figures.hangs == before + 1)
    #expect(kill(process, 0) != 0 && errno == ESRCH)
  }

  @Test func whoStopsDoesNotWaitForAHang() throws {
    let journal = Journal()
    // Longer than this test may take.
    let (worker, ledger) = Self.worker(journal, limit: 3600)
    let file = try Self.picture(64, 48)
    #expect(Self.gray(worker, file, 64, 48).outcome == .clean)
    kill(try #require(worker.process), SIGSTOP)
    let stop = StopSignal()
    stop.raise()
    #expect(Self.gray(worker, file, 64, 48, stop: stop) == (.lost, false))
    // No failure of the worker.
    #expect(journal.failures.withLock { $0 } == [])
    #expect(ledger.figures.lost == 0)
    #expect(Self.gray(worker, file, 64, 48).outcome == .clean)
  }

  @Test func previewsAreWhatThisProcessMakesOfThem() throws {
    let journal = Journal()
    let (worker, _) = Self.worker(journal)
    let file = try Self.picture(320, 200)
    var decoder = try JPEGDecoder()
    for (scale, orientation) in [(JPEGDecoder.Scale.half, Orientation.upright), (.eighth, .turn90)] {
      let order = DecodeRequest(width: 320, height: 200, scale: scale)
      try file.withUnsafeBytes { bytes in
        let here = try FramePreview.make(bytes, order, orientation: orientation, quality: 80, with: &decoder)
        #expect(worker.preview(bytes, order, orientation: orientation, quality: 80) == here)
      }
    }
    // A picture that is not of the size that was said.
    file.withUnsafeBytes { bytes in
      let order = DecodeRequest(width: 160, height: 100, scale: .half)
      #expect(worker.preview(bytes, order, orientation: .upright, quality: 80) == nil)
      #expect(worker.gray(bytes, order, stop: nil, use: { _ in Issue.record("pixels of another picture") }) == .damaged)
    }
    #expect(journal.failures.withLock { $0 } == [])
  }

  @Test func picturesThatArePlayedHaveOneWorkerForAll() throws {
    let journal = Journal()
    let isolation = IsolationTests.isolation(journal)
    let (there, here) = (isolation.pictureReading(), Isolation.none.pictureReading())
    func attempt(_ read: ([UInt8]) throws -> GrayImage, _ bytes: [UInt8]) -> Result<[UInt8], ImageError>? {
      do {
        let image = try read(bytes)
        return .success(image.withView { Array(UnsafeBufferPointer(start: $0.base, count: $0.width * $0.height)) })
      } catch {
        return (error as? ImageError).map { .failure($0) }
      }
    }
    for folder in ["Pictures/read", "Pictures/refused"] {
      for (name, bytes) in try IsolationTests.files(folder) {
        let result = attempt(there, bytes)
        #expect(result != nil && result == attempt(here, bytes), "\(name)")
      }
    }
    #expect(journal.failures.withLock { $0 } == [])
    #expect(isolation.figures?.starts == 1)
  }
}
