import Foundation
import Glibc
import Testing
import WaymarkImage

/// A service with two cameras of which one fails: the other loses no frame, and its codes are read.
@Suite("Several cameras of a service", .serialized) struct SeveralCamerasOfAServiceTests {
  /// Ways in which a source fails, as what feeds its pipe does: `FRAMES` are good ones, `PIPE` is where they go.
  enum Fault: String, CaseIterable {
    case ends = "cat FRAMES > PIPE"
    case hangs = "(cat FRAMES; exec sleep 600) > PIPE"
    case lies = "while :; do head -c 200000 /dev/urandom > PIPE; done"

    var codes: Set<String> {
      switch self {
      case .ends: ["streamEnded"]
      case .hangs: ["streamSilent"]
      case .lies: ["unknownStream", "damagedStream", "streamEnded"]
      }
    }
  }

  private static let count = 150

  private func write(_ frames: Int, of image: GrayImage, to path: String) throws {
    let frame = try JPEGEncoder.encode(image, quality: 90)
    try Data([[UInt8]](repeating: frame, count: frames).joined()).write(to: URL(fileURLWithPath: path))
  }

  /// The parts of `status` that tell of each camera, by name.
  private func cameras(of service: RunningService) throws -> [String: (state: [String: Any], frames: [String: Any])] {
    let run = try Executable.run(["status", "--json", "--socket", service.socket])
    let status = try #require(run.objects.first)
    let figures = (status["statistics"] as? [String: Any])?["cameras"] as? [[String: Any]] ?? []
    let states = status["cameras"] as? [[String: Any]] ?? []
    return Dictionary(
      uniqueKeysWithValues: zip(states, figures).map { state, figures in
        (
          state["name"] as? String ?? "",
          (state["camera"] as? [String: Any] ?? [:], figures["frames"] as? [String: Any] ?? [:])
        )
      })
  }

  private func clients(of service: RunningService) throws -> Int {
    let status = try Executable.run(["status", "--json", "--socket", service.socket]).objects.first
    return (status?["statistics"] as? [String: Any])?["clients"] as? Int ?? 0
  }

  @Test("One that ends, hangs or lies costs the other no frame", arguments: Fault.allCases)
  func fails(_ fault: Fault) throws {
    let folder = try TemporaryFolder()
    for name in ["front", "desk"] { #expect(mkfifo(folder.file(name), 0o600) == 0) }
    try """
    source: {path: "\(folder.file("front"))"}
    camera: {name: front}
    scan: {autoBegin: barcode}
    cameras:
      desk:
        source: {path: "\(folder.file("desk"))"}
        scan: {autoBegin: barcode}
    """.write(toFile: folder.file("waymark.yaml"), atomically: true, encoding: .utf8)
    let picture = Executable.project.appendingPathComponent("Tests/Fixtures/Codes/qr-utf8.pbm")
    let code = try PictureDecoder().gray([UInt8](Data(contentsOf: picture))).image
    try write(Self.count, of: code, to: folder.file("many"))
    try write(3, of: GrayImage(width: 320, height: 240, value: 128), to: folder.file("few"))
    let service = try RunningService(["--config", folder.file("waymark.yaml")])
    let script = fault.rawValue.replacing("FRAMES", with: folder.file("few"))
      .replacing("PIPE", with: folder.file("desk"))
    let desk = try ChildProcess(["/bin/sh", "-c", script], diagnostics: folder.file("desk.log"))
    defer {
      desk.send(SIGKILL)
      _ = desk.wait()
    }
    let deadline = Date(timeIntervalSinceNow: 120)
    var now = try cameras(of: service)
    while !fault.codes.contains(now["desk"]?.state["code"] as? String ?? ""), Date() < deadline {
      now = try cameras(of: service)
    }
    #expect(fault.codes.contains(now["desk"]?.state["code"] as? String ?? ""))

    // The watching client is there before the frames come.
    let (watch, output) = (Process(), Pipe())
    watch.executableURL = URL(fileURLWithPath: Executable.path)
    watch.arguments = ["watch", "--json", "--events", "scan.successful", "--count", "1", "--socket", service.socket]
    watch.standardOutput = output
    try watch.run()
    while try clients(of: service) < 2, Date() < deadline {}
    let front = try ChildProcess(
      ["/bin/sh", "-c", "cat \(folder.file("many")) > \(folder.file("front"))"],
      diagnostics: folder.file("front.log"))
    let seen = output.fileHandleForReading.readDataToEndOfFile()
    watch.waitUntilExit()
    let line = String(decoding: seen, as: UTF8.self).split(separator: "\n").last.map(String.init) ?? ""
    let event = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    #expect(event?["camera"] as? String == "front")
    #expect(front.wait() == 0)
    repeat {
      now = try cameras(of: service)
    } while now["front"]?.frames["captured"] as? Int != Self.count
      && Date() < deadline
    let frames = try #require(now["front"]?.frames)
    #expect(frames["captured"] as? Int == Self.count)
    #expect(frames["bad"] as? Int == 0 && frames["lost"] as? Int == 0)
    #expect(service.stop().status == 0)
  }
}
