import ArgumentParser
import Foundation
import WaymarkOnboarding
import WaymarkService

/// `waymark onboarding sign`: a token to print.
struct OnboardingSignCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign",
    abstract: "Signs a JSON payload and prints the token for a code.",
    discussion: "Example: waymark onboarding sign --key key.pem payload.json | qrencode -o code.png")

  @Option(help: "The private key, in PEM.", completion: .file())
  var key: String

  @Option(help: "The key's identifier (kid) for the token's header.")
  var kid: String?

  @Option(
    help: "The algorithm, where the key serves several: RS256, RS384, RS512.", transform: SignatureAlgorithm.named)
  var algorithm: SignatureAlgorithm?

  @Option(help: "The issuer (iss).")
  var issuer: String?

  @Option(help: "For whom the token is (aud).")
  var audience: String?

  @Option(help: "How long the token is valid: 90s, 30m, 12h, 7d.")
  var expiresIn: Span?

  @Option(help: "An identifier (jti), which lets the token be accepted once only; \"random\" makes one up.")
  var jti: String?

  @Argument(help: "The payload, a JSON object, or - for standard input.", completion: .file())
  var payload: String

  /// A span of time.
  struct Span: ExpressibleByArgument {
    let seconds: Double

    init?(argument: String) {
      let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
      guard let last = argument.last, let unit = units[last], let count = Int(argument.dropLast()), count > 0 else {
        return nil
      }
      seconds = Double(count) * unit
    }
  }

  func run() async throws {
    let data = payload == "-" ? try FileHandle.standardInput.readToEnd() : FileManager.default.contents(atPath: payload)
    guard let data else {
      Output.diagnostic("waymark: the payload \(payload) cannot be read")
      throw ExitCode(ExitStatus.cannotOpen.rawValue)
    }
    var claims = TokenSigner.Claims()
    claims.issuer = issuer
    claims.audience = audience
    if let expiresIn {
      claims.issuedAt = Date()
      claims.expires = Date(timeIntervalSinceNow: expiresIn.seconds)
    }
    claims.identifier = jti == "random" ? UUID().uuidString.lowercased() : jti
    do {
      let signer = TokenSigner(key: try KeyFile.privateKey(key, id: kid), algorithm: algorithm)
      let token = try signer.token(for: String(decoding: data, as: UTF8.self), claims: claims)
      // ISO/IEC 18004, table 7: version 40, level L, bytes.
      if token.utf8.count > 2953 {
        Output.diagnostic("waymark: the token has \(token.utf8.count) bytes; one QR code holds 2953 at most")
      }
      Output.line(token)
    } catch {
      Output.diagnostic("waymark: \(error.message)\n  \(error.hint)")
      throw ExitCode(ExitStatus.badData.rawValue)
    }
  }
}

extension SignatureAlgorithm {
  /// An algorithm as an option names it.
  static func named(_ name: String) throws -> Self {
    guard let algorithm = Self(rawValue: name) else {
      throw ValidationError("the algorithm is one of \(allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return algorithm
  }
}
