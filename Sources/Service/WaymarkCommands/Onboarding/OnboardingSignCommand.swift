import ArgumentParser
import Foundation
import WaymarkOnboarding
import WaymarkSystem

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

  @Option(help: "The audience (aud).")
  var audience: String?

  @Option(help: "How long the token is valid from its beginning: 90s, 30m, 12h, 7d.")
  var expiresIn: Span?

  @Option(
    help: "The moment from which the token is valid (nbf): a time such as 2026-03-01T12:00:00Z, or a span such as 2h.")
  var notBefore: Moment?

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

  /// A moment, or a span from now.
  struct Moment: ExpressibleByArgument {
    let date: Date

    init?(argument: String) {
      if let date = try? Date(argument, strategy: .iso8601) {
        self.date = date
      } else if let span = Span(argument: argument) {
        date = WallClock.date.addingTimeInterval(span.seconds)
      } else {
        return nil
      }
    }
  }

  func validate() throws {
    // The last second of the year 9999, which every calendar and NumericDate of a token can hold.
    let end = Date(timeIntervalSince1970: 253_402_300_799)
    if let notBefore, !(Date(timeIntervalSince1970: 0)...end).contains(notBefore.date) {
      throw ValidationError("--not-before lies outside the years 1970 to 9999.")
    }
    if let expiresIn, (notBefore?.date ?? WallClock.date).addingTimeInterval(expiresIn.seconds) > end {
      throw ValidationError("--expires-in goes beyond the year 9999: a token without an end has no --expires-in.")
    }
  }

  func run() async throws {
    let data =
      payload == "-"
      ? try FileHandle.standardInput.readToEnd() ?? Data() : FileManager.default.contents(atPath: payload)
    guard let data else {
      Output.fail(
        .cannotOpen, "The payload \(payload) cannot be read.",
        hint: "Check the path and who may read it; - is standard input.")
    }
    guard let text = String(validating: data, as: UTF8.self) else {
      Output.fail(.badData, "The payload is not UTF-8.", hint: "Use one JSON object in UTF-8.")
    }
    var claims = TokenSigner.Claims()
    claims.issuer = issuer
    claims.audience = audience
    claims.notBefore = notBefore?.date
    if let expiresIn {
      claims.issuedAt = WallClock.date
      claims.expires = (notBefore?.date ?? WallClock.date).addingTimeInterval(expiresIn.seconds)
    }
    claims.identifier = jti == "random" ? UUID().uuidString.lowercased() : jti
    do {
      let signer = TokenSigner(key: try KeyFile.privateKey(key, id: kid), algorithm: algorithm)
      let replaced = try TokenSigner.claims(of: text, replacedBy: claims)
      if !replaced.isEmpty {
        Output.diagnostic(
          "waymark: the payload's own \(replaced.joined(separator: ", ")) \(replaced.count == 1 ? "gives" : "give") way to "
            + "the options")
      }
      let token = try signer.token(for: text, claims: claims)
      // ISO/IEC 18004, table 7: version 40, level L, bytes.
      if token.utf8.count > 2953 {
        Output.diagnostic("waymark: the token has \(token.utf8.count) bytes; one QR code holds 2953 at most")
      }
      Output.line(token)
    } catch {
      try fail(error)
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
