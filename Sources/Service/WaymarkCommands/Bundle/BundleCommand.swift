import ArgumentParser
import FoundationEssentials
import Glibc
import WaymarkClient
import WaymarkOnboarding
import WaymarkProtocol
import WaymarkScenes
import WaymarkSystem

/// `waymark bundle`: makes, verifies, lists and applies signed bundles of scenes, keys and policies. All subcommands
/// are in this file; `Activation` below activates the new content and checks the service.
struct BundleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bundle",
    abstract: "Make, check and apply signed bundles of scenes, keys and policies.",
    discussion: """
      A bundle is a tar with a manifest signed by Ed25519, and a version that never goes back. Example:
        waymark onboarding keygen --algorithm EdDSA --kid fleet --key fleet.pem > bundle-keys.jwks
        waymark bundle make site-4/ --name site-4 --number 12 --key fleet.pem -o site-4-12.tar
        waymark bundle apply site-4-12.tar
      """,
    subcommands: [
      BundleMakeCommand.self, BundleVerifyCommand.self, BundleApplyCommand.self, BundleListCommand.self,
    ])
}

extension BundleErrorCode: CommandErrorCode {
  package var exitStatus: ExitStatus {
    switch self {
    case .cannotOpen: .cannotOpen
    case .badBundle, .badContent: .badData
    case .notSigned, .oldVersion: .invalid
    case .notReady: .unavailable
    }
  }
}

struct BundleMakeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "make", abstract: "Pack a folder and sign it.",
    discussion: """
      Links, hidden files and names with other than letters, digits and - _ . + @ , = are not allowed in a bundle.
      Example:
        waymark bundle make site-4/ --name site-4 --number 12 --key fleet.pem -o site-4-12.tar
      """)

  @Argument(help: "The folder.", completion: .directory)
  var folder: String

  @Option(help: "The name of the bundle, the same for all of its versions, such as site-4.")
  var name: String

  @Option(help: "Its version: a whole number that rises with every bundle of that name.")
  var number: Int

  @Option(help: "The private Ed25519 key, PEM.", completion: .file())
  var key: String

  @Option(name: .letter(.output), help: "The bundle.")
  var output: String

  @Option(help: "When it was made, RFC 3339 (else now): the same input then makes the same bundle.")
  var made: String?

  func validate() throws {
    guard BundleManifest.isName(name) else { throw ValidationError("--name takes letters, digits, - and _.") }
    guard (1...1 << 53).contains(number) else { throw ValidationError("--number takes a whole number from 1 on.") }
  }

  func run() async throws {
    let pem = String(decoding: try WholeFile.read(key, limit: 1 << 16), as: UTF8.self)
    let signing = try SigningKey(pem: pem)
    // The file is unnamed until it is complete.
    let file = try DraftFile(output, mode: 0o644)
    let manifest = try BundleWriter.write(
      folder: folder, name: name, version: number, made: made ?? WallClock.timestamp, key: signing
    ) { (bytes) throws(BundleError) in
      do throws(FileError) {
        try file.append(bytes)
      } catch {
        throw BundleError(.cannotOpen, error.message, hint: error.hint, cause: error.cause)
      }
    }
    try file.publish()
    Output.line("\(name) \(number): \(manifest.files.count) files, \(manifest.size) bytes, in \(output)")
  }
}

struct BundleVerifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Verify the signature of a bundle and the contents of its files.",
    discussion: """
      Example:
        waymark bundle verify site-4-12.tar --keys bundle-keys.jwks
      """)

  @Argument(help: "The bundle.", completion: .file())
  var bundle: String

  @Option(help: "The public keys that are trusted, JWK set or PEM.", completion: .file())
  var keys = BundleFile.standardKeys

  @Flag(help: "List the files.")
  var list = false

  func run() async throws {
    let (reader, descriptor) = try BundleFile.open(bundle, keys: keys)
    defer { close(descriptor) }
    try reader.readFiles { _ in
    } take: { _ in
    }
    let manifest = reader.manifest
    Output.line(
      "\(manifest.name) \(manifest.version), made \(manifest.made): \(manifest.files.count) files, \(manifest.size) bytes, as signed"
    )
    guard list else { return }
    for file in manifest.files { Output.line("\(file.digest)  \(file.size)  \(file.path)") }
  }
}

struct BundleListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the bundles of this device.",
    discussion: """
      Example:
        waymark bundle list
      """)

  @Option(help: "Where bundles are kept.")
  var folder = BundleFile.standardFolder

  func run() async throws {
    let store = BundleStore(folder: folder)
    for name in store.names {
      let state = try store.state(of: name)
      let now = state.current.map { "version \($0)" } ?? "none"
      Output.line("\(name)\t\(now)" + (state.pending.map { ", \($0) was tried when power went" } ?? ""))
    }
  }
}

/// Opens bundles that are named on the command line; also the default paths of keys and bundles.
enum BundleFile {
  /// Opens a bundle and checks its signature. The caller closes the descriptor.
  ///
  /// - Throws: `BundleError` if the keys or the bundle cannot be opened, or no key has signed the bundle.
  static func open(_ path: String, keys: String) throws -> (reader: BundleReader, descriptor: Int32) {
    let text: String
    do {
      text = String(decoding: try WholeFile.read(keys, limit: 1 << 20, kind: .any), as: UTF8.self)
    } catch {
      throw BundleError(
        .cannotOpen, error.message,
        hint:
          "Put the public key of the bundles' maker there (waymark onboarding keygen prints it), or name its file: --keys"
      )
    }
    let isPEM = text.contains("-----BEGIN")
    let trusted = try isPEM ? PEMKeys.keys(text, id: nil) : JWKSet.keys(text).keys
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let error = FileError(path, cannotBe: "read", number: errno)
      throw BundleError(.cannotOpen, error.message, hint: error.hint)
    }
    do {
      return (try BundleReader(source: BundleReader.source(descriptor, name: path), keys: trusted), descriptor)
    } catch {
      close(descriptor)
      throw error
    }
  }

  static let standardKeys = "/etc/waymark/bundle-keys.jwks"
  static let standardFolder = "/var/lib/waymark-bundles"
}

struct BundleApplyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply", abstract: "Apply a bundle, or leave everything as it was.",
    discussion: """
      Its files appear below FOLDER/current/NAME in one step; its waymark.yaml applies once it is linked in waymark.d. \
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
    let (reader, descriptor) = try BundleFile.open(bundle, keys: keys)
    defer { close(descriptor) }
    let activation = Activation(path: place.path, command: activate, within: within, settle: settle)
    let isAlone = noService
    let content = "\(folder)/current/\(reader.manifest.name)"
    let scenes = reader.manifest.files.map(\.path).filter(Self.isScene)
    let outcome = try await BundleStore(folder: folder).apply(reader) {
      for scene in scenes where FileManager.default.fileExists(atPath: "\(content)/\(scene)") {
        // The service would keep the running scene, and the error would appear only at its next start.
        let report = SceneLoader.load(folder: "\(content)/\(scene)".deletingLastPathComponent)
        if report.scene == nil { return report.problems.first.map { "\($0)" } ?? "\(scene) cannot be used" }
      }
      return isAlone ? nil : await activation.problem()
    }
    let name = "\(reader.manifest.name) \(reader.manifest.version)"
    switch outcome {
    case .applied: Output.line("\(name) is in use at \(folder)/current/\(reader.manifest.name)")
    case .alreadyThere: Output.line("\(name) is in use already")
    }
  }

  private static func isScene(_ path: String) -> Bool {
    ["scene.yaml", "scene.yml", "scene.json"].contains(path.lastPathComponent)
  }
}

/// Activates new content in the service and checks that the service works with it.
private struct Activation: Sendable {
  let path: String
  let command: String?
  let within: Double
  let settle: Double

  /// Returns the problem of the service with the new content; nil if it works.
  func problem() async -> String? {
    if let command, let problem = Self.execute(command) { return problem }
    let end = MonotonicClock.now + within
    var last = "no service answers on \(path)"
    while MonotonicClock.now < end {
      do {
        return try await look()
      } catch let error as ServiceError {
        return error.message
      } catch {
        last = (error as? ClientError)?.message ?? "\(error)"
        // The service may still be starting.
        try? await Task.sleep(for: .milliseconds(200))
      }
    }
    return last
  }

  /// Runs the command, if there is one, or else requests a reload, and waits `settle` seconds for a failure. Subscribes before
  /// that, so that no failure is missed.
  ///
  /// - Returns: the failure; nil if none was published and the service still answers.
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

  /// Runs the administrator's command in a shell and shows its output; returns the problem, or `nil`.
  private static func execute(_ command: String) -> String? {
    do {
      let status = try ChildProgram.run(["/bin/sh", "-c", command])
      return status == 0 ? nil : "\(command) ended with \(status)"
    } catch {
      return "\(command) cannot be run: \(error.message)"
    }
  }
}
