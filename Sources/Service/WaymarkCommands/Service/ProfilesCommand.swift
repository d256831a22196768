import ArgumentParser
import WaymarkClient
import WaymarkProtocol
import WaymarkSystem

/// `waymark profiles`: lists the profiles of a running service (`list`), and chooses one (`use`). Both subcommands are
/// in this file.
struct ProfilesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "profiles", abstract: "List and choose profiles.",
    discussion: "Asks the running service; choosing needs the role operator. docs/profiles.md says what a profile is.",
    subcommands: [ProfilesListCommand.self, ProfilesUseCommand.self])

  static func text(of status: ProfileStatus) -> String {
    func shown(_ text: String) -> String { DisplayText.escaped(text, limit: 100) }
    let name = status.profile.map(shown) ?? "no profile"
    switch status.reason {
    case .none: return name
    default: return "\(name), by \(status.reason.rawValue)\(status.until.map { " until \($0)" } ?? "")"
    }
  }
}

struct ProfilesListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the profiles, and mark the one in use.",
    discussion: """
      Example:
        waymark profiles list --json
      """)

  @OptionGroup var place: SocketOptions

  @Flag(help: "Print the answer of the service as JSON.")
  var json = false

  func run() async throws {
    let client = try await WaymarkClient.connect(to: place.path)
    let result = try await client.send(ProfileListRequest())
    if json { return Output.json(try Output.text(result)) }
    for profile in result.profiles { Output.line(Self.text(of: profile, active: result.active.profile)) }
    Output.diagnostic("In use: \(ProfilesCommand.text(of: result.active)).")
  }

  private static func text(of profile: ProfileDescription, active: String?) -> String {
    let parts = [
      profile.days.map { $0.joined(separator: " ") }, profile.times.map { $0.joined(separator: " ") },
      profile.codes ? "by code" : nil,
    ].compactMap { $0 }
    let mark = profile.profile == active ? "*" : " "
    return "\(mark) \(profile.profile)  \(DisplayText.escaped(parts.joined(separator: "; "), limit: 400))"
  }
}

struct ProfilesUseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "use",
    abstract: "Choose a profile; without a name, leave the choice to the time of day again.",
    discussion: """
      Examples:
        waymark profiles use goods-in
        waymark profiles use goods-in --seconds 600
        waymark profiles use
      """)

  @OptionGroup var place: SocketOptions

  @Option(help: "End the choice after so many seconds.")
  var seconds: Double?

  @Argument(help: "The name of the profile.")
  var profile: String?

  func run() async throws {
    let client = try await WaymarkClient.connect(to: place.path)
    let status = try await client.send(ProfileUseRequest(profile: profile, seconds: seconds))
    Output.diagnostic("In use: \(ProfilesCommand.text(of: status)).")
  }
}
