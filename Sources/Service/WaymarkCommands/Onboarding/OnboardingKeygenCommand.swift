import ArgumentParser
import Foundation
import WaymarkOnboarding
import WaymarkSystem

/// `waymark onboarding keygen`: a key pair for signing.
struct OnboardingKeygenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keygen",
    abstract: "Makes a key pair: the private key into a file, the public one to standard output.",
    discussion: "Example: waymark onboarding keygen --key key.pem --kid site-1 > keys.jwks")

  @Option(help: "The file for the private key; it must not exist yet.", completion: .file())
  var key: String

  @Option(help: "The algorithm: ES256, ES384, ES512, RS256, RS384, RS512, EdDSA.", transform: SignatureAlgorithm.named)
  var algorithm: SignatureAlgorithm = .es256

  @Option(help: "The key's identifier (kid).")
  var kid: String?

  @Flag(help: "Print the public key as PEM instead of a JWK set.")
  var pem = false

  func run() async throws {
    do {
      let made = try SigningKey(generating: algorithm, id: kid)
      // For its owner alone from the first byte on, and never over another key.
      let descriptor = open(key, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else {
        let reason = String(cString: strerror(errno))
        Output.fail(.cannotOpen, "\(key) cannot be made: \(reason)", hint: "Name a file that does not exist yet.")
      }
      defer { close(descriptor) }
      if let number = DurableFile.writeAll(descriptor, Array(made.pem.utf8)) ?? (fsync(descriptor) == 0 ? nil : errno) {
        // Half a key is none.
        unlink(key)
        let error = FileError(key, cannotBe: "written", number: number)
        Output.fail(.cannotWrite, error.message, hint: error.hint)
      }
      Output.line(pem ? made.publicPEM.trimmingCharacters(in: .newlines) : made.publicJWKSet)
    } catch {
      try fail(error)
    }
  }
}
