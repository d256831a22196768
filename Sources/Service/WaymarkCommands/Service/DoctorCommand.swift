import ArgumentParser
import WaymarkService

/// `waymark doctor`: finds faults of the installation and their remedies.
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
    let findings = await Diagnosis(loader: place.loader(), socket: socketPath).findings()
    for finding in findings {
      if json {
        Output.json(try Output.text(finding))
      } else {
        Output.line("\(finding.mark) \(finding.message)")
        if let hint = finding.hint { Output.line("    \(hint)") }
      }
    }
    if findings.contains(where: { $0.level == .problem }) { throw ExitCode(ExitStatus.unavailable.rawValue) }
  }

  private var socketPath: String {
    var options = SocketOptions()
    options.socket = place.socket
    return options.path
  }
}
