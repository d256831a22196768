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
    case damages = "while :; do cat DAMAGED > PIPE; done"

    var codes: Set<String> {
      switch self {
      case .ends: ["streamEnded"]
      case .hangs: ["streamSilent"]
      case .lies: ["unknownStream", "damagedStream", "streamEnded"]
      case .damages: []
      }
    }

    /// Returns whether the camera's status shows the fault: damaged frames are only counted.
    func isTold(of camera: (state: [String: Any], frames: [String: Any])?) -> Bool {
      self == .damages
        ? camera?.frames["bad"] as? Int ?? 0 > 0 : codes.contains(camera?.state["code"] as? String ?? "")
    }
  }

  private static let count = 150

  private func write(_ frames: Int, of image: GrayImage, to path: String) throws {
    let frame = try JPEGEncoder.encode(image, quality: 90)
    try Data([[UInt8]](repeating: frame, count: frames).joined()).write(to: URL(fileURLWithPath: path))
  }

  /// The parts of `status` about each camera, by name.
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

  @Test("One that ends, hangs, lies or sends damaged frames costs the other no frame", arguments: Fault.allCases)
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
    // A frame without its quantization tables.
    var damaged = try JPEGEncoder.encode(GrayImage(width: 320, height: 240, value: 128), quality: 90)
    while let table = damaged.firstRange(of: [0xFF, 0xDB]) {
      let length = Int(damaged[table.upperBound]) << 8 | Int(damaged[table.upperBound + 1])
      damaged.removeSubrange(table.lowerBound..<(table.upperBound + length))
    }
    try Data(damaged).write(to: URL(fileURLWithPath: folder.file("damaged")))
    let script = fault.rawValue.replacing("FRAMES", with: folder.file("few"))
      .replacing("DAMAGED", with: folder.file("damaged")).replacing("PIPE", with: folder.file("desk"))
    let desk = try ChildProcess(["/bin/sh", "-c", script], diagnostics: folder.file("desk.log"))
    defer {
      desk.send(SIGKILL)
      _ = desk.wait()
    }
    let deadline = Date(timeIntervalSinceNow: 120)
    var now = try cameras(of: service)
    while !fault.isTold(of: now["desk"]), Date() < deadline { now = try cameras(of: service) }
    #expect(fault.isTold(of: now["desk"]))

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

  /// A service whose cameras `front` and `desk` see a code each, again and again.
  private func service(in folder: TemporaryFolder, _ more: String) throws -> RunningService {
    for (camera, code) in [("front", "ean13"), ("desk", "upce")] {
      try FileManager.default.createDirectory(atPath: folder.file(camera), withIntermediateDirectories: true)
      let picture = Executable.project.appendingPathComponent("Tests/Fixtures/Codes/\(code).pbm")
      for index in 0..<4 {
        try FileManager.default.copyItem(atPath: picture.path, toPath: "\(folder.file(camera))/0\(index).pbm")
      }
      for index in 10..<20 {
        try Data("P5 64 64 255\n".utf8 + [UInt8](repeating: 128, count: 64 * 64)).write(
          to: URL(fileURLWithPath: "\(folder.file(camera))/\(index).pgm"))
      }
    }
    try """
    source: {path: "\(folder.file("front"))"}
    camera: {name: front}
    cameras:
      desk: {source: {path: "\(folder.file("desk"))"}}
    \(more)
    """.write(toFile: folder.file("waymark.yaml"), atomically: true, encoding: .utf8)
    return try RunningService(["--config", folder.file("waymark.yaml")])
  }

  /// The state of the scan, armed or not, by camera.
  private func armed(in service: RunningService) throws -> [String: Bool] {
    let status = try Executable.run(["status", "--json", "--socket", service.socket]).objects.first
    let states = status?["cameras"] as? [[String: Any]] ?? []
    return Dictionary(uniqueKeysWithValues: states.map { ($0["name"] as? String ?? "", $0["scan"] != nil) })
  }

  @Test("The hardware key arms a scan in the camera that is configured")
  func hardwareKey() throws {
    let folder = try TemporaryFolder()
    #expect(mkfifo(folder.file("key"), 0o600) == 0)
    let service = try service(in: folder, "trigger: {device: \"\(folder.file("key"))\", camera: desk}")
    #expect(try armed(in: service) == ["front": false, "desk": false])
    // struct input_event: EV_KEY, KEY_ENTER, pressed.
    let press = [UInt8](repeating: 0, count: 16) + [1, 0, 28, 0, 1, 0, 0, 0]
    let device = try #require(FileHandle(forWritingAtPath: folder.file("key")))
    try device.write(contentsOf: press)
    let deadline = Date(timeIntervalSinceNow: 60)
    while try armed(in: service)["desk"] != true, Date() < deadline {}
    #expect(try armed(in: service) == ["front": false, "desk": true])
    try device.close()
    #expect(service.stop().status == 0)
  }

  @Test("The typist arms the camera that is named, types its codes alone, and lets others end their scans")
  func typist() throws {
    let folder = try TemporaryFolder()
    let service = try service(in: folder, "scan: {autoBegin: barcode, newAfter: 0.1}")
    func type(_ options: [String]) throws -> [[Int]] {
      let run = try Executable.run(
        ["type", "--dry-run", "--layout", "us", "--socket", service.socket, "--count", "1"] + options)
      return run.objects.map { ($0["keys"] as? [[String: Any]] ?? []).compactMap { $0["key"] as? Int } }
    }
    func keys(_ camera: String) throws -> [Int] {
      let read = try Executable.run(["scan", "--raw", "\(folder.file(camera))/00.pbm"]).text.filter(\.isNumber)
      return read.map { $0 == "0" ? 11 : Int(String($0)).map { $0 + 1 } ?? 0 } + [28]
    }
    #expect(try type(["--arm", "always", "--camera", "desk"]) == [keys("desk")])
    #expect(try type(["--arm", "always"]) == [keys("front")])
    #expect(try type(["--arm", "service", "--camera", "front"]) == [keys("front")])
    let unknown = try Executable.run([
      "type", "--dry-run", "--layout", "us", "--config", folder.file("waymark.yaml"), "--camera", "roof", "--socket",
      service.socket,
    ])
    #expect(unknown.status == 65 && unknown.diagnostics.contains("front, desk"), "\(unknown.diagnostics)")
    // It begins no other for what its own scan took the place of: few scans have been.
    let status = try Executable.run(["status", "--json", "--socket", service.socket]).objects.first
    let number = (status?["scan"] as? [String: Any])?["scan"] as? String
    #expect(number.flatMap { Int($0) }.map { $0 < 10 } == true, "\(number ?? "none")")
    #expect(service.stop().status == 0)
  }
}
