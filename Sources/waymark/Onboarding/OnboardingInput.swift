import ArgumentParser
import Foundation
import WaymarkOnboarding
import WaymarkSystem

/// The common arguments of `check` and `confirm`: a payload, a policy, a moment.
struct OnboardingInput: ParsableArguments {
  @Argument(help: "The payload as the code has it, or - for standard input.")
  var text: String

  @Option(help: "The policy: a waymark.yaml, or a file with an onboarding section.", completion: .file())
  var policy: String?

  @Option(help: "The moment to judge by (RFC 3339), instead of now.")
  var at: String?

  @Flag(help: "Print one JSON object.")
  var json = false

  @Flag(help: "Show passwords and tokens, also with --json.")
  var showSecrets = false

  func validate() throws {
    if at != nil, moment == nil { throw ValidationError("--at is a time such as 2026-03-01T12:00:00Z") }
  }

  private var moment: Date? { at.map { try? Date($0, strategy: .iso8601) } ?? WallClock.date }

  /// The judge and its verdict; ends the command when the policy cannot be used.
  ///
  /// - Parameter records: whether the judge is to record a confirmation.
  func judge(records: Bool) throws -> (judge: OnboardingJudge, verdict: Verdict) {
    let bytes: [UInt8]
    if text == "-" {
      // More than any policy accepts need not be read to be refused.
      bytes = Array(try FileHandle.standardInput.read(upToCount: 4 << 20) ?? Data())
    } else {
      bytes = Array(text.utf8)
    }
    do {
      let configuration = try policy.map { path throws(OnboardingError) in
        try OnboardingConfiguration(file: path)
      }
      for warning in configuration?.warnings ?? [] { Output.diagnostic("waymark: \(warning)") }
      let judge = try (configuration ?? OnboardingConfiguration()).judge(records: records)
      return (judge, judge.verdict(for: [ScannedCode(bytes: bytes)], now: moment ?? WallClock.date))
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
