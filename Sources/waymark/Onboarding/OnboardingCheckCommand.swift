import ArgumentParser

/// `waymark onboarding check`: the verdict on a payload, step by step. Nothing is recorded.
struct OnboardingCheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Explains step by step whether a payload would be accepted.",
    discussion: """
      Ends with 0 when it would, with 2 when it would not. Checking never uses up a token.
      Example:
        waymark scan --raw code.png | waymark onboarding check -
      """)

  @OptionGroup var input: OnboardingInput

  func run() async throws { try input.report(try input.judge(records: false).verdict) }
}
