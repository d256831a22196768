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

  /// A few hundred bytes that keep a decoder busy for a second or more: a progressive JPEG (ITU-T T.81, Annex G) of so many pixels a side whose
  /// many scans go over all of its blocks and say nothing about them.
  static func timeBomb(side: Int = 4096) -> [UInt8] {
    func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
      [0xFF, marker, UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 0xFF)] + content
    }
    var file: [UInt8] = [0xFF, 0xD8]
    file += segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
    let (high, low) = (UInt8(side >> 8), UInt8(side & 0xFF))
    file += segment(0xC2, [8, high, low, high, low, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0])
    // One code of one bit: no difference.
    file += segment(0xC4, [0, 1] + [UInt8](repeating: 0, count: 15) + [0])
    for _ in 0..<98 { file += segment(0xDA, [3, 1, 0, 2, 0, 3, 0, 0, 0, 0]) + [0] }
    return file + [0xFF, 0xD9]
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

  @Test func framesThatKeepADecoderBusyCostThemselves() throws {
    let folder = try TemporaryFolder()
    let good = try Self.frame()
    let stream = Array(repeating: good, count: 5).flatMap { $0 } + Self.timeBomb() + good + Self.timeBomb()
    let service = try Self.service(stream, in: folder)
    let deadline = Date(timeIntervalSinceNow: 120)
    while try status(service).bad < 3, Date() < deadline {}
    let (bad, workers) = try status(service)
    #expect(bad >= 3)
    // Too slow for the limit, or so fast that it was seen to be no picture: either way nothing was read from it.
    let failures = workers["failures"] as? [String: Int] ?? [:]
    #expect(Set(failures.keys).isSubset(of: ["workerHung"]))
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
    let service = try Self.service(Array(repeating: Self.timeBomb(side: 8192), count: 20).flatMap { $0 }, in: folder)
    let deadline = Date(timeIntervalSinceNow: 60)
    var left: [Int32: Int] = [:]
    // Deep in a picture that takes two seconds. Not held meanwhile: what is held when its group loses its parent is hung up.
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
