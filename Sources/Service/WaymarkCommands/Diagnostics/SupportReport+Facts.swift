import Foundation
import WaymarkCamera
import WaymarkClient
import WaymarkConfiguration
import WaymarkProtocol
package import WaymarkService
import WaymarkSystem

extension SupportReport {
  /// Gathers the facts, without secrets.
  ///
  /// - Parameters:
  ///   - version: of the program.
  ///   - loader: reads the configuration.
  ///   - socket: the path on which the service answers.
  ///   - logLines: how many of the last lines of the service's log are taken.
  package static func gathered(
    version: String, loader: ConfigurationLoader, socket: String, logLines: Int
  ) async -> SupportReport {
    let (configuration, problems) = loader.load()
    let all = problems + ConfigurationReview.problems(in: configuration)
    let findings = await Diagnosis(loader: loader, socket: socket).findings()
    var log = SystemFacts.log(logLines)
    log.lines = log.lines.map(Redaction.text)
    return SupportReport(
      made: WallClock.timestamp(seconds: Int(WallClock.now)),
      program: Program(
        version: version,
        path: (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "",
        packages: SystemFacts.packages),
      machine: SystemFacts.machine, cameras: CameraFinder().all(), service: await service(socket),
      configuration: Configuration(
        file: configuration.file,
        lines: RedactedConfiguration(configuration.document, table: loader.schema.table).lines,
        problems: all.map(Redaction.problem), environment: environment(loader)),
      // A problem of the configuration quotes it, and stands in its own section without the quotes.
      findings: findings.filter { $0.subject != "configuration" }, log: log)
  }

  private static func service(_ socket: String) async -> Service {
    var service = Service(socket: socket, unit: SystemFacts.unit.map(Redaction.text))
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
