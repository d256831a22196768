import ArgumentParser
import Glibc
package import WaymarkConfiguration
import WaymarkService
import WaymarkSystem

/// `waymark serve`: runs the service. This file also has `waymark config`, which checks or shows its configuration.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Run the service: read the camera and send events to clients.",
    discussion: """
      Clients connect to a Unix socket and speak JSON, one object a line; `waymark watch` shows what they see. Without \
      a camera the service waits until one is plugged in. SIGTERM ends the service, SIGHUP makes it read its \
      configuration again.
      Examples:
        waymark serve
        waymark serve --source Samples/frames --socket /tmp/waymark.sock
      """)

  @OptionGroup var place: ConfigurationOptions

  @Option(help: "Play a folder of pictures, an MJPEG or Y4M stream, or - for standard input, instead of a camera.")
  var source: String?

  @Option(help: "Pictures a second of a folder.")
  var rate: Double?

  @Flag(help: "Play a folder once instead of again and again.")
  var once = false

  @Flag(help: "Accept onboarding codes from --source too; without it only a camera may onboard this device.")
  var sourceOnboarding = false

  @Option(help: "Use this camera: its identity, or its device node.")
  var camera: String?

  @Option(help: "Arm a scan at the start and after each: onboarding (accepted codes wait for scan.confirm) or barcode.")
  var autoBegin: String?

  @Option(help: "trace, debug, info, notice, warning, error or critical.")
  var logLevel: String?

  func validate() throws {
    let levels = ["trace", "debug", "info", "notice", "warning", "error", "critical"]
    if let logLevel, !levels.contains(logLevel) {
      throw ValidationError("--log-level takes one of \(levels.joined(separator: ", ")).")
    }
    if let autoBegin, !["off", "onboarding", "barcode"].contains(autoBegin) {
      throw ValidationError("--auto-begin takes onboarding, barcode or off.")
    }
    if let rate, !(0.01...240).contains(rate) { throw ValidationError("--rate takes 0.01 to 240 pictures a second.") }
  }

  func run() async throws {
    if let file = place.config, access(file, R_OK) != 0 {
      let reason = String(cString: strerror(errno))
      Output.fail(
        .cannotOpen, "The configuration \(file) cannot be read: \(reason)", hint: "Check the path and who may read it.")
    }
    var flags: [String: String] = [:]
    flags["source.path"] = source
    flags["source.rate"] = rate.map { "\($0)" }
    if once { flags["source.loop"] = "false" }
    if sourceOnboarding { flags["source.onboarding"] = "true" }
    flags["camera.device"] = camera
    flags["scan.autoBegin"] = autoBegin
    flags["log.level"] = logLevel
    do {
      try await Daemon(place.loader(flags: flags), file: place.config).run()
    } catch is ConfigurationProblem {
      // Each problem is in the log already.
      throw ExitCode(ExitStatus.badData.rawValue)
    }
  }
}

struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Check or show the configuration.", usage: "waymark config check [FILE]",
    subcommands: [ConfigCheckCommand.self, ConfigShowCommand.self])
}

struct ConfigShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print the values that apply, one a line.",
    discussion: """
      Example:
        waymark config show --origin
      """)

  @Argument(help: "The file (else --config, $WAYMARK_CONFIG, or the default place).")
  var file: String?

  @OptionGroup var place: ConfigurationOptions

  @Flag(help: "Print behind each value where it comes from: file and line, environment, command line, or default.")
  var origin = false

  func run() throws {
    var place = place
    place.config = file ?? place.config
    let (configuration, problems) = place.loader().load()
    try refuse(problems)
    for (key, value, from) in configuration.listing() { Output.line("\(key): \(value)\(origin ? "  # \(from)" : "")") }
  }
}

struct ConfigCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check the configuration file and the environment.",
    discussion: """
      Names what the service would refuse to start with, with file and line: unknown keys, wrong values, and accounts, \
      files, folders, scenes, keys and symbologies that are missing or cannot be used. Warnings do not change the exit \
      status.
      Example:
        waymark config check /etc/waymark/waymark.yaml
      """)

  @Argument(help: "The file (else --config, $WAYMARK_CONFIG, or the default place).")
  var file: String?

  @OptionGroup var place: ConfigurationOptions

  func run() throws {
    var place = place
    place.config = file ?? place.config
    let loader = place.loader()
    let (configuration, problems) = loader.checked(Program.current.features)
    for problem in problems { Output.line(problem.sentences) }
    if problems.contains(where: { $0.key == nil && $0.line == nil }) { throw ExitCode(ExitStatus.cannotOpen.rawValue) }
    if !problems.isEmpty { throw ExitCode(ExitStatus.badData.rawValue) }
    for warning in configuration.warnings { Output.line("warning: \(warning.sentences)") }
    Output.line(
      configuration.shownFiles.map { "\($0): no problems." } ?? "No file at \(loader.standardFile): the defaults apply."
    )
  }
}

/// Prints the problems of a configuration and ends the command with `badData`. Returns if the configuration is right.
///
/// - Parameter separator: the text between a problem and its hint.
package func refuse(_ problems: [ConfigurationProblem], separator: String = "\n  ") throws {
  guard !problems.isEmpty else { return }
  for problem in problems { Output.diagnostic("\(problem)\(separator)\(problem.hint)") }
  throw ExitCode(ExitStatus.badData.rawValue)
}

extension Daemon {
  /// Creates the service of this program.
  ///
  /// - Parameter file: the configuration file that the command line names.
  init(_ loader: ConfigurationLoader, file: String? = nil) {
    self.init(loader: loader, features: Program.current.features, version: waymarkVersion) { socket in
      // Runs in a process of its own, because the report waits for other programs and tries a worker.
      try ChildProgram.capture(
        ["/proc/self/exe", "report", "--socket", socket] + (file.map { ["--config", $0] } ?? []),
        outputLimit: SetupModule.reportLimit,
        confinement: .init(environment: loader.environment, timeout: SetupModule.reportTimeout))
    }
  }
}
