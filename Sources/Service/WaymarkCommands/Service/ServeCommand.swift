import ArgumentParser
import Glibc
import WaymarkService
import WaymarkSystem

/// `waymark serve`: the service itself.
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

  @Option(help: "Arm a scan at the start and after every verdict: onboarding or barcode.")
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
      try await Daemon(loader: place.loader(flags: flags), version: waymarkVersion).run()
    } catch {
      try fail(error)
    }
  }
}
