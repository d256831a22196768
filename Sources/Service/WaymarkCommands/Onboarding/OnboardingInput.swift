import ArgumentParser
import Foundation
import WaymarkOnboarding
import WaymarkSystem

/// The common arguments of `check` and `confirm`: a payload, a policy, a moment.
struct OnboardingInput: ParsableArguments {
  @Argument(help: "The payload as the code has it, or - for standard input.")
  var text: String?

  @Option(help: "The policy: a waymark.yaml, or a file with an onboarding section.", completion: .file())
  var policy: String?

  @Option(help: "The moment to judge by (RFC 3339), instead of now.")
  var at: String?

  @Flag(help: "Print one JSON object.")
  var json = false

  @Flag(help: "Show passwords and tokens, also with --json.")
  var showSecrets = false

  func validate() throws {
    if at != nil, fixedMoment == nil { throw ValidationError("--at is a time such as 2026-03-01T12:00:00Z") }
  }

  /// Throws unless there is a payload.
  func requireText() throws {
    if text == nil { throw ValidationError("Missing expected argument '<text>'") }
  }

  private var fixedMoment: Date? { at.flatMap { try? Date($0, strategy: .iso8601) } }
  /// The moment to judge by.
  var moment: Date { fixedMoment ?? WallClock.date }

  /// The verdict of a judge on the payload.
  func verdict(of judge: OnboardingJudge) throws -> Verdict {
    // More than any policy accepts need not be read to be refused.
    let bytes =
      text == "-" ? Array(try FileHandle.standardInput.read(upToCount: 4 << 20) ?? Data()) : Array((text ?? "").utf8)
    return judge.verdict(for: [ScannedCode(bytes: bytes)], now: moment)
  }

  /// The judge of the policy; ends the command when the policy cannot be used.
  ///
  /// - Parameter records: whether the judge is to record a confirmation.
  func judge(records: Bool) throws -> OnboardingJudge {
    do {
      let configuration = try policy.map { path throws(OnboardingError) in
        try OnboardingConfiguration(file: path)
      }
      for warning in configuration?.warnings ?? [] { Output.diagnostic("waymark: \(warning)") }
      return try (configuration ?? OnboardingConfiguration()).judge(records: records)
    } catch {
      Output.fail(error.code == .replayStore ? .cannotOpen : error.code.exitStatus, error.message, hint: error.hint)
    }
  }

  /// Prints a verdict and ends with its exit code.
  func report(_ verdict: Verdict) throws {
    if json {
      Output.json(VerdictText.json(verdict, showSecrets: showSecrets))
    } else {
      Output.line(VerdictText.human(verdict, showSecrets: showSecrets))
    }
    switch verdict.outcome {
    case .successful: break
    case .invalid: throw ExitCode(ExitStatus.invalid.rawValue)
    case .unsuccessful: throw ExitCode(ExitStatus.nothingFound.rawValue)
    }
  }
}
