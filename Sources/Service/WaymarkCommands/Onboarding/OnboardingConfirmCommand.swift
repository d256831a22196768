import ArgumentParser
import WaymarkOnboarding
import WaymarkSystem

/// `waymark onboarding confirm`: accepts a payload for good, so that it is not accepted again.
struct OnboardingConfirmCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "confirm",
    abstract: "Judges a payload and, if it is accepted, records that it was used.",
    discussion: """
      For scripts that use what `waymark scan --onboarding` found. Of several that confirm the same token at \
      once, one ends with 0 and the others with 2 (replayed).
      Example:
        waymark scan --onboarding --raw code.png | waymark onboarding confirm -
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
      // The person may have taken long.
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
