import Foundation
import Testing
import WaymarkImage
import WaymarkSystem

@testable import WaymarkFrames

/// Sources that need no camera, over real files.
final class SourceTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("waymark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func picture(_ value: UInt8) throws -> Data {
    Data(try JPEGEncoder.encode(GrayImage(width: 24, height: 16, value: value)))
  }

  private func put(_ data: Data, _ name: String) throws -> String {
    let file = folder.appendingPathComponent(name)
    try data.write(to: file)
    return file.path
  }

  /// Makes a named pipe, and returns its path.
  private func pipe() -> String {
    let path = folder.appendingPathComponent("pipe").path
    #expect(mkfifo(path, 0o600) == 0)
    return path
  }

  @Test func playsAFolderOnceInOrderAndPassesOverWhatIsDamaged() throws {
    for (index, value) in [40, 80, 120].enumerated() { _ = try put(picture(UInt8(value)), "\(index).jpg") }
    _ = try put(Data("not a picture".utf8), "1b.jpg")
    _ = try put(Data("a note".utf8), "readme.txt")
    let source = try FolderSource(path: folder.path, rate: 1000, loops: false)
    source.demand(FrameDemand(encoded: true))
    let sink = source.started()
    #expect(sink.ended)
    source.stop()
    let frames = sink.seen.withLock { $0.frames }
    #expect(frames.map { Int($0.image[5, 5]) / 10 } == [4, 8, 12])
    #expect(frames.map(\.sequence) == [1, 2, 3])
    #expect(frames.allSatisfy { $0.encoded?.layout.format == .mjpeg })
    #expect(source.statistics.damaged == 1)
    #expect(sink.states == [.opened, .streaming, .closed])
  }

  @Test func passesOverAFileThatIsTooLarge() throws {
    _ = try put(picture(40), "a.jpg")
    let huge = try put(picture(50), "b.jpg")
    #expect(truncate(huge, 1 << 40) == 0)
    let source = try FolderSource(path: folder.path, rate: 1000, loops: false)
    let sink = source.started()
    #expect(sink.ended)
    source.stop()
    #expect(sink.seen.withLock { $0.frames.count } == 1)
    #expect(source.statistics.damaged == 1)
  }

  @Test func doesNotWaitForAPipeAmongThePictures() throws {
    _ = try put(picture(40), "a.jpg")
    let pipe = folder.appendingPathComponent("b.jpg").path
    #expect(mkfifo(pipe, 0o600) == 0)
    _ = try put(picture(80), "c.jpg")
    let source = try FolderSource(path: folder.path, rate: 1000, loops: false)
    let sink = source.started()
    #expect(sink.ended)
    // Releases what waits, should it.
    let writer = open(pipe, O_RDWR | O_NONBLOCK)
    defer { close(writer) }
    source.stop()
    #expect(source.statistics.delivered == 2)
    #expect(source.statistics.damaged == 1)
  }

  @Test func loopsUntilItIsStopped() throws {
    _ = try put(picture(40), "only.jpg")
    let source = try FolderSource(path: folder.path, rate: 1000)
    let sink = source.started()
    #expect(sink.wait { frames, _ in frames.count >= 5 })
    source.stop()
    #expect(sink.seen.withLock { $0.statuses.last?.state == .closed && $0.statuses.last?.ended == false })
  }

  /// A person who looks for the fault must not be sent to look for pictures when the folder itself is gone or may not be read.
  @Test func distinguishesAnEmptyFolderFromAMissingOne() throws {
    let file = try put(picture(40), "only.jpg")
    let source = try FolderSource(path: folder.path, rate: 1000)
    let sink = source.started()
    defer { source.stop() }
    #expect(sink.wait { frames, _ in !frames.isEmpty })
    try FileManager.default.removeItem(atPath: file)
    #expect(sink.wait { _, statuses in statuses.last?.problem?.code == "noPictures" })
    try FileManager.default.removeItem(at: folder)
    #expect(sink.wait { _, statuses in statuses.last?.problem?.code == "cannotOpen" })
  }

  @Test func refusesAFolderWithoutPictures() throws {
    #expect(throws: SourceError.noPictures(folder.path)) { try FolderSource(path: folder.path) }
    #expect(throws: SourceError.self) { try FolderSource(path: folder.path + "/none") }
    #expect(throws: SourceError.self) { try StreamSource(path: folder.path) }
  }

  @Test func playsMotionJPEG() throws {
    let stream = try [10, 60, 110, 160].map { try picture($0) }.reduce(Data(), +)
    let path = try put(stream, "stream.mjpeg")
    let source = try StreamSource(path: path, options: .init(rate: 1000, loops: false))
    let sink = source.started()
    #expect(sink.ended)
    #expect(sink.seen.withLock { $0.frames.map { Int($0.image[5, 5]) / 10 } } == [1, 6, 11, 16])
  }

  @Test func playsY4MAgainAndAgain() throws {
    var stream = Data("YUV4MPEG2 W4 H2 F1000:1 C420jpeg\n".utf8)
    for value in [UInt8(50), 90] {
      stream += Data("FRAME\n".utf8) + Data(repeating: value, count: 8) + Data(repeating: 128, count: 4)
    }
    let source = try StreamSource(path: put(stream, "stream.y4m"))
    let sink = source.started()
    #expect(sink.wait { frames, _ in frames.count >= 4 })
    source.stop()
    #expect(sink.seen.withLock { $0.frames.prefix(4).map { $0.image[3, 1] } } == [50, 90, 50, 90])
  }

  @Test func takesFramesFromAPipeAsTheyCome() throws {
    let path = pipe()
    let source = try StreamSource(path: path)
    #expect(source.staysOpen)
    let sink = source.started()
    let writer = try #require(FileHandle(forWritingAtPath: path))
    let bytes = try picture(70)
    // In two halves: a frame that is not complete yet is waited for.
    try writer.write(contentsOf: bytes.prefix(100))
    try writer.write(contentsOf: bytes.dropFirst(100))
    #expect(sink.wait { frames, _ in frames.count == 1 })
    try writer.write(contentsOf: bytes)
    #expect(sink.wait { frames, _ in frames.count == 2 })
    try writer.close()
    #expect(sink.wait { $1.last?.state == .lost })
    source.stop()
    #expect(sink.seen.withLock { $0.statuses.last?.state == .closed && $0.statuses.last?.ended == false })
  }

  @Test func reopensAPipeForEachWriter() throws {
    let path = pipe()
    let source = try StreamSource(path: path, options: .init(loops: false, pause: 0.001...0.002))
    let sink = source.started()
    let planes = Data("YUV4MPEG2 W4 H2 Cmono\nFRAME\n12345678".utf8)
    // Each in its own form, the third one broken, the fourth one cut off in a frame.
    let streams: [(Data, frames: Int, problem: String)] = try [
      (picture(70), 1, "streamEnded"), (planes, 2, "streamEnded"),
      (planes + Data("GARBAGE\n".utf8), 3, "damagedStream"),
      (planes + Data("FRAME\n123".utf8), 4, "streamEnded"), (picture(90), 5, "streamEnded"),
    ]
    for (stream, frames, problem) in streams {
      // Waits until the source has the pipe open again.
      let writer = try #require(FileHandle(forWritingAtPath: path))
      let before = sink.seen.withLock { $0.statuses.count }
      try writer.write(contentsOf: stream)
      #expect(sink.wait { all, _ in all.count == frames })
      try writer.close()
      #expect(sink.wait { $1.dropFirst(before).last?.state == .lost })
      #expect(sink.seen.withLock { $0.statuses.last?.problem?.code.rawValue } == problem)
    }
    source.stop()
    let rounds = (0..<4).flatMap { _ in [SourceStatus.State.back, .streaming, .lost] }
    #expect(sink.states == [.opened, .streaming, .lost] + rounds + [.closed])
    #expect(sink.seen.withLock { $0.statuses.allSatisfy { !$0.ended } })
    #expect(source.statistics.lost == 5)
  }

  @Test func reportsThatAPipeIsBackWithoutARequestForFrames() throws {
    let path = pipe()
    let source = try StreamSource(path: path, options: .init(loops: false, pause: 0.001...0.002))
    let sink = source.started()
    defer { source.stop() }
    let first = try #require(FileHandle(forWritingAtPath: path))
    try first.write(contentsOf: picture(70))
    #expect(sink.wait { frames, _ in frames.count == 1 })
    source.demand(FrameDemand(luma: false))
    try first.close()
    #expect(sink.wait { $1.last?.state == .lost })
    let second = try #require(FileHandle(forWritingAtPath: path))
    try second.write(contentsOf: picture(70))
    #expect(sink.wait { $1.map(\.state).suffix(2) == [.back, .streaming] })
    #expect(sink.seen.withLock { $0.frames.count } == 1)
    try second.close()
  }

  @Test func looksForAStreamThatIsNotThere() throws {
    let path = try put(Data("no stream, but a text".utf8), "later.mjpeg")
    let source = try StreamSource(path: path, options: .init(rate: 1000, pause: 0.001...0.002))
    let sink = Recorder()
    try FileManager.default.removeItem(atPath: path)
    source.start(sink)
    #expect(sink.wait { $1.last?.problem?.code == "cannotOpen" })
    try Data("no stream, but a text".utf8).write(to: URL(fileURLWithPath: path))
    #expect(sink.wait { $1.last?.problem?.code == "unknownStream" })
    try (picture(70) + picture(80)).write(to: URL(fileURLWithPath: path), options: .atomic)
    #expect(sink.wait { frames, statuses in frames.count >= 4 && statuses.last?.state == .streaming })
    source.stop()
    #expect(sink.states == [.lost, .lost, .back, .streaming, .closed])
  }

  @Test func doesNotSpinOverAFileWithoutAPicture() throws {
    let path = try put(picture(70), "torn.mjpeg")
    let source = try StreamSource(path: path, options: .init(rate: 1000, pause: 3600...3600))
    let sink = source.started()
    #expect(sink.wait { frames, _ in frames.count >= 2 })
    // Begins as a picture does, and does not go on as one; written into the same file.
    let torn = try picture(70).prefix(200) + Data(repeating: 0, count: 1000)
    try torn.write(to: URL(fileURLWithPath: path))
    #expect(sink.wait { $1.last?.problem?.code == "damagedStream" })
    source.stop()
    #expect(sink.states == [.opened, .streaming, .lost, .closed])
    #expect(source.statistics.opened == 1)
  }

  @Test func findsTheFirstPictureOfAStreamThatBeginsInsideOneOrAfterOtherBytes() throws {
    let whole = try picture(70) + picture(90)
    for (name, before) in try [
      ("cut.mjpeg", picture(50).dropFirst(100)), ("text.mjpeg", Data("Setting pipeline to PLAYING ...\r\n\r\n".utf8)),
      ("torn.mjpeg", Data([0, 0xFF, 0xD8, 0xFF, 0xC0, 0, 1]) + Data(count: 1 << 20)),
    ] {
      let source = try StreamSource(path: put(before + whole, name), options: .init(rate: 1000, loops: false))
      let sink = source.started()
      #expect(sink.ended)
      source.stop()
      #expect(sink.seen.withLock { $0.frames.map { Int($0.image[5, 5]) / 10 } } == [7, 9], "\(name)")
      #expect(sink.states == [.opened, .streaming, .closed])
    }
    // The search is bounded.
    let path = try put(Data(), "long.mjpeg")
    #expect(truncate(path, 17 << 20) == 0)
    let writer = try #require(FileHandle(forWritingAtPath: path))
    try writer.seekToEnd()
    try writer.write(contentsOf: whole)
    try writer.close()
    let source = try StreamSource(path: path, options: .init(rate: 1000, loops: false))
    let sink = source.started()
    #expect(sink.ended)
    source.stop()
    #expect(sink.seen.withLock { $0.frames.isEmpty && $0.statuses.last?.problem?.code == "unknownStream" })
  }

  @Test func namesAPipeWithoutPicturesAsSoonAsItFallsSilent() throws {
    let path = pipe()
    let source = try StreamSource(path: path, options: .init(frameTimeout: 0.02, pause: 3600...3600))
    let sink = source.started()
    let writer = try #require(FileHandle(forWritingAtPath: path))
    try writer.write(contentsOf: Data("this is not a stream at all, but a text".utf8))
    #expect(sink.wait { $1.last?.state == .lost && $1.last?.problem?.code == "unknownStream" })
    source.stop()
    try writer.close()
  }

  @Test func reportsThatStandardInputHasEnded() throws {
    let pipe = Pipe()
    let own = dup(STDIN_FILENO)
    dup2(pipe.fileHandleForReading.fileDescriptor, STDIN_FILENO)
    defer {
      dup2(own, STDIN_FILENO)
      close(own)
    }
    let source = try StreamSource(path: "-", options: .init(pause: 0.001...0.002))
    let sink = source.started()
    try pipe.fileHandleForWriting.write(contentsOf: picture(70))
    #expect(sink.wait { frames, _ in frames.count == 1 })
    try pipe.fileHandleForWriting.close()
    #expect(sink.ended)
    source.stop()
    #expect(sink.states == [.opened, .streaming, .lost])
    #expect(sink.seen.withLock { $0.statuses.last?.problem } == .endedStream("-"))
  }

  @Test func reportsAPipeThatFallsSilentAndItsReturn() throws {
    let path = pipe()
    let source = try StreamSource(path: path, options: .init(frameTimeout: 0.02))
    let sink = source.started()
    let writer = try #require(FileHandle(forWritingAtPath: path))
    try writer.write(contentsOf: picture(70))
    #expect(sink.wait { $1.last?.state == .stalled && $0.count == 1 })
    #expect(sink.seen.withLock { $0.statuses.last?.problem } == .silentStream(path))
    // Half a frame is not delivered.
    let next = try picture(80)
    try writer.write(contentsOf: next.prefix(60))
    let before = sink.seen.withLock { $0.statuses.count }
    try writer.write(contentsOf: next.dropFirst(60))
    #expect(
      sink.wait { frames, statuses in frames.count == 2 && statuses.dropFirst(before).first?.state == .streaming })
    try writer.close()
    #expect(sink.wait { $1.last?.state == .lost })
    source.stop()
  }

  /// Inputs that once ended a run of `Scripts/fuzz`: all of them are damaged pictures, and no more than that.
  @Test func survivesWhatFuzzingFound() throws {
    let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Fixtures/Fuzz")
    let names = try FileManager.default.contentsOfDirectory(atPath: fixtures.path).filter { $0.hasPrefix("stream-") }
    #expect(!names.isEmpty)
    for name in names {
      // Their first byte chooses how the target plays them.
      let stream = try Data(contentsOf: fixtures.appendingPathComponent(name)).dropFirst()
      let source = try StreamSource(path: put(Data(stream), name + ".mjpeg"), options: .init(rate: 1000, loops: false))
      let recorder = source.started()
      #expect(recorder.ended, "\(name)")
      source.stop()
      #expect(recorder.seen.withLock { $0.frames.isEmpty }, "\(name)")
    }
  }

  @Test func reportsWhatIsWrongWithAStream() throws {
    for (name, content, code) in [
      ("text", "this is not a stream at all, but a text", "unknownStream"),
      ("deep", "YUV4MPEG2 W4 H2 C420p10\n", "damagedStream"),
      ("torn", "YUV4MPEG2 W4 H2 Cmono\nFRAME\n12345678GARBAGE\n", "damagedStream"),
    ] {
      let source = try StreamSource(path: put(Data(content.utf8), name), options: .init(rate: 1000, loops: false))
      let sink = source.started()
      #expect(sink.ended)
      source.stop()
      #expect(sink.seen.withLock { $0.statuses.last?.problem?.code.rawValue } == code)
    }
  }
}

/// Records the frames and statuses of a source.
final class Recorder: FrameSink {
  let seen = Monitor((frames: [Frame](), statuses: [SourceStatus]()))

  func receive(_ frame: Frame) { seen.update { $0.frames.append(frame) } }
  func receive(_ status: SourceStatus) { seen.update { $0.statuses.append(status) } }

  /// The time limit only ends a test that has failed.
  func wait(_ condition: @Sendable (_ frames: [Frame], _ statuses: [SourceStatus]) -> Bool) -> Bool {
    seen.wait(until: MonotonicClock.now + 60) { condition($0.frames, $0.statuses) ? true : nil } ?? false
  }

  var ended: Bool { wait { $1.last?.ended == true } }
  var states: [SourceStatus.State] { seen.withLock { $0.statuses.map(\.state) } }
}

extension FrameSource {
  /// Starts the source, and remembers what it delivers.
  func started() -> Recorder {
    let recorder = Recorder()
    start(recorder)
    return recorder
  }
}
