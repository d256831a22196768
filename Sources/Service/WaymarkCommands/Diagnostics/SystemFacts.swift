import Foundation

/// Facts about the system, without names that tell whose it is.
enum SystemFacts {
  /// The machine and its system.
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

  /// Versions of the packages whose libraries the program uses.
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

  /// The state of the unit, as systemd tells it; empty where there is no systemd.
  static var unit: [String] {
    guard FileManager.default.fileExists(atPath: "/run/systemd/system") else { return [] }
    let properties =
      "LoadState,ActiveState,SubState,StatusText,Result,NRestarts,ExecMainStatus,UnitFileState,WatchdogUSec"
    return run(["systemctl", "show", "--no-pager", "--property", properties, "waymark.service"]).output
  }

  /// The last lines of the service's log, as far as this user may read it.
  static func log(_ count: Int) -> SupportReport.Log {
    let common = ["--no-pager", "--quiet", "--no-hostname", "--output=short-iso", "--lines=\(count)"]
    let system = run(["journalctl"] + common + ["--unit=waymark.service"])
    let found = system.output.isEmpty ? run(["journalctl"] + common + ["--user-unit=waymark.service"]) : system
    if !found.output.isEmpty { return SupportReport.Log(lines: found.output, problem: nil) }
    return SupportReport.Log(
      lines: [],
      problem: system.diagnostics.first ?? "The journal has no lines of waymark.service that this user may read.")
  }

  /// Runs a program for five seconds at most. By Foundation, not as a worker is started: what it prints is what is wanted of it, and a
  /// worker's output goes nowhere.
  private static func run(_ command: [String]) -> (output: [String], diagnostics: [String]) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["LC_ALL=C", "timeout", "5"] + command
    let (output, diagnostics) = (Pipe(), Pipe())
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = diagnostics
    guard (try? process.run()) != nil else { return ([], ["\(command[0]) cannot be run."]) }
    // The complaints are few and fit into the pipe, so that they can wait until the rest is read.
    let text = lines(output.fileHandleForReading.readDataToEndOfFile())
    let complaints = lines(diagnostics.fileHandleForReading.readDataToEndOfFile())
    process.waitUntilExit()
    return (text, complaints)
  }

  private static func lines(_ data: Data) -> [String] {
    String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  private static func text(_ path: String) -> String? {
    (try? String(contentsOfFile: path, encoding: .utf8))?.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// The value of the first line that begins with a name.
  private static func field(_ name: String, in path: String, separator: Character = "=") -> String? {
    let line = text(path)?.split(separator: "\n").first { $0.hasPrefix(name) }
    let value = line?.split(separator: separator, maxSplits: 1).last
    return value?.trimmingCharacters(in: CharacterSet(charactersIn: "\" \t"))
  }

  private static func string(_ field: some Any) -> String {
    withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
