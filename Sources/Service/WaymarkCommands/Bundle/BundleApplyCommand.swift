import ArgumentParser
import Foundation
import WaymarkClient
import WaymarkOnboarding
import WaymarkProtocol
import WaymarkScenes
import WaymarkSystem

/// `waymark bundle apply`.
struct BundleApplyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply", abstract: "Apply a bundle, or leave everything as it was.",
    discussion: """
      Its files appear below FOLDER/current/NAME in one step; name that place in waymark.yaml, for example under scenes.folders. \
      Then the service reloads its configuration; if it fails to, or a scene cannot be loaded, the previous bundle is restored.
      Example:
        waymark bundle apply site-4-12.tar --keys /etc/waymark/bundle-keys.jwks
      """)

  @OptionGroup var place: SocketOptions

  @Argument(help: "The bundle.", completion: .file())
  var bundle: String

  @Option(help: "The public keys that are trusted, JWK set or PEM.", completion: .file())
  var keys = BundleFile.standardKeys

  @Option(help: "Where bundles are kept.")
  var folder = BundleFile.standardFolder

  @Option(
    help:
      "Run this command to make the service use it, such as \"systemctl restart waymark\", instead of asking it over the socket."
  )
  var activate: String?

  @Option(help: "Seconds within which the service must be healthy.")
  var within = 30.0

  @Option(help: "Seconds that it must stay healthy.")
  var settle = 2.0

  @Flag(help: "Put the files in place without checking the service.")
  var noService = false

  func validate() throws {
    guard within.isFinite, within > 0, settle.isFinite, settle >= 0 else {
      throw ValidationError("Times are seconds, not negative.")
    }
  }

  func run() async throws {
    do {
      let (reader, handle) = try BundleFile.open(bundle, keys: keys)
      defer { try? handle.close() }
      let activation = Activation(path: place.path, command: activate, within: within, settle: settle)
      let isAlone = noService
      let content = "\(folder)/current/\(reader.manifest.name)"
      let scenes = reader.manifest.files.map(\.path).filter(Self.isScene)
      let outcome = try await BundleStore(folder: folder).apply(reader) {
        for scene in scenes where FileManager.default.fileExists(atPath: "\(content)/\(scene)") {
          // The service would leave the running scene alone, and find out at the next start.
          let report = SceneLoader.load(folder: ("\(content)/\(scene)" as NSString).deletingLastPathComponent)
          if report.scene == nil { return report.problems.first.map { "\($0)" } ?? "\(scene) cannot be used" }
        }
        return isAlone ? nil : await activation.problem()
      }
      let name = "\(reader.manifest.name) \(reader.manifest.version)"
      switch outcome {
      case .applied: Output.line("\(name) is in use at \(folder)/current/\(reader.manifest.name)")
      case .alreadyThere: Output.line("\(name) is in use already")
      }
    } catch {
      try fail(error)
    }
  }

  private static func isScene(_ path: String) -> Bool {
    ["scene.yaml", "scene.yml", "scene.json"].contains((path as NSString).lastPathComponent)
  }
}

/// Makes the service take new content, and finds out whether it is well with it.
private struct Activation: Sendable {
  let path: String
  let command: String?
  let within: Double
  let settle: Double

  /// Why the service is not well; `nil` when it is.
  func problem() async -> String? {
    if let command, let problem = Self.execute(command) { return problem }
    let end = MonotonicClock.now + within
    var last = "nobody answers on \(path)"
    while MonotonicClock.now < end {
      do {
        return try await look()
      } catch let error as ServiceError {
        return error.message
      } catch {
        last = (error as? ClientError)?.message ?? "\(error)"
        // It may be on its way up.
        try? await Task.sleep(for: .milliseconds(200))
      }
    }
    return last
  }

  /// Subscribes first, so that no failure is missed; then lets it reload, and listens.
  private func look() async throws -> String? {
    let client = try await WaymarkClient.connect(to: path)
    _ = try await client.send(SubscribeRequest(events: ["scene.failed", "server.stopping"]))
    if command == nil { _ = try await client.send(ConfigReloadRequest()) }
    let failure = await withTaskGroup(of: String?.self) { group in
      group.addTask {
        do {
          for try await received in client.events {
            switch received.event.body {
            case .sceneFailed(let failure): return "\(failure.message) (scene \(failure.scene))"
            case .serverStopping(let stopping): return stopping.reason
            default: break
            }
          }
        } catch is CancellationError {
          return nil
        } catch {
          return "the service disconnected"
        }
        return nil
      }
      group.addTask { [settle] in
        try? await Task.sleep(for: .seconds(settle))
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
    if let failure { return failure }
    _ = try await client.send(StatusRequest())
    return nil
  }

  /// Runs the administrator's command. By Foundation, not as a worker is started: a worker has no environment, writes nowhere and ends with the
  /// thread that started it, while this command is to run as it would in the administrator's shell, its output shown.
  private static func execute(_ command: String) -> String? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", command]
    process.standardOutput = FileHandle.standardError
    do {
      try process.run()
    } catch {
      return "\(command) cannot be run: \(error.localizedDescription)"
    }
    process.waitUntilExit()
    return process.terminationStatus == 0 ? nil : "\(command) ended with \(process.terminationStatus)"
  }
}
