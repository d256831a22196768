import WaymarkCamera
import WaymarkProtocol

/// The facts for a bug report: the program, the machine, the cameras, the configuration without secrets, the service's figures,
/// its last words.
package struct SupportReport: Encodable {
  struct Program: Encodable {
    var version: String
    var path: String
    /// Package and version of the libraries it uses, where the system can tell.
    var packages: [String: String]
  }

  struct Machine: Encodable {
    var system: String
    var kernel: String
    var architecture: String
    var processor: String
    var cores: Int
    /// In bytes.
    var memory: Int
    /// In seconds.
    var uptime: Int
    var container: String?
  }

  struct Service: Encodable {
    var socket: String
    var status: StatusResult?
    var problem: String?
    /// The state of the unit, as systemd tells it.
    var unit: [String]
  }

  struct Configuration: Encodable {
    var file: String?
    var lines: [String]
    var problems: [String]
    /// Variables that configure the service.
    var environment: [String]
  }

  struct Log: Encodable {
    var lines: [String]
    var problem: String?
  }

  var made: String
  var program: Program
  var machine: Machine
  var cameras: [AttachedCamera]
  var service: Service
  var configuration: Configuration
  var findings: [Finding]
  var log: Log
}

extension SupportReport {
  /// For a person, in sections.
  package var text: String {
    var lines = ["waymark report, \(made)", ""]
    func section(_ title: String, _ body: [String]) {
      lines.append("== \(title)")
      lines += body.isEmpty ? ["(nothing)"] : body
      lines.append("")
    }
    section(
      "Program",
      ["waymark \(program.version), \(program.path)"]
        + program.packages.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })
    section("Machine", machineLines)
    section("Cameras", cameras.flatMap { CameraText.text($0).split(separator: "\n").map(String.init) })
    section("Service", serviceLines)
    section(
      "Configuration: " + (configuration.file ?? "no file"),
      configuration.lines + configuration.problems.map { "problem: \($0)" }
        + configuration.environment.map { "environment: \($0)" })
    section("Findings", findings.map { "\($0.mark) \($0.message)" })
    section("Log", log.lines + (log.problem.map { ["(\($0))"] } ?? []))
    return lines.dropLast().joined(separator: "\n")
  }

  private var machineLines: [String] {
    [
      machine.system, "Linux \(machine.kernel), \(machine.architecture)",
      "\(machine.processor), \(machine.cores) cores, \(machine.memory >> 20) MiB, up \(machine.uptime / 3600) h",
    ] + (machine.container.map { ["in \($0)"] } ?? [])
  }

  private var serviceLines: [String] {
    var lines = ["socket    \(service.socket)"]
    if let status = service.status {
      lines += StatusText.text(of: status, role: nil).split(separator: "\n").map(String.init)
    }
    if let problem = service.problem { lines.append("problem   \(problem)") }
    return lines + service.unit.map { "unit      \($0)" }
  }
}
