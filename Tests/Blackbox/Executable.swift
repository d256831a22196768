import Foundation
import Testing

/// The built program, run as a user would: the station, which does all that the base does.
enum Executable {
  struct Run {
    let status: Int32
    let output: Data
    let diagnostics: String

    var text: String { String(decoding: output, as: UTF8.self) }

    /// The objects that `--json` printed, one a line.
    var objects: [[String: Any]] {
      text.split(separator: "\n").compactMap {
        try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
      }
    }
  }

  /// It lies beside the bundle of tests that is running.
  static let path = built("waymark-station")

  /// The program of the base.
  static let base = built("waymark")

  private static func built(_ name: String) -> String {
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent(name).path
  }

  /// The project's folder.
  static let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Pictures made by `Scripts/make-test-pictures`.
  static let pictures = project.appendingPathComponent("Tests/Fixtures/Pictures").path

  /// Runs it to its end.
  static func run(
    _ arguments: [String], input: Data = Data(), environment: [String: String] = [:], program: String = Executable.path
  ) throws -> Run {
    let folder = try TemporaryFolder()
    let (input, inputFile) = (input, folder.file("input"))
    try input.write(to: URL(fileURLWithPath: inputFile))
    for name in ["output", "diagnostics"] {
      _ = FileManager.default.createFile(atPath: folder.file(name), contents: nil)
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: inputFile))
    process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.file("output")))
    process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.file("diagnostics")))
    try process.run()
    process.waitUntilExit()
    let output = try Data(contentsOf: URL(fileURLWithPath: folder.file("output")))
    let diagnostics = try Data(contentsOf: URL(fileURLWithPath: folder.file("diagnostics")))
    return Run(
      status: process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus,
      output: output, diagnostics: String(decoding: diagnostics, as: UTF8.self))
  }
}

/// A folder that goes away with this object.
final class TemporaryFolder {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("waymark-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { path + "/" + name }
}
