import ArgumentParser
import Foundation
import WaymarkCamera
import WaymarkFrames

/// `waymark cameras`: lists the cameras and their formats and controls.
struct CamerasCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cameras",
    abstract: "Lists the cameras with what they offer.",
    discussion: """
      Each camera is named by what stays the same when it is plugged in again: its serial number, else the port. \
      Use that identity (or a part of the name, or a path) for `camera.device` in the configuration.
      Example:
        waymark cameras
      """,
    subcommands: [CameraList.self],
    defaultSubcommand: CameraList.self)
}

/// `waymark cameras`: the list itself.
struct CameraList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists the cameras with what they offer (what `waymark cameras` does).",
    discussion: """
      Example:
        waymark cameras list --json
      """)

  @Flag(help: "One JSON object with everything that is known.")
  var json = false

  @Option(help: ArgumentHelp("Look for video nodes in this folder.", visibility: .hidden))
  var nodes = "/dev"

  func run() throws {
    let cameras = CameraFinder(nodes: VideoNodes(folder: nodes)).all()
    if json {
      try Output.record(["cameras": cameras])
    } else if !cameras.isEmpty {
      Output.line(cameras.map(CameraText.text).joined(separator: "\n").trimmingCharacters(in: .newlines))
    }
    guard !cameras.isEmpty else {
      Output.diagnostic("no camera is plugged in")
      throw ExitCode(ExitStatus.unavailable.rawValue)
    }
    if cameras.allSatisfy({ $0.problem != nil }) { throw ExitCode(ExitStatus.notPermitted.rawValue) }
  }
}
