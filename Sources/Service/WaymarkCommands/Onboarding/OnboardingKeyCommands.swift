import ArgumentParser
import FoundationEssentials
import Glibc
import WaymarkOnboarding
import WaymarkSystem

/// `waymark onboarding sign` and, below, `waymark onboarding keygen`: sign payloads, and make key pairs.
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

  /// A moment, given absolutely or as a time span from now.
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
    // The last second of the year 9999, which every calendar and the NumericDate of a token can represent.
    let end = Date(timeIntervalSince1970: 253_402_300_799)
    if let notBefore, !(Date(timeIntervalSince1970: 0)...end).contains(notBefore.date) {
      throw ValidationError("--not-before lies outside the years 1970 to 9999.")
    }
    if let expiresIn, (notBefore?.date ?? WallClock.date).addingTimeInterval(expiresIn.seconds) > end {
      throw ValidationError("--expires-in goes beyond the year 9999: a token without an end has no --expires-in.")
    }
  }

  func run() async throws {
    let limit = 16 << 20
    let data =
      payload == "-"
      ? try? WholeFile.readStandardInput(limit: limit) : try? WholeFile.read(payload, limit: limit, kind: .any)
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
  }
}

extension SignatureAlgorithm {
  /// Returns the algorithm of a name such as `ES256`; throws a `ValidationError` for an unknown name.
  static func named(_ name: String) throws -> Self {
    guard let algorithm = Self(rawValue: name) else {
      throw ValidationError("the algorithm is one of \(allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return algorithm
  }
}

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
    let made = try SigningKey(generating: algorithm, id: kid)
    // The file is private from the beginning, and never replaces another key.
    let descriptor = open(key, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      let reason = String(cString: strerror(errno))
      Output.fail(.cannotOpen, "\(key) cannot be made: \(reason)", hint: "Name a file that does not exist yet.")
    }
    defer { close(descriptor) }
    if let number = DurableFile.writeAll(descriptor, Array(made.pem.utf8)) ?? (fsync(descriptor) == 0 ? nil : errno) {
      // An incomplete key is useless.
      unlink(key)
      let error = FileError(key, cannotBe: "written", number: number)
      Output.fail(.cannotWrite, error.message, hint: error.hint)
    }
    Output.line(pem ? made.publicPEM.trimmed : made.publicJWKSet)
  }
}
