import FoundationEssentials
import Glibc
import WaymarkClient
import WaymarkConfiguration
import WaymarkProtocol
package import WaymarkService
import WaymarkSystem
import WaymarkWorker

/// The result of one check of a `Diagnosis`, which is below.
package struct Finding: Encodable {
  package enum Level: String, Encodable { case good, remark, problem }

  /// The part that was checked, such as `camera`.
  package let subject: String
  package let level: Level
  package let message: String
  /// The remedy, if one is known.
  package let hint: String?

  init(_ subject: String, _ level: Level, _ message: String, hint: String? = nil) {
    (self.subject, self.level, self.message, self.hint) = (subject, level, message, hint)
  }

  /// The level as a word padded to four characters.
  package var mark: String {
    switch level {
    case .good: "ok  "
    case .remark: "note"
    case .problem: "FAIL"
    }
  }
}

/// Checks everything that the service needs: configuration, workers and cameras, and the running service itself.
package struct Diagnosis {
  private let loader: ConfigurationLoader
  private let socket: String
  private let loaded: ServiceConfiguration

  /// Creates a diagnosis of the configuration read by `loader` and of the service on `socket`.
  package init(loader: ConfigurationLoader, socket: String) {
    self.loader = loader
    self.socket = socket
    loaded = loader.load().configuration
  }

  /// Runs all checks and returns their results, without those that repeat an earlier message and hint.
  package func findings() async -> [Finding] {
    let all = configuration() + workers() + cameras() + (await service())
    // The service reports a fault of the camera for the scanner, too.
    var said: Set<[String?]> = []
    return all.filter { said.insert([$0.message, $0.hint]).inserted }
  }

  // MARK: Configuration

  private func configuration() -> [Finding] {
    let (configuration, problems) = loader.checked(Program.current.features)
    guard problems.isEmpty else {
      return problems.map { Finding("configuration", .problem, $0.description, hint: $0.hint) }
    }
    let message =
      configuration.shownFiles.map {
        "The configuration \($0)\(loader.named == nil ? " (the default file)" : "") has no problems."
      }
      ?? "No configuration file at \(loader.standardFile): the defaults apply."
    return [Finding("configuration", .good, message)]
      + configuration.warnings.map { Finding("configuration", .remark, $0.description, hint: $0.hint) }
      + configuration.cautions.map { Finding("onboarding", .remark, $0.message, hint: $0.hint) }
  }

  // MARK: Workers

  /// Checks by a test run whether workers can read codes and pictures.
  private func workers() -> [Finding] {
    guard loaded.isIsolated else {
      return [
        Finding(
          "isolation", .remark, "Codes, frames and pictures are read inside the service (isolation: off).",
          hint: "Leave isolation out unless workers cannot be started here: the input of a camera is not trusted.")
      ]
    }
    let check = WorkerCheck()
    if let problem = check.problem {
      return [Finding("isolation", .problem, problem, hint: check.hint)]
    }
    let milliseconds = Int((1000 * check.seconds).rounded())
    return [
      Finding(
        "isolation", .good,
        "Workers start and set up their sandbox; the first picture was decoded after \(milliseconds) ms.")
    ]
  }

  // MARK: Cameras

  private func cameras() -> [Finding] {
    if let source = loaded.settings.source.path {
      return [Finding("camera", .good, "The pictures come from \(source) (source.path) instead of a camera.")]
    }
    let nodes = (try? FileManager.default.contentsOfDirectory(atPath: "/dev")) ?? []
    let video = nodes.filter { $0.hasPrefix("video") && Int($0.dropFirst(5)) != nil }.sorted()
    guard !video.isEmpty else { return [noCamera()] }
    var findings: [Finding] = []
    var names: [String] = []
    for node in video {
      let path = "/dev/\(node)"
      let name = Self.text(of: "/sys/class/video4linux/\(node)/name") ?? "unknown"
      names.append(name)
      if access(path, R_OK | W_OK) != 0 {
        findings.append(denied(path, name))
      } else {
        findings.append(Finding("camera", .good, "\(path) (\(name)) may be opened."))
      }
      for holder in Self.holders(of: path) {
        findings.append(
          Finding(
            "camera", .remark, "\(path) is held by \(holder).",
            hint: "If that is not the service itself, end it: only one program at a time can take pictures."))
      }
    }
    // The sensor pipelines of boards with a ribbon-cable camera have video nodes that do not deliver finished pictures.
    let pipelines = ["unicam", "bcm2835-isp", "rp1-cfe", "pispbe", "rkisp", "sun6i-csi", "imx"]
    if names.allSatisfy({ name in pipelines.contains { name.lowercased().contains($0) } }) {
      findings.append(
        Finding(
          "camera", .problem, "Only parts of a ribbon-cable (CSI) camera are here.",
          hint: "Use a USB camera, or feed frames: libcamera-vid --codec mjpeg -t 0 -o - | waymark serve --source -"))
    }
    return findings
  }

  private func noCamera() -> Finding {
    Finding(
      "camera", .remark, "No camera is plugged in (there is no /dev/video*).",
      hint:
        "Plug one in; the service takes it up at once. To try it without a camera: waymark serve --source FOLDER. In a container, pass the device through."
    )
  }

  private func denied(_ path: String, _ name: String) -> Finding {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    let group = attributes?[.groupOwnerAccountName] as? String ?? "video"
    return Finding(
      "camera", .problem, "\(path) (\(name)) may not be opened by this user.",
      hint: "Join its group and log in again: sudo usermod -aG \(group) \(ProcessInfo.processInfo.userName)")
  }

  private static func text(of path: String) -> String? {
    (try? String(contentsOfFile: path, encoding: .utf8))?.trimmed
  }

  /// Returns the programs that have `path` open, as far as this user may see them.
  private static func holders(of path: String) -> [String] {
    let files = FileManager.default
    let processes = ((try? files.contentsOfDirectory(atPath: "/proc")) ?? []).filter { Int($0) != nil }
    return processes.compactMap { process in
      let folder = "/proc/\(process)/fd"
      let isHolder = ((try? files.contentsOfDirectory(atPath: folder)) ?? []).contains {
        (try? files.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == path
      }
      guard isHolder else { return nil }
      return "\(text(of: "/proc/\(process)/comm") ?? "a program") (process \(process))"
    }
  }

  // MARK: The service

  private func service() async -> [Finding] {
    do {
      let client = try await WaymarkClient.connect(to: socket)
      let status = try await client.send(StatusRequest())
      var findings = [
        Finding(
          "service", .good,
          "The service \(status.version) answers on \(socket); you are \(client.hello.role.rawValue).")
      ]
      if let running = status.configuration, running.file != loaded.file?.absolutePath {
        findings.append(
          Finding(
            "service", .remark,
            "The service runs with \(running.file ?? "no configuration file"), which is not the one that was checked.",
            hint: running.file.map { "Check that one: waymark doctor --config \($0)" }))
      }
      let cameras =
        status.cameras?.map { ("The camera \($0.name): ", $0.camera, $0.scanner) } ?? [
          ("", status.camera, status.scanner)
        ]
      for (name, camera, scanner) in cameras {
        for (message, hint) in [(camera.message, camera.hint), (scanner.message, scanner.hint)] {
          guard let message else { continue }
          findings.append(Finding("service", .problem, name + message, hint: hint))
        }
      }
      return findings
    } catch let error as ClientError {
      return [Finding("service", .problem, error.message, hint: error.hint)]
    } catch {
      return [Finding("service", .problem, "The service sent an invalid reply: \(error).")]
    }
  }
}
