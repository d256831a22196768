import Foundation
import Testing
import WaymarkImage

/// A service whose frames were made, or seem to have been made, to end what decodes them.
@Suite(.serialized)
struct PoisonedSourceTests {
  /// A frame with a QR code, as a camera compresses it.
  private static func frame() throws -> [UInt8] {
    let path = Executable.project.appendingPathComponent("Tests/Fixtures/Codes/qr-utf8.pbm")
    return try JPEGEncoder.encode(PictureDecoder().gray([UInt8](Data(contentsOf: path))).image, quality: 90)
  }

  /// A frame of sixteen megapixels of noise, as large as an honest camera's.
  private static func large() throws -> [UInt8] {
    var state: UInt32 = 1
    let noise = GrayImage(width: 4096, height: 4096) { pixels in
      for index in pixels.indices {
        state = state &* 1_664_525 &+ 1_013_904_223
        pixels[index] = UInt8(state >> 24)
      }
    }
    return try JPEGEncoder.encode(noise, quality: 60)
  }

  private static func service(_ stream: [UInt8], in folder: TemporaryFolder) throws -> RunningService {
    let path = folder.file("stream.mjpeg")
    try Data(stream).write(to: URL(fileURLWithPath: path))
    return try RunningService(["--source", path, "--auto-begin", "barcode"])
  }

  private func status(_ service: RunningService) throws -> (bad: Int, workers: [String: Any]) {
    let answer = try Executable.run(["status", "--json", "--socket", service.socket])
    let statistics = try #require(answer.objects.first?["statistics"] as? [String: Any])
    let frames = try #require(statistics["frames"] as? [String: Any])
    return (frames["bad"] as? Int ?? -1, try #require(statistics["workers"] as? [String: Any]))
  }

  /// A client gets its verdict.
  private func expectVerdict(_ service: RunningService) throws {
    let client = URL(fileURLWithPath: Executable.path).deletingLastPathComponent()
      .appendingPathComponent("waymark-sample-client").path
    let (code, output) = try runProgram([client, service.socket, "barcode"])
    #expect(code == 0 && output.contains("successful qr"), "\(output)")
  }

  /// The workers of a service.
  private func workers(of process: Int32) -> [Int32] {
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return entries.compactMap(Int32.init).filter { entry in
      guard let line = try? String(contentsOfFile: "/proc/\(entry)/stat", encoding: .utf8),
        let end = line.lastIndex(of: ")")
      else { return false }
      let fields = line[line.index(after: end)...].split(separator: " ")
      return fields.count > 1 && fields[0] != "Z" && fields[1] == "\(process)"
    }
  }

  @Test func workersThatHangCostTheirFramesAlone() throws {
    let folder = try TemporaryFolder()
    let frame = try Self.frame()
    let service = try Self.service(Array(repeating: frame, count: 30).flatMap { $0 }, in: folder)
    let deadline = Date(timeIntervalSinceNow: 120)
    while try status(service).bad < 3, Date() < deadline {
      for worker in workers(of: service.processIdentifier) { kill(worker, SIGSTOP) }
    }
    let (bad, counts) = try status(service)
    #expect(bad >= 3)
    #expect(((counts["failures"] as? [String: Int])?["workerHung"] ?? 0) > 0)
    try expectVerdict(service)
    #expect(service.stop().status == 0)
  }

  @Test func whatEndsAWorkerEndsNothingElse() throws {
    let folder = try TemporaryFolder()
    let frame = try Self.frame()
    let service = try Self.service(Array(repeating: frame, count: 30).flatMap { $0 }, in: folder)
    let deadline = Date(timeIntervalSinceNow: 120)
    var ended = 0
    while ended < 12, Date() < deadline {
      for worker in workers(of: service.processIdentifier)
      where kill(worker, [SIGSEGV, SIGABRT, SIGBUS][ended % 3]) == 0 { ended += 1 }
    }
    #expect(ended >= 12)
    try expectVerdict(service)
    let counts = try status(service).workers
    #expect((counts["crashes"] as? Int ?? 0) > 0)
    #expect(((counts["failures"] as? [String: Int])?["workerCrashed"] ?? 0) > 0)
    let last = workers(of: service.processIdentifier)
    #expect(service.stop().status == 0)
    for worker in last { #expect(kill(worker, 0) != 0) }
  }

  @Test func anEndDoesNotWaitForWhatHangs() throws {
    let folder = try TemporaryFolder()
    let frame = try Self.frame()
    let service = try Self.service(Array(repeating: frame, count: 30).flatMap { $0 }, in: folder)
    let deadline = Date(timeIntervalSinceNow: 60)
    while workers(of: service.processIdentifier).isEmpty, Date() < deadline {}
    let hung = workers(of: service.processIdentifier)
    #expect(!hung.isEmpty)
    for worker in hung { kill(worker, SIGSTOP) }
    #expect(service.stop().status == 0)
    #expect(!FileManager.default.fileExists(atPath: service.socket))
    // A worker that can run again finds its service gone, and ends.
    for worker in hung { kill(worker, SIGCONT) }
    while hung.contains(where: { kill($0, 0) == 0 }), Date() < deadline {}
    #expect(hung.allSatisfy { kill($0, 0) != 0 })
  }
  /// The processor time of a process, in hundredths of a second; nil when it is gone.
  private func used(by process: Int32) -> Int? {
    guard let line = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
      let end = line.lastIndex(of: ")")
    else { return nil }
    let fields = line[line.index(after: end)...].split(separator: " ")
    guard fields.count > 12, fields[0] != "Z" else { return nil }
    return (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0)
  }

  /// The work of a worker ends once its service was killed.
  @Test func aWorkerThatIsBusyDoesNotOutliveItsService() throws {
    let folder = try TemporaryFolder()
    let large = try Self.large()
    let service = try Self.service(Array(repeating: large, count: 4).flatMap { $0 }, in: folder)
    let deadline = Date(timeIntervalSinceNow: 60)
    var left: [Int32: Int] = [:]
    // Deep in its work. Not held meanwhile: what is held when its group loses its parent is hung up.
    while !left.values.contains(where: { $0 > 20 }), Date() < deadline {
      for worker in workers(of: service.processIdentifier) { left[worker] = used(by: worker) }
    }
    service.crash()
    var longest = 0
    while !left.isEmpty, Date() < deadline {
      left = left.filter { worker, before in
        guard let now = used(by: worker) else { return false }
        longest = max(longest, now - before)
        return true
      }
    }
    #expect(left.isEmpty)
    // The kernel ends it with its service.
    #expect(longest < 50)
  }
}
