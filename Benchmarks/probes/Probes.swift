import ArgumentParser
import Foundation
import WaymarkSystem
import WaymarkWorker

/// Plays cameras, frames and pictures through parts of the service, for the benchmarks and for the tests against real drivers.
@main
struct Probes: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "waymark-probes", abstract: "Measures parts of the service; prints a JSON object a line.",
    subcommands: [CameraProbe.self, CodesProbe.self, PagesProbe.self, WorkersProbe.self])

  static func main() {
    // A worker is this program, too.
    if CommandLine.arguments.dropFirst() == [WorkerMain.argument] {
      WorkerMain.run()
      return
    }
    main(nil)
  }

  /// Writes a line of the result.
  static func line(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

  /// Writes a value as a line of JSON.
  static func record(_ value: some Encodable) throws {
    FileHandle.standardOutput.write(Data(try JSONLineEncoder.line(value)))
  }

  /// The files that are named, and those of the folders that are, by their names.
  static func files(_ names: [String]) throws -> [String] {
    try names.flatMap { name in
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: name, isDirectory: &isFolder), isFolder.boolValue else {
        return [name]
      }
      return try FileManager.default.contentsOfDirectory(atPath: name).sorted().map { "\(name)/\($0)" }
    }
  }
}
