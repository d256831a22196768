import Foundation
import WaymarkClient
import WaymarkConfiguration
import WaymarkProtocol
package import WaymarkService
import WaymarkSystem
import WaymarkWorker

/// One thing that was looked at.
package struct Finding: Encodable {
  /// How much it matters.
  package enum Level: String, Encodable { case good, remark, problem }

  /// The part that was looked at, such as `camera`.
  package let subject: String
  package let level: Level
  package let message: String
  /// The action that helps, where one is known.
  package let hint: String?

  /// The level as a word of four characters.
  package var mark: String {
    switch level {
    case .good: "ok  "
    case .remark: "note"
    case .problem: "FAIL"
    }
  }
}

/// Looks at everything that the service needs.
package struct Diagnosis {
  private let loader: ConfigurationLoader
  private let socket: String

  /// A diagnosis of the configuration that `loader` reads, and of the service that answers on `socket`.
  package init(loader: ConfigurationLoader, socket: String) {
    self.loader = loader
    self.socket = socket
  }

  /// Everything that was looked at, good or not.
  package func findings() async -> [Finding] { configuration() + workers() + cameras() + (await service()) }

  // MARK: Configuration

  private func configuration() -> [Finding] {
    let (configuration, problems) = loader.load()
    let all = problems + ConfigurationReview.problems(in: configuration)
    guard all.isEmpty else {
      return all.map { Finding(subject: "configuration", level: .problem, message: $0.description, hint: $0.hint) }
    }
    let message =
      configuration.file.map { "The configuration \($0) has no problems." }
      ?? "No configuration file: the defaults apply."
    return [Finding(subject: "configuration", level: .good, message: message, hint: nil)]
  }

  // MARK: Workers

  /// Returns whether codes and pictures can be read outside of the service: tried, not guessed.
  private func workers() -> [Finding] {
    guard loader.load().0.isIsolated else {
      return [
        Finding(
          subject: "isolation", level: .remark,
          message: "Codes, frames and pictures are read inside the service (isolation: off).",
          hint:
            "Leave isolation out unless workers cannot be started here: the input of a camera is not trusted.")
      ]
    }
    let check = WorkerCheck()
    if let problem = check.problem {
      return [Finding(subject: "isolation", level: .problem, message: problem, hint: check.hint)]
    }
    let milliseconds = Int((1000 * check.seconds).rounded())
    return [
      Finding(
        subject: "isolation", level: .good,
        message: "Workers start and set up their sandbox; the first picture was decoded after \(milliseconds) ms.",
        hint: nil)
    ]
  }

  // MARK: Cameras

  private func cameras() -> [Finding] {
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
        findings.append(
          Finding(subject: "camera", level: .good, message: "\(path) (\(name)) may be opened.", hint: nil))
      }
      for holder in Self.holders(of: path) {
        findings.append(
          Finding(
            subject: "camera", level: .remark, message: "\(path) is held by \(holder).",
            hint: "If that is not the service itself, end it: only one program at a time can take pictures."))
      }
    }
    // The sensor pipelines of boards with a ribbon-cable camera show video nodes that give no finished picture.
    let pipelines = ["unicam", "bcm2835-isp", "rp1-cfe", "pispbe", "rkisp", "sun6i-csi", "imx"]
    if names.allSatisfy({ name in pipelines.contains { name.lowercased().contains($0) } }) {
      findings.append(
        Finding(
          subject: "camera", level: .problem, message: "Only parts of a ribbon-cable (CSI) camera are here.",
          hint: "Use a USB camera, or feed frames: libcamera-vid --codec mjpeg -t 0 -o - | waymark serve --source -"))
    }
    return findings
  }

  private func noCamera() -> Finding {
    let message = "No camera is plugged in (there is no /dev/video*)."
    return Finding(
      subject: "camera", level: .remark, message: message,
      hint:
        "Plug one in; the service takes it up at once. To try it without a camera: waymark serve --source FOLDER. In a container, pass the device through."
    )
  }

  private func denied(_ path: String, _ name: String) -> Finding {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    let group = attributes?[.groupOwnerAccountName] as? String ?? "video"
    return Finding(
      subject: "camera", level: .problem, message: "\(path) (\(name)) may not be opened by this user.",
      hint: "Join its group and log in again: sudo usermod -aG \(group) \(NSUserName())")
  }

  private static func text(of path: String) -> String? {
    (try? String(contentsOfFile: path, encoding: .utf8))?.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Programs that have `path` open, as far as this user may see.
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
          subject: "service", level: .good,
          message: "The service \(status.version) answers on \(socket); you are \(client.hello.role.rawValue).",
          hint: nil)
      ]
      let cameras =
        status.cameras?.map { ("The camera \($0.name): ", $0.camera, $0.scanner) } ?? [
          ("", status.camera, status.scanner)
        ]
      for (name, camera, scanner) in cameras {
        for (message, hint) in [(camera.message, camera.hint), (scanner.message, scanner.hint)] {
          guard let message else { continue }
          findings.append(Finding(subject: "service", level: .problem, message: name + message, hint: hint))
        }
      }
      return findings
    } catch let error as ClientError {
      return [Finding(subject: "service", level: .problem, message: error.message, hint: error.hint)]
    } catch {
      return [
        Finding(subject: "service", level: .problem, message: "The service sent an invalid reply: \(error).", hint: nil)
      ]
    }
  }
}
