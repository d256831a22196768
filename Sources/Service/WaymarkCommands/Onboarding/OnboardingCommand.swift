import ArgumentParser
import FoundationEssentials
import Glibc
import WaymarkConfiguration
import WaymarkOnboarding
import WaymarkService
import WaymarkSystem

/// `waymark onboarding`: judges payloads by a policy. `check` and `confirm` are in this file, with
/// their common arguments (`OnboardingInput`).
struct OnboardingCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "onboarding",
    abstract: "Explains, signs and confirms onboarding payloads.",
    usage: "waymark onboarding check|confirm|sign|keygen …",
    subcommands: [
      OnboardingCheckCommand.self, OnboardingConfirmCommand.self, OnboardingSignCommand.self,
      OnboardingKeygenCommand.self,
    ])
}

/// The common arguments of `check` and `confirm`: payload, policy and time.
struct OnboardingInput: ParsableArguments {
  @Argument(help: "The payload as the code has it, or - for standard input.")
  var text: String?

  @OptionGroup var policy: PolicyOption

  @Option(help: "The moment to judge by (RFC 3339), instead of now.")
  var at: String?

  @Flag(help: "Print one JSON object.")
  var json = false

  @Flag(help: "Show passwords and tokens, also with --json.")
  var showSecrets = false

  func validate() throws {
    if at != nil, fixedMoment == nil { throw ValidationError("--at is a time such as 2026-03-01T12:00:00Z") }
  }

  /// Throws a `ValidationError` if the argument is missing.
  func requireText() throws {
    if text == nil { throw ValidationError("Missing expected argument '<text>'") }
  }

  private var fixedMoment: Date? { at.flatMap { try? Date($0, strategy: .iso8601) } }
  /// The time at which the payload is judged.
  var moment: Date { fixedMoment ?? WallClock.date }

  /// Reads the payload, and returns the judge's verdict on it; ends the command if standard input is empty.
  ///
  /// - Throws: `FileError` if standard input cannot be read.
  func verdict(of judge: OnboardingJudge) throws -> Verdict {
    // Reading stops after 4 MiB, more than any policy accepts.
    var bytes = Array((text ?? "").utf8)
    if text == "-" {
      bytes = []
      while bytes.count < 4 << 20, case let chunk = try WholeFile.readStandardInput(upTo: 1 << 16), !chunk.isEmpty {
        bytes += chunk
      }
      if bytes.isEmpty {
        Output.fail(.nothingFound, "Standard input is empty.", hint: "The command before it may have read no code.")
      }
    }
    return judge.verdict(for: [ScannedCode(bytes: bytes)], now: moment)
  }

  /// Returns the judge of the policy; ends the command if the policy cannot be used.
  func judge(records: Bool) throws -> OnboardingJudge {
    do {
      return try policy.configuration().judge(records: records)
    } catch {
      Output.fail(error.code == .replayStore ? .cannotOpen : error.code.exitStatus, error.message, hint: error.hint)
    }
  }

  /// Prints a verdict; throws its `ExitCode` unless the verdict is successful.
  func report(_ verdict: Verdict) throws {
    if json {
      Output.json(VerdictText.json(verdict, showSecrets: showSecrets))
    } else {
      Output.line(VerdictText.human(verdict, showSecrets: showSecrets))
    }
    let status: ExitStatus
    switch verdict.outcome {
    case .successful: return
    case .invalid: status = .invalid
    case .unsuccessful: status = .nothingFound
    }
    if let text, text != "-", FileKind(text) == .regular {
      Output.diagnostic(
        "waymark: this judged the name of a file\n  Judge its text with: onboarding check - < \(text), the code in a picture with: scan --onboarding \(text)"
      )
    }
    throw ExitCode(status.rawValue)
  }
}

/// The option for the policy, of the commands that judge payloads.
struct PolicyOption: ParsableArguments {
  @Option(
    help: """
      The policy: a waymark.yaml with its waymark.d, or a file with an onboarding section (else that of the service's \
      configuration).
      """,
    completion: .file())
  var policy: String?

  /// Reads the named policy, or that of the configuration with which the service of this user would start, else the service of the
  /// system. Prints the warnings of the policy.
  ///
  /// - Throws: `cannotOpen` or `badPolicy` if the file is unreadable or wrong.
  func configuration() throws(OnboardingError) -> OnboardingConfiguration {
    let configuration = if let policy { try OnboardingConfiguration(file: policy) } else { try configured() }
    for warning in configuration.warnings { Output.diagnostic("waymark: \(warning)\n  \(warning.hint)") }
    return configuration
  }

  private func configured() throws(OnboardingError) -> OnboardingConfiguration {
    let environment = ProcessInfo.processInfo.environment
    func loader(isSystem: Bool) -> ConfigurationLoader {
      ConfigurationLoader(
        named: nil, environment: environment, flags: [:], isSystem: isSystem, schema: Program.current.schema)
    }
    let own = loader(isSystem: SocketPath.isSystem(environment: environment))
    let (service, problems) = (own.exists ? own : loader(isSystem: true)).load()
    let read = service.document.map { OnboardingConfiguration.read($0) }
    if let text = (problems + (read?.problems ?? [])).text {
      throw OnboardingError(.badPolicy, text.message, hint: "\(text.hint) --policy FILE judges by another file.")
    }
    return read?.configuration ?? OnboardingConfiguration()
  }
}

struct OnboardingCheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Explains step by step whether a payload would be accepted.",
    discussion: """
      Ends with 0 when it would, with 2 when it would not. Checking never uses up a token.
      Example:
        waymark scan --raw code.png | waymark onboarding check -
      With --lines many are judged at once: each line of standard input is a payload as a JSON string, and each line of \
      the output its verdict as a JSON object. It ends with 0 when every line was judged, and with 65 at the first that is \
      no such string or has more than a megabyte.
        jq -R . payloads.txt | waymark onboarding check --lines --policy policy.yaml
      """)

  @OptionGroup var input: OnboardingInput

  @Flag(help: "Judge the payloads on standard input, a JSON string a line, and print a JSON object a line.")
  var lines = false

  func validate() throws {
    if lines, input.text != nil {
      throw ValidationError("--lines reads the payloads from standard input, not from TEXT")
    }
    if !lines { try input.requireText() }
  }

  func run() async throws {
    guard lines else { return try input.report(try input.verdict(of: try input.judge(records: false))) }
    let judge = try input.judge(records: false)
    var count = 0
    try InputLines.forEach(limit: 1 << 20) { line in
      count += 1
      guard line.count <= 1 << 20, let text = (try? JSONParser.parse(line))?.string else {
        Output.fail(
          .badData, "Line \(count) is not a JSON string of at most a megabyte.",
          hint: "Write each payload as a JSON string on a line of its own; jq -R . does that.")
      }
      let verdict = judge.verdict(for: [ScannedCode(text)], now: input.moment)
      Output.json(VerdictText.json(verdict, showSecrets: input.showSecrets))
    }
  }
}

/// Reads standard input by lines.
private enum InputLines {
  /// Calls a function with each line, without its line feed. A line longer than the limit is cut to one byte more than the limit,
  /// which shows that it was longer.
  ///
  /// - Throws: `FileError` if standard input cannot be read, or the error of `body`.
  static func forEach(limit: Int, _ body: ([UInt8]) throws -> Void) throws {
    var line: [UInt8] = []
    while case let chunk = try WholeFile.readStandardInput(upTo: 1 << 16), !chunk.isEmpty {
      for byte in chunk {
        if byte == UInt8(ascii: "\n") {
          try body(line)
          line.removeAll(keepingCapacity: true)
        } else if line.count <= limit {
          line.append(byte)
        }
      }
    }
    if !line.isEmpty { try body(line) }
  }
}

struct OnboardingConfirmCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "confirm",
    abstract: "Judges a payload and, if it is accepted, records that it was used.",
    discussion: """
      For scripts that use what `waymark scan --onboarding` found. Of several that confirm the same token at \
      once, one ends with 0 and the others with 2 (replayed), if the policy names a replay folder.
      Example:
        waymark scan --raw code.png | waymark onboarding confirm -
      """)

  @OptionGroup var input: OnboardingInput

  @Flag(help: "Show the verdict first and ask on the terminal for confirmation.")
  var ask = false

  func validate() throws {
    try input.requireText()
    if ask, input.text == "-" {
      throw ValidationError("--ask reads the answer from standard input: pass the payload as TEXT")
    }
  }

  func run() async throws {
    var judge = try input.judge(records: true)
    var verdict = try input.verdict(of: judge)
    guard verdict.isSuccessful else { return try input.report(verdict) }
    if ask {
      Output.diagnostic("\(VerdictText.human(verdict, showSecrets: input.showSecrets))\n\nConfirm? [y/N]")
      guard let answer = readLine(), ["y", "yes"].contains(answer.lowercased()) else {
        Output.diagnostic("not confirmed")
        throw ExitCode(ExitStatus.nothingFound.rawValue)
      }
      // The person may have taken a long time, so the payload is judged again.
      judge = try input.judge(records: true)
      verdict = try input.verdict(of: judge)
      guard verdict.isSuccessful else { return try input.report(verdict) }
    }
    let isFirst: Bool
    do {
      isFirst = try judge.confirm(verdict)
    } catch let problem as OnboardingError {
      Output.fail(.cannotOpen, problem.message, hint: problem.hint)
    }
    try input.report(isFirst ? verdict : verdict.replayed)
  }
}
