import Foundation

/// The FUSE camera of Tests/Support/fusecam, compiled once, mounted for one test.
final class FuseCamera {
  /// Why there can be none here; nil when there can.
  static let obstacle: String? = {
    if getuid() != 0 { return "needs root" }
    if access("/dev/fuse", R_OK | W_OK) != 0 { return "needs /dev/fuse" }
    return executable == nil ? "needs libfuse3-dev and a C compiler" : nil
  }()

  static var isPossible: Bool {
    if let obstacle { FileHandle.standardError.write(Data("FUSE camera: \(obstacle); its tests are skipped\n".utf8)) }
    return obstacle == nil
  }

  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Pictures of 640×480.
  static let frames: [String] = {
    let folder = root.appendingPathComponent("Samples/frames").path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".jpg") }.sorted().map { "\(folder)/\($0)" }
  }()

  private static let executable: String? = {
    let target = NSTemporaryDirectory() + "waymark-fusecam-\(getpid())-\(UUID().uuidString.prefix(8))"
    let source = root.appendingPathComponent("Tests/Support/fusecam/fusecam.c").path
    let build = Process()
    build.executableURL = URL(fileURLWithPath: "/bin/sh")
    build.arguments = [
      "-c", "cc -O2 -o '\(target)' '\(source)' $(pkg-config --cflags --libs fuse3) -lpthread 2>/dev/null",
    ]
    guard (try? build.run()) != nil else { return nil }
    build.waitUntilExit()
    return build.terminationStatus == 0 ? target : nil
  }()

  /// The folder in which the node `video0` appears.
  let folder: String
  private let process = Process()
  private let commands = Pipe()
  private let answers = Pipe()
  private var pending = Data()

  /// Mounts a camera.
  ///
  /// - Parameters:
  ///   - yuyv: offers YUYV beside MJPG: a gray ramp.
  ///   - bus: where it says that it is plugged in.
  init(rate: Double = 60, yuyv: Bool = false, bus: String = "fuse-0") throws {
    folder = NSTemporaryDirectory() + "waymark-camera-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var arguments = ["-r", "\(rate)", "-b", bus]
    if yuyv {
      var ramp = Data(count: 640 * 480 * 2)
      for i in 0..<640 * 480 { ramp[2 * i] = UInt8(truncatingIfNeeded: i) }
      for i in 0..<640 * 480 { ramp[2 * i + 1] = 128 }
      let file = folder + ".yuyv"
      try ramp.write(to: URL(fileURLWithPath: file))
      arguments += ["-y", file]
    }
    process.executableURL = URL(fileURLWithPath: Self.executable ?? "")
    process.arguments = arguments + [folder] + Self.frames
    process.standardInput = commands
    process.standardOutput = answers
    try process.run()
    let first = line()
    if first != "ready" { throw CocoaError(.fileReadUnknown) }
  }

  deinit {
    try? commands.fileHandleForWriting.write(contentsOf: Data("quit\n".utf8))
    try? commands.fileHandleForWriting.close()
    process.waitUntilExit()
    rmdir(folder)
    unlink(folder + ".yuyv")
  }

  /// Sends the camera a command and waits for its answer.
  @discardableResult
  func tell(_ command: String) -> String {
    try? commands.fileHandleForWriting.write(contentsOf: Data("\(command)\n".utf8))
    return line() ?? ""
  }

  /// Frames that the camera has filled, and those for which it had no buffer.
  var counts: (frames: UInt64, dropped: UInt64) {
    let words = tell("stats").split(separator: " ")
    return (UInt64(words[1]) ?? 0, UInt64(words[3]) ?? 0)
  }

  private func line() -> String? {
    while true {
      if let newline = pending.firstIndex(of: 0x0A) {
        defer { pending = Data(pending[(newline + 1)...]) }
        return String(decoding: pending[..<newline], as: UTF8.self)
      }
      let more = answers.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      pending += more
    }
  }
}
