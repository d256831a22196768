import ArgumentParser

/// `waymark onboarding`: for those who make onboarding codes and policies.
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
