import WaymarkCamera

extension SupportReport {
  /// For a person, in sections.
  var text: String {
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
    section("Cameras", cameras.flatMap { CameraList.text($0).split(separator: "\n").map(String.init) })
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
      lines += StatusCommand.text(of: status, role: nil).split(separator: "\n").map(String.init)
    }
    if let problem = service.problem { lines.append("problem   \(problem)") }
    return lines + service.unit.map { "unit      \($0)" }
  }
}
