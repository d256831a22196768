import Foundation
import Synchronization
import Testing
import WaymarkBarcodes
import WaymarkFrames
import WaymarkImage

@testable import WaymarkWorker

/// Workers that were compromised by a picture: programs that greet like a worker, and then do what they like.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "needs python3"))
struct HostileWorkerTests {
  /// A worker whose answer is `body`, Python in which `say(status, count)` answers, and `head(width, height, flags)` writes a picture's
  /// head.
  private final class Hostile {
    let folder: String
    let launcher: WorkerLauncher

    init(_ body: String) throws {
      folder = NSTemporaryDirectory() + "waymark-hostile-\(UUID().uuidString)"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let path = folder + "/worker"
      let program = """
        #!/usr/bin/python3 -IS
        import mmap, os, signal, struct, time
        def say(status, count): os.write(3, struct.pack("<II", status, count))
        def head(*numbers): arena[:12] = struct.pack("<III", *numbers)
        arena = mmap.mmap(4, \(WorkerArena.outputLimit), offset=\(WorkerArena.inputLimit))
        say(0x\(String(WorkerEndpoint.greeting, radix: 16)), 0)
        while True:
          request = os.read(3, 2048)
          if not request: break
          \(body)
        """
      try program.write(toFile: path + ".py", atomically: true, encoding: .utf8)
      // Another process makes the executable: a child that some other test starts at this moment would hold a file open that is
      // written here, and what is open for writing cannot be run.
      let install = try Process.run(
        URL(fileURLWithPath: "/usr/bin/install"), arguments: ["-m", "755", path + ".py", path])
      install.waitUntilExit()
      launcher = WorkerLauncher(executable: path)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }
  }

  private static func ask(
    _ worker: FrameWorker, use: (ImageView) -> Void = { _ in Issue.record("its pixels were used") }
  ) -> DecodeOutcome {
    [UInt8](repeating: 0xFF, count: 100).withUnsafeBytes {
      worker.gray($0, DecodeRequest(width: 64, height: 48), stop: nil, use: use)
    }
  }

  @Test(
    arguments: [
      // Other sizes than asked for, sizes without end, a length that does not fit, lengths outside of the arena.
      "head(48, 64, 0); say(0, 64 + 64 * 48)", "head(63, 48, 0); say(0, 64 + 63 * 48)",
      "head(65535, 65535, 0); say(0, 64)", "head(2**32 - 1, 2**32 - 1, 0); say(0, 2**32 - 1)",
      "head(64, 48, 0); say(0, 64 * 48)", "head(64, 48, 0); say(0, 2**32 - 1)", "head(0, 0, 0); say(0, 64)",
      "head(64, 48, 77); say(0, 64 + 64 * 48)", "say(9, 64)", "os.write(3, b'abc')", "os.write(3, bytes(4096))",
    ]) func anAnswerWithoutSenseIsNotBelieved(body: String) throws
  {
    let journal = IsolationTests.Journal()
    let ledger = IsolationTests.ledger(journal)
    let hostile = try Hostile(body)
    let worker = FrameWorker(hostile.launcher, ledger, limit: 20)
    #expect(Self.ask(worker) == .lost)
    #expect(journal.failures.withLock { $0 } == [.malformedAnswer])
    #expect(worker.process == nil)
  }

  @Test func anEndInTheMiddleIsACrash() throws {
    let journal = IsolationTests.Journal()
    let hostile = try Hostile("os.kill(os.getpid(), signal.SIGABRT)")
    let worker = FrameWorker(hostile.launcher, IsolationTests.ledger(journal), limit: 20)
    #expect(Self.ask(worker) == .lost)
    #expect(journal.failures.withLock { $0 } == [.crashed(signal: SIGABRT)])
  }

  /// Its end is not waited for: it need not come.
  @Test(.timeLimit(.minutes(1))) func whoClosesTheChannelAndLivesOnIsEnded() throws {
    let journal = IsolationTests.Journal()
    let hostile = try Hostile("os.close(3); time.sleep(3600)")
    let worker = FrameWorker(hostile.launcher, IsolationTests.ledger(journal), limit: 20)
    #expect(Self.ask(worker) == .lost)
    #expect(journal.failures.withLock { $0 } == [.crashed(signal: nil)])
    #expect(worker.process == nil)
  }

  /// Else requests that are not read pile up, until one finds no room and waits for ever.
  @Test(.timeLimit(.minutes(1))) func whoAnswersMoreThanIsAskedIsNotAskedAgain() throws {
    let journal = IsolationTests.Journal()
    let hostile = try Hostile("head(64, 48, 0); [say(0, \(GrayReply.headSize) + 64 * 48) for _ in range(400)]")
    let worker = FrameWorker(hostile.launcher, IsolationTests.ledger(journal), limit: 20)
    var asked = 0
    while journal.failures.withLock({ $0.isEmpty }), asked < 1000 {
      _ = Self.ask(worker) { _ in }
      asked += 1
    }
    #expect(journal.failures.withLock { $0 } == [.malformedAnswer])
  }

  /// The answer about a picture file is not taken in before it is known to be small.
  @Test(
    arguments: [
      "say(0, \(CodeReply.byteLimit) + 1)", "say(1, \(ImageError.byteLimit) + 1)", "say(0, 100)",
    ]) func anAnswerWithoutEndAboutAFileIsNotRead(body: String) throws
  {
    let journal = IsolationTests.Journal()
    let hostile = try Hostile(body)
    let isolation = IsolationTests.isolation(journal, hostile.launcher)
    #expect(throws: WorkerFailure.malformedAnswer) { try isolation.codes(in: [1, 2, 3], .still) }
    #expect(journal.failures.withLock { $0 } == [.malformedAnswer])
  }

  @Test func whatIsMadeReadyIsAJPEG() throws {
    let journal = IsolationTests.Journal()
    for (format, beginning) in [(PictureFormat.png, [UInt8(0xFF), 0xD8]), (.jpeg, [0x3C, 0x73])] {
      var wire = WireWriter()
      Wire<PictureFormat>.choice.write(format, &wire)
      for number in [4, 3, 1] { wire.count(number) }
      wire.raw(beginning)
      let bytes = wire.bytes.map(String.init).joined(separator: ",")
      let hostile = try Hostile("arena[:\(wire.bytes.count)] = bytes([\(bytes)]); say(0, \(wire.bytes.count))")
      let isolation = IsolationTests.isolation(journal, hostile.launcher)
      #expect(throws: WorkerFailure.malformedAnswer) { try isolation.prepare([1, 2, 3], width: 2) }
    }
  }

  @Test func silenceIsAHang() throws {
    let journal = IsolationTests.Journal()
    let hostile = try Hostile("time.sleep(3600)")
    let worker = FrameWorker(hostile.launcher, IsolationTests.ledger(journal), limit: 0.1)
    #expect(Self.ask(worker) == .lost)
    #expect(journal.failures.withLock { $0 } == [.hung])
  }

  @Test(
    arguments: [
      "arena[:3] = b'GIF'; say(0, 3)", "arena[:2] = bytes([255, 216]); say(0, 70 * 1024)", "say(0, 2**32 - 1)",
      "say(0, 0)",
    ]) func aPreviewWithoutSenseIsNotHandedOut(body: String) throws
  {
    let journal = IsolationTests.Journal()
    let hostile = try Hostile(body)
    let worker = FrameWorker(hostile.launcher, IsolationTests.ledger(journal), limit: 20)
    let order = DecodeRequest(width: 64, height: 48, scale: .half)
    let made = [UInt8](repeating: 0xFF, count: 100).withUnsafeBytes {
      worker.preview($0, order, orientation: .upright, quality: 80)
    }
    #expect(made == nil)
    #expect(journal.failures.withLock { $0 } == [.malformedAnswer])
  }

  /// Two thousand frames, one every 64th of a second.
  @Test func aCameraOfNothingButPoisonStartsFewWorkers() throws {
    let journal = IsolationTests.Journal()
    let ledger = IsolationTests.ledger(journal)
    let hostile = try Hostile("os._exit(1)")
    let frames = Mutex(0)
    let worker = FrameWorker(hostile.launcher, ledger, limit: 20) { frames.withLock { Double($0) / 64 } }
    var starts: [Int] = []
    for frame in 0..<2000 {
      frames.withLock { $0 = frame }
      let before = ledger.figures.starts
      #expect(Self.ask(worker) == .lost)
      if ledger.figures.starts > before { starts.append(frame) }
    }
    #expect(ledger.figures.lost == 2000)
    // The first two at once, then after rests of 0.1 s, 0.2 s, 0.4 s, 0.8 s and 1.6 s, each up to the next frame; then every 2 s.
    #expect(starts == [0, 1, 8, 21, 47, 99, 202] + stride(from: 330, to: 2000, by: 128))
  }
}
