import ArgumentParser
import FoundationEssentials
import WaymarkConfiguration
import WaymarkOnboarding
import WaymarkService
import WaymarkSystem

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
