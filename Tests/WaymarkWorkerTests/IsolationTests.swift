import CSandbox
import Foundation
import Synchronization
import Testing
import WaymarkBarcodes
import WaymarkFrames
import WaymarkImage
import WaymarkSystem

@testable import WaymarkWorker

/// Real workers, started from the executable that was built beside these tests, or from the one that the environment names: a
/// sanitizer's runtime does not fit into a worker, so that this side alone is looked at then.
struct IsolationTests {
  static let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path
  static let launcher = WorkerLauncher(
    executable: ProcessInfo.processInfo.environment["TEST_WORKER"]
      ?? URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent("waymark-station").path)

  static func files(_ folder: String) throws -> [(name: String, bytes: [UInt8])] {
    let path = "\(project)/Tests/Fixtures/\(folder)"
    return try FileManager.default.contentsOfDirectory(atPath: path).sorted().map { name in
      (name, [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)"))))
    }
  }

  /// Remembers what went wrong.
  final class Journal: Sendable {
    let failures = Mutex<[WorkerFailure]>([])
  }

  static func isolation(_ journal: Journal, _ launcher: WorkerLauncher = launcher) -> Isolation {
    Isolation(launcher: launcher) { failure in journal.failures.withLock { $0.append(failure) } }
  }

  static func ledger(_ journal: Journal) -> WorkerMonitor {
    WorkerMonitor { failure in journal.failures.withLock { $0.append(failure) } }
  }

  static func frame(_ name: String = "qr-utf8.pbm") throws -> Frame {
    let file = try #require(try files("Codes").first { $0.name == name })
    return Frame(origin: .camera, sequence: 1, captured: 0, image: try PictureDecoder().gray(file.bytes).image)
  }

  @Test func aWorkerReadsWhatAThreadReads() throws {
    let journal = Journal()
    let isolation = Self.isolation(journal)
    let (worker, thread) = (isolation.codeReading(), Isolation.none.codeReading())
    var readable = 0
    for (name, bytes) in try Self.files("Codes") {
      let frame = Frame(origin: .camera, sequence: 1, captured: 0, image: try PictureDecoder().gray(bytes).image)
      for configuration in [ScanConfiguration.still, .live(Symbology.common)] {
        let reading = worker(frame, configuration)
        #expect(reading == thread(frame, configuration), "\(name)")
        if configuration == .still, reading?.symbols.isEmpty == false { readable += 1 }
      }
    }
    // Most of them hold one code, a few only a part of one or none that is looked for.
    #expect(readable >= 20)
    #expect(journal.failures.withLock { $0 } == [])
    #expect(isolation.figures?.starts == 1)
  }

  /// The kernel's view of it: no more memory than the largest picture needs, and the first to be ended when there is no memory left.
  @Test func aWorkerTakesNoMoreThanItMay() throws {
    let worker = try Self.launcher.start()
    func line(_ file: String, _ beginning: String) throws -> [Substring] {
      let text = try String(contentsOfFile: "/proc/\(worker.process)/\(file)", encoding: .utf8)
      return text.split(separator: "\n").first { $0.hasPrefix(beginning) }?.split(separator: " ") ?? []
    }
    #expect(try line("limits", "Max data size").dropFirst(3).first == "1073741824")
    #expect(try line("limits", "Max file size").dropFirst(3).first == "0")
    #expect(try line("oom_score_adj", "") == ["1000"])
  }

  @Test func theStagesOfAReadingAreReported() throws {
    let stages = StageTimes()
    let reading = Self.isolation(Journal()).codeReading(stages: stages)
    let frame = try Self.frame()
    for _ in 0..<2 { #expect(reading(frame, .live(Symbology.common)) != nil) }
    let reported = Dictionary(uniqueKeysWithValues: stages.summary.map { ($0.name, $0) })
    for name in ["probe", "modules", "strips"] {
      #expect(reported[name]?.count == 2, "\(name)")
      #expect((reported[name]?.median ?? 0) > 0, "\(name)")
    }
  }

  @Test func pictureFilesAreReadAsInThisProcess() throws {
    let journal = Journal()
    let isolation = Self.isolation(journal)
    // One of each kind; a worker is started for every one.
    let wanted = [
      "jpeg-orientation-6.jpg", "png-palette4.png", "webp-lossy.webp", "pnm-p6.ppm", "bmp-runs8.bmp", "gif-local.gif",
      "dark-png.png",
    ]
    for (name, bytes) in try Self.files("Pictures/read") where wanted.contains(name) {
      let here = try Isolation.none.codes(in: bytes, .still)
      let there = try isolation.codes(in: bytes, .still)
      #expect(here.reading == there.reading, "\(name)")
      #expect(here.width == there.width && here.height == there.height, "\(name)")
      #expect(try Isolation.none.prepare(bytes, width: 40) == isolation.prepare(bytes, width: 40), "\(name)")
      let (near, far) = (try Isolation.none.gray(bytes), try isolation.gray(bytes))
      #expect(near.width == far.width && near[near.width - 1, near.height - 1] == far[far.width - 1, far.height - 1])
    }
    #expect(journal.failures.withLock { $0 } == [])
  }

  @Test func whatIsRefusedIsRefusedInTheSameWords() throws {
    let isolation = Self.isolation(Journal())
    for (name, bytes) in try Self.files("Pictures/refused") where name.hasPrefix("damaged") || name.contains("bomb") {
      func problem(_ isolation: Isolation) -> ImageError? {
        do {
          _ = try isolation.codes(in: bytes, .still)
          return nil
        } catch {
          return error as? ImageError
        }
      }
      #expect(problem(isolation) != nil, "\(name)")
      #expect(problem(isolation) == problem(.none), "\(name)")
    }
  }

  @Test(arguments: [SIGSEGV, SIGKILL, SIGABRT]) func aCrashCostsAFrameAndAWorker(signal: CInt) throws {
    let journal = Journal()
    let ledger = Self.ledger(journal)
    let worker = CodeWorker(Self.launcher, ledger, limit: 20)
    let frame = try Self.frame()
    let expected = try #require(worker.read(frame, .still))
    kill(try #require(worker.process), signal)
    #expect(worker.read(frame, .still) == nil)
    #expect(journal.failures.withLock { $0 } == [.crashed(signal: signal)])
    #expect(worker.read(frame, .still) == expected)
    #expect(ledger.figures == WorkerCounts(starts: 2, crashes: 1, hangs: 0, lost: 1))
  }

  @Test func aHangCostsAFrameAndAWorker() throws {
    let journal = Journal()
    let ledger = Self.ledger(journal)
    let worker = CodeWorker(Self.launcher, ledger, limit: 0.3)
    let frame = try Self.frame()
    // On a busy machine a good frame may take longer than the limit of this test.
    while worker.read(frame, .live()) == nil {}
    let before = ledger.figures
    let process = try #require(worker.process)
    kill(process, SIGSTOP)
    #expect(worker.read(frame, .live()) == nil)
    #expect(journal.failures.withLock { $0.last } == .hung)
    #expect(ledger.figures.hangs == before.hangs + 1)
    // Ended and reaped, not left behind.
    #expect(kill(process, 0) != 0 && errno == ESRCH)
  }

  @Test func whoCannotStartIsSaid() throws {
    let frame = try Self.frame()
    for program in ["/nonexistent", "/bin/true", "/bin/cat"] {
      let journal = Journal()
      let isolation = Self.isolation(journal, WorkerLauncher(executable: program))
      #expect(isolation.codeReading()(frame, .still) == nil)
      #expect(throws: WorkerFailure.self) { try isolation.gray([1, 2, 3]) }
      #expect(journal.failures.withLock { $0.count } == 2)
      #expect(isolation.figures?.starts == 0)
    }
  }

  /// Every worker tries what it must not be able to do, and is not used when any of it works.
  @Test func theFilterHolds() throws {
    // Without the filter the same attempts work, so that the test could fail.
    #expect(csandbox_try_forbidden() & 0b100_0000_1101 == 0b100_0000_1101)
    let worker = try Self.launcher.start()
    let status = try String(contentsOfFile: "/proc/\(worker.process)/status", encoding: .utf8)
    let lines = Set(status.split(separator: "\n").map { $0.replacing("\t", with: " ") })
    #expect(lines.contains("Seccomp: 2"))
    #expect(lines.contains("NoNewPrivs: 1"))
    #expect(lines.contains("Threads: 1"))
  }

  @Test func theWorkerHoldsNoDescriptorButItsOwn() throws {
    // One that a careless library left open across exec.
    let leak = open("/etc/passwd", O_RDONLY)
    defer { close(leak) }
    let worker = try Self.launcher.start()
    let held = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(worker.process)/fd")
    #expect(Set(held) == ["0", "1", "2", "3", "4"])
  }

  @Test func whatACodeSaysIsNotLeftInTheArena() throws {
    let worker = try Self.launcher.start()
    let secret = Array("otpauth://totp/secret".utf8)
    worker.arena.output.copyBytes(from: secret)
    #expect(worker.arena.takeOutput(secret.count) == secret)
    #expect(worker.arena.output.prefix(secret.count).allSatisfy { $0 == 0 })
  }

  @Test func aWorkerThatReadsForLongStaysAsSmallAsItWas() throws {
    let worker = CodeWorker(Self.launcher, Self.ledger(Journal()), limit: 20, stages: StageTimes())
    let frame = Frame(origin: .camera, sequence: 1, captured: 0, image: GrayImage(width: 64, height: 48, value: 200))
    func resident() throws -> Int {
      let process = try #require(worker.process)
      let pages = try String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8).split(separator: " ")[1]
      return try #require(Int(pages)) * 4096
    }
    func read(_ count: Int) { for _ in 0..<count { #expect(worker.read(frame, .live()) != nil) } }
    read(200)
    let before = try resident()
    read(3000)
    // A single kept number a frame and stage would be a megabyte by now, what measures one frame twenty.
    #expect(try resident() - before < 1 << 20)
  }

  @Test func failuresRevealNothingOfTheCode() throws {
    let journal = Journal()
    let worker = CodeWorker(Self.launcher, Self.ledger(journal), limit: 20)
    let frame = try Self.frame()
    let text = try #require(worker.read(frame, .still)?.symbols.first?.text)
    kill(try #require(worker.process), SIGKILL)
    _ = worker.read(frame, .still)
    for failure in journal.failures.withLock({ $0 }) {
      #expect(!(failure.message + failure.hint + failure.code).contains(text))
    }
  }

  @Test func aWorkerEndsWithItsDaemon() throws {
    var process: pid_t = 0
    do {
      let worker = try Self.launcher.start()
      process = worker.process
      #expect(kill(process, 0) == 0)
    }
    #expect(kill(process, 0) != 0 && errno == ESRCH)
  }
}

extension WorkerCounts {
  init(starts: Int, crashes: Int, hangs: Int, lost: Int) {
    self.init()
    if crashes > 0 { failures["workerCrashed"] = crashes }
    if hangs > 0 { failures["workerHung"] = hangs }
    self.starts = starts
    self.crashes = crashes
    self.hangs = hangs
    self.lost = lost
  }
}
