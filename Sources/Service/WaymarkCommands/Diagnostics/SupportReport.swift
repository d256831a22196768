import FoundationEssentials
import Glibc
import WaymarkCamera
import WaymarkClient
import WaymarkConfiguration
import WaymarkProtocol
package import WaymarkService
import WaymarkSystem

/// The facts for a bug report: the program, the machine, the cameras, the configuration without secrets, the service's statistics
/// and the end of its log. `SystemFacts` below collects the facts about the system.
package struct SupportReport: Encodable {
  struct Program: Encodable {
    var version: String
    var path: String
    /// The versions of the packages of its libraries, by package, as far as dpkg knows them.
    var packages: [String: String]
  }

  struct Machine: Encodable {
    var system: String
    var kernel: String
    var architecture: String
    var processor: String
    var cores: Int
    /// The physical memory, in bytes.
    var memory: Int
    /// The time since boot, in seconds.
    var uptime: Int
    var container: String?
  }

  struct Service: Encodable {
    var socket: String
    var status: StatusResult?
    var problem: String?
    /// The properties of the systemd unit, each as `NAME=VALUE`.
    var unit: [String]
  }

  struct Configuration: Encodable {
    var file: String?
    /// True if the command line names no file, so that the default file applies.
    var isDefault: Bool
    var lines: [String]
    var problems: [String]
    /// The environment variables that begin with `WAYMARK_`, each as `NAME=VALUE`, with secret values redacted.
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
  /// The report for people, in sections.
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
    section("Cameras", cameras.flatMap { $0.text.split(separator: "\n").map(String.init) })
    section("Service", serviceLines)
    section(
      "Configuration: "
        + (configuration.file.map { $0 + (configuration.isDefault ? " (the default file)" : "") } ?? "no file"),
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

extension SupportReport {
  /// Gathers the facts, without secrets, with the last `logLines` lines of the log.
  package static func gathered(
    version: String, loader: ConfigurationLoader, socket: String, logLines: Int
  ) async -> SupportReport {
    let (configuration, problems) = loader.checked(WaymarkCommands.Program.current.features)
    let findings = await Diagnosis(loader: loader, socket: socket).findings()
    var log = SystemFacts.log(logLines)
    log.lines = log.lines.map(Redaction.text)
    let (service, ownLines) = await service(socket)
    // The service's user, and a user of a container, may not read the journal.
    if log.lines.isEmpty, !ownLines.isEmpty { log = Log(lines: ownLines.suffix(logLines), problem: nil) }
    return SupportReport(
      made: WallClock.timestamp(seconds: Int(WallClock.now)),
      program: Program(
        version: version,
        path: ChildProgram.ownPath ?? "", packages: SystemFacts.packages),
      machine: SystemFacts.machine, cameras: CameraFinder().all(), service: service,
      configuration: Configuration(
        file: configuration.file, isDefault: loader.named == nil,
        lines: RedactedConfiguration(configuration.document, table: loader.schema.table).lines,
        problems: problems.map(Redaction.problem), environment: environment(loader)),
      // The findings about the configuration quote its values, so they are left out; the section about the configuration has them
      // without values.
      findings: findings.filter { $0.subject != "configuration" }, log: log)
  }

  /// Returns the service's state and the last lines that it logged, as far as the service answers.
  private static func service(_ socket: String) async -> (Service, log: [String]) {
    var service = Service(socket: socket, unit: SystemFacts.unit.map(Redaction.text))
    var log: [String] = []
    do {
      let client = try await WaymarkClient.connect(to: socket)
      var status = try await client.send(StatusRequest())
      // The content of a code and a client's data attached to its scan are private.
      status.scan?.pending = nil
      status.scan?.context = nil
      service.status = status
      // The request fails for an observer, who may not read the log, and with an older service, which lacks the method.
      log = (try? await client.send(LogReadRequest()))?.lines ?? []
    } catch let error as ClientError {
      service.problem = error.message
    } catch {
      service.problem = "\(error)"
    }
    return (service, log)
  }

  /// Returns the environment variables that begin with `WAYMARK_`; the values of secret and unknown variables are
  /// redacted.
  private static func environment(_ loader: ConfigurationLoader) -> [String] {
    let known = Set(loader.schema.keys.filter(\.hasVariable).map(\.environmentName)).union([
      "WAYMARK_CONFIG", "WAYMARK_SOCKET",
    ])
    return loader.environment.filter { $0.key.hasPrefix("WAYMARK_") }.sorted { $0.key < $1.key }.map { name, value in
      let isShown = known.contains(name) && !Redaction.isSecret(name: name)
      return "\(name)=\(isShown ? Redaction.text(value) : Redaction.mark)"
    }
  }
}

/// Facts about the system, without names that identify its owner.
enum SystemFacts {
  /// The hardware and the operating system.
  static var machine: SupportReport.Machine {
    var names = utsname()
    uname(&names)
    let information = ProcessInfo.processInfo
    return SupportReport.Machine(
      system: field("PRETTY_NAME", in: "/etc/os-release") ?? "an unknown system",
      kernel: string(names.release), architecture: string(names.machine),
      processor: field("model name", in: "/proc/cpuinfo", separator: ":")
        ?? field("Model", in: "/proc/cpuinfo", separator: ":") ?? "an unknown processor",
      cores: information.activeProcessorCount, memory: Int(information.physicalMemory),
      uptime: Int(information.systemUptime), container: text("/run/systemd/container"))
  }

  /// The versions of the packages whose libraries the program uses.
  static var packages: [String: String] {
    let names = [
      "waymark", "libzbar0", "libzbar0t64", "libv4l-0", "libv4l-0t64", "libjpeg62-turbo", "libpng16-16",
      "libpng16-16t64", "libssl3", "libssl3t64",
      "libwebp7", "libstdc++6", "libc6", "systemd", "udev",
    ]
    let format = "${db:Status-Abbrev} ${Package} ${Version}\n"
    let lines = run(["dpkg-query", "-W", "-f", format] + names).output
    var versions: [String: String] = [:]
    for line in lines {
      let words = line.split(separator: " ").map(String.init)
      if words.count == 3, words[0].hasPrefix("i") { versions[words[1]] = words[2] }
    }
    return versions
  }

  /// The properties of the service's systemd unit, each as `NAME=VALUE`; empty without systemd.
  static var unit: [String] {
    guard FileManager.default.fileExists(atPath: "/run/systemd/system") else { return [] }
    let properties =
      "LoadState,ActiveState,SubState,StatusText,Result,NRestarts,ExecMainStatus,UnitFileState,WatchdogUSec"
    return run(["systemctl", "show", "--no-pager", "--property", properties, "waymark.service"]).output
  }

  /// Returns the last lines of the service's log, as far as this user may read it.
  static func log(_ count: Int) -> SupportReport.Log {
    let common = ["--no-pager", "--quiet", "--no-hostname", "--output=short-iso", "--lines=\(count)"]
    let system = run(["journalctl"] + common + ["--unit=waymark.service"])
    let found = system.output.isEmpty ? run(["journalctl"] + common + ["--user-unit=waymark.service"]) : system
    if !found.output.isEmpty { return SupportReport.Log(lines: found.output, problem: nil) }
    return SupportReport.Log(
      lines: [],
      problem: system.diagnostics.first ?? "The journal has no lines of waymark.service that this user may read.")
  }

  /// Runs a program for five seconds at most.
  private static func run(_ command: [String]) -> (output: [String], diagnostics: [String]) {
    guard let result = try? ChildProgram.capture(["env", "LC_ALL=C", "timeout", "5"] + command) else {
      return ([], ["\(command[0]) cannot be run."])
    }
    return (lines(result.output), lines(result.diagnostics))
  }

  private static func lines(_ bytes: [UInt8]) -> [String] {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  private static func text(_ path: String) -> String? {
    (try? String(contentsOfFile: path, encoding: .utf8))?.trimmed
  }

  /// Returns the value of the first line that begins with a name, without quotation marks and spaces; nil without such a line.
  private static func field(_ name: String, in path: String, separator: Character = "=") -> String? {
    let line = text(path)?.split(separator: "\n").first { $0.hasPrefix(name) }
    let value = line?.split(separator: separator, maxSplits: 1).last
    return value.map { value in
      let marks: Set<Character> = ["\"", " ", "\t"]
      return String(value.drop { marks.contains($0) }.reversed().drop { marks.contains($0) }.reversed())
    }
  }

  private static func string(_ field: some Any) -> String {
    withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
