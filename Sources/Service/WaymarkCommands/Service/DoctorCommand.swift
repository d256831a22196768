import ArgumentParser
import FoundationEssentials
import WaymarkCamera
import WaymarkService
import WaymarkSystem

/// `waymark doctor` and, below, `waymark report` and `waymark cameras`: find and describe what a device lacks.
struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Find what keeps the service from working: configuration, workers, camera, permissions, socket.",
    discussion: """
      Example:
        waymark doctor
      """)

  @OptionGroup var place: ConfigurationOptions

  @Flag(help: "Print the findings as JSON, one a line.")
  var json = false

  func run() async throws {
    let findings = await Diagnosis(loader: place.loader(), socket: SocketOptions.path(place.socket)).findings()
    for finding in findings {
      if json {
        Output.json(try Output.text(finding))
      } else {
        Output.line("\(finding.mark) \(finding.message)")
        if let hint = finding.hint { Output.line("    \(hint)") }
      }
    }
    let problems = findings.filter { $0.level == .problem }
    if problems.isEmpty { return }
    let isMisconfigured = problems.contains { $0.subject == "configuration" }
    throw ExitCode((isMisconfigured ? ExitStatus.badData : .unavailable).rawValue)
  }
}

struct ReportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Collect what a bug report needs: versions, cameras, configuration, figures, the last log lines.",
    discussion: """
      Secrets are taken out: values of keys that are not known, keys and tokens, credentials in addresses, and what a \
      scanned code says. Serial numbers of cameras, paths and host names of the configuration stay: read the report \
      before you send it.
      Example:
        waymark report -o report.txt
      """)

  @OptionGroup var place: ConfigurationOptions

  @Option(name: .letter(.output), help: "The file to write, for its owner's eyes only (else standard output).")
  var output: String?

  @Option(help: "The number of last lines of the log.")
  var logLines = 200

  @Flag(help: "Print one JSON object instead of text.")
  var json = false

  func validate() throws {
    guard (0...100_000).contains(logLines) else { throw ValidationError("--log-lines takes 0 to 100000.") }
  }

  func run() async throws {
    let report = await SupportReport.gathered(
      version: waymarkVersion, loader: place.loader(), socket: SocketOptions.path(place.socket), logLines: logLines)
    let text = json ? try Output.text(report) : report.text
    guard let output else {
      if json { Output.json(text) } else { Output.line(text) }
      return
    }
    do throws(FileError) {
      let draft = try DraftFile(output, mode: 0o600, isExact: true)
      try draft.append(Array((text + "\n").utf8))
      try draft.publish()
    } catch {
      Output.fail(.cannotWrite, error.message, hint: error.hint)
    }
    Output.diagnostic("Written to \(output). Read it before you send it.")
  }
}

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
      Output.line(cameras.map(\.text).joined(separator: "\n").trimmed)
    }
    guard !cameras.isEmpty else {
      Output.diagnostic("no camera is plugged in")
      throw ExitCode(ExitStatus.unavailable.rawValue)
    }
    if cameras.allSatisfy({ $0.problem != nil }) { throw ExitCode(ExitStatus.notPermitted.rawValue) }
  }
}
