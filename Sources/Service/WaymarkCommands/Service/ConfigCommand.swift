import ArgumentParser
import WaymarkConfiguration
import WaymarkService
import WaymarkSystem

/// `waymark config`: checks the configuration of the service.
struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Check the configuration.", usage: "waymark config check [FILE]",
    subcommands: [ConfigCheckCommand.self])
}

/// `waymark config check`: everything that is wrong, at once.
struct ConfigCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check the configuration file and the environment.",
    discussion: """
      Names unknown keys, wrong types and values out of bounds, with file and line.
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
    let (configuration, problems) = loader.load()
    let all =
      (problems + ConfigurationReview.problems(in: configuration)).inOrder
    for problem in all {
      let said = problem.description
      Output.line("\(said)\(said.hasSuffix(".") ? "" : ".") \(problem.hint)")
    }
    if all.contains(where: { $0.key == nil && $0.line == nil }) { throw ExitCode(ExitStatus.cannotOpen.rawValue) }
    if !all.isEmpty { throw ExitCode(ExitStatus.badData.rawValue) }
    Output.line(
      configuration.file.map { "\($0): no problems." } ?? "No file at \(loader.standardFile): the defaults apply.")
  }
}
