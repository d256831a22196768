import ArgumentParser
import Foundation
import WaymarkCamera
import WaymarkClient
import WaymarkConfiguration
import WaymarkProtocol
import WaymarkService
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
    let report = await gather()
    let text = json ? try SendCommand.text(report) : report.text
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

  private func gather() async -> SupportReport {
    var socket = SocketOptions()
    socket.socket = place.socket
    let loader = place.loader()
    let (configuration, problems) = loader.load()
    let all = problems + ConfigurationReview.problems(in: configuration)
    let findings = await Diagnosis(loader: loader, socket: socket.path).findings()
    var log = SystemFacts.log(logLines)
    log.lines = log.lines.map(Redaction.text)
    return SupportReport(
      made: WallClock.timestamp(seconds: Int(WallClock.now)),
      program: SupportReport.Program(
        version: waymarkVersion,
        path: (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "",
        packages: SystemFacts.packages),
      machine: SystemFacts.machine, cameras: CameraFinder().all(), service: await service(socket.path),
      configuration: SupportReport.Configuration(
        file: configuration.file, lines: RedactedConfiguration(configuration.document).lines,
        problems: all.map(Redaction.problem), environment: Self.environment(loader.environment)),
      // A problem of the configuration quotes it, and stands in its own section without the quotes.
      findings: findings.filter { $0.subject != "configuration" }, log: log)
  }

  private func service(_ socket: String) async -> SupportReport.Service {
    var service = SupportReport.Service(socket: socket, unit: SystemFacts.unit.map(Redaction.text))
    do {
      let client = try await WaymarkClient.connect(to: socket)
      var status = try await client.send(StatusRequest())
      // The content of a code and a client's data attached to its scan are nobody else's business.
      status.scan?.pending = nil
      status.scan?.context = nil
      service.status = status
    } catch let error as ClientError {
      service.problem = error.message
    } catch {
      service.problem = "\(error)"
    }
    return service
  }

  /// The variables that set keys; the values of others are not shown.
  private static func environment(_ environment: [String: String]) -> [String] {
    let known = Set(ConfigurationSchema.keys.filter(\.hasVariable).map(\.environmentName)).union([
      "WAYMARK_CONFIG", "WAYMARK_SOCKET",
    ])
    return environment.filter { $0.key.hasPrefix("WAYMARK_") }.sorted { $0.key < $1.key }.map { name, value in
      let isShown = known.contains(name) && !Redaction.isSecret(name: name)
      return "\(name)=\(isShown ? Redaction.text(value) : Redaction.mark)"
    }
  }
}
