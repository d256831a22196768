import ArgumentParser
import WaymarkSystem

/// `waymark report`: everything that a bug report needs, and nothing that must stay here.
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
    var service = SocketOptions()
    service.socket = place.socket
    let report = await SupportReport.gathered(
      version: waymarkVersion, loader: place.loader(), socket: service.path, logLines: logLines)
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
