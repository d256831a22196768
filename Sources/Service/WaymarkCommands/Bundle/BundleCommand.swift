import ArgumentParser
import Foundation
import WaymarkOnboarding
import WaymarkSystem

/// `waymark bundle`: scenes, keys and policies for many devices, signed.
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

/// `waymark bundle make`.
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
    do {
      let pem = String(decoding: try WholeFile.read(key, limit: 1 << 16), as: UTF8.self)
      let signing = try SigningKey(pem: pem)
      // Nobody fetches half of it: it has its name when it is whole.
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
    } catch {
      try fail(error)
    }
  }
}

/// `waymark bundle verify`.
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
    do {
      let (reader, handle) = try BundleFile.open(bundle, keys: keys)
      defer { try? handle.close() }
      try reader.readFiles { _ in
      } take: { _ in
      }
      let manifest = reader.manifest
      Output.line(
        "\(manifest.name) \(manifest.version), made \(manifest.made): \(manifest.files.count) files, \(manifest.size) bytes, as signed"
      )
      guard list else { return }
      for file in manifest.files { Output.line("\(file.digest)  \(file.size)  \(file.path)") }
    } catch {
      try fail(error)
    }
  }
}

/// `waymark bundle list`.
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
    do {
      for name in store.names {
        let state = try store.state(of: name)
        let now = state.current.map { "version \($0)" } ?? "none"
        Output.line("\(name)\t\(now)" + (state.pending.map { ", \($0) was tried when power went" } ?? ""))
      }
    } catch {
      try fail(error)
    }
  }
}
